"""The bench as a person sees it: devices with blocks, that are carried, opened and asked."""

from collections.abc import Callable, Sequence

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.bench.bench import Bench, BenchColumn
from gpuexplorer.gui.lab.bench.block_list import BlockList
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.events import Placed
from tests.gui.dragging import drag
from tests.gui.hands import press, texts, the
from tests.gui.lab.conftest import GIB, ScriptedWorker, tensor

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

MAKE_X = 'X = torch.ones(2, 3, device="cuda:0")'
MAKE_Y = 'Y = torch.rand(2, 3, device="cuda:1")'
NAME = Qt.ItemDataRole.AccessibleTextRole
HOST = BenchDevice("cpu", "AMD EPYC", "H", total_bytes=62 * GIB, free_bytes=50 * GIB)
Run = Callable[..., int]


def card(number: int) -> BenchDevice:
    name, total, free = f"cuda:{number}", 80 * GIB, 79 * GIB
    return BenchDevice(name, "H100", str(number), total_bytes=total, free_bytes=free)


@pytest.fixture
def bench(lab: Lab, qtbot: QtBot) -> Bench:
    bench = Bench(lab)
    qtbot.addWidget(bench)
    bench.resize(640, 640)
    with qtbot.waitActive(bench):
        bench.show()
        bench.activateWindow()
    return bench


