"""A stretch of a recording to hand on: its metrics and cards, their readings in order of time,
and who used the cards; for other programs as CSV, as lines of JSON, or as a trace for
Perfetto and Chrome.
"""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from difflib import get_close_matches
from heapq import merge
from itertools import chain, pairwise
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import result_as_json
from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import UnreadableError, written
from gpuexplorer.core.trace_format import (
    FreeRows,
    curve_text,
    end,
    head,
    moment_text,
    named_process,
    named_thread,
    nanoseconds,
    slice_text,
)
from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.lab.events import Began, Failed, Finished, Transferred
from gpuexplorer.recording.lab_said import Noted, OfProgram, Sent, noted_of
from gpuexplorer.recording.recorder import length
from gpuexplorer.recording.recording import Recording, Strand
from gpuexplorer.recording.schema import ProgramSeen, Said, Turn
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.history import MINUTE
from gpuexplorer.telemetry.session import card_numbers
from gpuexplorer.telemetry.trace import (
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

_TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")
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
        return {HOST_ID: "host", **card_numbers(self.recording.cards())}

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
    began, ended = recording.began, recording.ended
    first, last = max(start or began, began), min(end or ended, ended)
    nothing = first >= last and began < ended
    if nothing or not any(run.began <= last and run.ended >= first for run in recording.runs):
        times = [f"{_local(recording.wall(at)):%Y-%m-%d %H:%M:%S}" for at in (began, ended)]
        raise Trouble(
            "There is nothing between these two times.",
            "The recording lasts from {began} to {ended}; there may be pauses in it.",
            began=times[0],
            ended=times[1],
        )
    there: dict[CardId, Sequence[MetricId]] = {}
    for card in _all_cards(recording):
        known = [e for e in recording.metrics(card.id) if metrics is None or e in metrics]
        if known and (cards is None or card.id in cards):
            there[card.id] = known
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
    """On the axis. Of a time of day the first one in the recording, or not before `after`.
    Raises Trouble.
    """
    offset = length(text[1:])
    if offset is not None and text[0] in "+-":
        return recording.began + offset if text[0] == "+" else recording.ended - offset
    try:
        if not _TIME_OF_DAY.fullmatch(text):
            return recording.at(datetime.fromisoformat(text).astimezone().timestamp())
        asked = time.fromisoformat(text if text[2] == ":" else f"0{text}")
        since = recording.began if after is None else after
        first, last = (_local(recording.wall(each)) for each in (since, recording.ended))
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
    return [*recording.cards(), recording.runs[-1].machine.host]


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
    figures: Mapping[MetricId, Sequence[float]]

    def known(self, place: int = 0) -> Mapping[MetricId, float]:
        """Of the figures of each metric that one, where there is one."""
        return {
            e: some[place] for e, some in self.figures.items() if math.isfinite(some[place])
        }


def rounds(choice: Choice) -> Iterator[Round]:
    """In order of time. Memory holds but a part of a long recording."""
    strands = (
        _rounds(choice, card, strand)
        for card in choice.metrics
        for strand in choice.recording.strands(card)
    )
    yield from merge(*strands, key=attrgetter("at"))


def _rounds(choice: Choice, card: CardId, strand: Strand) -> Iterator[Round]:
    """First the means of what the readings are forgotten of."""
    start, end = choice.start, choice.end
    means = ((each, min(end, strand.forgotten)) for each in strand.within(start, end, "sums"))
    readings = ((each, end) for each in strand.within(start, end))
    for block, last in chain(means, readings):
        there: dict[MetricId, list[list[float]]] = {}
        times: list[float] = []
        for metric in choice.metrics[card]:
            its, figures = strand.columns(block, metric, start, last)
            if its.size:
                times = its.tolist()
                there[metric] = figures[[2, 0, 1] if len(figures) > 1 else [0]].T.tolist()
        rows = zip(*there.values(), strict=True)
        for at, until, row in zip(times, untils(times), rows, strict=True):
            if block.table == "chunk" or any(math.isfinite(some[0]) for some in row):
                yield Round(at, until, card, dict(zip(there, row, strict=True)))


def all_noted(recording: Recording) -> Iterator[tuple[Said, Noted]]:
    """What is no message of ours is left out."""
    for said in recording.said():
        with suppress(UnreadableError):
            yield said, noted_of(said.what, said.text)


class Use(NamedTuple):
    """A program used a card for that long."""

    card: CardId
    seen: ProgramSeen  # as it was when that began
    begin: float
    end: float


def uses(choice: Choice) -> Sequence[Use]:
    """As they began."""
    recording = choice.recording
    found: list[Use] = []
    for card in choice.metrics:
        newest: dict[int, int] = {}  # of a program: which of these
        changes = [at for at in recording.users(card) if at <= choice.end]
        for at, after in pairwise([*changes, choice.end]):
            # What somebody saw before a pause may have ended during it.
            begin, until = max(at, choice.start), min(after, recording.run(at).ended)
            for seen in (recording.processes(card, begin) or ()) if begin <= until else ():
                place = newest.setdefault(seen.subject, len(found))
                if place < len(found) and found[place].end >= begin:
                    found[place] = found[place]._replace(end=until)
                else:
                    newest[seen.subject] = len(found)
                    found.append(Use(card, seen, begin, until))
    return sorted(found, key=attrgetter("begin"))


def csv_lines(choice: Choice) -> Iterator[str]:
    """A row for each beat of the readings, a column for each metric of a card; where only
    buckets are kept, a row for each of these, with their lowest and highest figures.
    """
    recording = choice.recording
    series = [(card, each) for card, metrics in choice.metrics.items() for each in metrics]
    means = any(
        strand.within(choice.start, min(choice.end, strand.forgotten), "sums")
        for card in choice.metrics
        for strand in recording.strands(card)
    )
    kinds = ("", " min", " max") if means else ("",)
    names = [f"{column_name(c, METRICS[e])}{kind}" for c, e in series for kind in kinds]
    places = {each: number * len(kinds) for number, each in enumerate(series)}

    def reads() -> Iterator[Read]:
        for each in rounds(choice):
            cells = {}
            for metric, figures in each.figures.items():
                form = figure_form(METRICS[metric])
                for number, value in enumerate(figures, places[each.card, metric]):
                    cells[number] = form % value if math.isfinite(value) else ""
            yield Read(each.at, each.until, cells)

    def times(at: float) -> tuple[str, str]:
        return choice.iso(at), f"{at - recording.began:.3f}"

    yield from beat_lines(_comments(choice, means=means), names, reads(), times)


def _comments(choice: Choice, *, means: bool) -> Iterator[str]:
    recording = choice.recording
    if choice.simulated:
        yield SIMULATED
    machines = [run.machine for run in recording.runs]
    for name, label in dict.fromkeys((each.name, each.source.label) for each in machines):
        yield "; ".join(filter(None, ("GPU Explorer", recording.path.name, name, label)))
    start, end = choice.iso(choice.start), choice.iso(choice.end)
    yield f"from {start} to {end}; SI units; steady_s counts from the recording's beginning"
    yield BLANKS
    if means:
        yield (
            f"older figures are means of the {MINUTE:.0f} s after the time of their row, with"
            " their lowest and highest"
        )
    for card in choice.cards:
        yield f"{card.id}: {choice.numbers[card.id]}, {card.name}"
        told = recording.sample(card.id, choice.metrics[card.id], choice.end)
        for metric, reason in told.missing.items():
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
            {**_plain(run), "began": choice.iso(run.began), "ended": choice.iso(run.ended)}
            for run in recording.runs
        ],
        "cards": [{"number": choice.numbers[each.id], **_plain(each)} for each in choice.cards],
        "metrics": {
            each: {"unit": METRICS[each].unit, "label": METRICS[each].label} for each in metrics
        },
        "notes": recording.notes(),
    }
    yield _json(heading)
    programs = (_programs(choice, card) for card in choice.metrics if card != HOST_ID)
    before = _turns(choice), _happenings(choice), *programs
    for at, line in merge(*before, _said(choice), _figures(choice), key=itemgetter(0)):
        time = {"time": choice.iso(at), "steady_s": round(at - recording.began, 6)}
        yield _json({"is": line["is"], **time, **line})


