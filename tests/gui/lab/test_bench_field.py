"""The bench with cards that cannot be used, and with more than have room."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.lab.bench.bench import Bench
from gpuexplorer.gui.lab.bench.device_column import BenchColumn
from gpuexplorer.gui.lab.device_table import DeviceTable
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from tests.gui.dragging import drag
from tests.gui.hands import press, the
from tests.gui.lab.conftest import GIB, ScriptedWorker, tensor

CPU_ONLY = Message("Your PyTorch is a build for the processor only.")
ANOTHER_PYTHON = Message("Choose a Python whose PyTorch is built for CUDA.")
HOST = BenchDevice("cpu", "AMD EPYC", "H", total_bytes=62 * GIB, free_bytes=50 * GIB)


def card(number: int, usable: bool = True) -> BenchDevice:
    return BenchDevice(
        f"cuda:{number}" if usable else "",
        "NVIDIA H100",
        str(number),
        usable=usable,
        reason=NOTHING if usable else CPU_ONLY,
        way_out=NOTHING if usable else ANOTHER_PYTHON,
        total_bytes=80 * GIB,
        free_bytes=79 * GIB,
    )


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 600)
    return window


@pytest.fixture
def bench(window: QWidget, lab: Lab) -> Bench:
    bench = Bench(lab, window)
    bench.setGeometry(window.rect())
    return bench


class Shows:
    """Opens the bench of a computer with the host and these cards, X on one of them."""

    def __init__(
        self,
        window: QWidget,
        bench: Bench,
        lab: Lab,
        worker: ScriptedWorker,
        qtbot: QtBot,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self._window, self._bench = window, bench
        self._lab, self._worker = lab, worker
        self._qtbot, self._monkeypatch = qtbot, monkeypatch

    def __call__(self, *cards: BenchDevice, x_on: str = "") -> None:
        self._monkeypatch.setattr(self._lab, "devices", lambda: [HOST, *cards])
        with self._qtbot.waitActive(self._window):
            self._window.show()
            self._window.activateWindow()
        if x_on:
            self._lab.run("X")
            self._worker.done(tensor("X", x_on), memory=())
            name = f"{x_on}, 1 thing"
            self._qtbot.waitUntil(
                lambda: name in [e.blocks.accessibleName() for e in columns(self._bench)]
            )


@pytest.fixture
def shows(
    window: QWidget,
    bench: Bench,
    lab: Lab,
    worker: ScriptedWorker,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> Shows:
    return Shows(window, bench, lab, worker, qtbot, monkeypatch)


def columns(bench: Bench) -> Sequence[BenchColumn]:
    """From left to right."""
    found = [each for each in bench.findChildren(BenchColumn) if each.isVisible()]
    return sorted(found, key=lambda each: each.x())


def seen(bench: Bench) -> list[str]:
    """The devices of which anything is in sight, and which are then seen as a whole."""
    found = [each for each in columns(bench) if not each.visibleRegion().isEmpty()]
    assert all(each.visibleRegion().boundingRect() == each.rect() for each in found)
    return [each.device.name for each in found]


def row(rest: DeviceTable, number: int) -> QModelIndex:
    """The cell with its name."""
    return rest.model().index(number, 1)


def test_a_card_that_pytorch_cannot_use_says_why_and_the_way_out(
    bench: Bench, shows: Shows, worker: ScriptedWorker
) -> None:
    shows(card(0, usable=False), x_on="cpu")
    host, left_out = columns(bench)
    assert left_out.blocks.accessibleName() == "Card 0, nothing on it"
    assert "build for the processor only" in left_out.blocks.accessibleDescription()
    assert "Choose a Python" in left_out.blocks.accessibleDescription()
    there = left_out.mapToGlobal(left_out.rect().center())
    drag(host.blocks.viewport(), host.blocks.viewport().rect().center(), there)
    assert worker.cells == ["X"]


def test_what_is_special_about_a_usable_card_is_told_on_asking(
    bench: Bench, shows: Shows
) -> None:
    shows(replace(card(0), reason=Message("PyTorch's cuda:0 is card 1 of this window.")))
    bench.grab()
    _, odd = columns(bench)
    assert any("is card 1" in each for each in odd.hints())
    assert "is card 1" in odd.blocks.accessibleDescription()


def test_of_64_cards_those_that_hold_nothing_are_lines_of_a_list(
    bench: Bench, shows: Shows, worker: ScriptedWorker
) -> None:
    shows(*map(card, range(64)), x_on="cuda:5")
    assert [each.device.name for each in columns(bench)] == ["cpu", "cuda:5"]
    rest = the(DeviceTable, bench)
    assert rest.isVisible()
    assert rest.accessibleName() == "63 more, empty"
    names = [row(rest, number) for number in range(63)]
    assert "79.0 GiB free" in names[-1].data(Qt.ItemDataRole.AccessibleTextRole)
    (there,) = [each for each in names if each.data() == "cuda:3"]
    place = rest.viewport().mapToGlobal(rest.visualRect(there).center())
    source = columns(bench)[1].blocks
    drag(source.viewport(), source.viewport().rect().center(), place)
    assert worker.cells[-1] == "X_3 = X.cuda(3)"


def test_the_keyboard_walks_over_the_list(bench: Bench, shows: Shows) -> None:
    shows(*map(card, range(64)))
    rest = the(DeviceTable, bench)
    rest.setFocus()
    press(rest, Qt.Key.Key_Home)
    press(rest, Qt.Key.Key_Down)
    assert rest.currentIndex().siblingAtColumn(1).data() == "cuda:1"


@pytest.mark.parametrize("width", [376, 566, 900])
def test_of_eight_cards_whole_columns_are_seen_and_a_row_of_numbers_leads_to_the_others(
    width: int, bench: Bench, shows: Shows
) -> None:
    bench.resize(width, 600)
    shows(*map(card, range(8)))
    assert len(columns(bench)) == 9
    there = len(seen(bench))
    assert seen(bench) == ["cpu", "cuda:0", "cuda:1", "cuda:2", "cuda:3"][:there]
    ways = [each for each in bench.findChildren(QToolButton) if each.text() == "7"]
    ways[0].click()
    assert seen(bench) == [f"cuda:{number}" for number in range(8 - there, 8)]
    ways = [each for each in bench.findChildren(QToolButton) if each.text() == "2"]
    ways[0].click()
    assert seen(bench)[0] == "cuda:2"


def test_a_block_held_over_the_number_of_a_card_brings_that_card_into_sight(
    bench: Bench, shows: Shows
) -> None:
    shows(*map(card, range(8)), x_on="cpu")
    blocks = columns(bench)[0].blocks
    [way] = [each for each in bench.findChildren(QToolButton) if each.text() == "7"]
    place = way.mapToGlobal(way.rect().center())
    drag(blocks.viewport(), blocks.viewport().rect().center(), place, let_go=False)
    assert seen(bench)[-1] == "cuda:7"
