"""A recording as lines of JSON, in order of time; docs/command-line.md says what they hold."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from heapq import merge
from typing import Any

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import result_as_json
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.recording.export.choosing import Choice, iso
from gpuexplorer.recording.export.lab_stretches import all_noted
from gpuexplorer.recording.export.looks import looks
from gpuexplorer.recording.export.rounds import BUCKET, Round
from gpuexplorer.recording.lab_said import OfProgram
from gpuexplorer.recording.told import Turn

SCHEMA = 1
_Line = tuple[float, Mapping[str, object]]


def jsonl_lines(choice: Choice, rounds: Iterator[Round]) -> Iterator[str]:
    """A file, whole when joined."""
    recording = choice.recording
    yield _text(_plain(_heading(choice)))
    others = (_turns(choice), _happenings(choice), _programs(choice), _said(choice))
    of_all_kinds = (*(map(_plain, each) for each in others), _figures(choice, rounds))
    for at, line in merge(*of_all_kinds, key=lambda each: each[0]):
        time = {"time": iso(recording, at), "steady_s": round(at - recording.began, 6)}
        yield _text({"is": line["is"], **time, **line})


def _heading(choice: Choice) -> Mapping[str, object]:
    recording = choice.recording
    metrics = dict.fromkeys(each for some in choice.metrics.values() for each in some)
    return {
        "is": "recording",
        "schema": SCHEMA,
        "file": recording.path.name,
        "simulated": choice.simulated,
        "anonymous": recording.anonymous,
        "from": iso(recording, choice.start),
        "to": iso(recording, choice.end),
        "runs": [
            {
                "began": iso(recording, run.began),
                "ended": iso(recording, run.ended),
                "whole": run.whole,
                "failed": run.failed,
                "machine": run.machine,
            }
            for run in recording.runs
        ],
        "cards": [{"number": choice.numbers[card.id], **_plain(card)} for card in choice.cards],
        "metrics": {
            each: {"unit": METRICS[each].unit, "label": METRICS[each].label} for each in metrics
        },
        "notes": recording.notes(),
    }


def _figures(choice: Choice, rounds: Iterator[Round]) -> Iterator[_Line]:
    for each in rounds:
        line: dict[str, object] = {
            "is": "means" if each.lowest else "sample",
            "card": each.card,
            "values": _known(each.metrics, each.values),
        }
        if each.lowest:
            line |= {
                "seconds": BUCKET,
                "lowest": _known(each.metrics, each.lowest),
                "highest": _known(each.metrics, each.highest),
            }
        else:
            line["missing"] = {
                metric: choice.recording.reason(value).sentence
                for metric, value in zip(each.metrics, each.values, strict=True)
                if not math.isfinite(value)
            }
        yield each.at, line


def _known(metrics: Sequence[MetricId], values: Sequence[float]) -> Mapping[MetricId, float]:
    together = zip(metrics, values, strict=True)
    return {metric: value for metric, value in together if math.isfinite(value)}


def _turns(choice: Choice) -> Iterator[_Line]:
    """What became true of the machine; the figures of processes have lines of their own."""
    recording = choice.recording
    known: Mapping[Turn, Callable[[float], object]] = {
        Turn.CARDS: recording.cards,
        Turn.TOPOLOGY: recording.topology,
    }
    found = [
        (at, {"is": kind.value, "value": known[kind](at) if kind in known else value})
        for kind in Turn
        if kind is not Turn.PROCESSES
        for at, value in recording.turns(kind)
        if choice.holds(at)
    ]
    yield from sorted(found, key=lambda each: each[0])


def _happenings(choice: Choice) -> Iterator[_Line]:
    for each in choice.happenings():
        told = {"kind": each.kind, "card": each.card, "sentence": each.sentence}
        yield each.at, {"is": "happening", **told, "lasted_s": each.lasted}


def _programs(choice: Choice) -> Iterator[_Line]:
    for each in looks(choice):
        told = [
            {
                **_plain(one.facts),
                "since": iso(choice.recording, one.since),
                "values": one.values,
                "missing": one.missing,
                "cpu": one.cpu,
                "host_memory": one.memory_bytes,
            }
            for one in each.programs or ()
        ]
        known = None if each.programs is None else told
        yield each.at, {"is": "processes", "card": each.card, "processes": known}


def _said(choice: Choice) -> Iterator[_Line]:
    for each, note in all_noted(choice.recording):
        what = note.what if isinstance(note, OfProgram) else note
        said = result_as_json(what) if isinstance(what, CopyResult) else what
        if choice.holds(each.at):
            kind = type(what).__name__.lower()
            yield each.at, {"is": each.what.value, "what": kind, "said": said}


def _text(line: Mapping[str, object]) -> str:
    return json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n"


# Any: whatever a recording holds, as JSON knows it.
def _plain(value: Any) -> Any:
    """What JSON cannot hold, such as an infinite number, is null."""
    match value:
        case Absence():
            return value.sentence
        case str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(name): _plain(each) for name, each in value.items()}
        case tuple() if hasattr(value, "_asdict"):
            return _plain(value._asdict())
        case Sequence():
            return [_plain(each) for each in value]
        case _ if is_dataclass(value):
            made = [each.name for each in fields(value) if each.init]
            return {name: _plain(getattr(value, name)) for name in made}
        case _:
            return value
