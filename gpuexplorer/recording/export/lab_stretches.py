"""When cells of the lab ran and what they copied, and when copies were measured."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import result_as_json
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.lab.events import Began, Failed, Finished, Transferred
from gpuexplorer.recording.lab_said import Noted, Sent, noted_of
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.told import Said

CELLS, COPIES, MEASURED = "cells", "copies", "measured copies"


class Stretch(NamedTuple):
    """Where it ends as it begins, it is a moment."""

    kind: str
    name: str
    begin: float  # axis
    end: float
    args: Mapping[str, object]


def all_noted(recording: Recording) -> Iterator[tuple[Said, Noted]]:
    """What is no message of ours is left out."""
    for said in recording.said():
        with suppress(UnreadableError):
            yield said, noted_of(said.what, said.text)


def lab_stretches(recording: Recording) -> Iterator[Stretch]:
    cells: dict[int, Sent] = {}
    began: dict[int, float] = {}
    for said, what in all_noted(recording):
        match what:
            case Sent(past=False) as sent:
                cells[sent.id] = sent
            case Began(id=number) if number in cells:
                began[number] = said.at
            case Transferred(id=number, begin=float(begin), end=float(end)) as copy:
                if number in began:
                    at = began[number]
                    yield _copied(copy, at + begin, at + end)
            case Finished(id=number) | Failed(id=number) as done:
                if number in cells and number in began:
                    yield _ran(cells[number], done, began.pop(number), said.at)
            case CopyResult(job=job) as measured:
                args = result_as_json(measured)
                yield Stretch(MEASURED, f"{job.source} to {job.target}", said.at, said.at, args)
            case _:
                pass


def _ran(cell: Sent, done: Finished | Failed, begin: float, end: float) -> Stretch:
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
