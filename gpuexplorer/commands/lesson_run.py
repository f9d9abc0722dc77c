"""`gpuexplorer lesson run`: plays a lesson to its end without a window. Its lab is a worker and
the cards that it uses; what comes of it is told as sentences, or as JSON at its end.
"""

import argparse
import io
import itertools
import json
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence

from gpuexplorer.commands.arguments import OK, TROUBLE
from gpuexplorer.commands.lab_worker import Lab, Paper, lab_start
from gpuexplorer.commands.source import Opened, open_source
from gpuexplorer.commands.terminal import Terminal, wrap, write_json
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardKind, CardState, Sample
from gpuexplorer.core.metrics import METRICS, metrics_of
from gpuexplorer.core.records import written
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told, tr
from gpuexplorer.lab.events import Failed, Hello
from gpuexplorer.lab.ledger import IMPORTS
from gpuexplorer.lab.printed import error_words
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Evaluate, Run
from gpuexplorer.lessons.html import contents, outcome
from gpuexplorer.lessons.lesson import Check, Code, Predict
from gpuexplorer.lessons.player import Player, StepPlay, StepState, behind, sources_of
from gpuexplorer.lessons.reading import find
from gpuexplorer.lessons.values import Readings, Revealed, cell_fields
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.sources import IDLE, simulated
from gpuexplorer.telemetry.whole_file import refuse_unwritable, write_whole

_READING_PATIENCE = 3.0  # of a card
_WIDEST = 80
_MARKS = re.compile(r"(\*\*|__|`)(.+?)\1")
_SIMULATED = Message(
    "These cards are simulated: their times, memory and loads are made up. What the cells"
    " compute is computed for real."
)


def run(arguments: argparse.Namespace) -> int:
    lesson, save = find(arguments.name), arguments.save
    if save is not None:
        if save.suffix.lower() != ".html":
            raise Trouble("A lesson is saved as a page: name a file that ends in .html.")
        refuse_unwritable(save)
    found, _ = open_source(arguments)

    def start() -> Start:
        needed = Message("A lesson's cells need PyTorch.")
        return lab_start(None, arguments.python, needed)[1]

    asking = not arguments.json and sys.stdin is not None and sys.stdin.isatty()
    source = Opened(found or simulated(IDLE, seed=arguments.seed))
    with source, LessonLab(source, start, arguments.patience) as lab:
        player = Player(lesson, lab)
        play = Play(player, lab, silent=arguments.json, asking=asking)
        play.say(lesson.title, "=" * min(len(unmarked(lesson.title)), play.width))
        if found is None:
            none = Message(
                "No graphics card answers here, so the lesson is played on two idle simulated"
                " ones."
            )
            play.say(none)
        for each in source.backend.notes() if lab.simulated else ():
            play.say(_SIMULATED if each is MADE_UP else each)
        play.play(allowed=arguments.yes)
        if arguments.json:
            write_json(as_json(player, lab))
        if save is not None:
            write_whole(save, [contents(player, lab.ledger)])
    states = [each.state for each in player.steps]
    done, skipped = states.count(StepState.DONE), states.count(StepState.SKIPPED)
    others = len(states) - done - skipped
    sentences = [
        Message.counted("{count} step is done.", "{count} steps are done.", done),
        Message.counted("{count} was skipped.", "{count} were skipped.", skipped),
        Message.counted(
            "{count} step did not come to its end.",
            "{count} steps did not come to their end.",
            others,
        ),
    ]
    play.line()
    play.say(told(*(each for each in sentences if each.values["count"])))
    return TROUBLE if others else OK


