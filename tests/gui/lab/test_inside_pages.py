"""Looking inside models and plain things, and going from one opened thing to another."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMenu, QPlainTextEdit, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.lab.inside.model_layers import Drawn
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.lab.events import Placed
from tests.gui.hands import click, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor
from tests.gui.lab.looking import answer, answer_model, looks, refuse, two_cards

# Menus are windows of their own, of which the test platform knows little.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
NET = Placed(1, "net", "model", "cuda:0, cuda:1", "Sequential", bytes=232)
SHOWN = Qt.ItemDataRole.DisplayRole
WEIGHT = tuple((0.5, -0.25, 0.125, 1.0) for _ in range(8))


@pytest.fixture
def inside(lab: Lab, qtbot: QtBot) -> Iterator[Inside]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1100, 900)
    inside = Inside(lab, window)
    inside.setGeometry(0, 0, 1100, 900)
    window.show()
    yield inside
    window.close()


def place(lab: Lab, worker: ScriptedWorker, qtbot: QtBot, thing: Placed) -> None:
    run(lab, worker, f"{thing.name} = torch.ones(2, 3)", thing)
    qtbot.waitUntil(lambda: lab.stage is Stage.READY and thing.name in lab.ledger.things)


def open_model(inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Table[Drawn]:
    place(lab, worker, qtbot, NET)
    inside.open("net")
    qtbot.waitUntil(lambda: bool(looks(worker)))
    answer_model(worker, two_cards())
    qtbot.waitUntil(lambda: looks(worker)[-1].what == "net[0].weight")
    answer(worker, WEIGHT)
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    [table] = [each for each in inside.findChildren(Table) if each.accessibleName() == "Layers"]
    return table


def column(table: Table[Drawn], heading: str, role: Qt.ItemDataRole = SHOWN) -> list[str]:
    model = table.model()
    headings = [
        model.headerData(each, Qt.Orientation.Horizontal) for each in range(model.columnCount())
    ]
    at = headings.index(heading)
    return [model.index(row, at).data(role) for row in range(model.rowCount())]


def tabs(inside: Inside) -> QTabBar:
    return the(QTabBar, inside)


def tab(inside: Inside, name: str) -> int:
    bar = tabs(inside)
    return [bar.accessibleTabName(each) for each in range(bar.count())].index(f"Inside {name}")


def buttons(inside: Inside) -> dict[str, QAbstractButton]:
    found = inside.findChildren(QAbstractButton)
    return {each.accessibleName(): each for each in found if each.isVisible()}


def test_a_model_tells_its_layers_and_what_they_hold(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    table = open_model(inside, lab, worker, qtbot)
    said = texts(inside)
    assert "3 layers, 58 parameters on 2 devices" in said
    assert "232 B of parameters; layer 0 holds 69 % of them" in said
    assert "Computed: with gradients 464 B, with Adam 928 B" in said
    assert column(table, "Layer") == ["0", "1", "2"]
    assert column(table, "Kind") == ["Linear", "ReLU", "Linear"]
    assert column(table, "In and out") == ["4 → 8", "", "8 → 2"]
    assert column(table, "Bytes") == ["160 B", "–", "72 B"]
    spoken = column(table, "Layer", Qt.ItemDataRole.AccessibleTextRole)
    assert spoken[0].endswith(": 40 parameters, 160 B")
    assert spoken[1] == "1 ReLU(): no parameters"


def test_the_border_between_two_cards_says_that_each_pass_copies(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    table = open_model(inside, lab, worker, qtbot)
    assert column(table, "Device") == ["cuda:0", "–", "cuda:1 (a copy per pass)"]
    hints = column(table, "Device", Qt.ItemDataRole.ToolTipRole)
    assert "from cuda:0 to cuda:1" in hints[2]


def test_the_values_of_the_chosen_layer_are_looked_at(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    table = open_model(inside, lab, worker, qtbot)
    assert "net[0].weight" in texts(inside)
    press(table, Qt.Key.Key_Down)
    assert "holds no parameters, so there are no values to look at" in texts(inside)
    press(table, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: looks(worker)[-1].what == "net[2].weight")
    answer(worker, WEIGHT)
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    buttons(inside)["bias"].click()
    qtbot.waitUntil(lambda: looks(worker)[-1].what == "net[2].bias")


def test_a_model_is_moved_saved_and_deleted_by_lines(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    open_model(inside, lab, worker, qtbot)
    click(inside, "Save parameters")
    assert worker.cells[-1] == 'torch.save(net.state_dict(), "net.pt")'
    click(inside, "Copy to")
    menu = the(QMenu, inside)
    menu.actions()[2].trigger()
    menu.close()
    assert worker.cells[-1] == 'net = net.to("cuda:1")'


def test_a_model_that_cannot_be_looked_into_says_why(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, NET)
    inside.open("net")
    qtbot.waitUntil(lambda: bool(looks(worker)))
    refuse(worker, "The card ran out of memory.", "out of memory")
    qtbot.waitUntil(lambda: "The card ran out of memory." in texts(inside))


def test_an_optimiser_is_shown_as_it_is_printed(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, Placed(1, "opt", "optimiser", "", "SGD (\n  lr: 0.1\n)"))
    inside.open("opt")
    printed = [
        each.toPlainText()
        for each in inside.findChildren(QPlainTextEdit)
        if each.accessibleName() == "As PyTorch prints it"
    ]
    assert printed == ["SGD (\n  lr: 0.1\n)"]
    assert looks(worker) == []


def test_each_opened_thing_has_a_tab_and_the_one_shown_is_selected(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("X"))
    place(lab, worker, qtbot, Placed(2, "n", "value", "", "2"))
    inside.open("X")
    inside.open("n")
    assert lab.selection.thing == "n"
    assert tabs(inside).currentIndex() == tab(inside, "n")
    place_of_x = tabs(inside).tabRect(tab(inside, "X")).center()
    QTest.mouseClick(tabs(inside), Qt.MouseButton.LeftButton, pos=place_of_x)
    assert lab.selection.thing == "X"
    assert tabs(inside).currentIndex() == tab(inside, "X")
    qtbot.waitUntil(inside.window().isActiveWindow)
    press(tabs(inside), Qt.Key.Key_Delete)
    assert tabs(inside).count() == 1
    assert lab.selection.thing == "n"


def test_who_closes_the_last_tab_is_back_at_the_bench(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("X"))
    inside.open("X")
    with qtbot.waitSignal(inside.back_asked):
        buttons(inside)["Close X"].click()


def test_what_else_is_on_the_shelf_can_be_opened(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("X"))
    place(lab, worker, qtbot, tensor("Y", number=2))
    inside.open("X")
    buttons(inside)["Open another"].click()
    menu = the(QMenu, inside)
    assert [each.text() for each in menu.actions()] == ["Y    2×3, float32"]
    menu.actions()[0].trigger()
    menu.close()
    assert tabs(inside).currentIndex() == tab(inside, "Y")


def test_the_way_back_is_a_button_and_a_key(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("X"))
    inside.open("X")
    with qtbot.waitSignal(inside.back_asked):
        buttons(inside)["Bench"].click()
    qtbot.waitUntil(inside.window().isActiveWindow)
    with qtbot.waitSignal(inside.back_asked):
        press(tabs(inside), Qt.Key.Key_Escape)


def test_a_released_worker_is_not_waited_for(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("X"))
    inside.open("X")
    lab.release()
    qtbot.waitUntil(lambda: "X is no longer on the shelf." in texts(inside))


def test_both_themes_are_drawn(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    open_model(inside, lab, worker, qtbot)
    pictures: list[QImage] = []
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        pictures.append(inside.grab().toImage())
    assert pictures[0] != pictures[1]
