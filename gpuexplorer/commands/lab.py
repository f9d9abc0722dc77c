"""gpuexplorer lab: runs a program or a notebook, and says what its lines did to the cards."""

import argparse
import io
import json
import os
import stat
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Self

from gpuexplorer.commands.arguments import (
    OK,
    TROUBLE,
    WrongArgumentsError,
    add_host_arguments,
    add_source_arguments,
)
from gpuexplorer.commands.lab_python import lab_start
from gpuexplorer.commands.lab_worker import Answers, Ended, LabCards, LabWorker, Paper
from gpuexplorer.commands.program_report import report
from gpuexplorer.commands.source import opened
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.copies.trace_file import trace_pieces
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, tr
from gpuexplorer.lab.events import Event, Failed, Finished, Hello, Printed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.session_files import opened as cells_of
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.wire import Run
from gpuexplorer.programs.as_json import as_json
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.programs.trace import TraceFile

_PROGRAM, _NOTEBOOK = ".py", ".ipynb"
_WIDEST = 110  # columns: longer lines are hard to read
_SIGINT = -2  # a process that Ctrl+C has ended


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Run a program or a notebook with the Python of the lab, as that Python would run it,"
        " and say at its end which of its lines copied how many bytes, how long the cards had"
        " nothing to do because of which line, and what would help. What stands after FILE is"
        " the program's own, also what begins with a dash: options of this command stand before"
        " FILE."
    )
    parser.epilog = tr(
        "What was seen goes to standard error, so that the program's output stays its own. With"
        " --json standard output is the JSON alone, and the output goes to standard error. The"
        " exit status is the program's: 128 and the number of the signal where one ended it,"
        " 130 after Ctrl-C. It is 1 where PyTorch cannot be started, and 2 when the command was"
        " not understood. With --host the cells of the file run on that computer, one after the"
        " other as a notebook's do, in the home folder there; a program is watched as a whole"
        " only where it lies."
    )
    parser.add_argument(
        "--json", action="store_true", help=tr("what was seen, as JSON, schema 1")
    )
    parser.add_argument(
        "--trace",
        metavar=tr("FILE"),
        type=Path,
        help=tr("also write what happened when, for ui.perfetto.dev"),
    )
    parser.add_argument(
        "--python", metavar=tr("FILE"), type=Path, help=tr("the Python that runs it")
    )
    add_source_arguments(parser)
    add_host_arguments(parser)
    parser.add_argument(
        "words",
        metavar=tr("FILE"),
        nargs=argparse.PARSER,  # one, and whatever follows it
        help=tr("a program (.py) and its own arguments, or a notebook (.ipynb)"),
    )


def run(arguments: argparse.Namespace) -> int:
    file, words = program_of(arguments)
    _check(file, words, arguments)
    is_notebook = file.suffix.lower() == _NOTEBOOK
    source = opened(arguments)
    backend = source.backend
    try:
        _, start = lab_start(source.far, arguments.python, Message("The lab needs PyTorch."))
        cards = LabCards(source)
        start = cards.given(replace(start, sampled=True))
        answers = Answers(backend)
        with Trace(arguments.trace, file, source.machine) as trace:
            # A program is watched where it lies; elsewhere its cells run as a notebook's do.
            if is_notebook or source.far is not None:
                paper = Paper(apart=arguments.json)
                ended = _run_cells(file, start, cards, answers, trace, paper)
            else:
                own = not arguments.json
                program = Program(file, words, own_streams=own, traced=trace.wanted)
                ended = _run_program(replace(start, program=program), answers, trace)
        cards.hello = ended.hello
        _show(file, ended, cards, source.machine, as_data=arguments.json)
    finally:
        backend.close()
    if trace.trouble is not None and not ended.status:
        raise trace.trouble
    if trace.trouble is not None:
        sys.stderr.write(f"{tr(trace.trouble.told)}\n")
    return ended.status if ended.status >= 0 else 128 - ended.status


def program_of(arguments: argparse.Namespace) -> tuple[Path, Sequence[str]]:
    """The program or notebook, and what it is given."""
    file, *words = arguments.words[arguments.words[0] == "--" :]
    return Path(file), words


def _check(file: Path, words: Sequence[str], arguments: argparse.Namespace) -> None:
    """What is wrong is said before anything is started."""
    try:
        ordinary = stat.S_ISREG(file.stat().st_mode)
        if ordinary:  # else it may have no end
            file.open("rb").close()
    except OSError as error:
        raise WrongArgumentsError(
            "{file} cannot be run: {why}.",
            "Name a program or a notebook, such as: gpuexplorer lab train.py",
            file=str(file),
            why=error.strerror,
        ) from None
    if not ordinary:
        raise WrongArgumentsError(
            "{file} is no ordinary file.", "Name a program or a notebook.", file=str(file)
        )
    if file.suffix.lower() not in (_PROGRAM, _NOTEBOOK):
        raise WrongArgumentsError(
            "{file} is neither a Python program nor a notebook.",
            "The lab runs files whose names end in .py or .ipynb.",
            file=str(file),
        )
    if words and (arguments.host or file.suffix.lower() == _NOTEBOOK):
        raise WrongArgumentsError(
            "A notebook takes no arguments, nor does a file on another computer, and {argument}"
            " stands behind it.",
            "Options of this command stand before the file.",
            argument=words[0],
        )
    if arguments.trace is not None and arguments.trace.suffix in (_PROGRAM, _NOTEBOOK):
        raise WrongArgumentsError(
            "The trace would be written over {file}.",
            "Name another file for it, such as: --trace trace.json",
            file=str(arguments.trace),
        )


