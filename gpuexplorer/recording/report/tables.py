"""What a report tells in tables: the machine, each card, what was recorded, events."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue.heat_and_power import POWER_DRAW, TEMPERATURE
from gpuexplorer.core.catalogue.memory import MEMORY_USED
from gpuexplorer.core.catalogue.utilization import GPU_UTILIZATION
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.time_axis import moment_word
from gpuexplorer.core.units import bytes_words, duration, energy, quantity, ratio
from gpuexplorer.core.words import listed, paragraph, tr, trn
from gpuexplorer.recording.report.card_sums import AT_LIMIT, HARMFUL, PCIE, CardSums
from gpuexplorer.recording.report.courses import Courses, Sums
from gpuexplorer.recording.told import Turn
from gpuexplorer.telemetry.episodes import Episode
from gpuexplorer.telemetry.happenings import Kind

MOST_ROWS = 300
NO_FIGURE = "\N{EN DASH}"
_CLOCK_STEP = 1.0  # seconds: smaller ones are the clock being kept right


class Table(NamedTuple):
    title: str
    sides: str  # "l" or "r" for each column
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def facts(courses: Courses) -> Iterator[tuple[str, str]]:
    """What it is called, and what it is: the machine and the time."""
    recording = courses.recording
    machine = recording.run(courses.end).machine
    began, ended = (
        datetime.fromtimestamp(recording.wall(each)).astimezone()
        for each in (courses.start, courses.end)
    )
    yield tr("From"), f"{began:%Y-%m-%d %H:%M:%S}"
    yield tr("To"), f"{ended:%Y-%m-%d %H:%M:%S %Z}"
    yield tr("Length"), str(duration(courses.end - courses.start))
    tops = [each for each in recording.cards() if each.parent is None]
    named = Counter((each.name, each.memory_bytes) for each in tops)
    words = [
        (f"{count} × " if count > 1 else "") + name + (f", {bytes_words(size)}" if size else "")
        for (name, size), count in named.items()
    ]
    yield trn("Card", "Cards", max(1, len(tops))), listed(words) or tr("none")
    yield tr("Source"), tr(machine.source.label)
    yield tr("Processor"), machine.host.name
    yield tr("Read every"), str(duration(machine.interval))
    if recording.anonymous:
        yield tr("Left out"), tr("names, users and command lines")


def card_table(courses: Courses, cards: Sequence[CardSums]) -> Table:
    # Where all are alike the head has named them.
    mixed = len({each.card.name for each in cards}) > 1
    rows = [
        (
            f"{each.number}  {each.card.name}" if mixed else each.number,
            *_figures(each.of.get(GPU_UTILIZATION), GPU_UTILIZATION, each.busy_seconds),
            *_figures(each.of.get(MEMORY_USED), MEMORY_USED, each.full_seconds),
            *_figures(each.of.get(POWER_DRAW), POWER_DRAW),
            NO_FIGURE if each.joules is None else str(energy(each.joules)),
            *_figures(each.of.get(TEMPERATURE), TEMPERATURE),
            *_figures(each.pcie, PCIE[0]),
            *(_slowed(each, reasons) for reasons in (HARMFUL, AT_LIMIT)),
        )
        for each in cards
    ]
    heads = (
        *(tr("Card"), tr("Utilisation"), tr("over 90 %"), tr("Memory"), tr("over 90 %")),
        *(tr("Power"), tr("Energy"), tr("Temperature"), tr("PCIe"), tr("Slowed")),
        tr("At power limit"),
    )
    notes = [tr("Mean, then the most. Shares are of the time that was read.")]
    if courses.level:
        size = duration(courses.level)
        notes.append(tr("Time over 90 % is counted in steps of {time}.", time=size))
    summed = [each.number for each in cards if each.joules is not None and not each.counted]
    if summed:
        notes.append(tr("Energy summed up from power: {cards}.", cards=listed(summed)))
    return Table(tr("Each card"), "lrrrrrrrrrr", heads, rows, paragraph(notes + _why(cards)))


def span_table(courses: Courses) -> Table:
    """Runs, and what there was between and within them."""
    recording = courses.recording
    runs = [each for each in recording.runs if each.began <= courses.end]
    found: list[tuple[float, float | None, str]] = []
    for run in runs:
        what = tr("recorded")
        if recording.being_written and run is recording.runs[-1]:
            what = tr("recorded, and still being written")
        elif not run.whole:
            what = tr("recorded, and cut off: the program was ended, or the computer went off")
        elif run.failed is not None:
            what = tr(run.failed)
        found.append((run.began, run.ended - run.began, what))
    for before, run in pairwise(runs):
        found.append((before.ended, run.began - before.ended, tr("nothing was recorded")))
    for at, slept in _numbers(courses, Turn.SUSPENDED):
        found.append((at - slept, slept, tr("the computer slept")))
    for (since, shift), (at, new) in pairwise(_numbers(courses, Turn.CLOCK)):
        if recording.run(since) is not recording.run(at):
            continue  # each run begins at its own time of day
        set_by, size = new - shift, duration(abs(new - shift))
        if set_by >= _CLOCK_STEP:
            found.append((at, None, tr("the clock was set forward by {time}", time=size)))
        elif set_by <= -_CLOCK_STEP:
            found.append((at, None, tr("the clock was set back by {time}", time=size)))
    for at, lost in recording.turns(Turn.LOST):
        if isinstance(lost, dict) and at <= courses.end:
            what = tr(
                "the file could not be written: {count} readings lost",
                count=lost.get("samples"),
            )
            found.append((at, None, what))
    rows = [
        (moment(courses, at), NO_FIGURE if seconds is None else str(duration(seconds)), what)
        for at, seconds, what in sorted(found, key=lambda each: each[0])
        if at + (seconds or 0.0) >= courses.start
    ]
    heads = (tr("From"), tr("Length"), tr("What"))
    return Table(tr("What was recorded"), "lrl", heads, rows)


def unread(courses: Courses) -> float:
    """Seconds that no run recorded, or in which the computer slept."""
    read = sum(
        max(0.0, min(run.ended, courses.end) - max(run.began, courses.start))
        for run in courses.recording.runs
    )
    slept = sum(
        max(0.0, min(each, at - courses.start))
        for at, each in _numbers(courses, Turn.SUSPENDED)
    )
    return max(0.0, courses.end - courses.start - read + slept)


def event_table(
    courses: Courses, cards: Sequence[CardSums], episodes: Sequence[Episode]
) -> Table:
    """What happened to a card again and again is one row; programs have their own table."""
    numbers: Mapping[CardId | None, str] = {each.card.id: each.number for each in cards}
    alike: dict[tuple[str, str], list[Episode]] = {}
    for each in episodes:
        if each.first.kind not in (Kind.PROCESS_APPEARED, Kind.PROCESS_ENDED):
            card = numbers.get(each.first.card, each.first.card or tr("all"))
            alike.setdefault((card, tr(each.first.sentence)), []).append(each)
    rows = [
        (
            moment_word(some[0].first.wall, courses.recording.wall(courses.end)),
            *card_and_what,
            str(len(some)),
            str(duration(total))
            if (total := sum(e.lasted or 0.0 for e in some))
            else NO_FIGURE,
        )
        for card_and_what, some in alike.items()
    ]
    heads = (tr("First"), tr("Card"), tr("What"), tr("Times"), tr("For"))
    note = left_out(min(MOST_ROWS, len(rows)), len(rows))
    return Table(tr("Events"), "lllrr", heads, rows[:MOST_ROWS], note)


def left_out(shown: int, count: int) -> str:
    words = tr("{shown} of {count} are shown here.", shown=shown, count=count)
    return words if shown < count else ""


def moment(courses: Courses, at: float) -> str:
    recording = courses.recording
    return moment_word(recording.wall(at), recording.wall(courses.end))


def _figures(sums: Sums | None, metric: MetricId, above: float | None = None) -> Sequence[str]:
    """Mean and most; and the share of the time in which it was above something."""
    if sums is None:
        return (NO_FIGURE,) if above is None else (NO_FIGURE, NO_FIGURE)
    mean, most = (quantity(METRICS[metric], each) for each in (sums.mean, sums.most))
    told = f"{mean.number if mean.unit == most.unit else mean} · {most}"
    return (told,) if above is None else (told, str(ratio(above / sums.seconds)))


def _slowed(card: CardSums, reasons: Sequence[MetricId]) -> str:
    seconds = card.slowed(reasons)
    return NO_FIGURE if seconds is None else str(ratio(seconds / card.flags_seconds))


def _why(cards: Sequence[CardSums]) -> list[str]:
    """Why there are dashes, each reason once."""
    told: dict[tuple[MetricId, str], list[str]] = {}
    for each in cards:
        for metric, absence in each.missing.items():
            told.setdefault((metric, tr(absence.sentence)), []).append(each.number)
    return [
        tr(
            "{what} of {cards}: {reason}.",
            what=tr(METRICS[metric].label),
            cards=listed(numbers),
            reason=reason,
        )
        for (metric, reason), numbers in told.items()
    ]


def _numbers(courses: Courses, kind: Turn) -> Sequence[tuple[float, float]]:
    """What JSON has of such turns until the end, where that is a number."""
    return [
        (at, float(value))
        for at, value in courses.recording.turns(kind)
        if isinstance(value, (int, float)) and at <= courses.end
    ]
