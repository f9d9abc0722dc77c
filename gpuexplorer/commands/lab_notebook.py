"""A notebook, cell by cell as "run all" does it; what it shows, as text."""

import linecache
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from gpuexplorer.commands.arguments import OK, TROUBLE
from gpuexplorer.commands.lab_answers import Answers
from gpuexplorer.commands.lab_cards import LabCards
from gpuexplorer.commands.lab_trace import Trace
from gpuexplorer.commands.lab_worker import Ended, LabWorker
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.copies.trace_file import trace_pieces
from gpuexplorer.core.words import tr
from gpuexplorer.lab.events import Event, Failed, Finished, Frame, Hello, Pictured, Printed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.session_files import opened
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Run

_SIGINT = -2  # a process that Ctrl+C has ended


def run_notebook(
    file: Path,
    start: Start,
    cards: LabCards,
    answers: Answers,
    trace: Trace,
    *,
    apart: bool,
) -> Ended:
    """In its own folder, or in the home folder over there, to its end or to the first error.
    `apart`: all it shows goes to standard error. Raises Trouble where it cannot begin.
    """
    codes = opened(file)
    ledger = Ledger()
    paper = Paper(apart=apart)
    status = OK
    if start.elsewhere is None:
        start = replace(start, folder=file.resolve().parent)
    with LabWorker(start, answers) as worker:
        said = worker.said()
        for number, code in enumerate(codes, 1):
            command = cards.told(Run(number, code, number))
            ledger.sent(command, outside=str(file))
            worker.send(command)
            for event in said:
                ledger.apply(event)
                cards.apply(event)
                paper.show(event, codes)
                if isinstance(event, Finished | Failed):
                    break
            failed = ledger.cells[-1].failed
            if failed is not None:
                status = _SIGINT if failed.cause == "cancelled" else TROUBLE
                for _ in said if failed.cause == "worker lost" else ():
                    pass  # until it is known why
                break
        trace.write(_trace(ledger, worker.hello, trace.machine or ""))
        if worker.end:
            status = min(worker.status, 0) or TROUBLE
        return worker.ended(ledger, status)


def _trace(ledger: Ledger, hello: Hello | None, machine: str) -> Iterator[bytes]:
    """One cell after another."""
    book, timeline = CopyBook(), Timeline()
    book.take(ledger)
    timeline.take(ledger, book)
    names = {each.uuid or each.name: each.label for each in hello.devices} if hello else {}
    simulated = hello is not None and hello.simulated
    yield from trace_pieces(timeline, book, simulated=simulated, names=names, machine=machine)


class Paper:
    """What cells show, as text on two streams; `apart`: on standard error alone."""

    def __init__(self, *, apart: bool = False) -> None:
        self._out = sys.stderr if apart else sys.stdout
        self._open: TextIO | None = None  # in the middle of a line

    def show(self, event: Event, codes: Sequence[str]) -> None:
        match event:
            case Printed(stream="out" | "err" as stream):
                self._write(self._out if stream == "out" else sys.stderr, event.text)
            case Printed(stream="value" | "placement"):
                self.line(tr(event.text))
            case Printed():
                self.line(tr(event.text), sys.stderr)
            case Pictured():
                self.line(tr("[figure]"))
            case Failed(sentence=sentence) if event.cause == "worker lost":
                self.line(tr(sentence), sys.stderr)
            case Failed():
                self.line("\n".join(_traceback(event, codes)), sys.stderr)
            case _:
                pass

    def line(self, text: str, stream: TextIO | None = None) -> None:
        """Apart from what was printed before it."""
        onto: TextIO = stream or self._out
        if self._open is onto:
            onto.write("\n")
        self._write(onto, text if text.endswith("\n") else f"{text}\n")

    def _write(self, stream: TextIO, text: str) -> None:
        stream.write(text)
        stream.flush()
        self._open = None if text.endswith("\n") else stream


def _traceback(failed: Failed, codes: Sequence[str]) -> Iterator[str]:
    """The person's own calls, as Python would show them; and what it means here."""
    yield "Traceback (most recent call last):"
    for frame in failed.frames:
        yield from _call(frame, codes)
    if failed.cause == "bad request":  # the lab's own words, and no exception of Python's
        yield tr(failed.told)
        return
    name = failed.error or "KeyboardInterrupt"
    yield f"{name}: {failed.message}" if failed.message else name
    if failed.cause != "cancelled" and failed.told:
        yield ""
        yield tr(failed.told)


def _call(frame: Frame, codes: Sequence[str]) -> Iterator[str]:
    place = tr("Cell {cell}, line {line}", cell=frame.cell, line=frame.line)
    line = ""
    if frame.file:
        place = tr("{file}, line {line}", file=frame.file, line=frame.line)
        line = linecache.getline(frame.file, frame.line)
    elif frame.cell:
        lines = codes[frame.cell - 1].split("\n")
        line = lines[frame.line - 1] if 0 < frame.line <= len(lines) else ""
    yield f"  {place}, {frame.name}" if frame.name else f"  {place}"
    if line.strip():
        yield f"    {line.strip()}"
        indent = len(line) - len(line.lstrip())
        if frame.end > frame.begin >= indent:
            yield " " * (4 + frame.begin - indent) + "^" * (frame.end - frame.begin)
