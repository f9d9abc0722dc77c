"""`gpuexplorer lesson run`: plays a lesson to its end without a window."""

import argparse
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from gpuexplorer.commands.arguments import OK, TROUBLE
from gpuexplorer.commands.lab_python import lab_python
from gpuexplorer.commands.lesson_report import Report, as_json, failed
from gpuexplorer.commands.lesson_rig import CommandRig
from gpuexplorer.commands.source import open_source
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told, tr
from gpuexplorer.lab.events import Event, Failed
from gpuexplorer.lab.ledger import event_id
from gpuexplorer.lab.offspring import held_back
from gpuexplorer.lab.start import Start
from gpuexplorer.lessons.lesson import Check, Code, Lesson, Predict
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.revealing import behind
from gpuexplorer.lessons.shelf import find
from gpuexplorer.lessons.step_play import StepState
from gpuexplorer.telemetry.backend import MADE_UP, Backend
from gpuexplorer.telemetry.sources import IDLE, simulated

_SIMULATED = Message(
    "These cards are simulated: their times, memory and loads are made up. What the cells"
    " compute is computed for real."
)
_YES = frozenset({"y", "yes"})


def run(arguments: argparse.Namespace) -> int:
    lesson = find(arguments.name)
    if arguments.save is not None:
        _saving().refuse(arguments.save)
    report = Report(silent=arguments.json)
    backend, why = _backend(arguments)
    python = arguments.python

    def start() -> Start:
        return Start(lab_python(python, Message("A lesson's cells need PyTorch.")).path)

    try:
        with CommandRig(start, backend, arguments.patience) as rig:
            player = Player(lesson, rig)
            report.title(lesson)
            for each in (why, *(_notes(backend) if rig.simulated else ())):
                report.say(each)
            Play(player, rig, report, asking=_asking(arguments)).play(allowed=arguments.yes)
            if arguments.json:
                torch = None if rig.ledger.hello is None else rig.ledger.hello.torch
                played = as_json(player, simulated=rig.simulated, torch=torch)
                sys.stdout.write(json.dumps(played, indent=2) + "\n")
            if arguments.save is not None:
                _saving().save(player, rig.ledger, arguments.save)
    finally:
        backend.close()
    if not arguments.json:
        report.ending(_ending(player))
    return TROUBLE if failed(player) else OK


class Play:
    """One lesson, from its first step to its last. `asking`: a person sits at the terminal."""

    def __init__(
        self, player: Player, rig: CommandRig, report: Report, *, asking: bool
    ) -> None:
        self._player, self._rig = player, rig
        self._report = report
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
        if self._player.busy():
            for event in self._rig.events():
                self._take(event)
                if not self._player.busy() and not self._rig.ending:
                    break
        if self._rig.interrupted:
            raise KeyboardInterrupt
        step = self._player.step
        if self._rig.late and step.state is StepState.FAILED:
            step.reason = Message(
                "It took too long and was stopped. With --patience SECONDS it may take longer."
            )
        self._tell_outcomes()

    def _take(self, event: Event) -> None:
        """A failure that the lesson does not mean is told with its step."""
        self._player.apply(event)
        meant = self._player.step.state is not StepState.FAILED
        if self._rig.ledger.cell(event_id(event)) is not None and (
            meant or not isinstance(event, Failed)
        ):
            self._report.event(event)

    def _tell_outcomes(self) -> None:
        step = self._player.step
        for part in step.step.parts:
            if part.line in self._told:
                continue
            if isinstance(part, Predict) and part.line in step.revealed:
                self._report.revealed(part, step)
            elif isinstance(part, Check) and part.line in step.checked:
                self._report.checked(part, step.checked[part.line])
            else:
                continue
            self._told.add(part.line)

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
        lesson = self._player.lesson
        if not self._asking:
            raise Trouble(
                "{file} did not come with the program, and nobody can be asked whether its"
                " cells may run.",
                "Read them; --yes then runs them unasked.",
                file=str(lesson.file),
            )
        self._show_cells(lesson)
        question = tr("This lesson did not come with the program. Run its cells? [y/N] ")
        if _typed(question).strip().lower() not in _YES:
            raise Trouble("Nothing was run.")

    def _show_cells(self, lesson: Lesson) -> None:
        for number, step in enumerate(self._player.steps, 1):
            self._report.step(number, step)
            for part in step.step.parts:
                if isinstance(part, Code):
                    self._report.code(part)
                elif isinstance(part, Check | Predict):
                    self._report.expressions(part)


def _backend(arguments: argparse.Namespace) -> tuple[Backend, Message]:
    """And why its cards are simulated, where nobody asked for that."""
    with held_back():
        found, _ = open_source(arguments)
    if found is not None:
        return found, Message("")
    why = Message(
        "No graphics card answers here, so the lesson is played on two idle simulated ones."
    )
    return simulated(IDLE, seed=arguments.seed), why


def _notes(backend: Backend) -> Iterator[Message]:
    """Of simulated cards, of which the lesson has more to say."""
    for each in backend.notes():
        yield _SIMULATED if each is MADE_UP else each


def _saving() -> ModuleType:
    """What draws plots, which few ask for."""
    return import_module("gpuexplorer.lessons.export.save")


def _asking(arguments: argparse.Namespace) -> bool:
    return not arguments.json and sys.stdin is not None and sys.stdin.isatty()


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl+C ends what is typed, and the command with it; else it is the worker's."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _typed(question: str) -> str:
    """Empty at the end of what is typed."""
    with _interruptible():
        try:
            return input(question)
        except EOFError:
            sys.stdout.write("\n")
            return ""


def _ending(player: Player) -> Message:
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
    return told(*(each for each in sentences if each.values["count"]))
