"""`gpuexplorer lesson run`: plays a lesson to its end without a window. Its lab is a worker and
the cards that it uses; what comes of it is told as sentences, or as JSON at its end.
"""

import argparse
import itertools
import json
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Self

from gpuexplorer.commands.arguments import OK, TROUBLE
from gpuexplorer.commands.lab_python import lab_start
from gpuexplorer.commands.lab_worker import Answers, LabCards, LabWorker, Paper
from gpuexplorer.commands.page import wrap
from gpuexplorer.commands.source import Opened, open_source
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.metrics import metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import figure
from gpuexplorer.core.words import Message, told, tr
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Hello
from gpuexplorer.lab.ledger import IMPORTS, Ledger
from gpuexplorer.lab.printed import error_words
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Command, Evaluate, Run
from gpuexplorer.lessons.html import contents
from gpuexplorer.lessons.lesson import Check, Code, Lesson, Predict
from gpuexplorer.lessons.player import Player, StepPlay, StepState, behind, sources_of
from gpuexplorer.lessons.reading import find
from gpuexplorer.lessons.values import Readings, Revealed, cell_fields, how_far
from gpuexplorer.telemetry.backend import MADE_UP, Backend
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.sources import IDLE, simulated
from gpuexplorer.telemetry.whole_file import refuse_unwritable, write_whole

_READING_PATIENCE = 3.0  # of a card
_START_PATIENCE = 120.0  # of a worker, and of what was sent before
_ONCE_MORE = 3.0  # seconds: what is interrupted and does not end is interrupted again
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
    backend = found or simulated(IDLE, seed=arguments.seed)

    def start() -> Start:
        needed = Message("A lesson's cells need PyTorch.")
        _, start = lab_start(None, arguments.python, needed)
        return start

    report = Report(silent=arguments.json)
    asking = not arguments.json and sys.stdin is not None and sys.stdin.isatty()
    try:
        with CommandRig(start, backend, arguments.patience) as rig:
            player = Player(lesson, rig)
            report.title(lesson)
            if found is None:
                report.say(
                    Message(
                        "No graphics card answers here, so the lesson is played on two idle"
                        " simulated ones."
                    )
                )
            for each in backend.notes() if rig.simulated else ():
                report.say(_SIMULATED if each is MADE_UP else each)
            Play(player, rig, report, asking=asking).play(allowed=arguments.yes)
            if arguments.json:
                torch = None if rig.ledger.hello is None else rig.ledger.hello.torch
                played = as_json(player, simulated=rig.simulated, torch=torch)
                sys.stdout.write(json.dumps(played, indent=2) + "\n")
            if save is not None:
                write_whole(save, [contents(player, rig.ledger)])
    finally:
        backend.close()
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
    report.line()
    report.say(told(*(each for each in sentences if each.values["count"])))
    return TROUBLE if others else OK


class Play:
    """One lesson, from its first step to its last. `asking`: a person sits at the terminal."""

    def __init__(
        self, player: Player, rig: "CommandRig", report: "Report", *, asking: bool
    ) -> None:
        self._player, self._rig, self._report = player, rig, report
        self._asking = asking
        self._told: set[int] = set()  # parts of this step whose outcome was shown

    def play(self, *, allowed: bool) -> None:
        """Raises Trouble where nobody allows its cells, KeyboardInterrupt after Ctrl+C."""
        if self._player.must_ask and not allowed:
            self._ask_whether_to_run()
        self._player.must_ask = False
        for number, step in enumerate(self._player.steps, 1):
            self._told.clear()
            self._player.go(number - 1)
            self._report.step(number, step)
            self._wait()
            if step.state is not StepState.SKIPPED:
                self._play_step()
            if step.reason:
                skipped = step.state is StepState.SKIPPED
                words = Message("Skipped: {why}", why=step.reason) if skipped else step.reason
                self._report.say(words, 2)
            if self._rig.gone:
                return

    def _play_step(self) -> None:
        player = self._player
        for part in player.step.step.parts:
            if player.step.state is StepState.FAILED:
                return
            match part:
                case Predict() if self._asking:
                    self._ask(part)
                case Predict() if not behind(player.step.step, part):
                    player.reveal(part)
                case Code():
                    self._report.code(part)
                    player.run(part)
            self._wait()

    def _wait(self) -> None:
        """Until nothing runs, and nothing is being worked out."""
        step = self._player.step
        for event in self._rig.events() if self._player.busy() else ():
            self._player.apply(event)
            # A failure that the lesson does not mean is told with its step.
            meant = step.state is not StepState.FAILED or not isinstance(event, Failed)
            if meant and self._rig.ledger.cell(event.id) is not None:
                self._report.event(event)
            if not self._player.busy() and not self._rig.ending:
                break
        if self._rig.interrupted:
            raise KeyboardInterrupt
        if self._rig.late and step.state is StepState.FAILED:
            step.reason = Message(
                "It took too long and was stopped. With --patience SECONDS it may take longer."
            )
        for part in step.step.parts:
            if part.line not in self._told and part.line in (*step.revealed, *step.checked):
                self._told.add(part.line)
                if isinstance(part, Predict):
                    self._report.revealed(part, step)
                elif isinstance(part, Check):
                    self._report.checked(part, step)

    def _ask(self, part: Predict) -> None:
        """An empty line predicts nothing."""
        self._report.say(part.question, 2)
        for place, choice in enumerate(part.choices, 1):
            self._report.say(f"{place}. {choice}", 4)
        while True:
            said = _typed(tr("  Your prediction: "))
            if not said.strip():
                self._player.reveal(part)
                return
            try:
                self._player.predict(part, said)
            except Trouble as trouble:
                self._report.say(trouble.told, 4)
            else:
                return

    def _ask_whether_to_run(self) -> None:
        if not self._asking:
            raise Trouble(
                "{file} did not come with the program, and nobody can be asked whether its"
                " cells may run.",
                "Read them; --yes then runs them unasked.",
                file=str(self._player.lesson.file),
            )
        for number, step in enumerate(self._player.steps, 1):
            self._report.step(number, step)
            for part in step.step.parts:
                if isinstance(part, Code):
                    self._report.code(part)
                for source in sources_of(part):
                    self._report.line("  " + tr("worked out: {expression}", expression=source))
        question = tr("This lesson did not come with the program. Run its cells? [y/N] ")
        if _typed(question).strip().lower() not in ("y", "yes"):
            raise Trouble("Nothing was run.")


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


