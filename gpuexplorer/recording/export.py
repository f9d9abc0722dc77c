"""A recording, or a stretch of it, for other programs: which part of it, and that as CSV or as
lines of JSON.
"""

import json
import math
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from heapq import merge
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import result_as_json
from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import UnreadableError, written
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.recording.lab_said import Noted, OfProgram, noted_of
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.schema import LEVELS
from gpuexplorer.recording.told import ProgramSeen, Said, Turn
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.session import card_numbers
from gpuexplorer.telemetry.trace_csv import (
    BLANKS,
    SIMULATED,
    Read,
    beat_lines,
    column_name,
    figure_form,
    in_pieces,
    iso,
    untils,
)

_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "": 1.0}
_PART = r"(\d+(?:\.\d+)?)(ms|min|[smhd]|)"
_LENGTH = re.compile(rf"(?:{_PART})+")
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")
_BUCKET = float(LEVELS[0])
_FIGURES_AT_ONCE = 1_000_000
_SHORTEST, _LONGEST = 60.0, 3600.0  # of what memory has room for at once, in seconds
_LOOK_EVERY = 60.0


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
    """All of it, where nothing else is said. Raises Trouble where nothing is left."""
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


def length(text: str) -> float | None:
    """Seconds: of 90, 90s, 1h30m. None where it says none."""
    if not _LENGTH.fullmatch(text):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_PART, text))


def _all_cards(recording: Recording) -> Sequence[Card]:
    """That ever were, and the host behind them."""
    cards = {card.id: card for card in recording.cards()}
    host = recording.runs[-1].machine.host
    return [*cards.values(), *([host] if host.id == HOST_ID not in cards else [])]


def _local(wall: float) -> datetime:
    return datetime.fromtimestamp(wall, UTC).astimezone()


class Round(NamedTuple):
    """Metrics of one card that were read at the same moment; or, where only those are kept, the
    means of a bucket that began then, with its lowest and highest figures.
    """

    at: float
    until: float  # a reading from then on is of the next beat
    card: CardId
    metrics: tuple[MetricId, ...]
    values: Sequence[float]  # NaN: there was none
    lowest: Sequence[float] = ()
    highest: Sequence[float] = ()


def _rounds(choice: Choice) -> Iterator[Round]:
    """In order of time. Memory holds but a part of a long recording."""
    count = max(1, sum(map(len, choice.metrics.values())))
    first = choice.start
    for run in choice.recording.runs:
        first = max(first, run.began - _BUCKET)  # where the bucket of its beginning begins
        seconds = _FIGURES_AT_ONCE * run.machine.interval / count
        seconds = min(max(_SHORTEST, seconds), _LONGEST)
        past_end = math.nextafter(min(run.ended, choice.end), math.inf)
        while first < past_end:
            last = min(first + seconds, past_end)
            yield from merge(*_of_rhythms(choice, first, last), key=attrgetter("at"))
            first = last


def _of_rhythms(choice: Choice, first: float, last: float) -> Iterator[Iterator[Round]]:
    """Metrics of a card that are read together share their times: one iterator for them."""
    together: dict[object, list[tuple[MetricId, Sequence[Sequence[float]]]]] = {}
    for card, metrics in choice.metrics.items():
        for metric in metrics:
            for columns in _columns(choice, card, metric, first, last):
                if columns[0]:
                    key = card, array("d", columns[0]).tobytes(), len(columns)
                    together.setdefault(key, []).append((metric, columns))
        yield from (_together(card, members) for members in together.values())
        together.clear()


def _columns(
    choice: Choice, card: CardId, metric: MetricId, first: float, last: float
) -> Iterator[Sequence[Sequence[float]]]:
    """From `first` to right before `last`: times and values; and of the buckets before the
    first of these times, means, lowest and highest figures.
    """
    last = math.nextafter(last, -math.inf)
    readings = choice.recording.readings(card, metric, first, last)
    yield readings
    until = readings.times[0] - _BUCKET if readings.times else last
    if until >= first:
        found = choice.recording.buckets(card, metric, first, until, LEVELS[0])
        begin = bisect_left(found.times, first)
        columns = (found.times, found.means, found.minima, found.maxima)
        yield [each[begin:] for each in columns]


