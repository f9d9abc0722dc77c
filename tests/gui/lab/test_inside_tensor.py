"""Looking inside a tensor: only what is seen is asked for, and the keyboard goes everywhere."""

from collections.abc import Iterator, Sequence

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMenu, QScrollBar, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.lab.inside.spread_pane import SpreadChart
from gpuexplorer.gui.lab.inside.tensor_page import TensorPage
from gpuexplorer.gui.lab.inside.value_grid import ValueGrid
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.controls.fields import NumberField
from gpuexplorer.lab.events import Freed, Held, Placed
from tests.gui.hands import click, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor
from tests.gui.lab.looking import answer, looks, refuse

# Menus are windows of their own, of which the test platform knows little.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
SMALL = ((1.1456, -2.0), (0.5, None))
LARGE = tuple(tuple(float(100 * row + column) for column in range(100)) for row in range(100))


@pytest.fixture
def inside(lab: Lab, qtbot: QtBot) -> Iterator[Inside]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1100, 700)
    inside = Inside(lab, window)
    inside.setGeometry(0, 0, 1100, 700)
    window.show()
    yield inside
    window.close()


def place(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot, thing: Placed, line: str = ""
) -> None:
    run(lab, worker, line or f"{thing.name} = torch.ones(2, 3)", thing)
    qtbot.waitUntil(lambda: lab.stage is Stage.READY and thing.name in lab.ledger.things)


def look_at(
    inside: Inside,
    worker: ScriptedWorker,
    qtbot: QtBot,
    name: str,
    values: Sequence[Sequence[float | None]],
    shape: tuple[int, ...] | None = None,
) -> ValueGrid:
    inside.open(name)
    qtbot.waitUntil(lambda: name in [each.what for each in looks(worker)[-1:]])
    answer(worker, values, shape)
    grid = the(ValueGrid, inside_page(inside))
    qtbot.waitUntil(lambda: name in grid.accessibleDescription())
    return grid


def inside_page(inside: Inside) -> TensorPage:
    return the(TensorPage, inside)


def buttons(inside: Inside) -> dict[str, QAbstractButton]:
    found = inside.findChildren(QAbstractButton)
    return {each.accessibleName(): each for each in found if each.isVisible()}


def test_the_chosen_cell_is_told_in_full(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("W", shape=(2, 2)))
    grid = look_at(inside, worker, qtbot, "W", SMALL)
    assert grid.accessibleDescription() == "W[0, 0] is 1.1456"
    press(grid, Qt.Key.Key_Right)
    assert grid.accessibleDescription() == "W[0, 1] is −2"
    press(grid, Qt.Key.Key_Down)
    assert grid.accessibleDescription() == "W[1, 1] is NaN"
    assert {"W[1, 1]", "NaN"} <= set(texts(inside))
    grid.grab()


def cells_by_click(grid: ValueGrid) -> dict[str, QPoint]:
    """Where in the first row each cell begins, by what a click there chooses."""
    found: dict[str, QPoint] = {}
    for x in range(grid.viewport().width()):
        point = QPoint(x, 2)
        QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=point)
        found.setdefault(grid.accessibleDescription(), point)
    return found


