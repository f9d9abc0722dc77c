"""A program's run as JSON, schema 1: what other programs read of it. The names are those of
docs/command-line.md.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gpuexplorer.copies.copy_row import CopyRow, NoRate
from gpuexplorer.core.records import written
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Pictured
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.programs.findings import findings
from gpuexplorer.programs.program_run import (
    ProgramRun,
    as_a_whole,
    cards_of,
    ended,
    row_of,
    sampled,
    watched,
)

_OF_HELLO = ("simulated", "python", "torch", "build")
_OF_COPY = (
    *("row", "source", "target", "bytes", "copies", "asked", "pinned", "blocking"),
    *("host_seconds", "seconds", "rate", "limit", "path", "file", "cell", "line"),
)
_OF_FINDING = ("matter", "place", "device", "sentence", "cure", "figures")
_NOT_OF_SEEN = {"id", "copies", "memory", "devices"}  # they are told elsewhere
Json: TypeAlias = "str | int | float | bool | None | Sequence[Json] | Mapping[str, Json]"


def as_json(run: ProgramRun) -> dict[str, Json]:
    """What is not known is null; `missing` beside it says why, by the name that is null."""
    found = findings(run)
    cards: list[Json] = [
        _with_reasons(
            {
                "device": card.device,
                "used": card.used,
                "busy_s": card.busy,
                "copied_s": card.copied,
                "idle_s": written(card.idle),
                "short_pauses_s": card.pauses,
            },
            busy_s="it was not used, or nobody said",
            copied_s="not all copies were timed",
            short_pauses_s="they are known of simulated cards alone",
        )
        for card in cards_of(run)
    ]
    faults: list[Json] = [
        _with_reasons(
            {
                **{name: getattr(each, name) for name in _OF_FINDING},
                **each.spot._asdict(),
                "expression": each.what,
                "gain_s": each.seconds,
            },
            gain_s="the wire's limit is not known",
        )
        for each in found
    ]
    return {
        "schema": 1,
        **({} if run.machine is None else {"machine": run.machine}),
        "file": str(run.file),
        "status": run.status,
        "ended": ended(run),
        "modelled": run.modelled,
        **{name: getattr(run.hello, name, None) for name in _OF_HELLO},
        "watched": list(watched(run)),
        "findings": faults,
        "whole": told(*as_a_whole(run, bool(found))) or None,
        "cards": cards,
        "cells": [_cell(run, each) for each in run.cells],
    }


def _cell(run: ProgramRun, cell: Cell) -> Json:
    failed, seen = cell.failed, cell.seen
    end = failed or cell.finished
    output: list[Json] = [
        {"stream": "picture", "png": each.png}
        if isinstance(each, Pictured)
        else {"stream": each.stream, "text": each.text}
        for each in cell.outputs
    ]
    if cell.forgotten:
        count = f"{cell.forgotten:,}"
        note = Message("{letters} letters before this are not kept.", letters=count)
        output.insert(0, {"stream": "note", "text": note})
    error: Json = None
    of_seen: Json = None
    if failed is not None:
        error = {
            "type": failed.error or None,
            "text": failed.message or None,
            "sentence": failed.sentence or None,
            "frames": written(failed.frames),
        }
    if seen is not None:
        values = {
            name: each for name, each in written(seen).items() if name not in _NOT_OF_SEEN
        }
        values["sampled"] = sampled(seen)
        of_seen = _with_reasons(values, cost_seconds="what watching took was not measured")
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
        seen="it was not watched",
    )


def _copy(copy: CopyRow) -> Json:
    values = {name: getattr(copy, name) for name in _OF_COPY}
    return _with_reasons(
        {**values, "expression": copy.what, "share_of_limit": copy.share},
        host_seconds="it was not timed",
        seconds=NoRate.NOT_TIMED.words,
        rate=copy.no_rate.words if copy.no_rate is not None else "",
        limit=copy.route.limit_reason if copy.route else "the way is not known",
        line="it was not the program's own code that ran",
        pinned="no memory of the host takes part, or it cannot be told",
    )


def _with_reasons(values: dict[str, Json], **why: str) -> Json:
    """A text that is empty, and a line or cell without a number, are not known."""
    places = {name: values[name] or None for name in ("cell", "line") if name in values}
    known = {name: None if each == "" else each for name, each in values.items()} | places
    missing = {name: str(reason) for name, reason in why.items() if known[name] is None}
    return {**known, "missing": missing}