def _together(
    card: CardId, members: Sequence[tuple[MetricId, Sequence[Sequence[float]]]]
) -> Iterator[Round]:
    metrics = tuple(metric for metric, _ in members)
    times = members[0][1][0]
    # One column of all members after the other: values, and of buckets lowest and highest too.
    columns = zip(*(each[1:] for _, each in members), strict=True)
    figures = (zip(*kind, strict=True) for kind in columns)
    for at, until, *some in zip(times, untils(times), *figures, strict=True):
        yield Round(at, until, card, metrics, *some)


def _condensed(choice: Choice, card: CardId, metric: MetricId) -> bool:
    """Whether means of buckets are among its figures. Readings are dropped oldest first."""
    at, level = choice.start, LEVELS[-1]
    coarse = choice.recording.buckets(card, metric, at - level, choice.end, level)
    first = max(at, next((each for each in coarse.times if each + level > at), at))
    _, *buckets = _columns(choice, card, metric, first, min(first + level, choice.end))
    return any(columns[0] for columns in buckets)


def csv_lines(choice: Choice) -> Iterator[str]:
    """A row for each beat of the readings, a column for each metric of a card; where only
    buckets are kept, a row for each of these, with their lowest and highest figures.
    """
    series = [(card, each) for card, metrics in choice.metrics.items() for each in metrics]
    means = any(_condensed(choice, *each) for each in series)
    names: list[str] = []
    places: dict[tuple[CardId, MetricId], tuple[int, str]] = {}
    for card, metric in series:
        places[card, metric] = len(names), figure_form(METRICS[metric])
        name = column_name(card, METRICS[metric])
        names += [name, f"{name} min", f"{name} max"] if means else [name]

    @cache
    def columns(card: CardId, metrics: Sequence[MetricId]) -> Sequence[tuple[int, str]]:
        return [places[card, each] for each in metrics]

    def reads() -> Iterator[Read]:
        for each in _rounds(choice):
            if each.lowest and not means:
                continue  # readings that are damaged have means
            cells = {}
            for offset, figures in enumerate(filter(None, each[4:])):
                together = zip(columns(each.card, each.metrics), figures, strict=True)
                for (place, form), value in together:
                    cells[place + offset] = form % value if math.isfinite(value) else ""
            yield Read(each.at, each.until, cells)

    def times(at: float) -> tuple[str, str]:
        return choice.iso(at), f"{at - choice.recording.began:.3f}"

    yield from beat_lines(_comments(choice, means=means), names, reads(), times)


def _comments(choice: Choice, *, means: bool) -> Iterator[str]:
    recording = choice.recording
    if choice.simulated:
        yield SIMULATED
    for name, label in dict.fromkeys(
        (run.machine.name, run.machine.source.label) for run in recording.runs
    ):
        yield "; ".join(filter(None, ("GPU Explorer", recording.path.name, name, label)))
    start, end = map(choice.iso, (choice.start, choice.end))
    yield f"from {start} to {end}; SI units; steady_s counts from the recording's beginning"
    yield BLANKS
    if means:
        yield (
            f"older figures are means of the {_BUCKET:.0f} s after the time of their row, with"
            " their lowest and highest"
        )
    for card in choice.cards:
        yield f"{card.id}: {choice.numbers[card.id]}, {card.name}"
        missing = recording.sample(card.id, choice.metrics[card.id], choice.end).missing
        for metric, reason in missing.items():
            if reason.lasting:
                yield f"{card.id} {metric}: {reason.sentence}"
    yield from recording.notes()


_Line = tuple[float, Mapping[str, object]]


