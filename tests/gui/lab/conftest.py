"""A lab whose worker says what a test wants it to say; two simulated cards; a code pane."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.code.cell_editor import CellEditor
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.transcript import Transcript
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import StartWorker, Switches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.events import (
    Began,
    Device,
    Event,
    Failed,
    Finished,
    Frame,
    Hello,
    Memory,
    Placed,
)
from gpuexplorer.lab.pythons import LabPython, TorchBuild
from gpuexplorer.lab.start import Program
from gpuexplorer.lab.wire import Command, Run
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.hands import press, the

MIB, GIB = 1 << 20, 1 << 30
OnEvent = Callable[[Event], None]
OnEnd = Callable[[Message], None]
PATIENCE = 10.0
PYTHON = LabPython(Path("/opt/torch/bin/python"), "", (3, 11, 7), TorchBuild("2.13.0", None))


class KnownPython(LabPythons):
    """One that was found already."""

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(settings, parent)
        self.python = PYTHON


class ThisPython(LabPythons):
    """The one the tests run in."""

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(settings, parent)
        self.python = LabPython(Path(sys.executable))


class ScriptedWorker(WorkerProcess):
    """No process: it keeps what it is sent, and says what the test tells it to.

    Cell 0, the imports, it runs by itself; `begun` counts the workers that were sent it.
    """

    def __init__(self) -> None:
        self.sent: list[Command] = []
        self.killed = self.stopped = False
        self.cancelled: list[int] = []
        self.begun = 0
        self.program: Program | None = None  # which it was told to run
        self.ended_with: int | None = None
        self.hello = hello()
        self._answered: set[int] = set()
        self._say: Callable[[Event], None] = lambda _: None
        self._on_end: Callable[[Message], None] = lambda _: None

    @property
    def pid(self) -> int:
        return os.getpid()

    @property
    def status(self) -> int | None:
        return self.ended_with

    def starting(self, program: Program) -> StartWorker:
        """What a lab asks for that is to watch a program."""
        self.program = program
        return self.start

    def start(self, _: Switches, __: Path, on_event: OnEvent, on_end: OnEnd) -> WorkerProcess:
        """What Lab asks for; a second start is a new worker that says hello again."""
        self._say, self._on_end = on_event, on_end
        on_event(self.hello)
        return self

    def send(self, command: Command) -> None:
        if isinstance(command, Run) and command.number == 0:
            self.begun += 1
            self.say(Began(command.id), Finished(command.id, 1e-6))
        else:
            self.sent.append(command)

    def cancel(self, command: int) -> None:
        self.cancelled.append(command)

    def stop(self, patience: float = 1.0) -> None:
        self.stopped = True

    def kill(self, why: str = "") -> None:
        self.killed, self.ended_with = True, -9
        self.end(why or "The worker was killed by somebody.")

    def say(self, *events: Event) -> None:
        for event in events:
            if isinstance(event, Finished | Failed):
                self._answered.add(event.id)
            self._say(event)

    def end(self, why: str) -> None:
        """As a real one does: what was not answered has failed."""
        for each in self.sent:
            if each.id not in self._answered:
                self.say(Failed(each.id, "worker lost", "", "", Message(why)))
        self._on_end(Message(why))

    @property
    def cells(self) -> list[str]:
        return [each.code for each in self.sent if isinstance(each, Run)]

    def last(self) -> Command:
        return self.sent[-1]

    def done(self, *placed: Placed, **of_finished: object) -> None:
        """The last command is carried out: Began, what it placed, Finished."""
        number = self.last().id
        made = (replace(each, id=number) for each in placed)
        self.say(Began(number), *made, finished(number, **of_finished))

    def fail(self, cause: str, error: str, message: str) -> None:
        """At the beginning of its cell, as far as is known."""
        run = self.last()
        frames = (Frame(run.number, 1),) if isinstance(run, Run) else ()
        self.say(Began(run.id), Failed(run.id, cause, error, message, frames=frames))


def hello() -> Hello:
    return Hello(
        0,
        "3.11.7",
        "2.13.0",
        "simulated cards",
        simulated=True,
        devices=(
            Device("cpu", "x86_64"),
            Device("cuda:0", "NVIDIA TITAN RTX", "SIM-0", 24 * GIB, (7, 5)),
            Device("cuda:1", "NVIDIA TITAN RTX", "SIM-1", 24 * GIB, (7, 5)),
            Device("meta", "shapes without values"),
        ),
    )


def memory(device: str = "cuda:0", tensors: int = 512, reserved: int = 2 * MIB) -> Memory:
    return Memory(device, tensors, reserved, 22 * GIB, 24 * GIB, 334 * MIB)


def finished(number: int, **fields: object) -> Finished:
    usual: dict[str, object] = {
        "host_seconds": 31e-6,
        "device_seconds": 7e-6,
        "modelled": True,
        "memory": (memory("cuda:0"), memory("cuda:1")),
        "busy": (("cuda:0", 7e-6),),
    }
    return Finished(number, **{**usual, **fields})  # type: ignore[arg-type]  # by name


def tensor(
    name: str,
    device: str = "cuda:0",
    shape: tuple[int, ...] = (2, 3),
    number: int = 1,
    **fields: object,
) -> Placed:
    size = 4
    for each in shape:
        size *= each
    text = "×".join(map(str, shape)) + ", float32"
    usual: dict[str, object] = {"shape": shape, "dtype": "float32", "bytes": size}
    given = {**usual, **fields}
    return Placed(number, name, "tensor", device, text, **given)  # type: ignore[arg-type]


@pytest.fixture
def worker() -> ScriptedWorker:
    return ScriptedWorker()


@pytest.fixture
def faults() -> str:
    """What befalls the cards; a test may say otherwise."""
    return ""


@pytest.fixture
def machine(qtbot: QtBot, faults: str) -> Iterator[MachineState]:
    session = remembering(session_on(simulated("2xTitanRTX", faults), interval=0.1))
    want = session.want()
    session.start()
    parent = QObject()
    assert session.wait_for_sweeps(1, PATIENCE)
    yield MachineState(session, Settings(), parent)
    session.release(want)
    session.stop()


@pytest.fixture
def lab(machine: MachineState, worker: ScriptedWorker) -> Iterator[Lab]:
    """Ready at the first command: what is sent is kept by `worker`."""
    lab = Lab(machine, KnownPython(machine.settings, machine), worker.start)
    yield lab
    lab.stop()


def run(lab: Lab, worker: ScriptedWorker, code: str, *placed: Placed) -> int:
    """One cell that is carried out at once."""
    number = lab.run(code)
    worker.done(*placed)
    return number


MAKE_X = 'X = torch.ones(2, 3, device="cuda:0")'
MAKE_Y = 'Y = torch.ones(2, 3, device="cuda:1")'

APART = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 "
    "and cuda:1!"
)


class Seat(NamedTuple):
    """Where a person sits, and the worker that does as the test says."""

    pane: CodePane
    lab: Lab
    worker: ScriptedWorker
    qtbot: QtBot


def shown_pane(qtbot: QtBot, lab: Lab) -> CodePane:
    pane = CodePane(lab)
    qtbot.addWidget(pane)
    pane.resize(448, 640)
    with qtbot.waitActive(pane):
        pane.show()
        pane.activateWindow()
    return pane


def transcript(pane: QWidget) -> Transcript:
    return the(Transcript, pane)


def read(pane: QWidget) -> str:
    """All that stands in the transcript."""
    return transcript(pane).toPlainText()


def said(pane: QWidget) -> str:
    """The cell that is selected, as a screen reader hears it."""
    return transcript(pane).accessibleDescription()


def enter(pane: QWidget, code: str) -> None:
    the(CellEditor, pane).put(code)
    press(the(CellEditor, pane), Qt.Key.Key_Return)


def settled(qtbot: QtBot, lab: Lab) -> None:
    """All cells are done, and whoever listens has heard of it."""

    def over() -> bool:
        return all(each.state not in ("waiting", "running") for each in lab.ledger.cells)

    with qtbot.waitSignal(lab.changed, check_params_cb=over):
        pass


def fail_apart(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> int:
    run(lab, worker, MAKE_X, tensor("X"))
    run(lab, worker, MAKE_Y, tensor("Y", "cuda:1"))
    number = lab.run("X + Y")
    failed = Failed(
        number, "devices differ", "RuntimeError", APART, frames=(Frame(3, 1, "", 0, 5),)
    )
    worker.say(Began(number), failed)
    settled(qtbot, lab)
    return number
