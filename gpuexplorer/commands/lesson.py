"""gpuexplorer lesson: lists, checks and begins lessons, and plays one without a window."""

import argparse
import io
import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gpuexplorer.commands.arguments import OK, SOURCE, TROUBLE, Option, add_options, number
from gpuexplorer.commands.lab_worker import Lab, Paper, is_yes, lab_start, typed
from gpuexplorer.commands.source import Opened, open_source
from gpuexplorer.commands.terminal import Terminal, printed, wrap, write_json
from gpuexplorer.core.cards import CardKind
from gpuexplorer.core.metrics import metrics_of
from gpuexplorer.core.records import written
from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, all_of, mark, tr, trn
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.ledger import IMPORTS
from gpuexplorer.lab.printed import error_words
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Evaluate, Run
from gpuexplorer.lessons.html import SIMULATED, contents, outcome
from gpuexplorer.lessons.lesson import LESSON_FILE, Check, Code, Lesson, LessonError, Predict
from gpuexplorer.lessons.player import Player, StepPlay, StepState, behind, sources_of
from gpuexplorer.lessons.reading import built_in, find, read
from gpuexplorer.lessons.values import Readings, Revealed, cell_fields
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.sources import IDLE, simulated
from gpuexplorer.telemetry.whole_file import refuse_unwritable, write_whole

