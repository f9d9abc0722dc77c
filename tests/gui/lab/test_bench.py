"""The bench: which card PyTorch means, what lies where, how it is carried and asked."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.lab.bench.bench import Bench, BenchColumn
from gpuexplorer.gui.lab.bench.block_list import BlockList
from gpuexplorer.gui.lab.forms.compute import OF_TENSORS, expectations
from gpuexplorer.gui.lab.forms.form import Around
from gpuexplorer.gui.state.lab.bench_lines import copy_line
from gpuexplorer.gui.state.lab.devices import BenchDevice, DeviceFacts, find_contexts
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.events import Device, Finished, Held, Hello, Memory, Placed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from tests.clocks import ManualClock
from tests.gui.hands import drag, press, texts, the
from tests.gui.lab.conftest import GIB, ScriptedWorker, tensor

RTX, OLD = "NVIDIA TITAN RTX", "NVIDIA GeForce GTX 1080"
FIRST, SECOND = "a1b2c3d4-0000-1111-2222-333344445555", "f6e7d8c9-0000-1111-2222-333344445555"
HOST_FACTS = ("workbench", Reading(HOST_ID, 0.0, {}))
Found = dict[str, BenchDevice]


def made_card(
    index: int, uuid: str, name: str = RTX, parent: str = "", cuda: int | None = 0
) -> Card:
    capability = (6, 1) if name == OLD else (7, 5)
    of = CardId(parent) if parent else None
    size, known = 24 * GIB, {"cuda_index": cuda, "compute_capability": capability}
    return Card(CardId(uuid), index, name, size, parent=of, **known)  # type: ignore[arg-type]


A, B, B_OLD = (
    made_card(0, f"GPU-{FIRST}"),
    made_card(1, f"GPU-{SECOND}"),
    made_card(1, f"GPU-{SECOND}", OLD),
)

# A card that is split: its instances are named by their own UUIDs.
PARTS = [made_card(0, f"MIG-{number}{SECOND}", parent=A.id) for number in range(2)]


def offered(number: int, uuid: str = "", name: str = RTX, **more: object) -> Device:
    usual: dict[str, object] = {"total_bytes": 24 * GIB, "capability": (7, 5)}
    return Device(f"cuda:{number}", name, uuid, **{**usual, **more})  # type: ignore[arg-type]


def told(
    devices: list[Device],
    cards: list[Card],
    build: str = "CUDA 12.8",
    visible: tuple[int, ...] | None = None,
    lost: str = "",
    driver: str = "580.65",
) -> Found:
    """By PyTorch's name; those that have none by the number of their card."""
    ledger = Ledger()
    every = (Device("cpu", "x86_64"), *devices, Device("meta", "shapes without values"))
    ledger.apply(Hello(0, "3.11.7", "2.8.0", build, simulated=False, devices=every))

    def reading(made_card: CardId) -> Reading | None:
        return (
            Reading(made_card, 0.0, {}, {}, CardState.LOST)
            if made_card == f"GPU-{lost}"
            else None
        )

    found = DeviceFacts(
        ledger, arrange(cards), reading, HOST_FACTS, visible, driver=driver
    ).devices()
    return {each.name or f"card {each.chip}": each for each in found}


def nothing(reason: str, way_out: str = "") -> Device:
    """What a PyTorch says that has no card."""
    said = (Message(reason), Message(way_out))
    none = "no card of this PyTorch"
    return Device("cuda:0", none, usable=False, reason=said[0], way_out=said[1])


@pytest.mark.parametrize(
    ("devices", "cards", "chips"),
    [
        ([offered(0, FIRST), offered(1, SECOND)], [A, B], ["0", "1"]),
        ([offered(0, SECOND), offered(1, FIRST)], [A, B], ["1", "0"]),  # in another order
        ([offered(0)], [A], ["0"]),  # an older PyTorch without UUIDs, and only one card
        ([offered(0, name=OLD), offered(1)], [A, B_OLD], ["1", "0"]),  # by their names
        ([offered(0, f"1{SECOND}")], [A, *PARTS], [PARTS[1].id]),
        ([offered(0, FIRST)], [A, PARTS[0]], [PARTS[0].id]),  # its card alone is named
    ],
)
def test_which_card_pytorch_means(
    devices: list[Device], cards: list[Card], chips: list[str]
) -> None:
    found = told(devices, cards)
    for device, chip in zip(devices, chips, strict=True):
        assert chip in (found[device.name].chip, found[device.name].card)
    # The card of an instance is no second device, and neither is the instance not used.
    assert set(found) == {"cpu", "meta", *(each.name for each in devices)}