def _turns(choice: Choice) -> Iterator[_Line]:
    """What became true of the machine; the figures of processes have lines of their own."""
    found = [
        (at, {"is": kind, "value": value})
        for kind in Turn
        if kind is not Turn.PROCESSES
        for at, value in choice.recording.turns(kind)
        if choice.holds(at)
    ]
    yield from sorted(found, key=itemgetter(0))


def _happenings(choice: Choice) -> Iterator[_Line]:
    for each in choice.happenings():
        told = {"kind": each.kind, "card": each.card, "sentence": each.sentence}
        yield each.at, {"is": "happening", **told, "lasted_s": each.lasted}


def _programs(choice: Choice, card: CardId) -> Iterator[_Line]:
    """Who used the card: at each change, and now and then."""
    start, end, recording = choice.start, choice.end, choice.recording
    rhythm = np.arange(start, end, max(_LOOK_EVERY, (end - start) / _MOST_LOOKS))
    changes = [at for at in recording.users(card) if choice.holds(at)]
    before: object = ()
    for at in np.union1d(rhythm, [start, *changes]).tolist():
        programs = recording.processes(card, at)
        told = None if programs is None else [_program(choice, each) for each in programs]
        if told is not None or before is not None:  # that nobody can tell is said once
            yield at, {"is": "processes", "card": card, "processes": told}
        before = told


