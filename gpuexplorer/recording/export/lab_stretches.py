"""When cells of the lab ran and what they copied, and when copies were measured."""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Transferred
from gpuexplorer.lab.wire import Run, command_of, event_of
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.told import Said, Topic

CELLS, COPIES, MEASURED = "cells", "copies", "measured copies"


class Stretch(NamedTuple):
    """Where it ends as it begins, it is a moment."""

    kind: str
    name: str
    begin: float  # axis
    end: float
    args: Mapping[str, object]


def lab_stretches(recording: Recording) -> Iterator[Stretch]:
    """What is no message of ours is left out."""
    cells: dict[int, Run] = {}
    began: dict[int, float] = {}
    for said in recording.said():
        match _message(said):
            case Run() as run:
                cells[run.id] = run
            case Began(id=number):
                began[number] = said.at
            case Transferred(id=number, begin=float(begin), end=float(end)) as copy:
                if number in began:
                    at = began[number]
                    yield _copied(copy, at + begin, at + end)
            case Finished(id=number) | Failed(id=number) as done:
                if number in cells and number in began:
                    yield _ran(cells[number], done, began.pop(number), said.at)
            case dict() as copy:
                name = f"{copy.get('source')} to {copy.get('target')}"
                yield Stretch(MEASURED, name, said.at, said.at, copy)
            case _:
                pass


def _message(said: Said) -> Event | Run | dict[str, object] | None:
    try:
        match said.what:
            case Topic.CELL:
                command = command_of(said.text)
                return command if isinstance(command, Run) else None
            case Topic.EVENT:
                return event_of(said.text)
            case Topic.COPY:
                measured = json.loads(said.text)
                return measured if isinstance(measured, dict) else None
    except (Trouble, ValueError, RecursionError):
        return None


def _ran(cell: Run, done: Finished | Failed, begin: float, end: float) -> Stretch:
    first = next((line for line in cell.code.splitlines() if line.strip()), "")
    args: dict[str, object] = {"code": cell.code, "modelled": done.modelled}
    if isinstance(done, Failed):
        args["error"] = f"{done.error}: {done.message}"
    return Stretch(CELLS, f"cell {cell.number}: {first}", begin, end, args)


def _copied(copy: Transferred, begin: float, end: float) -> Stretch:
    times = f" x{copy.copies}" if copy.copies > 1 else ""
    args = {
        "from": copy.source,
        "to": copy.target,
        "bytes": copy.bytes,
        "cell": copy.cell,
        "line": copy.line,
        "modelled": copy.modelled,
    }
    return Stretch(COPIES, f"{copy.what or 'copy'} to {copy.target}{times}", begin, end, args)
