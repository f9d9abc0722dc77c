"""A code pane for tests, and what a person does with it."""

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.cell_editor import CellEditor
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.transcript import Transcript
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.events import Began, Failed, Frame
from tests.gui.hands import press, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

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
