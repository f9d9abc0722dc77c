"""A program's run as JSON, schema 1: what other programs read of it."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gpuexplorer.copies.copy_row import CopyRow, NoRate
from gpuexplorer.core.records import written
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Frame, Pictured, Transferred, Watched
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.programs.findings import Finding, findings
from gpuexplorer.programs.program_run import (
    CardSum,
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
_OF_HELLO = ("simulated", "python", "torch", "build")
# Kept to the worker and the window, or told elsewhere.
_OF_COPY = Transferred.__dataclass_fields__.keys() - {"id", "what", "asked_at", "begin", "end"}
_OF_SEEN = Watched.__dataclass_fields__.keys() - {"id", "copies", "memory", "devices"}
Json: TypeAlias = "str | int | float | bool | None | Sequence[Json] | Mapping[str, Json]"
# Why a value is null, by its name.
_WHY_NOT = {
    "busy_s": "it was not used, or nobody said",
    "copied_s": "not all copies were timed",
    "short_pauses_s": "they are known of simulated cards alone",
    "gain_s": "the wire's limit is not known",
    "cost_seconds": "what watching took was not measured",
    "seen": "it was not watched",
    "line": "it was not the program's own code that ran",
    "pinned": "no memory of the host takes part, or it cannot be told",
    "intact": "it was not checked",
}


def as_json(run: ProgramRun) -> dict[str, Json]:
    """What is not known is null; `missing` beside it says why, by the name that is null."""
    found = findings(run)
    return {
        "schema": SCHEMA,
        **({} if run.machine is None else {"machine": run.machine}),
        "file": str(run.file),
        "status": run.status,
        "ended": ended(run),
        "modelled": run.modelled,
        **{name: getattr(run.hello, name, None) for name in _OF_HELLO},
        "watched": list(watched(run)),
        "findings": [_finding(each) for each in found],
        "whole": told(*as_a_whole(run, bool(found))) or None,
        "cards": [_card(each) for each in cards_of(run)],
        "cells": [_cell(run, each) for each in run.cells],
    }


def _card(card: CardSum) -> Json:
    return _with_reasons(
        {
            "device": card.device,
            "used": card.used,
            "busy_s": card.busy,
            "copied_s": card.copied,
            "idle_s": written(card.idle),
            "short_pauses_s": card.pauses,
        }
    )


def _finding(finding: Finding) -> Json:
    return _with_reasons(
        {
            "matter": finding.matter.value,
            **_at(finding.spot),
            "place": finding.place,
            "expression": finding.what or None,
            "device": finding.device or None,
            "sentence": finding.sentence,
            "cure": finding.cure,
            "gain_s": finding.seconds,
            "figures": written(finding.figures),
            **{f"other_{name}": value for name, value in _at(finding.other).items()},
        }
    )


def _cell(run: ProgramRun, cell: Cell) -> Json:
    failed, seen = cell.failed, cell.seen
    end = failed or cell.finished
    output: list[Json] = []
    if cell.forgotten:
        count = f"{cell.forgotten:,}"
        note = Message("{letters} letters before this are not kept.", letters=count)
        output.append({"stream": "note", "text": note})
    for each in cell.outputs:
        if isinstance(each, Pictured):
            output.append({"stream": "picture", "png": each.png})
        else:
            output.append({"stream": each.stream, "text": each.text})
    error: Json = None
    if failed is not None:
        error = {
            "type": failed.error or None,
            "text": failed.message or None,
            "cause": failed.cause,
            "sentence": failed.sentence or None,
            "frames": [_at(each) | {"name": each.name or None} for each in failed.frames],
        }
    of_seen: Json = None
    if seen is not None:
        values = {name: written(getattr(seen, name)) for name in sorted(_OF_SEEN)}
        of_seen = _with_reasons(values | {"sampled": sampled(seen)})
    copies = [row_of(run, cell, each) for each in cell.transfers if not each.already_there]
    return _with_reasons(
        {
            "number": cell.number,
            "state": cell.state,
            "text": cell.code,
            "output": output,
            "error": error,
            "host_seconds": None if end is None else end.host_seconds,
            "modelled": end is not None and end.modelled,
            "copies": [_copy(each) for each in copies],
            "seen": of_seen,
        },
        host_seconds="it did not come to an end",
    )


def _copy(copy: CopyRow) -> Json:
    more = ("rate", "limit", "path")
    values = {name: getattr(copy, name) for name in (*sorted(_OF_COPY), *more)}
    return _with_reasons(
        {
            **{name: None if value == "" else value for name, value in values.items()},
            **_at(copy),
            "expression": copy.what or None,
            "share_of_limit": copy.share,
        },
        host_seconds="it was not timed",
        seconds=NoRate.NOT_TIMED.words,
        rate=copy.no_rate.words if copy.no_rate is not None else "",
        limit=copy.route.limit_reason if copy.route else "the way is not known",
    )


def _at(spot: Spot | Frame | Transferred | None) -> dict[str, Json]:
    return {name: getattr(spot, name, None) or None for name in ("file", "cell", "line")}


def _with_reasons(values: dict[str, Json], **why: str) -> Json:
    known = _WHY_NOT | why
    missing = {name: str(known[name]) for name in values.keys() & known if values[name] is None}
    return {**values, "missing": missing}
