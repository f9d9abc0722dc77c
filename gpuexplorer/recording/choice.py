"""What of a recording is handed on, in an export or a report: which stretch of it, which
metrics and cards; their readings in order of time, and who used the cards.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from difflib import get_close_matches
from heapq import merge
from itertools import chain
from operator import attrgetter, itemgetter
from typing import NamedTuple

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.recording.lab_said import Noted, noted_of
from gpuexplorer.recording.recorder import length
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.schema import ProgramSeen, Said
from gpuexplorer.recording.strands import Strand
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.session import card_numbers
from gpuexplorer.telemetry.trace_csv import iso, untils

_TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")
_AT_ONCE = 86_400.0  # seconds, whose sums memory has room for
_LOOK_EVERY, _MOST_LOOKS = 60.0, 50_000


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What of a recording is handed on."""

    recording: Recording
    start: float  # axis
    end: float
    metrics: Mapping[CardId, Sequence[MetricId]]  # of each card, in order; and of the host

    @property
    def simulated(self) -> bool:
        """Whether something of it is made up."""
        return any(each.machine.source.simulated for each in self.recording.runs)

    @property
    def cards(self) -> Sequence[Card]:
        return [each for each in _all_cards(self.recording) if each.id in self.metrics]

    @property
    def numbers(self) -> Mapping[CardId, str]:
        numbers = card_numbers(self.recording.cards())
        return {each.id: numbers.get(each.id, "host") for each in self.cards}

    def holds(self, at: float) -> bool:
        return self.start <= at <= self.end

    def iso(self, at: float) -> str:
        return iso(self.recording.wall(at))

    def happenings(self) -> Iterator[Happening]:
        """Of its cards and of the whole driver."""
        for each in self.recording.happenings():
            if self.holds(each.at) and (each.card is None or each.card in self.metrics):
                yield each


def chosen(
    recording: Recording,
    start: float | None = None,
    end: float | None = None,
    metrics: Collection[MetricId] | None = None,
    cards: Collection[CardId] | None = None,
) -> Choice:
    """All of it, where nothing else is said. Raises Trouble where nothing is left. Reads the
    whole file, so that whoever gets it is told that it is damaged.
    """
    recording.check()
    first = recording.began if start is None else max(start, recording.began)
    last = recording.ended if end is None else min(end, recording.ended)
    if (
        first > last
        or (first == last and recording.began < recording.ended)
        or not any(run.began <= last and run.ended >= first for run in recording.runs)
    ):
        began, ended = (
            f"{_local(recording.wall(at)):%Y-%m-%d %H:%M:%S}"
            for at in (recording.began, recording.ended)
        )
        raise Trouble(
            "There is nothing between these two times.",
            "The recording lasts from {began} to {ended}; there may be pauses in it.",
            began=began,
            ended=ended,
        )
    known = {
        card.id: [
            each for each in recording.metrics(card.id) if metrics is None or each in metrics
        ]
        for card in _all_cards(recording)
        if cards is None or card.id in cards
    }
    there = {card: each for card, each in known.items() if each}
    if not there and (metrics is not None or cards is not None):
        raise Trouble(
            "No such figures were recorded of these cards.",
            "`--metrics help` lists those that were.",
        )
    return Choice(recording, first, last, there)


def recorded(recording: Recording) -> Sequence[MetricId]:
    """The metrics that there are of any card, in the catalogue's order."""
    there = {each for card in _all_cards(recording) for each in recording.metrics(card.id)}
    return [each for each in METRICS if each in there]


def metrics_named(text: str, there: Sequence[MetricId]) -> Sequence[MetricId]:
    """Raises Trouble for one that is not there."""
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in there:
            close = get_close_matches(name, there, 1)
            raise Trouble(
                "No metric {name!r} was recorded.",
                did_you_mean(close, "`--metrics help` lists those that were."),
                name=name,
            )
    return [each for each in there if each in names]


def moment(text: str, recording: Recording, after: float | None = None) -> float:
    """On the axis. Of a time of day, the first one in the recording, and later than `after`.
    Raises Trouble.
    """
    offset = length(text[1:])
    if text[0:1] == "+" and offset is not None:
        return recording.began + offset
    if text[0:1] == "-" and offset is not None:
        return recording.ended - offset
    try:
        if not _TIME_OF_DAY.fullmatch(text):
            return recording.at(datetime.fromisoformat(text).astimezone().timestamp())
        asked = time.fromisoformat(text if text[2] == ":" else f"0{text}")
        later = recording.wall(recording.began)
        if after is not None:
            later = math.nextafter(recording.wall(after), math.inf)
        first, last = (_local(each) for each in (later, recording.wall(recording.ended)))
        found = datetime.combine(first, asked).astimezone()
        if found < first and first.date() < last.date():
            found = datetime.combine(first + timedelta(days=1), asked).astimezone()
        return recording.at(found.timestamp())
    except (ValueError, OverflowError, OSError):
        raise Trouble(
            "{text!r} is no time.",
            "Times are 14:05, 14:05:10, 2026-11-21T14:05, +10m from the beginning, or -1h"
            " before the end.",
            text=text,
        ) from None