def test_what_is_no_finite_number_looks_unlike_any_value(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    values = ((-1.0, 0.0, None, float("inf"), 1.0),)
    place(lab, worker, qtbot, tensor("W", shape=(1, 5)))
    grid = look_at(inside, worker, qtbot, "W", values)
    places = cells_by_click(grid)
    press(grid, Qt.Key.Key_Home)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        picture = grid.viewport().grab().toImage()
        colours = {
            said: {
                picture.pixelColor(at + QPoint(x, y)).name()
                for x in range(4, 14)
                for y in range(4)
            }
            for said, at in places.items()
        }
        assert len(colours["W[0, 1] is 0"]) == len(colours["W[0, 4] is 1"]) == 1
        assert len(colours["W[0, 2] is NaN"]) > 1
        assert len(colours["W[0, 3] is inf"]) > 1


def test_pointing_at_a_cell_names_it_in_full(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("W", shape=(2, 2)))
    grid = look_at(inside, worker, qtbot, "W", SMALL)
    at = cells_by_click(grid)["W[0, 1] is −2"] + QPoint(4, 4)
    asked = QHelpEvent(QEvent.Type.ToolTip, at, grid.viewport().mapToGlobal(at))
    QGuiApplication.sendEvent(grid.viewport(), asked)
    qtbot.waitUntil(lambda: QToolTip.text() == "W[0, 1] is −2")
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_the_spread_marks_where_the_chosen_value_lies(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("W", shape=(1, 4)))
    grid = look_at(inside, worker, qtbot, "W", ((1.0, 4.0, None, 2.0),))
    (mark,) = [
        each
        for each in the(SpreadChart, inside_page(inside)).items()
        if isinstance(each, pg.InfiniteLine)
    ]
    marked = {}
    for _ in range(4):
        marked[grid.accessibleDescription()] = mark.value() if mark.isVisible() else None
        press(grid, Qt.Key.Key_Right)
    assert marked == {
        "W[0, 0] is 1": 0.0,
        "W[0, 1] is 4": 1.0,
        "W[0, 2] is NaN": None,
        "W[0, 3] is 2": pytest.approx(1 / 3),
    }
    # Another tensor has other ends; the look at the first one is answered before.
    asked = len(looks(worker))
    place(lab, worker, qtbot, tensor("V", shape=(1, 2), number=2))
    qtbot.waitUntil(lambda: len(looks(worker)) > asked)
    answer(worker, ((1.0, 4.0, None, 2.0),))
    look_at(inside, worker, qtbot, "V", ((8.0, 0.0),))
    assert mark.value() == 1.0


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (((2.5, 2.5),), "All are 2.5000."),
        (((None, None),), "None of its values is a finite number."),
        (((7.0,),), "It is 7.0000."),
    ],
)
def test_where_there_is_no_spread_a_sentence_says_why(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot,
    values: Sequence[Sequence[float | None]], told: str,
) -> None:  # fmt: skip
    place(lab, worker, qtbot, tensor("W", shape=(1, len(values[0]))))
    look_at(inside, worker, qtbot, "W", values)
    assert told in texts(inside)
    assert not the(SpreadChart, inside_page(inside)).isVisible()
    inside.grab()


def test_what_all_values_have_in_common_is_told_beside_them(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("W", shape=(2, 2)))
    look_at(inside, worker, qtbot, "W", SMALL)
    said = texts(inside)
    assert "Spread of 4 values" in said
    assert said[said.index("Least") + 1] == "−2.0000"
    assert said[said.index("Not finite") + 1] == "1"
    qtbot.waitUntil(
        lambda: "Looking copied 768 B to the host: 31.0 µs, modelled." in texts(inside)
    )


def test_only_what_is_seen_is_asked_for(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("big", shape=(100, 100)))
    grid = look_at(inside, worker, qtbot, "big", LARGE)
    qtbot.waitUntil(lambda: looks(worker)[-1].columns >= grid.window_seen()[3])
    answer(worker, LARGE)
    rows, columns = grid.window_seen()[2:]
    assert rows < 40
    assert columns < 40
    press(grid, Qt.Key.Key_End, control=True)
    assert grid.accessibleDescription() == "big[99, 99] is …"

    def what_is_seen_is_asked_for() -> bool:
        """The next look is asked for when the one before it has come back."""
        if looks(worker)[-1].at != grid.window_seen()[:2]:
            answer(worker, LARGE)
            return False
        return True

    qtbot.waitUntil(what_is_seen_is_asked_for)
    last = looks(worker)[-1]
    assert last.at[0] > 50
    answer(worker, LARGE)
    qtbot.waitUntil(lambda: grid.accessibleDescription() == "big[99, 99] is 9999")


