"""The forms as a person uses them: fields, lists and the button, by mouse and by keys."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QListView, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.forms.form_panel import FormPanel
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.events import Placed
from tests.gui.hands import texts
from tests.gui.lab.conftest import ScriptedWorker, hello, run, tensor

MAKE = 'X = torch.ones(2, 3, device="cuda:0")'
Keys = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(qtbot: QtBot, lab: Lab) -> Iterator[QWidget]:
    window = QWidget()
    window.resize(300, 720)
    qtbot.addWidget(window)
    FormPanel(lab, window).setFixedSize(240, 700)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield window
    window.close()


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
    QTest.keyClick(field, Keys.Key_A, CONTROL)
    QTest.keyClick(field, Keys.Key_Backspace)
    QTest.keyClicks(field, text)
    return field


def click(within: QWidget, name: str) -> None:
    QTest.mouseClick(named(within, name), Qt.MouseButton.LeftButton)


def unfold(within: QWidget) -> None:
    [more] = [e for e in within.findChildren(QAbstractButton) if e.text() == "More options"]
    more.click()


def opened(within: QWidget, name: str) -> QListView:
    click(within, name)
    (choices,) = [each for each in within.findChildren(QListView) if each.isVisible()]
    return choices


def pick(within: QWidget, name: str, letters: str) -> None:
    """From an open list, by its first letters."""
    choices = opened(within, name)
    choices.keyboardSearch("")  # what was typed before is forgotten only after a moment
    QTest.keyClicks(choices, letters)
    QTest.keyClick(choices, Keys.Key_Return)


def held(within: QWidget, name: str) -> str:
    """What is chosen in the list of that name."""
    field = named(within, name)
    assert isinstance(field, QComboBox)
    return field.currentText()


def ctrl_enter(within: QWidget) -> None:
    QTest.keyClick(QApplication.focusWidget() or within, Keys.Key_Return, CONTROL)


def button(within: QWidget) -> QAbstractButton:
    buttons = within.findChildren(QAbstractButton)
    [found] = [e for e in buttons if e.isVisible() and e.toolTip().endswith("(Ctrl+Enter)")]
    return found


def shelf(lab: Lab, worker: ScriptedWorker, qtbot: QtBot, *placed: Placed) -> None:
    run(lab, worker, MAKE, *placed)
    qtbot.waitUntil(lambda: set(lab.ledger.things) >= {each.name for each in placed})
    with qtbot.waitSignal(lab.changed):
        run(lab, worker, "print(1)")


def test_a_tensor_is_created_without_the_mouse_and_the_next_has_a_name(
    window: QWidget, worker: ScriptedWorker
) -> None:
    write(window, "Shape", "4, 4")
    code = 'A = torch.ones(4, 4, device="cuda:0")'
    assert named(window, "It will run").accessibleName() == f"It will run: {code}"
    ctrl_enter(window)
    assert worker.cells == [code]
    ctrl_enter(window)
    assert worker.cells[1] == code.replace("A", "B")


def test_a_bad_shape_is_told_beside_its_field_and_nothing_runs(
    window: QWidget, worker: ScriptedWorker
) -> None:
    field = write(window, "Shape", "-1")
    sentence = "A size cannot be -1. It counts elements: 0 or more."
    assert sentence in texts(window)
    assert field.accessibleDescription() == sentence
    assert not button(window).isEnabled()
    ctrl_enter(window)
    assert worker.sent == []
    write(window, "Shape", "2")
    assert sentence not in texts(window)
    assert button(window).isEnabled()


def test_a_card_that_torch_cannot_use_is_there_with_its_reason(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "torch.ones(2)")
    said = hello()
    with qtbot.waitSignal(lab.changed):
        worker.say(replace(said, build="CPU", devices=(said.devices[0], said.devices[3])))
    model = opened(window, "Device").model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    [row] = [each for each in rows if each.data().startswith("NVIDIA TITAN RTX, ")][:1]
    assert not row.flags() & Qt.ItemFlag.ItemIsEnabled
    assert any("a build for the processor only" in each for each in texts(window))
    assert button(window).accessibleName() == "Create on cpu"


def test_what_it_is_filled_with_brings_its_field_along(
    window: QWidget, worker: ScriptedWorker
) -> None:
    unfold(window)
    pick(window, "Fill", "randi")
    write(window, "From, below", "0, 7")
    write(window, "Seed", "42")
    ctrl_enter(window)
    code = 'torch.manual_seed(42)\nA = torch.randint(0, 7, (2, 3), device="cuda:0")'
    assert worker.cells == [code]
    pick(window, "Type", "float6")
    ctrl_enter(window)
    assert "dtype=torch.float64" in worker.cells[-1]


def test_a_thousand_tensors_are_offered_without_a_widget_for_each(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    things = [tensor(f"T{number}", f"cuda:{number % 2}") for number in range(1000)]
    shelf(lab, worker, qtbot, *things)
    click(window, "Compute")
    before = len(window.findChildren(QWidget))
    choices = opened(window, "Left")
    assert choices.model().rowCount() == 1000
    assert len(window.findChildren(QWidget)) - before < 20
    QTest.keyClicks(choices, "T77")
    QTest.keyClick(choices, Keys.Key_Return)
    assert held(window, "Left").startswith("T77, ")


def test_an_operation_is_chosen_by_arrow_keys(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    shelf(lab, worker, qtbot, tensor("X"), tensor("Y"))
    click(window, "Compute")
    named(window, "+").setFocus()
    QTest.keyClick(named(window, "+"), Keys.Key_Right)
    assert named(window, "−").hasFocus()
    ctrl_enter(window)
    assert worker.cells[-1] == "X - Y"