BOTH = [offered(0, FIRST), offered(1, SECOND)]
CPU_ONLY = nothing("This PyTorch is a build for the processor only.")
TOO_OLD = nothing("The NVIDIA driver is too old for this PyTorch.", "Update the driver.")
NAMELESS = told([offered(0), offered(1)], [A, B])


@pytest.mark.parametrize(
    ("found", "column", "reason", "way_out"),
    [
        (told(BOTH[::-1], [B, A]), "cuda:0", "", ""),
        (told([offered(0, SECOND)], [A, B]), "cuda:0", "card 1 of nvidia-smi and of this", ""),
        (
            told(BOTH[1:], [A, B], visible=(1,)),
            "card 0",
            "the lab may see",
            "Release the cards",
        ),
        (NAMELESS, "cuda:0", "no UUID, and 2 cards here are called NVIDIA TITAN RTX", ""),
        (NAMELESS, "card 1", "this PyTorch does not say which.", "A newer PyTorch does."),
        (told(BOTH[:1], [A, *PARTS]), "cuda:0", "one of the 2 instances of card 0", ""),
        (told([], [A, PARTS[0]]), "card 0", "It is split", "CUDA_VISIBLE_DEVICES"),
        (told(BOTH, [A, B], lost=FIRST), "cuda:0", "lost this card", "Release the cards"),
        (told(BOTH, [A]), "cuda:1", "None of the cards that this window reads", ""),
        (told([CPU_ONLY], [A], "CPU"), "card 0", "the processor only", "built for CUDA 13.0"),
        (told([], [A], "CPU", driver="535.104"), "card 0", "the processor only", "CUDA 12.6"),
        (told([TOO_OLD], [A, B]), "card 1", TOO_OLD.reason, TOO_OLD.way_out),
        (told([TOO_OLD], []), "cuda:0", TOO_OLD.reason, TOO_OLD.way_out),
    ],
)
def test_why_a_card_is_not_used_and_what_to_do_about_it(
    found: Found, column: str, reason: str, way_out: str
) -> None:
    device, meta = found[column], found["meta"]
    assert (reason in device.reason, bool(reason)) == (True, bool(device.reason))
    assert (way_out in device.way_out, bool(way_out)) == (True, bool(device.way_out))
    assert device.usable == (not way_out)
    assert (meta.card, meta.reason, meta.usable) == (None, "", True)


@pytest.mark.parametrize(
    ("build", "device"),
    [
        ("ROCm 6.4", Device("cuda:0", "AMD Radeon RX 7900 XTX", "", 24 * GIB, (11, 0))),
        ("XPU", Device("xpu:0", "Intel Arc B580")),
        ("CPU", Device("mps", "Apple GPU")),
    ],
)
def test_a_card_of_another_maker_works_and_is_not_plotted(build: str, device: Device) -> None:
    found = told([device], [A], build=build)[device.name]
    assert (found.usable, found.card) == (True, None)
    assert "nothing is plotted" in found.reason


def test_a_card_without_kernels_takes_copies_and_warns_of_computing() -> None:
    reason = Message("This PyTorch has no kernels for compute capability 6.1: copies work.")
    old = offered(0, SECOND, OLD, capability=(6, 1), usable=False, reason=reason)
    device = told([old], [B_OLD])["cuda:0"]
    assert (device.usable, device.computes, device.reason[:12]) == (True, False, reason[:12])
    assert "CUDA 12.6" in device.way_out
    around, thing = Around(devices=(device,)), tensor("X")

    def said(key: str) -> list[str]:
        return list(expectations(OF_TENSORS[key], thing, None, around))

    assert device.reason in said("relu")
    assert device.reason not in said("to")


