"""A code pane for tests, and what a person does with it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.code.code_pane import CodePane
from gpuexplorer.gui.views.lab.code.entry_field import EntryField
from gpuexplorer.gui.views.lab.code.line_list import LineList
from tests.gui.hands import press, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

MAKE_X = 'X = torch.ones(2, 3, device="cuda:0")'
MAKE_Y = 'Y = torch.ones(2, 3, device="cuda:1")'
APART = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 "
    "and cuda:1!"
)


def shown_pane(qtbot: QtBot, look: Look, lab: LabState) -> CodePane:
    pane = CodePane(look, lab)
    qtbot.addWidget(pane)
    pane.resize(448, 640)
    pane.show()
    return pane


def field(pane: CodePane) -> EntryField:
    return the(EntryField, pane)


def type_line(pane: CodePane, line: str) -> None:
    field(pane).setText(line)
    press(field(pane), Qt.Key.Key_Return)


def settled(qtbot: QtBot, lab: LabState) -> None:
    """All lines are done, and whoever listens has heard of it."""

    def over() -> bool:
        return all(each.state in ("done", "failed") for each in lab.ledger.entries)

    with qtbot.waitSignal(lab.changed, check_params_cb=over):
        pass


def fail_apart(lab: LabState, worker: ScriptedWorker, qtbot: QtBot) -> int:
    run(lab, worker, MAKE_X, tensor("X"))
    run(lab, worker, MAKE_Y, tensor("Y", "cuda:1"))
    number = lab.run("X + Y")
    worker.fail("devices differ", "RuntimeError", APART)
    settled(qtbot, lab)
    return number


def said(pane: CodePane) -> str:
    """The line that is selected, as a screen reader hears it."""
    return the(LineList, pane).accessibleDescription()


def press_button(pane: QWidget, words: str) -> None:
    found = [
        each
        for each in pane.findChildren(QPushButton)
        if each.text() == words and each.isVisible()
    ]
    assert len(found) == 1, f"{len(found)} buttons {words!r}"
    found[0].click()