class Report:
    """Text on standard output; `silent`: none at all."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self._paper = Paper()
        self._width = min(Terminal().width(), _WIDEST)

    def say(self, text: str, indent: int = 0) -> None:
        """Sentences, in lines that fit; nothing where there are none."""
        blank = " " * indent
        for line in unmarked(tr(text)).splitlines():
            for each in wrap(line, self._width - indent, "") if line else [""]:
                self.line(f"{blank}{each}".rstrip())

    def line(self, text: str = "") -> None:
        if not self._silent:
            self._paper.line(f"{text}\n")

    def title(self, lesson: Lesson) -> None:
        self.say(lesson.title)
        self.line("=" * min(len(unmarked(lesson.title)), self._width))

    def step(self, number: int, step: StepPlay) -> None:
        self.line()
        self.say(f"{number}. {step.step.title}")

    def code(self, part: Code) -> None:
        for place, line in enumerate(part.source.rstrip().split("\n")):
            self.line(f"  {'...' if place else '>>>'} {line}".rstrip())

    def event(self, event: Event) -> None:
        """Of a cell of the lesson: what it shows while it runs."""
        if isinstance(event, Failed):
            self.say(Message("{error}", error=error_words(event)))
            self.say(event.told)
        elif not self._silent:
            self._paper.show(event, ())

    def revealed(self, part: Predict, step: StepPlay) -> None:
        shown, said = step.revealed[part.line], step.predictions.get(part.line)
        self.say(part.question, 2)
        if part.number is None:
            self.say(Message("The answer: {answer}", answer=part.choices[part.right]), 4)
        elif shown.measured is None:
            self.say(Message("Nothing was measured. {why}", why=shown.reason), 4)
        else:
            words = f"{figure(shown.measured)} {part.unit}".strip()
            measured = Message("Measured: {figure}", figure=words)
            if shown.modelled:
                measured = Message("Measured: {figure} (simulated)", figure=words)
            self.say(measured, 4)
            if part.limit is not None and shown.limit is None:
                self.say(Message("The limit is not known. {why}", why=shown.reason), 4)
            elif part.limit is not None and shown.limit is not None:
                words = f"{figure(shown.limit)} {part.unit}".strip()
                best = Message("At best: {figure}, {name}", figure=words, name=part.limit.words)
                self.say(best, 4)
        if said is not None and (far := how_far(part, said, shown)):
            self.say(Message("Predicted: {said}. {far}", said=said.said, far=far), 4)

    def checked(self, part: Check, step: StepPlay) -> None:
        checked = step.checked[part.line]
        if checked.held:
            self.say(Message("Checked, and it holds."), 2)
            return
        sources = {each.line: each.source for each in part.conditions}
        source = sources[checked.line]
        words = Message("Line {line} does not hold: {source}", line=checked.line, source=source)
        self.say(words, 2)
        self.say(checked.error or checked.found, 4)
        self.say(checked.told, 4)


def unmarked(markdown: str) -> str:
    """A line of it, without the marks of bold and code."""
    return _MARKS.sub(r"\2", markdown)


def as_json(player: Player, *, simulated: bool, torch: str | None) -> Mapping[str, object]:
    def predicted(part: Predict, step: StepPlay) -> Mapping[str, object]:
        said, shown = step.predictions.get(part.line), step.revealed.get(part.line, Revealed())
        return {
            "question": part.question,
            "unit": part.unit,
            "said": None if said is None else said.said,
            **vars(shown),
            "reason": tr(shown.reason),
        }

    return {
        "name": player.lesson.name,
        "title": player.lesson.title,
        "simulated": simulated,
        "torch": torch,
        "steps": [
            {
                "title": step.step.title,
                "state": step.state,
                "reason": tr(step.reason),
                "cells": [
                    cell_fields(cell) for cell in map(player.cell, step.step.cells) if cell
                ],
                "predictions": [
                    predicted(each, step)
                    for each in step.step.parts
                    if isinstance(each, Predict)
                ],
                "checks": [
                    {**vars(each), "error": tr(each.error), "found": tr(each.found)}
                    for _, each in sorted(step.checked.items())
                ],
            }
            for step in player.steps
        ],
    }


class CommandRig:
    """No worker is started before something has to be carried out. Leaving ends it."""

    def __init__(self, start: Callable[[], Start], backend: Backend, patience: float) -> None:
        """`start` raises Trouble where there is no PyTorch; a command may take `patience`."""
        self.ledger = Ledger()
        self.simulated = isinstance(backend, SimulatedBackend)
        self.late = False  # the newest command took too long
        self.ending = False  # its worker is about to say why it has ended
        self._start, self._backend, self._patience = start, backend, patience
        self._host = HostReader()
        self._ids = itertools.count(1)
        self._worker: LabWorker | None = None
        self._said: Iterator[Event] = iter(())
        self._sent = -1  # the newest command
        self._watch: threading.Timer | None = None
        self._asked: dict[CardId, Asked[Sample]] = {}  # the newest question to each card
        self._silent: set[CardId] = set()
        self._cards = LabCards(Opened(backend))
        self._leaving = ExitStack()

    @property
    def gone(self) -> bool:
        """Its worker has ended, and there will be no other."""
        return self._worker is not None and bool(self._worker.end)

    @property
    def interrupted(self) -> bool:
        return self._worker is not None and self._worker.interrupted

    def events(self) -> Iterator[Event]:
        """What the worker says, once the ledger and the cards know of it; waits for the next.
        Ends with the worker.
        """
        for event in self._said:
            self.ledger.apply(event)
            self._cards.apply(event)
            if event.id == self._sent:
                self._watch_over(event)
            yield event

    def run(self, code: str) -> int:
        self._begin()
        return self._send(Run(next(self._ids), code, len(self.ledger.cells)))

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        self._begin()
        return self._send(Evaluate(next(self._ids), tuple(sources), json.dumps(values)))

    def measure(self, then: Callable[[Readings], None]) -> None:
        cards = [each for each in self._backend.cards() if each.kind is CardKind.GPU]
        for each in cards:
            if each.id not in self._asked or self._asked[each.id].answered:
                self._asked[each.id] = Asked(self._reading(each))
                self._silent.discard(each.id)
        read = [(each, self._answer(each)) for each in cards]
        host = self._host.card
        then(Readings(read, (host, self._host.read(metrics_of(host)))))

    def limit(self, source: str, target: str) -> float | None:
        way = self._cards.way(source, target)
        return None if way is None else way.limit

    def _begin(self) -> None:
        if self._worker is not None:
            return
        start, answers = self._cards.given(self._start()), Answers(self._backend)
        self._worker = self._leaving.enter_context(LabWorker(start, answers))
        self._said = self._worker.said()
        self._send(Run(0, IMPORTS))
        # Which cards it has decides what all that follows is told.
        if not any(isinstance(each, Hello) for each in self.events()):
            if self.interrupted:
                raise KeyboardInterrupt
            raise self._worker.never_began

    def _send(self, command: Command) -> int:
        assert self._worker is not None
        command = self._cards.told(command)
        self.ledger.sent(command)
        self._sent, self.late = command.id, False
        self._wait_for(max(self._patience, _START_PATIENCE))
        self._worker.send(command)
        return command.id

    def _watch_over(self, event: Event) -> None:
        match event:
            case Began():
                self._wait_for(self._patience)
            case Finished() | Failed():
                self._sent = -1
                self._stop_watch()
                self.ending = isinstance(event, Failed) and event.cause == "worker lost"

    def _wait_for(self, seconds: float) -> None:
        self._stop_watch()
        self._watch = threading.Timer(seconds, self._interrupt, [self._sent])
        self._watch.daemon = True
        self._watch.start()

    def _stop_watch(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    def _interrupt(self, command: int) -> None:
        """In a thread of its own. What has ended meanwhile is let alone."""
        if self._worker is not None and command == self._sent:
            self.late = True
            self._worker.interrupt()
            self._wait_for(_ONCE_MORE)

    def _reading(self, card: Card) -> Callable[[], Sample]:
        return lambda: self._backend.read(card.id, metrics_of(card))

    def _answer(self, card: Card) -> Sample:
        """One that hangs is waited for once."""
        asked = self._asked[card.id]
        if asked.answered_within(0.0 if card.id in self._silent else _READING_PATIENCE):
            return asked.result()
        self._silent.add(card.id)
        silent = dict.fromkeys(metrics_of(card), Absence.NO_ANSWER)
        return Sample(card.id, 0.0, {}, silent, CardState.NO_ANSWER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop_watch()
        self._leaving.close()