@pytest.fixture
def run(bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Run:
    """One line that is carried out at once, after which all memory has a name."""

    def carried_out(line: str, *placed: Placed, **told: object) -> int:
        number = lab.run(line)
        with qtbot.waitSignal(lab.changed):
            worker.done(*placed, **{"memory": (), **told})
        return number

    return carried_out


def columns(bench: Bench) -> Sequence[BenchColumn]:
    """From left to right."""
    found = [each for each in bench.findChildren(BenchColumn) if each.isVisible()]
    return sorted(found, key=lambda each: each.x())


def of(bench: Bench, device: str) -> BlockList:
    there = (each.blocks for each in columns(bench))
    return next(each for each in there if each.accessibleName().startswith(f"{device}, "))


def rows(blocks: BlockList) -> list[QModelIndex]:
    return [blocks.model().index(at, 0) for at in range(blocks.model().rowCount())]


def row(blocks: BlockList, name: str) -> QModelIndex:
    return next(each for each in rows(blocks) if each.data(NAME).startswith(name))


def middle(blocks: BlockList, name: str) -> QPoint:
    return blocks.visualRect(row(blocks, name)).center()


def carry(blocks: BlockList, name: str, onto: QWidget, *, let_go: bool = True) -> None:
    there = onto.mapToGlobal(onto.rect().center())
    drag(blocks.viewport(), middle(blocks, name), there, let_go=let_go)


def test_a_block_is_carried_to_another_device_or_given_up(
    bench: Bench, run: Run, worker: ScriptedWorker
) -> None:
    run(MAKE_X, tensor("X"))
    here, there = of(bench, "cuda:0"), of(bench, "cuda:1")
    carry(here, "X", there, let_go=False)
    assert worker.cells == [MAKE_X]
    carry(here, "X", there)
    assert worker.cells[-1] == "X_1 = X.cuda(1)"
    carry(here, "X", columns(bench)[0])  # folded
    assert worker.cells[-1] == "X_cpu = X.cpu()"


def test_a_block_let_go_where_it_is_stays_and_a_sentence_says_why(
    bench: Bench, run: Run, worker: ScriptedWorker
) -> None:
    run(MAKE_X, tensor("X"))
    why = "Already there: nothing is copied. X.cuda(0) is X."
    carry(of(bench, "cuda:0"), "X", of(bench, "cuda:0"))
    assert worker.cells == [MAKE_X]
    assert why in texts(bench)
    press(of(bench, "cuda:0"), Qt.Key.Key_Right)
    assert why not in texts(bench)


def test_the_keyboard_walks_over_blocks_and_columns_and_does_all_the_mouse_does(
    bench: Bench, run: Run, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(MAKE_X, tensor("A"), tensor("X"))
    run(MAKE_Y, tensor("Y", "cuda:1"))
    here, there = of(bench, "cuda:0"), of(bench, "cuda:1")
    here.setFocus()
    press(here, Qt.Key.Key_Home)
    press(here, Qt.Key.Key_Down)
    assert here.currentIndex() == row(here, "A")
    with qtbot.waitSignal(bench.open_asked) as opened:
        press(here, Qt.Key.Key_Return)
    assert opened.args == ["A"]
    press(here, Qt.Key.Key_Left, control=True)
    assert worker.cells[-1] == "A_cpu = A.cpu()"
    press(here, Qt.Key.Key_Right)
    assert there.hasFocus()
    assert there.currentIndex() == row(there, "Y")
    press(there, Qt.Key.Key_C, control=True)
    assert QApplication.clipboard().text() == "Y"
    press(there, Qt.Key.Key_Delete)
    assert worker.cells[-1] == "del Y"


def test_one_click_selects_on_all_parts_of_the_lab_and_two_open(
    bench: Bench, run: Run, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = run(MAKE_X, tensor("X"))
    here = of(bench, "cuda:0")
    QTest.mouseClick(here.viewport(), Qt.MouseButton.LeftButton, pos=middle(here, "X"))
    assert (lab.selection.cell, lab.selection.thing) == (number, "X")
    assert here.selectionModel().isSelected(row(here, "X"))
    with qtbot.waitSignal(bench.open_asked):
        QTest.mouseDClick(here.viewport(), Qt.MouseButton.LeftButton, pos=middle(here, "X"))
    QTest.mouseClick(columns(bench)[1], Qt.MouseButton.LeftButton, pos=QPoint(60, 5))
    assert lab.selection.things == frozenset()


def test_the_menu_of_a_block_offers_every_device_and_shows_each_line(
    bench: Bench, run: Run, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(MAKE_X, tensor("X"), tensor("Z", same_as="X"))
    here = of(bench, "cuda:0")
    here.setFocus()
    reason = QContextMenuEvent.Reason.Keyboard
    asked = QContextMenuEvent(reason, QPoint(), here.mapToGlobal(QPoint()))
    QApplication.sendEvent(here, asked)
    qtbot.waitUntil(lambda: bool(bench.findChildren(QMenu)))
    menus = bench.findChildren(QMenu)
    entries = {action.text(): action for menu in menus for action in menu.actions()}
    assert {"Copy to", "Delete\tDel", "Delete the name Z"} <= entries.keys()
    to = {name.split()[0]: action for name, action in entries.items() if name}
    assert not to["cuda:0"].isEnabled()
    assert to["cuda:1"].toolTip() == "X_1 = X.cuda(1)"
    entries["Delete the name Z"].trigger()
    assert worker.cells[-1] == "del Z"
    for menu in menus:
        menu.close()


def test_of_64_cards_those_that_hold_nothing_are_rows_of_a_list(
    bench: Bench,
    run: Run,
    lab: Lab,
    worker: ScriptedWorker,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not the(QListWidget, bench).isVisible()
    monkeypatch.setattr(lab, "devices", lambda: [HOST, *map(card, range(64))])
    run("X", tensor("X", "cuda:5"))
    assert [each.device.name for each in columns(bench)] == ["cpu", "cuda:5"]
    rest = the(QListWidget, bench)
    assert rest.accessibleName() == "63 more, empty"
    names = [rest.model().index(number, 0) for number in range(63)]
    assert names[-1].data() == "cuda:63: 79.0 GiB free"
    rest.setFocus()
    press(rest, Qt.Key.Key_Home)
    press(rest, Qt.Key.Key_Down)
    assert rest.currentItem().text().startswith("cuda:1:")
    qtbot.waitUntil(lambda: rest.x() > columns(bench)[1].geometry().right())
    source, place = of(bench, "cuda:5"), rest.visualRect(names[3]).center()
    there = rest.viewport().mapToGlobal(place)
    drag(source.viewport(), middle(source, "X"), there)
    assert worker.cells[-1] == "X_3 = X.cuda(3)"