def _program(choice: Choice, seen: ProgramSeen) -> Mapping[str, object]:
    named = seen.named
    return {
        **_plain(seen.facts),
        "since": choice.iso(seen.since),
        "values": named.process.values,
        "missing": {name: why.sentence for name, why in named.process.missing.items()},
        "cpu": named.cpu,
        "host_memory": named.memory_bytes,
    }


def _said(choice: Choice) -> Iterator[_Line]:
    for each, note in all_noted(choice.recording):
        what = note.what if isinstance(note, OfProgram) else note
        said = result_as_json(what) if isinstance(what, CopyResult) else what
        if choice.holds(each.at):
            yield each.at, {"is": each.what, "what": type(what).__name__.lower(), "said": said}


def _figures(choice: Choice) -> Iterator[_Line]:
    for each in rounds(choice):
        line: dict[str, object] = {"is": "sample", "card": each.card, "values": each.known()}
        if any(len(figures) > 1 for figures in each.figures.values()):
            line |= {"is": "means", "seconds": MINUTE}
            line |= {"lowest": each.known(1), "highest": each.known(2)}
        else:
            line["missing"] = {
                metric: choice.recording.reason(value).sentence
                for metric, (value,) in each.figures.items()
                if not math.isfinite(value)
            }
        yield each.at, line


# Any: whatever a recording holds, as JSON knows it.
def _plain(value: Any) -> Any:
    return written(value, str)


def _json(line: object) -> str:
    return json.dumps(_plain(line), separators=(",", ":")) + "\n"


_KINDS = ("events", "not read", "processes", "cells", "copies", "measured copies")
_ROWS_OF_KIND = 1000
_LONGEST_NAME = 200
_UNREAD = 3  # a curve is broken where a card was not read for so many periods


class _Drawn(NamedTuple):
    """A stretch on the rows of its kind, or a moment, which has no length; or, of no kind, a
    point of a curve.
    """

    whose: str  # a card, the lab, or the driver
    kind: str
    name: str
    begin: float  # axis
    end: float
    args: Mapping[str, Any]  # whatever JSON there is; of a curve its value by its unit


def trace_lines(choice: Choice) -> Iterator[str]:
    """A process for each card, with a curve for each metric and rows of stretches."""
    about = {
        "program": "GPU Explorer",
        "recording": choice.recording.path.name,
        "machines": [*dict.fromkeys(run.machine.name for run in choice.recording.runs)],
        "simulated": choice.simulated,
        "figures": "made up, of no real card" if choice.simulated else "as the cards told them",
        "from": choice.iso(choice.start),
        "to": choice.iso(choice.end),
        "began_unix_s": choice.recording.wall(choice.start),
        "note": "A curve holds its last value where nothing was read: see the row 'not read'.",
    }
    events = _events(choice)
    yield head(about) + next(events, "")
    yield from (f",\n{event}" for event in events)
    yield end()