def test_a_heat_map_shows_64_by_64_together_and_its_cells_are_named(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    plane = tuple(row[:64] for row in LARGE[:64])
    place(lab, worker, qtbot, tensor("big", shape=(64, 64)))
    grid = look_at(inside, worker, qtbot, "big", plane)
    assert grid.cut_off
    buttons(inside)["Heat map"].click()
    qtbot.waitUntil(lambda: not grid.cut_off)
    answered = 1

    def all_is_known() -> bool:
        nonlocal answered
        if len(looks(worker)) > answered:
            answered = len(looks(worker))
            answer(worker, plane)
        return looks(worker)[-1].rows == 64

    qtbot.waitUntil(all_is_known)
    press(grid, Qt.Key.Key_End, control=True)
    qtbot.waitUntil(lambda: grid.accessibleDescription() == "big[63, 63] is 6363")
    assert not any(
        each.isVisible()
        for each in inside_page(inside).findChildren(QScrollBar)
        if each.accessibleName() in ("Rows", "Columns")
    )
    cells = cells_by_click(grid)
    assert len([each for each in cells if each.startswith("big[0, ")]) == 64
    buttons(inside)["Figures"].click()
    assert grid.window_seen()[2] < 40


def test_keys_move_by_cells_by_pages_and_to_the_ends(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("big", shape=(100, 100)))
    grid = look_at(inside, worker, qtbot, "big", LARGE)
    qtbot.waitUntil(lambda: grid.window_seen()[2] > 8)
    press(grid, Qt.Key.Key_PageDown)
    page = grid.currentIndex().row()
    assert page > 5
    press(grid, Qt.Key.Key_PageUp)
    press(grid, Qt.Key.Key_End)
    assert grid.accessibleDescription().startswith("big[0, 99]")
    press(grid, Qt.Key.Key_Home)
    assert grid.accessibleDescription().startswith("big[0, 0]")
    press(grid, Qt.Key.Key_Up)
    assert grid.accessibleDescription().startswith("big[0, 0]")


def test_the_scroll_bars_go_where_the_keys_go(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("big", shape=(100, 100)))
    grid = look_at(inside, worker, qtbot, "big", LARGE)
    rows = next(
        each
        for each in inside_page(inside).findChildren(QScrollBar)
        if each.accessibleName() == "Rows"
    )
    qtbot.waitUntil(rows.isVisible)
    rows.setValue(40)
    assert grid.window_seen()[0] == 40
    press(grid, Qt.Key.Key_Home, control=True)
    assert rows.value() == 0


def test_leading_dimensions_are_chosen_by_number(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("images", shape=(8, 3, 2, 2)))
    look_at(inside, worker, qtbot, "images", SMALL, (8, 3, 2, 2))
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    fields = [
        each
        for each in inside.findChildren(NumberField)
        if each.accessibleName().startswith("Dimension")
    ]
    assert [each.accessibleName() for each in fields] == [
        "Dimension 0, of 8", "Dimension 1, of 3",
    ]  # fmt: skip
    fields[0].lineEdit().setText("7")
    press(fields[0], Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: looks(worker)[-1].at == (7, 0, 0, 0))


def test_a_gradient_that_is_not_there_is_a_sentence(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("W", shape=(2, 2), requires_grad=True))
    look_at(inside, worker, qtbot, "W", SMALL)
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    buttons(inside)["Gradient"].click()
    qtbot.waitUntil(lambda: looks(worker)[-1].what == "W.grad")
    refuse(worker, "W.grad is neither a tensor nor a model.")
    sentence = "W has no gradient: no backward pass has come to it yet, or it is not a leaf."
    qtbot.waitUntil(lambda: sentence in texts(inside))
    assert "Spread of 4 values" not in texts(inside)


def test_a_tensor_that_asks_for_no_gradient_has_no_switch_for_it(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("X", shape=(2, 2)))
    look_at(inside, worker, qtbot, "X", SMALL)
    assert "Gradient" not in buttons(inside)


def test_a_look_that_failed_is_a_sentence_in_its_place(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("M", "meta"))
    inside.open("M")
    qtbot.waitUntil(lambda: bool(looks(worker)))
    refuse(worker, "A tensor on meta has a shape and no values.")
    qtbot.waitUntil(lambda: "A tensor on meta has a shape and no values." in texts(inside))


def test_an_empty_tensor_says_so(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("E", shape=(0, 5)))
    inside.open("E")
    qtbot.waitUntil(lambda: bool(looks(worker)))
    answer(worker, (), (0, 5))
    sentence = "It holds no values: one of its dimensions is 0."
    qtbot.waitUntil(lambda: sentence in texts(inside))


def test_what_it_is_stands_beside_its_values(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    held = (Held("cuda:0", "values", 512, 1), Held("cuda:0", "gradients", 512, 2))
    place(lab, worker, qtbot, tensor("W", requires_grad=True, holds=held))
    place(lab, worker, qtbot, tensor("V", number=2, same_as="W"), "V = W")
    look_at(inside, worker, qtbot, "W", SMALL)
    said = texts(inside)
    for label, value in (
        ("Type", "float32, 4 B each"),
        ("Shape", "(2, 3)"),
        ("Bytes", "24 B"),
        ("In the card's cache", "512 B + 512 B"),
        ("Gradient", "24 B"),
        ("Made by", "cell 1"),
        ("Read by", "cell 2"),
        ("The same object as", "V"),
    ):
        assert said[said.index(label) + 1] == value


def test_values_are_looked_at_again_when_a_line_may_have_changed_them(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("W", shape=(2, 2)))
    grid = look_at(inside, worker, qtbot, "W", SMALL)
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    asked = len(looks(worker))
    run(lab, worker, "W.add_(1)")
    qtbot.waitUntil(lambda: len(looks(worker)) > asked)
    answer(worker, ((2.1456, -1.0), (1.5, None)))
    qtbot.waitUntil(lambda: grid.accessibleDescription() == "W[0, 0] is 2.1456")


def test_what_is_gone_is_noticed_and_what_comes_back_is_shown(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("W", shape=(2, 2)))
    look_at(inside, worker, qtbot, "W", SMALL)
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    click(inside, "Delete")
    assert worker.cells[-1] == "del W"
    worker.say(Freed(worker.last().id, "W"))
    worker.done()
    qtbot.waitUntil(lambda: "W is no longer on the shelf." in texts(inside))
    asked = len(looks(worker))
    place(lab, worker, qtbot, tensor("W", shape=(2, 2)))
    qtbot.waitUntil(lambda: len(looks(worker)) > asked)
    assert "W is no longer on the shelf." not in texts(inside)


def test_a_tensor_is_copied_to_another_device_by_its_line(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("W", shape=(2, 2)))
    look_at(inside, worker, qtbot, "W", SMALL)
    click(inside, "Copy to")
    menu = the(QMenu, inside)
    offered = [each.text().split("    ") for each in menu.actions()]
    assert offered == [["cpu", "W_cpu = W.cpu()"], ["cuda:1", "W_1 = W.cuda(1)"]]
    menu.actions()[1].trigger()
    menu.close()
    assert worker.cells[-1] == "W_1 = W.cuda(1)"


def test_what_is_too_long_for_one_table_is_reached_by_a_field(
    inside: Inside, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    place(lab, worker, qtbot, tensor("long", shape=(250_000_000,)))
    grid = look_at(inside, worker, qtbot, "long", ((0.5,) * 64,), (250_000_000,))
    qtbot.waitUntil(lambda: looks(worker)[-1].columns >= grid.window_seen()[3])
    answer(worker, ((0.5,) * 64,), (250_000_000,))
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    [field] = [each for each in inside.findChildren(NumberField) if each.isVisible()]
    assert field.accessibleName() == "Dimension 0, of 250000000"
    field.lineEdit().setText("249999999")
    press(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: looks(worker)[-1].at[-1] == 249_999_999)
    assert grid.model().columnCount() <= 100_000