MIB, WORKER = 1 << 20, os.getpid()


@pytest.mark.parametrize(
    ("pid", "at", "known"),
    [(WORKER, 11.0, 334), (WORKER, 9.0, None), (os.getppid(), 11.0, None)],
    ids=("its own, after", "its own, before", "another"),
)
def test_the_context_is_what_the_process_holds_beside_pytorchs_memory(
    pid: int, at: float, known: int | None
) -> None:
    """By the driver's figure, told after the cell was done; of another process nothing."""
    ledger, book = Ledger(), ProcessBook(ManualClock(at))
    values = {ProcessFigure.MEMORY: 354.0 * MIB}
    process = CardProcess(A.id, pid, ProcessUse.COMPUTE, values)
    book.take(A.id, [NamedProcess(process, resolved=True)])

    def context(number: int, reserved: int) -> int | None:
        held = Memory("cuda:0", 4 * MIB, reserved * MIB, 1000 * MIB, 2000 * MIB)
        ledger.apply(Finished(number, 0.1, memory=(held,)))
        find_contexts(ledger, {"cuda:0": A.id}, book, WORKER, 10.0 if number == 1 else 12.0)
        return ledger.memory["cuda:0"].context_bytes

    expected = None if known is None else known * MIB
    assert context(1, reserved=20) == expected
    assert context(2, reserved=500) == expected  # it stays known
    ledger.lost()
    assert context(3, reserved=20) is None  # another worker has another


CUDA_1 = BenchDevice("cuda:1", "TITAN RTX", "1")
ON_HOST = BenchDevice("cpu", "host", "H")

SEQUENTIAL = (
    "Sequential(\n  (0): Linear(in_features=3, out_features=4, bias=True)\n  (1): ReLU()\n)"
)


def model(*holds: Held, size: int = 64) -> Placed:
    return Placed(1, "net", "model", "cuda:0", SEQUENTIAL, bytes=size, holds=holds)


ON_0, ON_1 = Held("cuda:0", "values", 1024, 1), Held("cuda:1", "values", 2048, 2)


@pytest.mark.parametrize(
    ("thing", "target", "by_host", "line"),
    [
        (tensor("X"), CUDA_1, False, "X_1 = X.cuda(1)"),
        (tensor("X"), ON_HOST, False, "X_cpu = X.cpu()"),
        (tensor("X"), BenchDevice("mps", "", ""), False, 'X_mps = X.to("mps")'),
        (tensor("X"), CUDA_1, True, "X_1 = X.cpu().cuda(1)"),
        (tensor("n[0].weight"), CUDA_1, False, "n_0__weight_1 = n[0].weight.cuda(1)"),
        (model(ON_0), CUDA_1, False, 'net = net.to("cuda:1")'),
        (model(ON_0), ON_HOST, False, "net = net.cpu()"),
        (model(ON_0), CUDA_1, True, 'net = net.cpu().to("cuda:1")'),
    ],
)
def test_a_tensor_is_copied_under_a_name_of_where_it_goes_and_a_model_moves(
    thing: Placed, target: BenchDevice, by_host: bool, line: str
) -> None:
    assert copy_line(thing, target, {"X"}, by_host=by_host) == line


@pytest.mark.parametrize(
    ("thing", "target", "why"),
    [
        (tensor("Z", "cuda:1"), CUDA_1, r"nothing is copied\. Z\.cuda\(1\) is Z\."),
        (tensor("X"), replace(CUDA_1, usable=False, reason=Message("Too old.")), "Too old"),
        (Placed(1, "a", "optimiser", "", "3"), CUDA_1, "make a new optimiser"),
        (Placed(1, "a", "value", "", "3"), CUDA_1, "no memory"),
        (Placed(1, "a", "container", "", "3"), CUDA_1, "one by one"),
        (None, CUDA_1, "Nobody named this memory"),
    ],
)
def test_what_cannot_be_copied_says_why(
    thing: Placed | None, target: BenchDevice, why: str
) -> None:
    with pytest.raises(Trouble, match=why):
        copy_line(thing, target, ())


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