def _all_cards(recording: Recording) -> Sequence[Card]:
    """That ever were, and the host behind them."""
    cards = {card.id: card for card in recording.cards()}
    host = recording.runs[-1].machine.host
    return [*cards.values(), *([host] if host.id == HOST_ID not in cards else [])]


def _local(wall: float) -> datetime:
    return datetime.fromtimestamp(wall, UTC).astimezone()


class Round(NamedTuple):
    """What was read of one card at the same moment: of each metric its figure, NaN where there
    was none. Or, where only those are kept, the mean of the minute that began then, the lowest
    and the highest.
    """

    at: float
    until: float  # a reading from then on is of the next beat
    card: CardId
    figures: Mapping[MetricId, tuple[float, ...]]

    def known(self, place: int = 0) -> Mapping[MetricId, float]:
        """Of the figures of each metric that one, where there is one."""
        return {
            e: some[place] for e, some in self.figures.items() if math.isfinite(some[place])
        }


def rounds(choice: Choice) -> Iterator[Round]:
    """In order of time. Memory holds but a part of a long recording."""
    strands = (
        each
        for card in choice.metrics
        for strand in choice.recording.strands(card)
        for each in (_means(choice, card, strand), _readings(choice, card, strand))
    )
    yield from merge(*strands, key=attrgetter("at"))


def _means(choice: Choice, card: CardId, strand: Strand) -> Iterator[Round]:
    """Where readings are forgotten."""
    first, past_end = choice.start, math.nextafter(choice.end, math.inf)
    while first < past_end:
        last = min(first + _AT_ONCE, past_end)
        found: dict[float, dict[MetricId, tuple[float, ...]]] = {}
        for metric in strand.metrics.intersection(choice.metrics[card]):
            sums = strand.sums(metric, first, math.nextafter(last, 0.0), forgotten=True)
            for at, low, high, mean, _ in sums.T.tolist():
                found.setdefault(at, {})[metric] = mean, low, high
        times = sorted(at for at in found if at >= first)
        for at, until in zip(times, untils(times), strict=True):
            yield Round(at, until, card, found[at])
        first = last


def _readings(choice: Choice, card: CardId, strand: Strand) -> Iterator[Round]:
    metrics = [each for each in choice.metrics[card] if each in strand.metrics]
    for block in strand.within(choice.start, choice.end):
        told = {each: strand.columns(block, each) for each in metrics}
        there = {metric: columns for metric, columns in told.items() if columns is not None}
        for its, _ in [*there.values()][:1]:
            ends = its.searchsorted(choice.start), its.searchsorted(choice.end, side="right")
            times = its[slice(*ends)].tolist()
            rows = zip(*(zip(e[slice(*ends)].tolist()) for _, e in there.values()), strict=True)
            for at, until, row in zip(times, untils(times), rows, strict=True):
                yield Round(at, until, card, dict(zip(there, row, strict=True)))


def all_noted(recording: Recording) -> Iterator[tuple[Said, Noted]]:
    """What is no message of ours is left out."""
    for said in recording.said():
        with suppress(UnreadableError):
            yield said, noted_of(said.what, said.text)


class Look(NamedTuple):
    """Who used a card."""

    at: float
    card: CardId
    programs: Sequence[ProgramSeen] | None  # None: nobody could tell


def looks(choice: Choice, most: int = _MOST_LOOKS) -> Iterator[Look]:
    """In order of time: at each change, and now and then; at most so many in a run beside."""
    recording = choice.recording
    said: dict[CardId, Sequence[ProgramSeen] | None] = {}
    cards = [card for card in choice.metrics if card != HOST_ID]
    turns = [(at, [card]) for card in cards for at in recording.users(card)]
    for run in recording.runs:
        first, last = max(run.began, choice.start), min(run.ended, choice.end)
        every = max(_LOOK_EVERY, (last - first) / most)
        times = range(int((last - first) // every) + 1 if first <= last else 0)
        rhythm = [(first + every * number, cards) for number in times]
        changes = [turn for turn in turns if first < turn[0] <= last]
        for at, some in sorted(rhythm + changes, key=itemgetter(0)):
            for card in some:
                programs = recording.processes(card, at)
                # That nobody can tell is said once.
                if programs is not None or said.get(card, ()) is not None:
                    yield Look(at, card, programs)
                said[card] = programs


def spans(
    choice: Choice, most: int = _MOST_LOOKS
) -> Iterator[tuple[CardId, ProgramSeen, float, float]]:
    """Each program of each look, with the time until the next look at its card."""
    last: dict[CardId, Look] = {}
    ends = [Look(choice.end, card, None) for card in choice.metrics]
    for look in chain(looks(choice, most), ends):
        before, last[look.card] = last.get(look.card), look
        if before is not None:
            # What somebody saw before a pause may have ended during it.
            until = min(look.at, choice.recording.run(before.at).ended)
            for seen in before.programs or ():
                yield look.card, seen, before.at, until
