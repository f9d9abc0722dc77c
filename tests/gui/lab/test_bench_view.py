"""The bench as a person sees it: devices with blocks, that are carried, opened and asked."""

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.bench.bench import Bench
from gpuexplorer.gui.lab.bench.block_list import BlockList
from gpuexplorer.gui.lab.bench.overlay import BenchOverlay
from gpuexplorer.gui.lab.device_table import DeviceTable
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.lab.events import Held, Peeked, Placed, Transferred
from gpuexplorer.lab.wire import Peek
from tests.gui.dragging import drag
from tests.gui.hands import press, the
from tests.gui.lab.conftest import ScriptedWorker, memory, tensor

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

MAKE_X = 'X = torch.ones(2, 3, device="cuda:0")'
MAKE_Y = 'Y = torch.rand(2, 3, device="cuda:1")'
NAME = Qt.ItemDataRole.AccessibleTextRole
DESCRIPTION = Qt.ItemDataRole.AccessibleDescriptionRole
BIG = (100, 100)  # too many values to be shown


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(640, 640)
    return window


@pytest.fixture
def bench(window: QWidget, lab: Lab, qtbot: QtBot) -> Bench:
    bench = Bench(lab, window)
    bench.setGeometry(window.rect())
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    bench.pull()
    return bench


def run(lab: Lab, worker: ScriptedWorker, line: str, *placed: Placed) -> int:
    """One line that is carried out at once, after which all memory has a name."""
    number = lab.run(line)
    worker.done(*placed, memory=())
    return number


def lists(bench: Bench) -> list[str]:
    return [each.accessibleName() for each in bench.findChildren(BlockList) if each.isVisible()]


def column(bench: Bench, device: str) -> BlockList:
    found = bench.findChildren(BlockList)
    return next(each for each in found if each.accessibleName().startswith(f"{device}, "))


def said(bench: Bench, device: str) -> list[str]:
    """The blocks of a column as a screen reader tells them."""
    return [each.data(NAME) for each in rows(column(bench, device))]


def rows(of: BlockList) -> list[QModelIndex]:
    return [of.model().index(number, 0) for number in range(of.model().rowCount())]


def row(of: BlockList, name: str) -> QModelIndex:
    return next(each for each in rows(of) if each.data(NAME).startswith(name))


def seen(of: BlockList) -> list[str]:
    """Those of which something is in sight."""
    shown = of.viewport().rect()
    there = [each for each in rows(of) if shown.intersects(of.visualRect(each))]
    return [each.data(NAME).split(", ")[0] for each in there]


def has(qtbot: QtBot, bench: Bench, device: str, *blocks: str) -> None:
    qtbot.waitUntil(
        lambda: [each.split(", ")[0] for each in said(bench, device)] == list(blocks)
    )


def middle(of: BlockList, name: str) -> QPoint:
    return of.visualRect(row(of, name)).center()


def drags(source: BlockList, name: str, target: QWidget, *, let_go: bool = True) -> None:
    there = target.mapToGlobal(target.rect().center())
    drag(source.viewport(), middle(source, name), there, let_go=let_go)


def refusal(bench: Bench) -> str:
    return " ".join(each.text() for each in bench.findChildren(QLabel) if each.isVisible())


def test_at_rest_the_devices_are_there_and_a_note_says_that_nothing_was_started(
    bench: Bench, worker: ScriptedWorker
) -> None:
    assert lists(bench) == [
        "cpu, nothing on it",
        "cuda:0, nothing on it",
        "cuda:1, nothing on it",
    ]
    assert "GiB free" in column(bench, "cuda:0").accessibleDescription()
    assert worker.sent == []


