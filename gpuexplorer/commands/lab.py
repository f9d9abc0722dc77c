"""gpuexplorer lab: runs a program or a notebook, and says what its lines did to the cards."""

import argparse
import io
import json
import os
import stat
import sys
import tokenize
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from gpuexplorer.commands.arguments import (
    WrongArgumentsError,
    add_host_arguments,
    add_source_arguments,
)
from gpuexplorer.commands.lab_answers import Answers
from gpuexplorer.commands.lab_cards import LabCards
from gpuexplorer.commands.lab_notebook import run_notebook
from gpuexplorer.commands.lab_python import lab_start
from gpuexplorer.commands.lab_trace import Trace
from gpuexplorer.commands.lab_worker import Ended, LabWorker
from gpuexplorer.commands.program_report import report
from gpuexplorer.commands.source import opened
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.core.words import Message, tr
from gpuexplorer.lab.events import Printed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.offspring import held_back
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.wire import Run
from gpuexplorer.programs.as_json import as_json
from gpuexplorer.programs.program_run import ProgramRun

_PROGRAM, _NOTEBOOK = ".py", ".ipynb"
_WIDEST = 110  # columns: longer lines are hard to read


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
    _check(file, words, arguments.trace)
    if arguments.host and words:
        raise WrongArgumentsError(
            "On another computer a file gets no arguments, and {argument!r} stands behind it.",
            "Options of this command stand before the file.",
            argument=words[0],
        )
    # Connecting may take long, and what runs over there gets no signals of ours.
    with nullcontext() if arguments.host else held_back():
        source = opened(arguments)
    backend = source.backend
    try:
        _, start = lab_start(source.far, arguments.python, Message("The lab needs PyTorch."))
        cards = LabCards(source)
        start = cards.given(replace(start, sampled=True))
        answers = Answers(backend)
        apart: bool = arguments.json
        with Trace(arguments.trace, file, source.machine) as trace:
            # A program is watched where it lies; elsewhere its cells run as a notebook's do.
            if _is_notebook(file) or source.far is not None:
                ended = run_notebook(file, start, cards, answers, trace, apart=apart)
            else:
                ended = _run_program(file, words, start, answers, trace, apart=apart)
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


def _check(file: Path, words: Sequence[str], trace: Path | None) -> None:
    """What is wrong is said before anything is started."""
    try:
        mode = file.stat().st_mode
    except OSError as error:
        raise WrongArgumentsError(
            "{file} cannot be run: {why}.",
            "Name a program or a notebook, such as: gpuexplorer lab train.py",
            file=str(file),
            why=error.strerror,
        ) from None
    if stat.S_ISDIR(mode):
        raise WrongArgumentsError(
            "{file} is a folder.", "Name the program or notebook in it.", file=str(file)
        )
    if not stat.S_ISREG(mode):  # it may have no end
        raise WrongArgumentsError(
            "{file} is no ordinary file.", "Save it as one first.", file=str(file)
        )
    if file.suffix.lower() not in (_PROGRAM, _NOTEBOOK):
        raise WrongArgumentsError(
            "{file} is neither a Python program nor a notebook.",
            "The lab runs files whose names end in .py or .ipynb.",
            file=str(file),
        )
    if not os.access(file, os.R_OK):
        raise WrongArgumentsError(
            "{file} cannot be read: you have no right to.",
            "Ask its owner for the right to read it.",
            file=str(file),
        )
    if _is_notebook(file) and words:
        raise WrongArgumentsError(
            "A notebook takes no arguments, and {argument} stands behind it.",
            "Options of this command stand before the notebook.",
            argument=words[0],
        )
    if trace is not None and trace.suffix in (_PROGRAM, _NOTEBOOK):
        raise WrongArgumentsError(
            "The trace would be written over {file}.",
            "Name another file for it, such as: --trace trace.json",
            file=str(trace),
        )


def _is_notebook(file: Path) -> bool:
    return file.suffix.lower() == _NOTEBOOK


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


def _run_program(
    file: Path,
    words: Sequence[str],
    start: Start,
    answers: Answers,
    trace: Trace,
    *,
    apart: bool,
) -> Ended:
    """`apart`: all it prints goes to standard error. Raises Trouble where it cannot begin."""
    program = Program(file, words, own_streams=not apart, traced=trace.wanted)
    ledger = Ledger()
    ledger.sent(Run(1, _text_of(file), number=1))
    with LabWorker(replace(start, program=program), answers) as worker:
        for event in worker.said():
            ledger.apply(event)
            trace.apply(event)
            if isinstance(event, Printed):
                _show_printed(event)
        return worker.ended(ledger, worker.status)


def _show_printed(printed: Printed) -> None:
    text = printed.text
    if isinstance(text, Message):  # a sentence of the lab's
        text = f"{tr(text)}\n"
    sys.stderr.write(text)
    sys.stderr.flush()


def _text_of(file: Path) -> str:
    """For people to read; Python itself says what is wrong with it."""
    content = file.read_bytes()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding, "replace")
    except (SyntaxError, LookupError):
        return content.decode("utf-8", "replace")