class Play:
    """One lesson, from its first step to its last, as text on standard output. `asking`: a
    person sits at the terminal; `silent`: no text at all.
    """

    def __init__(self, player: Player, lab: "LessonLab", *, silent: bool, asking: bool) -> None:
        self.width = min(Terminal().width(), _WIDEST)
        self._player, self._lab, self._asking = player, lab, asking
        nowhere = io.StringIO()
        streams = (nowhere, nowhere) if silent else (sys.stdout, sys.stderr)
        self._paper = Paper(lab.ledger, *streams)
        self._told: set[int] = set()  # parts whose outcome was shown, by their lines

    def say(self, *texts: str, indent: int = 0) -> None:
        """Sentences, in lines that fit; nothing where there are none."""
        for line in (line for text in texts for line in unmarked(tr(text)).splitlines()):
            for each in wrap(line, self.width - indent, ""):
                self.line(f"{' ' * indent}{each}")

    def line(self, text: str = "") -> None:
        self._paper.line(f"{text.rstrip()}\n")

    def play(self, *, allowed: bool) -> None:
        """Raises Trouble where nobody allows its cells, KeyboardInterrupt after Ctrl+C."""
        player = self._player
        if player.must_ask and not allowed:
            self._ask_whether_to_run()
        player.must_ask = False
        for number, step in enumerate(player.steps):
            if self._lab.lost:
                return
            player.go(number)
            self._say_title(number, step)
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

    def _wait(self) -> None:
        """Until nothing runs, and nothing is being worked out."""
        lab, player, step = self._lab, self._player, self._player.step
        for event in lab.events() if player.busy() else ():
            player.apply(event)
            match event:
                case _ if lab.ledger.cell(event.id) is None:
                    pass
                case Failed() if step.state is not StepState.FAILED:
                    self.say(error_words(event), event.told)
                case Failed():
                    pass  # what the lesson does not mean is told with its step
                case _:
                    self._paper.show(event)
            if not player.busy():
                break
        if lab.interrupted:
            raise KeyboardInterrupt
        if lab.late and step.state is StepState.FAILED:
            step.reason = Message(
                "It took too long and was stopped. With --patience SECONDS it may take longer."
            )
        for part in step.step.parts:
            if part.line in {*step.revealed, *step.checked} - self._told:
                self._told.add(part.line)
                if isinstance(part, Predict):
                    self.say(part.question, indent=2)
                    self.say(*outcome(part, step), indent=4)
                elif isinstance(part, Check):
                    self._say_checked(part, step)

    def _ask(self, part: Predict) -> None:
        """An empty line predicts nothing."""
        self.say(part.question, indent=2)
        for place, choice in enumerate(part.choices, 1):
            self.say(f"{place}. {choice}", indent=4)
        while said := _typed(tr("  Your prediction: ")).strip():
            try:
                self._player.predict(part, said)
            except Trouble as trouble:
                self.say(trouble.told, indent=4)
            else:
                return
        self._player.reveal(part)

    def _ask_whether_to_run(self) -> None:
        if not self._asking:
            raise Trouble(
                "{file} did not come with the program, and nobody can be asked whether its"
                " cells may run.",
                "Read them; --yes then runs them unasked.",
                file=str(self._player.lesson.file),
            )
        for number, step in enumerate(self._player.steps):
            self._say_title(number, step)
            for part in step.step.parts:
                if isinstance(part, Code):
                    self._say_code(part)
                for source in sources_of(part):
                    self.line("  " + tr("worked out: {expression}", expression=source))
        question = tr("This lesson did not come with the program. Run its cells? [y/N] ")
        if _typed(question).strip().lower() not in ("y", "yes"):
            raise Trouble("Nothing was run.")

    def _say_title(self, number: int, step: StepPlay) -> None:
        self.line()
        self.say(f"{number + 1}. {step.step.title}")

    def _say_code(self, part: Code) -> None:
        for place, line in enumerate(part.source.rstrip().split("\n")):
            self.line(f"  {'...' if place else '>>>'} {line}")

    def _say_checked(self, part: Check, step: StepPlay) -> None:
        checked = step.checked[part.line]
        if checked.held:
            self.say(Message("Checked, and it holds."), indent=2)
            return
        [source] = [each.source for each in part.conditions if each.line == checked.line]
        values = {"line": checked.line, "source": source}
        self.say(Message("Line {line} does not hold: {source}", **values), indent=2)
        self.say(checked.error or checked.found, checked.told, indent=4)


def _typed(question: str) -> str:
    """Empty at the end of what is typed. Ctrl+C ends it, and the command with it; else it is
    the worker's.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return input(question)
    except EOFError:
        sys.stdout.write("\n")
        return ""
    finally:
        signal.signal(signal.SIGINT, before)


def unmarked(markdown: str) -> str:
    """A line of it, without the marks of bold and code."""
    return _MARKS.sub(r"\2", markdown)


def as_json(player: Player, lab: "LessonLab") -> Mapping[str, object]:
    return {
        "name": player.lesson.name,
        "title": player.lesson.title,
        "simulated": lab.simulated,
        "torch": None if lab.ledger.hello is None else lab.ledger.hello.torch,
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


class LessonLab(Lab):
    """The rig of a player. No worker is started before something has to be carried out."""

    def __init__(self, source: Opened, start: Callable[[], Start], patience: float) -> None:
        """`start` raises Trouble where there is no PyTorch; a command may take `patience`."""
        super().__init__(source, patience)
        self.simulated = isinstance(source.backend, SimulatedBackend)
        self._start, self._host, self._ids = start, HostReader(), itertools.count()

    def run(self, code: str) -> int:
        return self.send(Run(self._next(), code, len(self.ledger.cells)))

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        return self.send(Evaluate(self._next(), tuple(sources), json.dumps(values)))

    def measure(self, then: Callable[[Readings], None]) -> None:
        backend, host = self.source.backend, self._host.card
        cards = [each for each in backend.cards() if each.kind is CardKind.GPU]
        asked = Asked(lambda: [(e, backend.read(e.id, metrics_of(e))) for e in cards])
        missing = dict.fromkeys(METRICS, Absence.NO_ANSWER)
        silent = [(e, Sample(e.id, 0.0, {}, missing, CardState.NO_ANSWER)) for e in cards]
        read = asked.result() if asked.answered_within(_READING_PATIENCE) else silent
        then(Readings(read, (host, self._host.read(metrics_of(host)))))

    def limit(self, source: str, target: str) -> float | None:
        way = self.way(source, target)
        return None if way is None else way.limit

    def _next(self) -> int:
        """The number of the next command. Which cards the worker has decides what all of them
        are told.
        """
        if (number := next(self._ids)) > 0:
            return number
        self.begin(self._start())
        self.send(Run(number, IMPORTS))
        if not any(isinstance(each, Hello) for each in self.events()):
            self.began()
        return next(self._ids)