def json_lines(choice: Choice) -> Iterator[str]:
    """In order of time; docs/command-line.md says what they hold."""
    recording = choice.recording
    metrics = dict.fromkeys(each for some in choice.metrics.values() for each in some)
    heading = {
        "is": "recording",
        "schema": 1,
        "file": recording.path.name,
        "simulated": choice.simulated,
        "anonymous": recording.anonymous,
        "from": choice.iso(choice.start),
        "to": choice.iso(choice.end),
        "runs": [
            {
                "began": choice.iso(run.began),
                "ended": choice.iso(run.ended),
                "whole": run.whole,
                "failed": run.failed,
                "machine": run.machine,
            }
            for run in recording.runs
        ],
        "cards": [{"number": choice.numbers[each.id], **_plain(each)} for each in choice.cards],
        "metrics": {
            each: {"unit": METRICS[each].unit, "label": METRICS[each].label} for each in metrics
        },
        "notes": recording.notes(),
    }
    yield _json(_plain(heading))
    kinds = (_turns(choice), _happenings(choice), _programs(choice), _said(choice))
    for at, line in merge(*kinds, _figures(choice), key=itemgetter(0)):
        time = {"time": choice.iso(at), "steady_s": round(at - recording.began, 6)}
        yield _json({"is": line["is"], **time, **line})


def _figures(choice: Choice) -> Iterator[_Line]:
    def known(each: Round, values: Sequence[float]) -> Mapping[MetricId, float]:
        together = zip(each.metrics, values, strict=True)
        return {metric: value for metric, value in together if math.isfinite(value)}

    for each in _rounds(choice):
        line: dict[str, object] = {"is": "sample", "card": each.card}
        line["values"] = known(each, each.values)
        if each.lowest:
            lowest, highest = known(each, each.lowest), known(each, each.highest)
            line |= {"is": "means", "seconds": _BUCKET, "lowest": lowest, "highest": highest}
        else:
            line["missing"] = {
                metric: choice.recording.reason(value).sentence
                for metric, value in zip(each.metrics, each.values, strict=True)
                if not math.isfinite(value)
            }
        yield each.at, line


def _turns(choice: Choice) -> Iterator[_Line]:
    """What became true of the machine; the figures of processes have lines of their own."""
    recording = choice.recording
    known: Mapping[Turn, Callable[[float], object]] = {
        Turn.CARDS: recording.cards,
        Turn.TOPOLOGY: recording.topology,
    }
    found = [
        (at, {"is": kind, "value": _plain(known[kind](at) if kind in known else value)})
        for kind in Turn
        if kind is not Turn.PROCESSES
        for at, value in recording.turns(kind)
        if choice.holds(at)
    ]
    yield from sorted(found, key=itemgetter(0))


def _happenings(choice: Choice) -> Iterator[_Line]:
    for each in choice.happenings():
        told = {"kind": each.kind, "card": each.card, "sentence": each.sentence}
        yield each.at, {"is": "happening", **told, "lasted_s": each.lasted}


def _programs(choice: Choice) -> Iterator[_Line]:
    for each in looks(choice):
        told = None
        if each.programs is not None:
            told = [
                {
                    **_plain(one.facts),
                    "since": choice.iso(one.since),
                    "values": one.values,
                    "missing": {name: why.sentence for name, why in one.missing.items()},
                    "cpu": one.cpu,
                    "host_memory": one.memory_bytes,
                }
                for one in each.programs
            ]
        yield each.at, {"is": "processes", "card": each.card, "processes": told}


def _said(choice: Choice) -> Iterator[_Line]:
    for each, note in all_noted(choice.recording):
        what = note.what if isinstance(note, OfProgram) else note
        said = result_as_json(what) if isinstance(what, CopyResult) else what
        if choice.holds(each.at):
            kind = type(what).__name__.lower()
            yield each.at, {"is": each.what, "what": kind, "said": _plain(said)}


# Any: whatever a recording holds, as JSON knows it.
def _plain(value: Any) -> Any:
    return written(value, str)


def _json(line: object) -> str:
    return json.dumps(line, separators=(",", ":")) + "\n"


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


def looks(choice: Choice, most: int = 50_000) -> Iterator[Look]:
    """In order of time: at each change, and now and then; at most so many in a run beside."""
    recording = choice.recording
    said: dict[CardId, Sequence[ProgramSeen] | None] = {}
    cards = [card for card in choice.metrics if card != HOST_ID]
    turns = [
        (at, [card for card in cards if not isinstance(value, Mapping) or card in value])
        for at, value in recording.turns(Turn.PROCESSES)
    ]
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


FORMS = {"csv": csv_lines, "jsonl": json_lines}


def exported(choice: Choice, form: str) -> Iterator[bytes]:
    """A file, whole when joined; for any thread."""
    return in_pieces(FORMS[form](choice))
