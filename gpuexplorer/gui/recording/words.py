"""Words about recordings: what one looks at, what came of one, and moments of it."""

from datetime import datetime

from gpuexplorer.core.axes import day_word
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.units import USUAL, Units, bytes_words
from gpuexplorer.core.words import paragraph, tr, trn
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.recording.recording import Recording

_LONGEST_NAME = 60


def what_is_shown(recording: Recording) -> str:
    """The sentences of the notice."""
    machine = recording.run(recording.ended).machine
    cards = len(recording.cards())
    sentence = tr(
        "Recording of {host}, {span}, {cards}",
        host=clean(machine.name, _LONGEST_NAME) or tr("a computer that is not named"),
        span=span_of(recording),
        cards=trn("{count} card", "{count} cards", cards),
    )
    parts = [sentence]
    if machine.source.simulated:
        parts.append(tr("simulated cards: every figure is made up"))
    if recording.anonymous:
        parts.append(tr("without names, command lines and users"))
    return paragraph([f"{'; '.join(parts)}.", *recording.notes()])


def span_of(recording: Recording) -> str:
    """ "22 Nov 14:05 to 15:05", "22 Nov 14:05 to 29 Nov 9:00"."""
    began, ended = recording.wall(recording.began), recording.wall(recording.ended)
    first, last = _local(began), _local(ended)
    start = f"{day_word(began)} {first:%H:%M}"
    same = first.date() == last.date()
    end = f"{last:%H:%M}" if same else f"{day_word(ended)} {last:%H:%M}"
    if start.endswith(end) and same:
        end = f"{last:%H:%M:%S}"
        start = f"{day_word(began)} {first:%H:%M:%S}"
    return tr("{start} to {end}", start=start, end=end)


def day_and_time(wall: float) -> tuple[str, str]:
    """The day with its year, and the time of day."""
    moment = _local(wall)
    return tr("{day} {year}", day=day_word(wall), year=moment.year), f"{moment:%H:%M:%S}"


def moment_said(wall: float) -> str:
    day, time = day_and_time(wall)
    return f"{day}, {time}"


def recorded(name: str, seconds: float, size: int, units: Units = USUAL) -> str:
    return tr(
        "Recorded {time}, {size}, into {file}.",
        time=span_words(seconds),
        size=bytes_words(size, units),
        file=name,
    )


def _local(wall: float) -> datetime:
    return datetime.fromtimestamp(wall).astimezone()
