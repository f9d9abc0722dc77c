"""A panel of forms for tests, and what a person does with it."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QListView,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.forms.form_panel import FormPanel
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.events import Placed
from tests.gui.lab.conftest import ScriptedWorker, run

MAKE = 'X = torch.ones(2, 3, device="cuda:0")'
NET = Placed(3, "net", "model", "cuda:0", "Linear(3, 1)", None, "float32", 16)


def shown_forms(qtbot: QtBot, lab: Lab) -> QWidget:
    window = QWidget()
    window.resize(300, 720)
    qtbot.addWidget(window)
    panel = FormPanel(lab, window)
    panel.setFixedSize(240, 700)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    return window


def named(within: QWidget, name: str) -> QWidget:
    """What is seen under this name; what holds may stand behind a colon."""
    starts = (f"{name}: ", f"{name}, ")
    found = [
        each
        for each in within.findChildren(QWidget)
        if each.isVisible()
        and (each.accessibleName() == name or each.accessibleName().startswith(starts))
    ]
    assert found, f"nothing called {name!r}"
    return found[-1]


def write(within: QWidget, name: str, text: str) -> QWidget:
    field = named(within, name)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    QTest.keyClicks(field, text)
    return field


def click(within: QWidget, name: str) -> None:
    QTest.mouseClick(named(within, name), Qt.MouseButton.LeftButton)


def pick(within: QWidget, name: str, letters: str) -> None:
    """From an open list, by its first letters."""
    click(within, name)
    (choices,) = [each for each in within.findChildren(QListView) if each.isVisible()]
    choices.keyboardSearch("")  # what was typed before is forgotten only after a moment
    QTest.keyClicks(choices, letters)
    QTest.keyClick(choices, Qt.Key.Key_Return)


def device_row(within: QWidget, name: str) -> QModelIndex:
    """The first that is called so, in the list of devices."""
    model = _devices(within).model()
    names = [model.index(row, 1) for row in range(model.rowCount())]
    return next(each for each in names if each.data() == name)


def _devices(within: QWidget) -> QTreeView:
    table = named(within, "Device")
    assert isinstance(table, QTreeView)
    return table


def choose_device(within: QWidget, name: str) -> None:
    table = _devices(within)
    place = table.visualRect(device_row(within, name)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def held(within: QWidget, name: str) -> str:
    """What is chosen in the list of that name."""
    field = named(within, name)
    assert isinstance(field, QComboBox)
    return field.currentText()


def ctrl_enter(within: QWidget) -> None:
    at = QApplication.focusWidget() or within
    QTest.keyClick(at, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def button(within: QWidget) -> QAbstractButton:
    found = [
        each
        for each in within.findChildren(QAbstractButton)
        if each.isVisible() and each.toolTip().endswith("(Ctrl Enter)")
    ]
    assert len(found) == 1
    return found[0]


def shelf(lab: Lab, worker: ScriptedWorker, qtbot: QtBot, *placed: Placed) -> None:
    run(lab, worker, MAKE, *placed)
    qtbot.waitUntil(lambda: set(lab.ledger.things) >= {each.name for each in placed})
    with qtbot.waitSignal(lab.changed):
        run(lab, worker, "print(1)")