_READING_PATIENCE = 3.0  # of a card
_WIDEST = 80
_MARKS = re.compile(r"(\*\*|__|`)(.+?)\1")
_JSON = {"--json": Option("", "print it for programs to read")}
# What each action understands, and its line in the help.
_ACTIONS: Mapping[str, tuple[str, Mapping[str, Option]]] = {
    "list": (mark("the lessons that came with the program"), _JSON),
    "check": (
        mark("say what is wrong with a lesson, in which line, and what to do"),
        {"files": Option("FILE", "a lesson.md, or the folder it lies in", Path, nargs="+")},
    ),
    "new": (
        mark("write the beginning of a lesson of your own"),
        {"folder": Option("NAME", "the folder that is made for it", Path)},
    ),
    "run": (
        mark("play a lesson to its end, without a window"),
        {
            "name": Option("NAME", "a lesson's name or number, or the path of one"),
            **_JSON,
            "--yes": Option("", "run its cells unasked, also where it is from elsewhere"),
            "--save": Option("FILE", "also write what came of it, as a page (.html)", Path),
            "--python": Option("FILE", "the Python that runs the cells", Path),
            "--patience": Option("SECONDS", "of a cell; 600 if not given", number, 600.0),
            **SOURCE,
        },
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Lessons that lead through the lab, step by step. In the window they stand on the"
        " screen “Lessons”; docs/lessons.md says how one is written."
    )
    parser.epilog = tr(
        "Each action has its own --help. The exit status is 0 when all was fine; 1 where a"
        " lesson has a problem or one of its checks failed; 2 when the command was not"
        " understood."
    )
    actions = parser.add_subparsers(
        dest="action", metavar=tr("ACTION"), required=True, title=tr("actions")
    )
    for name, (line, options) in _ACTIONS.items():
        add_options(actions.add_parser(name, help=tr(line)), options)


def run(arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "list":
            return _list(as_json=arguments.json)
        case "check":
            return max([_check(each) for each in arguments.files])
        case "new":
            return _new(arguments.folder)
    return _run(arguments)


def _list(*, as_json: bool) -> int:
    found = [*built_in()]
    lessons = [each for each in found if isinstance(each, Lesson)]
    broken = [each for each in found if isinstance(each, LessonError)]
    sys.stderr.writelines(f"{each.told}\n" for each in broken)
    if as_json:
        keys = ("name", "title", "minutes", "needs")
        write_json([{key: getattr(each, key) for key in keys} for each in lessons])
        return TROUBLE if broken else OK
    nothing = [Message("nothing")]
    columns: dict[str, int] = {
        Message("Name"): 100,
        Message("Minutes"): 80,
        Message("Needs"): 70,
        Message("Title"): 95,
    }
    rows = [(e.name, str(e.minutes), all_of(e.needs or nothing), e.title) for e in lessons]
    with printed() as page:
        page.table(columns, rows)
        page.gap().say(tr("Play one in the window, or with: gpuexplorer lesson run NAME"))
    return TROUBLE if broken else OK


def _check(path: Path) -> int:
    try:
        lesson = read(path)
    except LessonError as error:
        for each in error.problems:
            one = LessonError(error.file, [each])
            sys.stdout.write(f"{tr(one.sentence)}\n    {tr(one.hint)}\n")
        return TROUBLE
    fine = trn(
        "{file}: nothing is wrong with its {count} step.",
        "{file}: nothing is wrong with its {count} steps.",
        len(lesson.steps),
        file=lesson.file,
    )
    sys.stdout.write(f"{fine}\n")
    return OK


def _new(folder: Path) -> int:
    file = folder / LESSON_FILE
    template = resource("lessons", "template.md").read_bytes()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as made:
            made.write(template)
    except OSError as error:
        why = error.strerror
        raise Trouble("{file} cannot be written: {why}.", file=file, why=why) from None
    told = tr(
        "{file} is written. Change it, then look at it with: gpuexplorer lesson check {folder}",
        file=file,
        folder=shlex.quote(str(folder)),
    )
    sys.stdout.write(f"{told}\n")
    return OK


def _run(arguments: argparse.Namespace) -> int:
    lesson, save = find(arguments.name), arguments.save
    if save is not None:
        if save.suffix.lower() != ".html":
            raise Trouble("A lesson is saved as a page: name a file that ends in .html.")
        refuse_unwritable(save)
    found, _ = open_source(arguments)
    source = Opened(found or simulated(IDLE, seed=arguments.seed))

    needed = Message("A lesson's cells need PyTorch.")
    with source, Play(lesson, source, arguments.patience, silent=arguments.json) as play:
        play.say(lesson.title, "=" * min(len(unmarked(lesson.title)), play.width))
        if found is None:
            play.say(Message("No graphics card answers here, so two are simulated."))
        for each in source.backend.notes() if play.simulated else ():
            play.say(SIMULATED if each is MADE_UP else each)
        play.play(lambda: lab_start(None, arguments.python, needed)[1], allowed=arguments.yes)
        if arguments.json:
            write_json(play.as_json())
        if save is not None:
            write_whole(save, [contents(play.player, play.ledger)])
        return play.say_end()


class Play(Lab):
    """A lesson as text on standard output, or `silent`; and the lab that it is played in."""

    def __init__(
        self, lesson: Lesson, source: Opened, patience: float, *, silent: bool = False
    ) -> None:
        super().__init__(source, patience)
        self.simulated = self._model is not None
        self.player = Player(lesson, self)
        self.width = min(Terminal().width(), _WIDEST)
        self._asking, self._host = not silent and sys.stdin.isatty(), HostReader()
        streams = (sys.stdout, sys.stderr) if not silent else (io.StringIO(), io.StringIO())
        self._paper = Paper(self.ledger, *streams)
        self._told: set[int] = set()  # parts whose outcome was shown, by their lines

    def say(self, *texts: str, indent: int = 0) -> None:
        """Sentences, in lines that fit; nothing where there are none."""
        margin = " " * indent
        for line in (line for text in texts for line in unmarked(tr(text)).splitlines()):
            for each in wrap(line, self.width, margin, margin):
                self._line(each)

    def play(self, start: Callable[[], Start], *, allowed: bool) -> None:
        """Raises Trouble where nobody allows its cells, KeyboardInterrupt after Ctrl+C."""
        player = self.player
        if player.must_ask and not allowed:
            self._ask_whether_to_run()
        player.must_ask = False
        self.begin(start())
        self.send(Run(0, IMPORTS))
        for at, step in enumerate(player.steps):
            if self.lost:
                break
            player.go(at)
            self._say_title(at, step)
            self._wait()
            for part in step.step.parts:
                if step.state in (StepState.SKIPPED, StepState.FAILED):
                    break
                match part:
                    case Predict() if self._asking:
                        self._ask(part)
                    case Predict() if not behind(step.step, part):
                        player.reveal(part)
                    case Code():
                        self._say_code(part)
                        player.run(part)
                self._wait()
            skipped = step.state is StepState.SKIPPED
            words = Message("Skipped: {why}", why=step.reason) if skipped else step.reason
            self.say(words, indent=2)

    def say_end(self) -> int:
        """How many steps came to what; gives the status for it."""
        states = Counter(each.state for each in self.player.steps)
        done, skipped = states[StepState.DONE], states[StepState.SKIPPED]
        others = states.total() - done - skipped
        ends = {"done": done, "skipped": skipped, "others": others}
        end = Message(
            "Steps done: {done}; skipped: {skipped}; not at their end: {others}.", **ends
        )
        self._line()
        self.say(end)
        return TROUBLE if others else OK

    def as_json(self) -> Mapping[str, object]:
        player = self.player
        return {
            "name": player.lesson.name,
            "title": player.lesson.title,
            "simulated": self.simulated,
            "torch": self.ledger.hello and self.ledger.hello.torch,
            "steps": [
                {
                    "title": step.step.title,
                    "state": step.state,
                    "reason": tr(step.reason),
                    "cells": [cell_fields(e) for e in map(player.cell, step.step.cells) if e],
                    "predictions": [
                        {
                            "question": part.question,
                            "unit": part.unit,
                            "said": getattr(step.predictions.get(part.line), "said", None),
                            **written(step.revealed.get(part.line, Revealed()), tr),
                        }
                        for part in step.step.parts
                        if isinstance(part, Predict)
                    ],
                    "checks": [written(each, tr) for _, each in sorted(step.checked.items())],
                }
                for step in player.steps
            ],
        }

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        return self.send(Evaluate(next(self._ids), tuple(sources), json.dumps(values)))

    def measure(self, then: Callable[[Readings], None]) -> None:
        """Without cards where the driver hangs."""
        backend, host = self.source.backend, self._host.card
        cards = [each for each in backend.cards() if each.kind is CardKind.GPU]
        asked = Asked(lambda: [(e, backend.read(e.id, metrics_of(e))) for e in cards])
        read = asked.result() if asked.answered_within(_READING_PATIENCE) else []
        then(Readings(read, (host, self._host.read(metrics_of(host)))))

    def limit(self, source: str, target: str) -> float | None:
        return self.routes.route(source, target).limit

    def _wait(self) -> None:
        """Until nothing runs, and nothing is being worked out."""
        player, step = self.player, self.player.step
        for event in self.events() if player.busy() else ():
            player.apply(event)
            if self.ledger.cell(event.id) is None:
                pass
            elif not isinstance(event, Failed):
                self._paper.show(event)
            elif step.state is not StepState.FAILED:  # else it is told with its step
                self.say(error_words(event), event.told)
            if not player.busy():
                break
        if self.interrupted:
            raise KeyboardInterrupt
        if self.late and step.state is StepState.FAILED:
            step.reason = Message("It took too long and was stopped. --patience gives more.")
        come = {*step.revealed, *step.checked} - self._told
        self._told |= come
        for part in step.step.parts:
            if part.line in come:
                self._say_outcome(part, step)

    def _say_outcome(self, part: object, step: StepPlay) -> None:
        if isinstance(part, Predict):
            self.say(part.question, indent=2)
            self.say(*outcome(part, step), indent=4)
        elif isinstance(part, Check):
            checked = step.checked[part.line]
            held = Message("Checked, and it holds.")
            for each in part.conditions:
                if each.line == checked.line and not checked.held:
                    held = Message(
                        "Line {line} does not hold: {source}",
                        line=each.line,
                        source=each.source,
                    )
            self.say(held, indent=2)
            self.say(checked.error or checked.found, checked.told, indent=4)

    def _ask(self, part: Predict) -> None:
        """An empty line predicts nothing."""
        self.say(part.question, indent=2)
        for place, choice in enumerate(part.choices, 1):
            self.say(f"{place}. {choice}", indent=4)
        while said := (typed(tr("  Your prediction: ")) or "").strip():
            try:
                self.player.predict(part, said)
            except Trouble as trouble:
                self.say(trouble.told, indent=4)
            else:
                return
        self.player.reveal(part)

    def _ask_whether_to_run(self) -> None:
        if not self._asking:
            raise Trouble(
                "{file} did not come with the program: read its cells; --yes then runs them.",
                file=self.player.lesson.file,
            )
        for at, step in enumerate(self.player.steps):
            self._say_title(at, step)
            for part in step.step.parts:
                if isinstance(part, Code):
                    self._say_code(part)
                for source in sources_of(part):
                    self._line("  " + tr("worked out: {expression}", expression=source))
        question = tr("This lesson did not come with the program. Run its cells? [y/N] ")
        if not is_yes(typed(question)):
            raise Trouble("Nothing was run.")

    def _say_title(self, at: int, step: StepPlay) -> None:
        self._line()
        self.say(f"{at + 1}. {step.step.title}")

    def _say_code(self, part: Code) -> None:
        self._line("  >>> " + part.source.rstrip().replace("\n", "\n  ... "))

    def _line(self, text: str = "") -> None:
        self._paper.line(text.rstrip())


def unmarked(markdown: str) -> str:
    """A line of it, without the marks of bold and code."""
    return _MARKS.sub(r"\2", markdown)
