"""Looking inside tensors, models, containers and plain things: only what is seen is asked for,
and the keyboard goes everywhere.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QToolTip,
    QWidget,
)
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.lab.inside.value_pane import SpreadChart
from gpuexplorer.gui.lab.inside.values import ValueGrid
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.controls.fields import NumberField
from gpuexplorer.lab.events import Element, Freed, Held, Placed
from tests.gui.hands import click, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor
from tests.gui.lab.looking import Values, answer, answer_model, looks, refuse, two_cards

# Menus are windows of their own, of which the test platform knows little.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
SMALL = ((1.1456, -2.0), (0.5, None))
LARGE = tuple(tuple(float(100 * row + column) for column in range(100)) for row in range(100))
NET = Placed(1, "net", "model", "cuda:0, cuda:1", "Sequential", bytes=232)
NETS = Placed(
    1,
    "nets",
    "container",
    "cuda:0, cuda:1",
    "[Linear(), tensor(5)]",
    bytes=84,
    elements=(
        Element("nets[0]", "model", "cuda:0", "Linear", 64),
        Element("nets[1]", "tensor", "cuda:1", "5, float32", 20),
    ),
    more=3,
)
Place = Callable[[Placed], None]
LookAt = Callable[..., ValueGrid]


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


@pytest.fixture
def place(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Place:
    def place(thing: Placed, line: str = "") -> None:
        run(lab, worker, line or f"{thing.name} = torch.ones(2, 3)", thing)
        qtbot.waitUntil(lambda: lab.stage is Stage.READY and thing.name in lab.ledger.things)

    return place


@pytest.fixture
def look_at(inside: Inside, place: Place, worker: ScriptedWorker, qtbot: QtBot) -> LookAt:
    """It is placed and opened, and all looks are answered until nothing is asked for."""

    def look_at(
        thing: Placed, values: Values, shape: tuple[int, ...] | None = None
    ) -> ValueGrid:
        if thing.name not in inside._lab.ledger.things:
            place(thing)
        inside.open(thing.name)
        qtbot.waitUntil(lambda: thing.name in [each.what for each in looks(worker)[-1:]])
        answer(worker, values, shape)
        grid = the(ValueGrid, inside)
        qtbot.waitUntil(lambda: f"{thing.name}[" in grid.accessibleDescription())
        return grid

    return look_at


@pytest.fixture
def model(inside: Inside, place: Place, worker: ScriptedWorker, qtbot: QtBot) -> Table[object]:
    """The table of its layers, with the values of the first."""
    place(NET)
    inside.open("net")
    qtbot.waitUntil(lambda: bool(looks(worker)))
    answer_model(worker, two_cards())
    answered(worker, qtbot, "net[0].weight", ((0.5, -0.25, 0.125, 1.0),) * 8)
    return table(inside, "Layers")


def answered(worker: ScriptedWorker, qtbot: QtBot, what: str, values: Values) -> None:
    qtbot.waitUntil(lambda: looks(worker)[-1].what == what)
    answer(worker, values)


def table(inside: Inside, name: str) -> Table[object]:
    (found,) = (each for each in inside.findChildren(Table) if each.accessibleName() == name)
    return found


def column(table: Table[object], heading: str, role: int = 0) -> list[str]:
    model, across = table.model(), Qt.Orientation.Horizontal
    headings = [model.headerData(each, across) for each in range(model.columnCount())]
    at = headings.index(heading)
    return [model.index(row, at).data(role) for row in range(model.rowCount())]


def tabs(inside: Inside, name: str = "Opened") -> QTabBar:
    (found,) = (each for each in inside.findChildren(QTabBar) if each.accessibleName() == name)
    return found


def show(bar: QTabBar, word: str) -> None:
    at = [bar.tabText(each) for each in range(bar.count())].index(word)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(at).center())


def named(inside: Inside, name: str) -> QAbstractButton:
    found = inside.findChildren(QAbstractButton)
    (button,) = (each for each in found if each.isVisible() and each.accessibleName() == name)
    return button


def cells_by_click(grid: ValueGrid) -> dict[str, QPoint]:
    """Where in the first row each cell begins, by what a click there chooses."""
    found: dict[str, QPoint] = {}
    for x in range(grid.viewport().width()):
        QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 2))
        found.setdefault(grid.accessibleDescription(), QPoint(x, 2))
    return found


def test_the_chosen_cell_is_told_in_full(inside: Inside, look_at: LookAt) -> None:
    grid = look_at(tensor("W", shape=(2, 2)), SMALL)
    assert grid.accessibleDescription() == "W[0, 0] is 1.1456"
    press(grid, Qt.Key.Key_Right)
    assert grid.accessibleDescription() == "W[0, 1] is −2"
    press(grid, Qt.Key.Key_Down)
    assert grid.accessibleDescription() == "W[1, 1] is NaN"
    assert {"W[1, 1]", "NaN"} <= set(texts(inside))


def test_what_is_no_finite_number_looks_unlike_any_value(look_at: LookAt) -> None:
    grid = look_at(tensor("W", shape=(1, 5)), ((-1.0, 0.0, None, float("inf"), 1.0),))
    places = cells_by_click(grid)
    press(grid, Qt.Key.Key_Home)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        picture = grid.viewport().grab().toImage()
        colours = {
            said: {
                picture.pixelColor(at + QPoint(4 + n % 10, n // 10)).name() for n in range(40)
            }
            for said, at in places.items()
        }
        assert len(colours["W[0, 1] is 0"]) == len(colours["W[0, 4] is 1"]) == 1
        assert len(colours["W[0, 2] is NaN"]) > 1
        assert len(colours["W[0, 3] is inf"]) > 1


def test_pointing_at_a_cell_names_it_in_full(look_at: LookAt, qtbot: QtBot) -> None:
    grid = look_at(tensor("W", shape=(2, 2)), SMALL)
    at = cells_by_click(grid)["W[0, 1] is −2"] + QPoint(4, 4)
    asked = QHelpEvent(QEvent.Type.ToolTip, at, grid.viewport().mapToGlobal(at))
    QGuiApplication.sendEvent(grid.viewport(), asked)
    qtbot.waitUntil(lambda: QToolTip.text() == "W[0, 1] is −2")
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_the_spread_marks_where_the_chosen_value_lies(inside: Inside, look_at: LookAt) -> None:
    grid = look_at(tensor("W", shape=(1, 4)), ((1.0, 4.0, None, 2.0),))
    items = the(SpreadChart, inside).items()
    (mark,) = (each for each in items if isinstance(each, pg.InfiniteLine))
    marked = []
    for _ in range(4):
        marked.append(mark.value() if mark.isVisible() else None)
        press(grid, Qt.Key.Key_Right)
    assert marked == [0.0, 1.0, None, pytest.approx(1 / 3)]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (((2.5, 2.5),), "All values are 2.5."),
        (((None, None),), "None of its values is a finite number."),
        ((), "It holds no values: one of its dimensions is 0."),
    ],
)
def test_where_there_is_no_spread_a_sentence_says_why(
    inside: Inside, place: Place, worker: ScriptedWorker, qtbot: QtBot,
    values: Sequence[Sequence[float | None]], told: str,
) -> None:  # fmt: skip
    place(tensor("W"))
    inside.open("W")
    qtbot.waitUntil(lambda: bool(looks(worker)))
    answer(worker, values, None if values else (0, 5))
    qtbot.waitUntil(lambda: told in texts(inside))
    assert not the(SpreadChart, inside).isVisible()
    assert ("Minimum" in texts(inside)) == bool(values)


def test_what_all_values_have_in_common_is_told_beside_them(
    inside: Inside, look_at: LookAt, qtbot: QtBot
) -> None:
    look_at(tensor("W", shape=(2, 2)), SMALL)
    said = texts(inside)
    assert "Spread of 4 values" in said
    assert said[said.index("Minimum") + 1] == "−2"
    assert said[said.index("NaN or infinite") + 1] == "1"
    cost = "This preview copied 768 B from the card: 31.0 µs, modelled."
    qtbot.waitUntil(lambda: cost in texts(inside))


def test_only_what_is_seen_is_asked_for(
    look_at: LookAt, worker: ScriptedWorker, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    grid = look_at(tensor("big", shape=(100, 100)), LARGE)
    qtmodeltester.check(grid.model())
    assert all(count < 40 for count in grid.window_seen()[2:])
    press(grid, Qt.Key.Key_End, control=True)
    assert grid.accessibleDescription() == "big[99, 99] is …"

    def known() -> bool:
        """The next look is asked for when the one before it has come back."""
        answer(worker, LARGE)
        return grid.accessibleDescription() == "big[99, 99] is 9999"

    qtbot.waitUntil(known)
    assert looks(worker)[-1].at[0] > 50


def test_keys_and_scroll_bars_go_to_all_ends(
    inside: Inside, look_at: LookAt, qtbot: QtBot
) -> None:
    grid = look_at(tensor("big", shape=(100, 100)), LARGE)
    bars = inside.findChildren(QScrollBar)
    rows = next(each for each in bars if each.accessibleName() == "Rows")
    qtbot.waitUntil(rows.isVisible)
    rows.setValue(40)
    assert grid.window_seen()[0] == 40
    press(grid, Qt.Key.Key_PageDown)
    assert grid.currentIndex().row() > 5
    press(grid, Qt.Key.Key_End)
    assert grid.currentIndex().column() == 99
    press(grid, Qt.Key.Key_Home, control=True)
    assert grid.accessibleDescription().startswith("big[0, 0]")
    assert rows.value() == 0


def test_a_heat_map_shows_64_by_64_together_and_its_cells_are_named(
    inside: Inside, look_at: LookAt, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    plane = tuple(row[:64] for row in LARGE[:64])
    grid = look_at(tensor("big", shape=(64, 64)), plane)
    assert grid.window_seen()[2] < 40
    named(inside, "Heat map").click()

    def known() -> bool:
        answer(worker, plane)
        return "…" not in "".join(cells_by_click(grid))

    qtbot.waitUntil(known)
    assert not grid.horizontalScrollBar().isVisible()
    assert len([each for each in cells_by_click(grid) if each.startswith("big[0, ")]) == 64
    named(inside, "Figures").click()
    assert grid.window_seen()[2] < 40


@pytest.mark.parametrize(
    ("shape", "names", "typed", "at"),
    [
        ((8, 3, 2, 2), ["Dimension 0, of 8", "Dimension 1, of 3"], "7", (7, 0, 0, 0)),
        ((250_000_000,), ["Dimension 0, of 250000000"], "249999999", (0, 249_999_999)),
    ],
)
def test_planes_and_what_is_too_long_for_one_table_are_reached_by_fields(
    inside: Inside, look_at: LookAt, worker: ScriptedWorker, qtbot: QtBot,
    shape: tuple[int, ...], names: list[str], typed: str, at: tuple[int, ...],
) -> None:  # fmt: skip
    look_at(tensor("images", shape=shape), ((0.5,) * 64,) * 2, shape)
    fields = inside.findChildren(NumberField)
    assert [each.accessibleName() for each in fields] == names
    fields[0].lineEdit().setText(typed)
    press(fields[0], Qt.Key.Key_Return)

    def asked() -> bool:
        answer(worker, ((0.5,) * 64,) * 2, shape)
        return looks(worker)[-1].at[-len(at) :] == at[-len(looks(worker)[-1].at) :]

    qtbot.waitUntil(asked)


def test_a_gradient_that_is_not_there_is_a_sentence(
    inside: Inside, look_at: LookAt, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    look_at(tensor("X", shape=(2, 2), number=2), SMALL)
    assert not tabs(inside, "What is shown").isVisible()
    look_at(tensor("W", shape=(2, 2), requires_grad=True), SMALL)
    show(tabs(inside, "What is shown"), "Gradient")
    qtbot.waitUntil(lambda: looks(worker)[-1].what == "W.grad")
    refuse(worker, "W.grad is neither a tensor nor a model.")
    said = "W has no gradient: no backward pass reached it, or it is no leaf."
    qtbot.waitUntil(lambda: said in texts(inside))
    assert "Spread of 4 values" not in texts(inside)


@pytest.mark.parametrize("thing", [tensor("M", "meta"), NET])
def test_a_look_that_failed_is_a_sentence_in_its_place(
    inside: Inside, place: Place, worker: ScriptedWorker, qtbot: QtBot, thing: Placed
) -> None:
    place(thing)
    inside.open(thing.name)
    qtbot.waitUntil(lambda: bool(looks(worker)))
    refuse(worker, "A tensor on meta has a shape and no values.")
    qtbot.waitUntil(lambda: "A tensor on meta has a shape and no values." in texts(inside))


def test_what_it_is_stands_beside_its_values(
    inside: Inside, place: Place, look_at: LookAt
) -> None:
    held = (Held("cuda:0", "values", 512, 1), Held("cuda:0", "gradients", 512, 2))
    place(tensor("W", requires_grad=True, holds=held))
    place(tensor("V", number=2, same_as="W"), "V = W")
    look_at(tensor("W"), SMALL)
    said = texts(inside)
    for label, value in (
        ("Type", "float32, 4 B each"), ("Bytes", "24 B"), ("Gradient", "24 B"),
        ("In the card's cache", "512 B + 512 B"), ("requires_grad", "True"),
        ("Made by", "cell 1"), ("Read by", "cell 2"), ("The same object as", "V"),
    ):  # fmt: skip
        assert said[said.index(label) + 1] == value


def test_values_are_looked_at_again_when_a_line_may_have_changed_them(
    lab: Lab, look_at: LookAt, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    grid = look_at(tensor("W", shape=(2, 2)), SMALL)
    asked = len(looks(worker))
    run(lab, worker, "W.add_(1)")
    qtbot.waitUntil(lambda: len(looks(worker)) > asked)
    answer(worker, ((2.1456, -1.0), (1.5, None)))
    qtbot.waitUntil(lambda: grid.accessibleDescription() == "W[0, 0] is 2.1456")


def test_what_is_gone_is_noticed_and_what_comes_back_is_shown(
    inside: Inside, lab: Lab, place: Place, look_at: LookAt, worker: ScriptedWorker,
    qtbot: QtBot,
) -> None:  # fmt: skip
    look_at(tensor("W", shape=(2, 2)), SMALL)
    click(inside, "Delete")
    assert worker.cells[-1] == "del W"
    worker.say(Freed(worker.last().id, "W"))
    worker.done()
    qtbot.waitUntil(lambda: "W is no longer on the shelf." in texts(inside))
    asked = len(looks(worker))
    place(tensor("W", shape=(2, 2)))
    qtbot.waitUntil(lambda: len(looks(worker)) > asked)
    assert "W is no longer on the shelf." not in texts(inside)
    lab.release()
    qtbot.waitUntil(lambda: "W is no longer on the shelf." in texts(inside))


@pytest.mark.parametrize(
    ("thing", "offered"),
    [
        (tensor("W"), ["W_cpu = W.cpu()", "W_1 = W.cuda(1)"]),
        (NET, ["net = net.cpu()", 'net = net.to("cuda:0")', 'net = net.to("cuda:1")']),
    ],
)
def test_a_thing_is_copied_to_another_device_by_its_line(
    inside: Inside, place: Place, worker: ScriptedWorker, thing: Placed, offered: list[str]
) -> None:
    place(thing)
    inside.open(thing.name)
    click(inside, "Copy to")
    menu = the(QMenu, inside)
    assert [each.text().split("    ")[1] for each in menu.actions()] == offered
    menu.actions()[-1].trigger()
    menu.close()
    assert worker.cells[-1] == offered[-1]


def test_a_model_tells_its_layers_and_what_they_hold(
    inside: Inside, model: Table[object]
) -> None:
    said = texts(inside)
    assert "3 layers, 58 parameters on cuda:0, cuda:1" in said
    held = "232 B of parameters; layer 0 holds 69 % of them."
    assert f"{held} Computed: with gradients 464 B, with Adam 928 B." in said
    assert column(model, "Kind") == ["Linear", "ReLU", "Linear"]
    assert column(model, "In and out") == ["4 → 8", "", "8 → 2"]
    assert column(model, "Bytes") == ["160 B", "–", "72 B"]
    spoken = column(model, "Layer", Qt.ItemDataRole.AccessibleTextRole)
    assert spoken[0].endswith(": 40 parameters, 160 B")
    assert spoken[1] == "1 ReLU(): no parameters"
    # The border between two cards says that each pass copies.
    assert column(model, "Device") == ["cuda:0", "–", "cuda:1 (32 B a row)"]
    hints = column(model, "Device", Qt.ItemDataRole.ToolTipRole)
    assert "from cuda:0 to cuda:1" in hints[2]


def test_the_values_of_the_chosen_layer_are_looked_at(
    inside: Inside, model: Table[object], worker: ScriptedWorker, qtbot: QtBot
) -> None:
    answering = partial(answered, worker, qtbot, values=((0.5, -0.25),))
    assert {"net[0].weight", "8\u2009×\u20094 float32 on cuda:0"} <= set(texts(inside))
    press(model, Qt.Key.Key_Down)
    assert "holds no parameters, so there are no values to look at" in texts(inside)
    press(model, Qt.Key.Key_End)
    answering("net[2].weight")
    show(tabs(inside, "What is shown"), "bias")
    answering("net[2].bias")
    click(inside, "Save parameters")
    assert worker.cells[-1] == 'torch.save(net.state_dict(), "net.pt")'
    pictures: list[QImage] = []
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        pictures.append(inside.grab().toImage())
    assert pictures[0] != pictures[1]


def test_the_elements_of_a_container_are_looked_into_by_their_paths(
    inside: Inside, place: Place, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(NETS)
    inside.open("nets")
    elements = table(inside, "Elements")
    assert column(elements, "Element") == ["nets[0]", "nets[1]"]
    assert column(elements, "What it is") == ["Linear", "5, float32"]
    assert column(elements, "Device") == ["cuda:0", "cuda:1"]
    assert column(elements, "Bytes") == ["64 B", "20 B"]
    assert "and 3 more" in texts(inside)
    elements.setFocus()
    elements.pick("nets[1]")
    press(elements, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [each.what for each in looks(worker)] == ["nets[1]"])
    assert "5, float32 on cuda:1" in texts(inside)


def test_an_optimiser_is_shown_as_it_is_printed(
    inside: Inside, place: Place, worker: ScriptedWorker
) -> None:
    place(Placed(1, "opt", "optimiser", "", "SGD (\n  lr: 0.1\n)"))
    inside.open("opt")
    printed = the(QPlainTextEdit, inside)
    assert printed.accessibleName() == "As PyTorch prints it"
    assert printed.toPlainText() == "SGD (\n  lr: 0.1\n)"
    assert looks(worker) == []


def test_each_opened_thing_has_a_tab_and_what_else_there_is_can_be_opened(
    inside: Inside, lab: Lab, place: Place, qtbot: QtBot
) -> None:
    place(tensor("X"))
    place(tensor("Y", number=2))
    inside.open("X")
    named(inside, "Open another").click()
    menu = the(QMenu, inside)
    assert [each.text() for each in menu.actions()] == ["Y    2×3, float32"]
    menu.actions()[0].trigger()
    menu.close()
    bar = tabs(inside)
    assert [bar.accessibleTabName(each) for each in (0, 1)] == ["Inside X", "Inside Y"]
    assert (bar.tabText(bar.currentIndex()), lab.selection.thing) == ("Y", "Y")
    show(bar, "X")
    assert lab.selection.thing == "X"
    qtbot.waitUntil(inside.window().isActiveWindow)
    assert bar.hasFocus()
    press(bar, Qt.Key.Key_Delete)
    assert (bar.count(), lab.selection.thing) == (1, "Y")
    with qtbot.waitSignal(inside.back_asked):
        named(inside, "Close Y").click()


def test_the_way_back_is_a_button_and_a_key(inside: Inside, place: Place, qtbot: QtBot) -> None:
    place(tensor("X"))
    inside.open("X")
    with qtbot.waitSignal(inside.back_asked):
        named(inside, "Bench").click()
    qtbot.waitUntil(inside.window().isActiveWindow)
    with qtbot.waitSignal(inside.back_asked):
        press(tabs(inside), Qt.Key.Key_Escape)