def _events(choice: Choice) -> Iterator[str]:
    """Each process and row is named before what stands in it."""
    names = {each.id: f"{choice.numbers[each.id]} {each.name}" for each in choice.cards}
    order: list[str] = [*names, "lab", "driver"]
    named: set[str] = set()
    rows: dict[tuple[str, str], FreeRows] = {}
    for each in chain(_uses(choice), _marks(choice), _lab(choice), _curves(choice)):
        if each.end < choice.start or each.begin > choice.end:
            continue
        process = order.index(each.whose) + 1
        if each.whose not in named:
            named.add(each.whose)
            yield from named_process(process, names.get(CardId(each.whose), each.whose))
        begin, over = (
            nanoseconds(min(max(at, choice.start), choice.end) - choice.start)
            for at in (each.begin, each.end)
        )
        if not each.kind:
            yield curve_text(each.name, process, begin, each.args)
            continue
        free = rows.setdefault((each.whose, each.kind), FreeRows())
        before, row = len(free), free.row(begin, over)
        place = process, _KINDS.index(each.kind) * _ROWS_OF_KIND + row + 1
        if row == before:
            yield from named_thread(*place, f"{each.kind} ({row + 1})" if row else each.kind)
        known = each.name[:_LONGEST_NAME], each.kind, place, begin
        if over > begin:
            yield slice_text(*known, over, each.args)
        else:
            yield moment_text(*known, each.args)


def _uses(choice: Choice) -> Iterator[_Drawn]:
    for card, seen, begin, until in uses(choice):
        facts = seen.facts
        told = {"pid": facts.pid, "user": facts.user, "type": facts.use}
        name = facts.command or f"pid {facts.pid}"
        yield _Drawn(card, "processes", name, begin, until, told)


def _marks(choice: Choice) -> Iterator[_Drawn]:
    for each in choice.happenings():
        told = {"sentence": each.sentence, "lasted_s": each.lasted}
        yield _Drawn(each.card or "driver", "events", each.kind, each.at, each.at, told)


def _lab(choice: Choice) -> Iterator[_Drawn]:
    """When cells ran and what they copied, and when copies were measured."""
    cells: dict[int, Sent] = {}
    began: dict[int, float] = {}
    for said, what in all_noted(choice.recording):
        match what:
            case Sent(past=False):
                cells[what.id] = what
            case Began() if what.id in cells:
                began[what.id] = said.at
            case Transferred(begin=float(begin), end=float(over)) if what.id in began:
                at, times = began[what.id], f" x{what.copies}" if what.copies > 1 else ""
                name = f"{what.what or 'copy'} to {what.target}{times}"
                yield _Drawn("lab", "copies", name, at + begin, at + over, _plain(what))
            case Finished() | Failed() if what.id in began:
                cell, at = cells[what.id], began.pop(what.id)
                name = f"cell {cell.number}: {' '.join(cell.code.strip().splitlines()[:1])}"
                told = {"code": cell.code, **_plain(what)}
                yield _Drawn("lab", "cells", name, at, said.at, told)
            case CopyResult():
                name, told = f"{what.job.source} to {what.job.target}", result_as_json(what)
                yield _Drawn("lab", "measured copies", name, said.at, said.at, told)


def _curves(choice: Choice) -> Iterator[_Drawn]:
    """Only what changes, since a curve holds; and where it holds though nothing was read."""
    newest: dict[tuple[CardId, MetricId], _Drawn] = {}
    read: dict[CardId, tuple[float, float]] = {}  # when last, and how long that lasts
    ends = [Round(choice.end, math.inf, card, {}) for card in choice.metrics]
    for each in chain(rounds(choice), ends):
        known = each.known()
        if each.figures and not known:
            continue
        before, usual = read.get(each.card, (choice.start, math.inf if known else 0.0))
        lasts = each.until - each.at
        if each.at - before > _UNREAD * min(usual, lasts):
            yield _Drawn(each.card, "not read", "not read", before, each.at, {})
        if known:
            read[each.card] = each.at, lasts if math.isfinite(lasts) else usual
        for metric, value in known.items():
            last, about = newest.get((each.card, metric)), METRICS[metric]
            told = {str(about.unit): value}
            if last is None or last.args != told:
                point = _Drawn(each.card, "", about.label, each.at, each.at, told)
                newest[each.card, metric] = point
                yield point
    for (card, _), last in newest.items():
        # Chrome's viewer draws no further than to the last value.
        yield last._replace(begin=read[card][0], end=read[card][0])


FORMS = {"csv": csv_lines, "jsonl": json_lines, "perfetto": trace_lines}


def exported(choice: Choice, form: str) -> Iterator[bytes]:
    """A file, whole when joined; for any thread."""
    return in_pieces(FORMS[form](choice))
