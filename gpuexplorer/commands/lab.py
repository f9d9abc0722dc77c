"""gpuexplorer lab: runs a program or a notebook, and says what its lines did to the cards."""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
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
    in_the_words,
)
from gpuexplorer.commands.lab_worker import Lab, Paper, lab_start
from gpuexplorer.commands.source import opened
from gpuexplorer.commands.terminal import (
    NONE,
    Page,
    Terminal,
    figure,
    percent,
    wrap,
    write_json,
)
from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline, trace_pieces
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import duration, grouped, memory
from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.lab.events import Failed, Finished, Printed, Why
from gpuexplorer.lab.session_files import opened as cells_of
from gpuexplorer.lab.session_files import program as text_of
from gpuexplorer.lab.start import Program
from gpuexplorer.lab.wire import Run
from gpuexplorer.programs.as_json import as_json
from gpuexplorer.programs.findings import findings
from gpuexplorer.programs.program_run import (
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
# All of it is to be seen at once, on a terminal of 40 lines.
_MOST_FINDINGS = 6
_MOST_LINES = 8
_MOST_CARDS = 8
_SHORTEST = 20  # letters of a place
_WAITS = (Why.READ, Why.LOADER, Why.HOST)
_SET_IN = 7 * " "  # as wide as a share
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
_LINES: Mapping[str, int] = {
    Message("Line"): 101,
    Message("Code"): 92,
    Message("Copies"): 95,
    Message("Bytes"): 94,
    Message("Kind"): 40,  # explicit or implicit
    Message("From, to"): 60,
    Message("Memory"): 30,
    Message("Limit"): 50,
    Message("On the wire"): 80,
    Message("Host waited"): 88,
    Message("Card idle"): 89,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Run a program or a notebook with the Python of the lab, and say at its end which of"
        " its lines copied how many bytes, how long the cards had nothing to do because of"
        " which line, and what would help. Options stand before FILE; what stands behind it,"
        " also what begins with a dash, is the program's own."
    )
    parser.epilog = tr(
        "What was seen goes to standard error. With --json it is all of standard output, and"
        " what the program prints goes to standard error. The exit status is the program's: 128"
        " and the number of the signal where one ended it, 130 after Ctrl-C; 1 where PyTorch"
        " cannot be started, and 2 when the command was not understood. With --host the cells"
        " of the file run there one by one, in the home folder."
    )
    options = {
        "--json": Option("", "what was seen, as JSON, schema 1"),
        "--trace": Option("FILE", "also write what happened when, for ui.perfetto.dev", Path),
        "--python": Option("FILE", "the Python that runs it", Path),
    }
    file = mark("a program (.py) and its own arguments, or a notebook (.ipynb)")
    words = Option("FILE", file, nargs=argparse.PARSER)  # one, and whatever follows it
    add_options(parser, options | SOURCE | HOST | {"words": words})


def run(arguments: argparse.Namespace) -> int:
    file, words = program_of(arguments)
    _check(file, words, arguments)
    # A program is watched where it lies; elsewhere its cells run as a notebook's do.
    in_cells = file.suffix.lower() == _NOTEBOOK or bool(arguments.host)
    with in_the_words():
        codes = [each.code for each in cells_of(file)] if in_cells else [text_of(file)]
    with opened(arguments) as source:
        _, start = lab_start(source.far, arguments.python, Message("The lab needs PyTorch."))
        start = replace(start, sampled=True)
        with closing(Trace(arguments.trace)) as trace, Lab(source) as lab:
            paper = Paper(lab.ledger, sys.stderr if arguments.json else sys.stdout, sys.stderr)
            if in_cells:
                folder = file.resolve().parent if source.far is None else None
                lab.begin(replace(start, folder=folder))
                status = _run_cells(file, codes, lab, paper)
                trace.write_cells(lab)
            else:
                own, traced = not arguments.json, arguments.trace is not None
                program = Program(file, words, own_streams=own, traced=traced)
                lab.begin(replace(start, program=program))
                lab.ledger.sent(Run(1, codes[0], number=1))
                events = TraceFile(trace.out, file.name, ProgramRun(file.resolve(), ()).place)
                for event in lab.events():
                    with trace.tried():
                        events.apply(event)
                    if isinstance(event, Printed):
                        paper.show(event)
                with trace.tried():
                    events.close()
                status = lab.status
            seen = ProgramRun(
                file.resolve(),
                lab.ledger.cells,
                lab.began(),
                status,
                lab.routes.route,
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
    suffix, trace = file.suffix.lower(), arguments.trace
    if words and (arguments.host or suffix == _NOTEBOOK):
        raise WrongArgumentsError(
            "A notebook takes no arguments, nor does a file on another computer, and {argument}"
            " stands behind it.",
            argument=words[0],
        )
    if trace is not None and trace.suffix in (_PROGRAM, _NOTEBOOK):
        raise WrongArgumentsError("The trace would be written over {file}.", file=trace)


def _run_cells(file: Path, codes: Sequence[str], lab: Lab, paper: Paper) -> int:
    """To its end, or to the first error."""
    for code in codes:
        lab.run(code, outside=str(file))
        for event in lab.events():
            paper.show(event)
            if isinstance(event, Finished | Failed):
                break
        if (failed := lab.ledger.cells[-1].failed) is not None:
            status = lab.status if lab.lost else 0
            return _SIGINT if failed.cause == "cancelled" else min(status, 0) or TROUBLE
    return OK


class Trace:
    """A file, nobody's without a path. A full disk ends nothing: `trouble` says so."""

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
                file=self._path,
                why=error.strerror,
            )

    def close(self) -> None:
        with self.tried():
            self.out.close()

    def write_cells(self, lab: Lab) -> None:
        ledger, book, timeline = lab.ledger, CopyBook(), Timeline()
        book.take(ledger)
        timeline.take(ledger, book)
        pieces = trace_pieces(
            timeline,
            book,
            simulated=lab.began().simulated,
            names={each.uuid or each.name: each.label for each in ledger.devices},
            machine=lab.source.machine or "",
        )
        with self.tried():
            self.out.writelines(pieces)


def report(run: ProgramRun, width: int) -> str:
    """Lines of at most that width, to be read on a terminal."""
    found, lines = findings(run), lines_of(run)
    page = Page(width)
    page.say(ended(run), *watched(run))
    used = [each for each in cards_of(run) if each.used]
    used.sort(key=lambda each: -each.idle_seconds)
    rows = [
        [
            each.device,
            figure(each.busy, duration),
            figure(each.copied, duration),
            *(str(duration(each.idle.get(why, 0.0))) for why in _WAITS),
            figure(each.idle.get(Why.START), duration),
            figure(each.pauses, duration),
        ]
        for each in used
    ]
    if rows:
        page.gap().table(_CARDS, rows, _MOST_CARDS)
    # Each with its share, so that one sees at once which is worth it.
    if found:
        page.gap().add(tr("What would help, and how much of the time it could save at most:"))
    advised: set[str] = set()
    for each in found[:_MOST_FINDINGS]:
        share = each.share(run.stepping_seconds)
        head = f"{share} %" if share else NONE
        page.add(*wrap(tr(each.sentence), width, _SET_IN, f"{head:>5}  "))
        # A cure that was named already is not repeated.
        for cure in {each.cure} - {*advised, ""}:
            page.add(*wrap(tr(cure), width, _SET_IN, _SET_IN))
        advised.add(each.cure)
    page.count_more(len(found), _MOST_FINDINGS)
    way_on = Message("With --simulate 2xTitanRTX+idle the program runs on simulated ones.")
    said = [*as_a_whole(run, bool(found)), *([way_on] if lacks_cards(run) else [])]
    page.gap().say(paragraph(said))
    room = max(_SHORTEST, width // 2)
    rows = [
        [
            # The number of the line stands last.
            place if len(place := tr(each.place)) <= room else f"…{place[1 - room :]}",
            each.what,
            grouped(each.copies) if each.copied else "",
            str(memory(each.bytes, run.units)) if each.copied else "",
            each.asked_words,
            each.way,
            each.memory,
            figure(each.share, percent),
            figure(each.device_seconds if each.copied else None, duration),
            figure(each.waited if any(e.blocking for e in each.copied) else None, duration),
            figure(each.idle_seconds if each.idled else None, duration),
        ]
        for each in lines
    ]
    if rows:
        page.gap().table(_LINES, rows, _MOST_LINES)
    return str(page)