def test_what_a_line_makes_lies_on_its_device(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    has(qtbot, bench, "cuda:0", "X")
    assert said(bench, "cuda:0") == ["X, tensor, 2×3, 24 B"]
    assert column(bench, "cuda:0").accessibleName() == "cuda:0, 1 thing"


def test_meta_is_there_only_while_something_lies_on_it(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, 'M = torch.empty(9, device="meta")', tensor("M", "meta", (9,)))
    qtbot.waitUntil(lambda: "meta, 1 thing" in lists(bench))
    assert "shapes without values" in column(bench, "meta").accessibleDescription()


def test_the_values_of_a_small_tensor_are_asked_for_once_and_told(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"), tensor("B", shape=BIG))
    qtbot.waitUntil(lambda: isinstance(worker.last(), Peek))
    peek = worker.last()
    ones = (1.0, 1.0, 1.0)
    worker.say(
        Peeked(peek.id, "X", "cuda:0", "float32", (2, 3), (0, 0), (ones, ones),
               1.0, 1.0, 1.0, 0.0, 0, (), 6, 24)
    )  # fmt: skip
    there = column(bench, "cuda:0")
    qtbot.waitUntil(lambda: "1.00 1.00 1.00; 1.00" in row(there, "X").data(DESCRIPTION))
    hint = row(there, "X").data(Qt.ItemDataRole.ToolTipRole)
    assert "copied 24 B to the host" in hint
    bench.pull()
    assert [each.what for each in worker.sent if isinstance(each, Peek)] == ["X"]


def test_values_are_asked_for_again_when_a_line_changed_something_in_place(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    qtbot.waitUntil(lambda: isinstance(worker.last(), Peek))
    run(lab, worker, "X.add_(1)")
    qtbot.waitUntil(
        lambda: [each.what for each in worker.sent if isinstance(each, Peek)] == ["X", "X"]
    )


def test_a_block_let_go_where_it_is_stays_and_a_sentence_says_why(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    has(qtbot, bench, "cuda:0", "X")
    drags(column(bench, "cuda:0"), "X", column(bench, "cuda:0"))
    assert worker.cells[-1] == MAKE_X
    assert refusal(bench) == "Already there: nothing is copied. X.cuda(0) is X."
    press(column(bench, "cuda:0"), Qt.Key.Key_Right)
    assert refusal(bench) == ""


def test_escape_gives_a_drag_up(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    has(qtbot, bench, "cuda:0", "X")
    drags(column(bench, "cuda:0"), "X", column(bench, "cuda:1"), let_go=False)
    assert worker.cells[-1] == MAKE_X


def test_the_keyboard_walks_over_blocks_and_columns_and_does_all_the_mouse_does(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("A"), tensor("X"))
    run(lab, worker, MAKE_Y, tensor("Y", "cuda:1"))
    has(qtbot, bench, "cuda:1", "Y")
    here = column(bench, "cuda:0")
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
    there = column(bench, "cuda:1")
    assert there.hasFocus()
    assert there.currentIndex() == row(there, "Y")
    press(column(bench, "cuda:1"), Qt.Key.Key_C, control=True)
    assert QApplication.clipboard().text() == "Y"
    press(column(bench, "cuda:1"), Qt.Key.Key_Delete)
    assert worker.cells[-1] == "del Y"


def test_one_click_selects_on_all_parts_of_the_lab_and_two_open(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = run(lab, worker, MAKE_X)
    worker.say(Placed(number, "X", "tensor", "cuda:0", "", (2, 3), "float32", 24))
    has(qtbot, bench, "cuda:0", "X")
    here = column(bench, "cuda:0")
    QTest.mouseClick(here.viewport(), Qt.MouseButton.LeftButton, pos=middle(here, "X"))
    assert (lab.selection.cell, lab.selection.thing) == (number, "X")
    assert here.selectionModel().isSelected(row(here, "X"))
    with qtbot.waitSignal(bench.open_asked):
        QTest.mouseDClick(here.viewport(), Qt.MouseButton.LeftButton, pos=middle(here, "X"))
    around = here.parentWidget()
    assert around is not None
    QTest.mouseClick(around, Qt.MouseButton.LeftButton, pos=QPoint(60, 5))
    assert lab.selection.things == frozenset()


def test_values_give_way_where_not_all_blocks_fit_but_for_the_one_that_is_chosen(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, *[tensor(f"T{number}") for number in range(2)])
    has(qtbot, bench, "cuda:0", "T1", "T0")
    here = column(bench, "cuda:0")
    whole = here.visualRect(row(here, "T0")).height()
    run(lab, worker, MAKE_X, *[tensor(f"T{number}") for number in range(60)])
    qtbot.waitUntil(lambda: len(rows(here)) == 60)
    assert here.visualRect(row(here, "T0")).height() < whole
    lab.selection.choose(things={"T9"})
    high = [here.visualRect(each).height() == whole for each in rows(here)]
    assert high.index(True) == rows(here).index(row(here, "T9"))
    assert high.count(True) == 1


def test_what_is_selected_elsewhere_is_brought_into_sight(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, *[tensor(f"T{number}") for number in range(60)])
    has(qtbot, bench, "cuda:0", *[f"T{number}" for number in reversed(range(60))])
    here = column(bench, "cuda:0")
    assert "T0" not in seen(here)
    lab.selection.choose(things={"T0"})
    assert "T0" in seen(here)


def test_the_menu_of_a_block_offers_every_device_and_shows_each_line(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"), tensor("Z", same_as="X"))
    has(qtbot, bench, "cuda:0", "X")
    here = column(bench, "cuda:0")
    here.setFocus()
    asked = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, QPoint(), here.mapToGlobal(QPoint())
    )
    QApplication.sendEvent(here, asked)
    qtbot.waitUntil(lambda: bool(bench.findChildren(QMenu)))
    entries = {
        action.text(): action for menu in bench.findChildren(QMenu) for action in menu.actions()
    }
    assert {"Copy to", "Delete\tDel", "Delete the name Z"} <= entries.keys()
    to = {name.split()[0]: action for name, action in entries.items() if name}
    assert not to["cuda:0"].isEnabled()
    assert to["cuda:1"].toolTip() == "X_1 = X.cuda(1)"
    entries["Delete the name Z"].trigger()
    assert worker.cells[-1] == "del Z"
    for menu in bench.findChildren(QMenu):
        menu.close()


def test_a_line_between_two_cards_is_asked_between_its_two_blocks_until_it_is_cured(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    run(lab, worker, MAKE_Y, tensor("Y", "cuda:1"))
    failed = lab.run("X + Y")
    worker.fail("devices differ", "RuntimeError", "Expected all tensors on the same device")
    overlay = the(BenchOverlay, bench)
    qtbot.waitUntil(overlay.isVisible)
    assert overlay.question is not None
    assert overlay.question.sign == "+"
    assert bench.accessibleDescription() == "X on cuda:0, Y on cuda:1. On which card?"
    lab.run("X_1 = X.cuda(1)", cures=failed)
    worker.done(tensor("X_1", "cuda:1"), memory=())
    qtbot.waitUntil(lambda: not overlay.isVisible())


def test_a_model_stands_on_both_of_its_devices(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    held = (Held("cuda:0", "values", 1024, 1), Held("cuda:1", "values", 2048, 2))
    run(
        lab,
        worker,
        "net = nn.Sequential(nn.Linear(3, 1))",
        Placed(1, "net", "model", "cuda:0, cuda:1", "Linear(3, 1)", bytes=3072, holds=held),
    )
    has(qtbot, bench, "cuda:1", "net")
    assert said(bench, "cuda:0") == ["net, model, Linear(3, 1), 1.00 KiB, rest on cuda:1"]


def test_memory_without_a_name_says_since_which_line(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X", holds=(Held("cuda:0", "values", 512, 1),)))
    has(qtbot, bench, "cuda:0", "X")
    number = lab.run("X + X")
    worker.done(memory=(memory("cuda:0", 1024),))
    qtbot.waitUntil(lambda: len(said(bench, "cuda:0")) == 2)
    assert said(bench, "cuda:0")[0] == "unnamed, 512 B, since cell 2"
    here = column(bench, "cuda:0")
    QTest.mouseClick(here.viewport(), Qt.MouseButton.LeftButton, pos=middle(here, "unnamed"))
    assert lab.selection.cell == number


def test_a_copy_is_seen_to_slide_in(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    number = lab.run("X_1 = X.cuda(1)")
    worker.say(Transferred(number, "cuda:0", "cuda:1", 24, 9e-6))
    worker.done(tensor("X_1", "cuda:1"), memory=())
    has(qtbot, bench, "cuda:1", "X_1")
    there = column(bench, "cuda:1")
    before = there.grab().toImage()
    qtbot.waitUntil(lambda: there.grab().toImage() != before)


def test_what_the_worker_gave_back_leaves_nothing_behind(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    has(qtbot, bench, "cuda:0", "X")
    lab.release()
    has(qtbot, bench, "cuda:0")


def test_of_a_thousand_tensors_few_are_in_sight_and_the_keys_reach_the_last(
    bench: Bench, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, *[tensor(f"T{number}") for number in range(1000)])
    here = column(bench, "cuda:0")
    qtbot.waitUntil(lambda: len(rows(here)) == 1000)
    assert len(seen(here)) < 20
    here.setFocus()
    press(here, Qt.Key.Key_End)
    assert seen(here)[-1] == "T0"


def test_a_bench_of_few_devices_lists_none(bench: Bench) -> None:
    assert not the(DeviceTable, bench).isVisible()


def test_where_not_all_devices_have_room_each_is_reached_by_its_number(
    bench: Bench, window: QWidget, qtbot: QtBot
) -> None:
    ways = [each for each in bench.findChildren(Segmented) if each.isVisible()]
    assert not ways  # all three have room
    window.resize(360, 640)
    bench.setGeometry(window.rect())
    [way] = [each for each in bench.findChildren(Segmented) if each.isVisible()]
    assert way.accessibleName() == "Devices"
    buttons = {each.text(): each for each in way.findChildren(QToolButton) if each.text()}
    assert list(buttons) == ["H", "0", "1"]
    last = column(bench, "cuda:1").parentWidget()
    assert last is not None
    right = last.mapTo(bench, last.rect().topRight()).x()
    assert right > bench.width()
    buttons["1"].click()
    assert last.mapTo(bench, last.rect().topRight()).x() < bench.width()
    window.resize(640, 640)
    bench.setGeometry(window.rect())
    assert not way.isVisible()