def _show(
    file: Path, ended: Ended, cards: LabCards, machine: str | None, *, as_data: bool
) -> None:
    seen = ProgramRun(
        file.resolve(),
        ended.cells,
        ended.hello,
        ended.status,
        cards.way,
        processors=os.cpu_count() if machine is None else None,
        machine=machine,
    )
    if as_data:
        sys.stdout.write(json.dumps(as_json(seen), indent=2) + "\n")
        sys.stdout.flush()
    else:
        terminal = Terminal(sys.stderr)
        terminal.show("\n" + report(seen, min(terminal.width(), _WIDEST)))


def _run_program(start: Start, answers: Answers, trace: "Trace") -> Ended:
    """Raises Trouble where it cannot begin."""
    assert start.program is not None
    ledger = Ledger()
    ledger.sent(Run(1, _text_of(start.program.path), number=1))
    with LabWorker(start, answers) as worker:
        for event in worker.said():
            ledger.apply(event)
            trace.apply(event)
            if isinstance(event, Printed):
                ours = isinstance(event.text, Message)  # a sentence of the lab's
                sys.stderr.write(f"{tr(event.text)}\n" if ours else event.text)
                sys.stderr.flush()
        return worker.ended(ledger, worker.status)


def _text_of(file: Path) -> str:
    """For people to read; Python itself says what is wrong with it."""
    content = file.read_bytes()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding, "replace")
    except (SyntaxError, LookupError):
        return content.decode("utf-8", "replace")


def _run_cells(
    file: Path,
    start: Start,
    cards: LabCards,
    answers: Answers,
    trace: "Trace",
    paper: Paper,
) -> Ended:
    """In its own folder, or in the home folder over there, to its end or to the first error.
    Raises Trouble where it cannot begin.
    """
    codes = cells_of(file)
    ledger = Ledger()
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
        trace.write(_trace(ledger, worker.hello, trace.machine))
        if worker.end:
            status = min(worker.status, 0) or TROUBLE
        return worker.ended(ledger, status)


def _trace(ledger: Ledger, hello: Hello | None, machine: str | None) -> Iterator[bytes]:
    """One cell after another."""
    book, timeline = CopyBook(), Timeline()
    book.take(ledger)
    timeline.take(ledger, book)
    names = {each.uuid or each.name: each.label for each in hello.devices} if hello else {}
    simulated = hello is not None and hello.simulated
    yield from trace_pieces(
        timeline, book, simulated=simulated, names=names, machine=machine or ""
    )


class Trace:
    """Does nothing without a path. A disk that is full does not end the program: `trouble`
    says so afterwards.
    """

    def __init__(self, path: Path | None, program: Path, machine: str | None = None) -> None:
        """`machine`: where it runs, if not here. Raises Trouble where the file cannot be
        written.
        """
        self.machine = machine
        self.trouble: Trouble | None = None
        self._path = path
        self._program = program
        self._out: BinaryIO | None = None
        self._file: TraceFile | None = None
        if path is not None:
            try:
                self._out = path.open("wb")
            except OSError as error:
                raise self._cannot_be_written(error) from None

    @property
    def wanted(self) -> bool:
        return self._out is not None

    def apply(self, event: Event) -> None:
        """Of a program, as it is said."""
        if self._file is None and self._out is not None:
            place = ProgramRun(self._program.resolve(), ()).place
            self._file = TraceFile(self._out, self._program.name, place)
        if self._file is not None:
            self._try(partial(self._file.apply, event))

    def write(self, pieces: Iterable[bytes]) -> None:
        """All of it at once."""
        if self._out is not None:
            self._try(partial(self._out.writelines, pieces))

    def _try(self, write: Callable[[], object]) -> None:
        if self.trouble is None:
            try:
                write()
            except OSError as error:
                self.trouble = self._cannot_be_written(error)

    def _cannot_be_written(self, error: OSError) -> Trouble:
        return Trouble(
            "The trace cannot be written to {file}: {why}.",
            "Name another file after --trace.",
            file=str(self._path),
            why=error.strerror or os.strerror(error.errno or 0),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._try(self._file.close)
        if self._out is not None:
            self._try(self._out.close)
            with suppress(OSError):
                self._out.close()
