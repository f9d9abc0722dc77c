"""gpuexplorer lab: runs a program or a notebook, and says what its lines did to the cards."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from gpuexplorer.commands.arguments import (
    HOST,
    OK,
    SOURCE,
    TROUBLE,
    Option,
    WrongArgumentsError,
    add_options,
)
from gpuexplorer.commands.lab_worker import Lab, Paper, lab_start
from gpuexplorer.commands.source import opened
from gpuexplorer.commands.terminal import (
    NONE,
    Column,
    Page,
    Terminal,
    figure,
    percent,
    wrap,
    write_json,
)
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.copies.trace_file import trace_pieces
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import Units, duration, grouped, memory
from gpuexplorer.core.words import Message, paragraph, tr
from gpuexplorer.lab.events import Failed, Finished, Printed, Why
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.session_files import opened as cells_of
from gpuexplorer.lab.start import Program
from gpuexplorer.lab.wire import Run
from gpuexplorer.programs.as_json import as_json
from gpuexplorer.programs.findings import Finding, findings
from gpuexplorer.programs.program_run import (
    CardSum,
    Line,
    ProgramRun,
    as_a_whole,
    cards_of,
    ended,
    lacks_cards,
    lines_of,
    watched,
)
from gpuexplorer.programs.trace import TraceFile

_PROGRAM, _NOTEBOOK = ".py", ".ipynb"
_WIDEST = 110  # columns: longer lines are hard to read
_SIGINT = -2  # a process that Ctrl+C has ended
_OPTIONS = {
    "--json": Option("", "what was seen, as JSON, schema 1"),
    "--trace": Option("FILE", "also write what happened when, for ui.perfetto.dev", Path),
    "--python": Option("FILE", "the Python that runs it", Path),
}
_FILE = {
    "words": Option(
        "FILE",
        "a program (.py) and its own arguments, or a notebook (.ipynb)",
        nargs=argparse.PARSER,  # one, and whatever follows it
    )
}
# All of it is to be seen at once, on a terminal of 40 lines.
_MOST_FINDINGS = 6
_MOST_LINES = 8
_MOST_CARDS = 8
_SHORTEST = 20  # letters of a place
_CARDS: Mapping[str, int] = {
    Message("Card"): 100,
    Message("Busy"): 95,
    Message("Copying"): 90,
    Message("Idle after reads"): 80,
    Message("Idle for batches"): 80,
    Message("Idle for the host"): 80,
    Message("Idle at start"): 60,
    Message("Short pauses"): 60,
}
_LINES = (
    Column(Message("Line"), 100),
    Column(Message("Code"), 92, elastic=True),
    Column(Message("Copies"), 95, right=True),
    Column(Message("Bytes"), 94, right=True),
    Column(Message("Kind"), 40),  # asked for, or hidden
    Column(Message("From, to"), 60),
    Column(Message("Memory"), 30),
    Column(Message("Limit"), 50, right=True),
    Column(Message("On the wire"), 80, right=True),
    Column(Message("Host waited"), 90, right=True),
    Column(Message("Card idle"), 93, right=True),
)


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
    add_options(parser, _OPTIONS | SOURCE | HOST | _FILE)


def run(arguments: argparse.Namespace) -> int:
    file, words = program_of(arguments)
    _check(file, words, arguments)
    # A program is watched where it lies; elsewhere its cells run as a notebook's do.
    in_cells = file.suffix.lower() == _NOTEBOOK or bool(arguments.host)
    codes = cells_of(file) if in_cells else ()
    out = sys.stderr if arguments.json else sys.stdout
    with opened(arguments) as source:
        _, start = lab_start(source.far, arguments.python, Message("The lab needs PyTorch."))
        start = replace(start, sampled=True)
        with closing(Trace(arguments.trace)) as trace, Lab(source) as lab:
            paper = Paper(lab.ledger, out, sys.stderr)
            if not in_cells:
                own, traced = not arguments.json, arguments.trace is not None
                program = Program(file, words, own_streams=own, traced=traced)
                lab.begin(replace(start, program=program))
                status = _run_program(file, lab, paper, trace)
            else:
                folder = file.resolve().parent if source.far is None else None
                lab.begin(replace(start, folder=folder))
                status = _run_cells(file, codes, lab, paper)
                with trace.tried():
                    trace.out.writelines(_cells_traced(lab.ledger, source.machine))
            hello = lab.began()
        seen = ProgramRun(
            file.resolve(),
            lab.ledger.cells,
            hello,
            status,
            lab.way,
            processors=os.cpu_count() if source.far is None else None,
            machine=source.machine,
        )
        if arguments.json:
            write_json(as_json(seen))
        else:
            terminal = Terminal(sys.stderr)
            terminal.show("\n" + report(seen, min(terminal.width(), _WIDEST)))
    if trace.trouble is not None:
        sys.stderr.write(f"{trace.trouble.told}\n")
        status = status or TROUBLE
    return status if status >= 0 else 128 - status


def program_of(arguments: argparse.Namespace) -> tuple[Path, Sequence[str]]:
    """The program or notebook, and what it is given."""
    file, *words = arguments.words[arguments.words[0] == "--" :]
    return Path(file), words


def _check(file: Path, words: Sequence[str], arguments: argparse.Namespace) -> None:
    """What is wrong is said before anything is started."""
    if file.exists() and not file.is_file():  # it may have no end
        raise WrongArgumentsError(
            "{file} is no ordinary file.", "Name a program or a notebook.", file=str(file)
        )
    try:
        file.open("rb").close()
    except OSError as error:
        raise WrongArgumentsError(
            "{file} cannot be run: {why}.",
            "Name a program or a notebook, such as: gpuexplorer lab train.py",
            file=str(file),
            why=error.strerror,
        ) from None
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


def _run_program(file: Path, lab: Lab, paper: Paper, trace: "Trace") -> int:
    # For people to read; Python itself says what is wrong with it.
    lab.ledger.sent(Run(1, file.read_text("utf-8", "replace"), number=1))
    traced = TraceFile(trace.out, file.name, ProgramRun(file.resolve(), ()).place)
    for event in lab.events():
        with trace.tried():
            traced.apply(event)
        if isinstance(event, Printed):
            paper.show(event)
    with trace.tried():
        traced.close()
    return lab.status


def _run_cells(file: Path, codes: Sequence[str], lab: Lab, paper: Paper) -> int:
    """To its end, or to the first error."""
    for number, code in enumerate(codes, 1):
        lab.send(Run(number, code, number), outside=str(file))
        for event in lab.events():
            paper.show(event)
            if isinstance(event, Finished | Failed):
                break
        if (failed := lab.ledger.cells[-1].failed) is not None:
            status = lab.status if lab.lost else 0
            return _SIGINT if failed.cause == "cancelled" else min(status, 0) or TROUBLE
    return OK


def _cells_traced(ledger: Ledger, machine: str | None) -> Iterator[bytes]:
    """One cell after another."""
    book, timeline, hello = CopyBook(), Timeline(), ledger.hello
    book.take(ledger)
    timeline.take(ledger, book)
    return trace_pieces(
        timeline,
        book,
        simulated=hello is not None and hello.simulated,
        names={each.uuid or each.name: each.label for each in ledger.devices},
        machine=machine or "",
    )


class Trace:
    """A file, nobody's without a path. A disk that is full does not end the program: `trouble`
    says so afterwards.
    """

    def __init__(self, path: Path | None) -> None:
        """Raises Trouble where the file cannot be written."""
        self.trouble: Trouble | None = None
        self._path = path or Path(os.devnull)
        with self.tried():
            self.out = self._path.open("wb")
        if self.trouble is not None:
            raise self.trouble

    @contextmanager
    def tried(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.trouble = Trouble(
                "The trace cannot be written to {file}: {why}.",
                "Name another file after --trace.",
                file=str(self._path),
                why=error.strerror or os.strerror(error.errno or 0),
            )

    def close(self) -> None:
        with self.tried():
            self.out.close()


def report(run: ProgramRun, width: int) -> str:
    """Lines of at most that width, to be read on a terminal."""
    found = findings(run)
    page = Page(width)
    page.say(ended(run), *watched(run))
    if used := [each for each in cards_of(run) if each.used]:
        _write_cards(page.gap(), used)
    if found:
        _write_findings(page.gap(), found, run.stepping_seconds)
    said = [*as_a_whole(run, bool(found))]
    if lacks_cards(run):
        way_on = Message("With --simulate 2xTitanRTX+idle the program runs on simulated ones.")
        said.append(way_on)
    page.gap().say(paragraph(said))
    if lines := lines_of(run):
        _write_lines(page.gap(), lines, run.units)
    return str(page)


def _write_cards(page: Page, cards: Sequence[CardSum]) -> None:
    most_idle = sorted(cards, key=lambda each: -each.idle_seconds)[:_MOST_CARDS]
    rows = []
    for each in sorted(most_idle, key=cards.index):
        known = [each.idle.get(why, 0.0) for why in (Why.READ, Why.LOADER, Why.HOST)]
        seldom = [each.idle.get(Why.START), each.pauses]
        seconds = [figure(value, duration) for value in (each.busy, each.copied, *known)]
        rows.append([each.device, *seconds, *(_or_empty(value) for value in seldom)])
    page.figures(_CARDS, rows)
    page.count_more(len(cards), _MOST_CARDS)


def _write_findings(page: Page, found: Sequence[Finding], seconds: float) -> None:
    """Each with its share, so that one sees at once which is worth it; a cure that was named
    already is not repeated.
    """
    page.add(tr("What would help, and how much of the time it could save at most:"))
    advised: set[str] = set()
    for each in found[:_MOST_FINDINGS]:
        share = each.share(seconds)
        head = f"{share} %" if share else NONE
        for sentence in (each.sentence, *({each.cure} - advised)):
            for line in wrap(tr(sentence), page.width - 7, ""):
                page.add(f"{head:>5}  {line}")
                head = ""
        advised.add(each.cure)
    page.count_more(len(found), _MOST_FINDINGS)


def _write_lines(page: Page, lines: Sequence[Line], units: Units) -> None:
    """What is not there at all is left empty."""
    room = max(_SHORTEST, page.width // 2)
    rows = [
        [
            # The number of the line stands last.
            place if len(place := tr(each.place)) <= room else f"…{place[1 - room :]}",
            each.what,
            grouped(each.copies) if each.copied else "",
            str(memory(each.bytes, units)) if each.copied else "",
            each.asked_words,
            each.way,
            each.memory,
            _or_empty(each.share, percent),
            figure(each.device_seconds, duration) if each.copied else "",
            figure(each.waited, duration) if any(e.blocking for e in each.copied) else "",
            _or_empty(each.idle_seconds if each.idled else None),
        ]
        for each in lines[:_MOST_LINES]
    ]
    page.table(_LINES, rows)
    page.count_more(len(lines), _MOST_LINES)


def _or_empty(value: float | None, form: Callable[[float], object] = duration) -> str:
    return "" if value is None else str(form(value))
