"""A stretch of a recording for other programs: as CSV, as lines of JSON, or as a trace for
Perfetto and Chrome.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from heapq import merge
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import result_as_json
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import written
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
from gpuexplorer.lab.events import Began, Failed, Finished, Transferred
from gpuexplorer.recording.choice import (
    Choice,
    Round,
    all_noted,
    looks,
    rounds,
    spans,
)
from gpuexplorer.recording.lab_said import OfProgram, Sent
from gpuexplorer.recording.schema import Turn
from gpuexplorer.telemetry.history import MINUTE
from gpuexplorer.telemetry.trace_csv import (
    BLANKS,
    SIMULATED,
    Read,
    beat_lines,
    column_name,
    figure_form,
    in_pieces,
)


def csv_lines(choice: Choice) -> Iterator[str]:
    """A row for each beat of the readings, a column for each metric of a card; where only
    buckets are kept, a row for each of these, with their lowest and highest figures.
    """
    strand = choice.recording.strand
    ends = choice.start, choice.end
    series = [(card, each) for card, metrics in choice.metrics.items() for each in metrics]
    means = any(
        strand(card, each).sums(each, *ends, forgotten=True).size for card, each in series
    )
    names: list[str] = []
    places: dict[tuple[CardId, MetricId], tuple[int, str]] = {}
    for card, metric in series:
        places[card, metric] = len(names), figure_form(METRICS[metric])
        name = column_name(card, METRICS[metric])
        names += [name, f"{name} min", f"{name} max"] if means else [name]

    def reads() -> Iterator[Read]:
        for each in rounds(choice):
            cells = {}
            for metric, figures in each.figures.items():
                place, form = places[each.card, metric]
                for number, value in enumerate(figures, place):
                    cells[number] = form % value if math.isfinite(value) else ""
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
            f"older figures are means of the {MINUTE:.0f} s after the time of their row, with"
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
    reason = choice.recording.reason
    for each in rounds(choice):
        line: dict[str, object] = {"is": "sample", "card": each.card, "values": each.known()}
        if any(len(figures) > 1 for figures in each.figures.values()):
            line |= {"is": "means", "seconds": MINUTE}
            line |= {"lowest": each.known(1), "highest": each.known(2)}
        else:
            line["missing"] = {
                metric: reason(value).sentence
                for metric, (value,) in each.figures.items()
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
                    "values": one.named.process.values,
                    "missing": {
                        e: why.sentence for e, why in one.named.process.missing.items()
                    },
                    "cpu": one.named.cpu,
                    "host_memory": one.named.memory_bytes,
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
    found: dict[tuple[CardId, int], list[_Drawn]] = {}
    for card, seen, begin, until in spans(choice):
        facts, mine = seen.facts, found.setdefault((card, seen.subject), [])
        if mine and mine[-1].end >= begin:
            mine[-1] = mine[-1]._replace(end=until)
        else:
            name = facts.command or f"pid {facts.pid}"
            told = {"pid": facts.pid, "user": facts.user, "type": facts.use}
            mine.append(_Drawn(card, "processes", name, begin, until, told))
    yield from sorted(chain(*found.values()), key=attrgetter("begin"))


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
    newest: dict[tuple[CardId, MetricId], float] = {}
    read: dict[CardId, tuple[float, float]] = {}  # when last, and how long that lasts

    def point(card: CardId, metric: MetricId, at: float) -> _Drawn:
        label, unit = METRICS[metric].label, METRICS[metric].unit
        return _Drawn(card, "", label, at, at, {unit: newest[card, metric]})

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
            if newest.get((each.card, metric)) != value:
                newest[each.card, metric] = value
                yield point(each.card, metric, each.at)
    for card, metric in newest:
        # Chrome's viewer draws no further than to the last value.
        yield point(card, metric, read[card][0])


FORMS = {"csv": csv_lines, "jsonl": json_lines, "perfetto": trace_lines}


def exported(choice: Choice, form: str) -> Iterator[bytes]:
    """A file, whole when joined; for any thread."""
    return in_pieces(FORMS[form](choice))
