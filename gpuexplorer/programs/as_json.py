"""A program's run as JSON, schema 1: what other programs read of it."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gpuexplorer.copies.copy_row import CopyRow, NoRate
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import (
    Frame,
    Idle,
    Loader,
    Pictured,
    Printed,
    Transferred,
    Watched,
    Why,
)
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.programs.findings import Finding, findings
from gpuexplorer.programs.program_run import (
    ProgramRun,
    Spot,
    as_a_whole,
    cards_of,
    ended,
    row_of,
    sampled,
    watched,
)

SCHEMA = 1
_OF_COPY = (
    "source", "target", "bytes", "copies", "bursts", "asked", "pinned", "blocking", "direct",
    "host_seconds", "seconds", "rate", "limit", "intact", "modelled",
)  # fmt: skip
_NO_WAY = "the way is not known"
Json: TypeAlias = "str | int | float | bool | None | Sequence[Json] | Mapping[str, Json]"


def as_json(run: ProgramRun) -> dict[str, Json]:
    """What is not known is null; `missing` beside it says why, by the name that is null."""
    found = findings(run)
    return {
        "schema": SCHEMA,
        **({} if run.machine is None else {"machine": run.machine}),
        "file": str(run.file),
        "status": run.status,
        "ended": ended(run),
        "simulated": run.simulated if run.hello is not None else None,
        "modelled": run.modelled,
        "python": run.hello.python if run.hello is not None else None,
        "torch": run.hello.torch if run.hello is not None else None,
        "build": run.hello.build if run.hello is not None else None,
        "watched": list(watched(run)),
        "findings": [_finding(each) for each in found],
        "whole": told(*as_a_whole(run, bool(found))) or None,
        "cards": [
            {
                "device": each.device,
                "used": each.used,
                "busy_s": each.busy,
                "copied_s": each.copied,
                "idle_s": {why.value: seconds for why, seconds in each.idle.items()},
                "short_pauses_s": each.pauses,
                "missing": _missing(
                    busy_s=(each.busy, "it was not used, or nobody said"),
                    short_pauses_s=(each.pauses, "they are known of simulated cards alone"),
                    copied_s=(each.copied, "not all copies were timed"),
                ),
            }
            for each in cards_of(run)
        ],
        "cells": [_cell(run, each) for each in run.cells],
    }


def _finding(finding: Finding) -> Json:
    return {
        "matter": finding.matter.value,
        **_at(finding.spot),
        "place": finding.place,
        "expression": finding.what or None,
        "device": finding.device or None,
        "sentence": finding.sentence,
        "cure": finding.cure,
        "gain_s": finding.seconds,
        "figures": dict(finding.figures),
        **{f"other_{name}": value for name, value in _at(finding.other).items()},
        "missing": _missing(gain_s=(finding.seconds, "the wire's limit is not known")),
    }


def _cell(run: ProgramRun, cell: Cell) -> Json:
    finished, failed, seen = cell.finished, cell.failed, cell.seen
    host = finished.host_seconds if finished is not None else None
    if failed is not None:
        host = failed.host_seconds
    modelled = finished.modelled if finished is not None else bool(failed and failed.modelled)
    return {
        "number": cell.number,
        "state": cell.state,
        "text": cell.code,
        "output": [*_forgotten(cell), *map(_output, cell.outputs)],
        "error": None
        if failed is None
        else {
            "type": failed.error or None,
            "text": failed.message or None,
            "cause": failed.cause,
            "sentence": failed.sentence or None,
            "frames": [_at(each) | {"name": each.name or None} for each in failed.frames],
        },
        "host_seconds": host,
        "modelled": modelled,
        "copies": [
            _copy(row_of(run, cell, each)) for each in cell.transfers if not each.already_there
        ],
        "seen": _seen(seen) if seen is not None else None,
        "missing": _missing(
            host_seconds=(host, "it did not come to an end"),
            seen=(seen, "it was not watched"),
        ),
    }


def _forgotten(cell: Cell) -> Sequence[Json]:
    if not cell.forgotten:
        return ()
    letters = f"{cell.forgotten:,}"
    told_of = Message("{letters} letters before this are not kept.", letters=letters)
    return ({"stream": "note", "text": told_of},)


def _output(output: Printed | Pictured) -> Json:
    if isinstance(output, Pictured):
        return {"stream": "picture", "png": output.png}
    return {"stream": output.stream, "text": output.text}


def _copy(copy: CopyRow) -> Json:
    return {
        **{name: getattr(copy, name) for name in _OF_COPY},
        **_at(copy),
        "expression": copy.what or None,
        "how": copy.how or None,
        "within": copy.within or None,
        "thread": copy.thread or None,
        "share_of_limit": copy.share,
        "path": copy.path or None,
        "missing": _missing(
            line=(copy.line or None, "it was not the program's own code that ran"),
            host_seconds=(copy.host_seconds, "it was not timed"),
            seconds=(copy.seconds, NoRate.NOT_TIMED.words),
            rate=(copy.rate, copy.no_rate.words if copy.no_rate is not None else ""),
            limit=(copy.limit, copy.route.limit_reason if copy.route else _NO_WAY),
            pinned=(copy.pinned, "no memory of the host takes part, or it cannot be told"),
            intact=(copy.intact, "it was not checked"),
        ),
    }


def _seen(seen: Watched) -> Json:
    lines = {each.row: each for each in seen.copies}
    reads = {each.row: each for each in seen.idle if each.why is Why.READ}
    return {
        "seconds": seen.seconds,
        "watched_s": seen.seen_seconds,
        "start_s": seen.started or None,
        "sampled": sampled(seen),
        "step": seen.step or "time",
        "steps": seen.steps if seen.step else None,
        "watched_steps": seen.seen_steps if seen.step else None,
        "cost_s": seen.cost_seconds,
        "modelled": seen.modelled,
        "over": seen.over,
        "busy_s": dict(seen.busy),
        "idle": [
            {
                "device": each.device,
                "why": each.why.value,
                "seconds": each.seconds,
                "times": each.times,
                "longest_s": each.longest,
                "part_of_read": _at(reads[each.part_of]) if each.part_of in reads else None,
                **_at(each),
                "expression": each.what or None,
            }
            for each in seen.idle
        ],
        "loaders": [
            {
                "batches": each.batches,
                "host_waited_s": each.seconds,
                "workers": each.workers,
                "pins_memory": each.pins,
                **_at(each),
                "expression": each.what or None,
            }
            for each in seen.loaders
        ],
        "trips": [
            {
                "left": _at(lines[each.out]) if each.out in lines else None,
                "came_back": _at(lines[each.row]) if each.row in lines else None,
                **vars(each),
            }
            for each in seen.trips
        ],
        "children": [{"kind": kind, "count": count} for kind, count in seen.children],
        "dropped_copies": seen.dropped,
        "missing": _missing(
            start_s=(seen.started or None, "no step was found"),
            steps=(seen.step or None, "no step was found, so slices of time were watched"),
            cost_s=(seen.cost_seconds, "what watching took was not measured"),
        ),
    }


def _at(spot: Spot | Frame | Transferred | Idle | Loader | None) -> dict[str, Json]:
    names = ("file", "cell", "line")
    return {name: getattr(spot, name) or None if spot else None for name in names}


def _missing(**known: tuple[object, str]) -> dict[str, Json]:
    return {name: str(why) for name, (value, why) in known.items() if value is None}
