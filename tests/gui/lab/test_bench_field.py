"""The bench with cards that cannot be used, and with very many."""

import itertools
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.bench.bench_field import BenchField
from gpuexplorer.gui.views.lab.bench.column import BenchColumn
from gpuexplorer.gui.views.lab.bench.rest_list import RestList
from gpuexplorer.gui.views.lab.bench.shelves import Shelf
from gpuexplorer.gui.wording.lab.bench.bench_blocks import BlockBook
from gpuexplorer.gui.wording.lab.bench.bench_column import column_face
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import Hello, Placed
from tests.gui.hands import press, the
from tests.gui.lab.conftest import GIB, tensor

CPU_ONLY = Message("Your PyTorch is a build for the processor only.")
ANOTHER_PYTHON = Message("Choose a Python whose PyTorch is built for CUDA.")
CPU_BUILD = Hello(1, "3.11.7", "2.13.0", "CPU", simulated=False)


def shelf(device: BenchDevice, *things: Placed) -> Shelf:
    found = BlockBook(USUAL).by_device({each.name: each for each in things}, {})
    return Shelf(device, column_face(device, USUAL), found.get(device.name, ()))


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


HOST = BenchDevice("cpu", "AMD EPYC", "H", total_bytes=62 * GIB, free_bytes=50 * GIB)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 600)
    return window


@pytest.fixture
def field(window: QWidget, look: Look, qtbot: QtBot) -> BenchField:
    field = BenchField(look, lambda _: None, window)
    field.setGeometry(window.rect())
    field.show_room(900)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    return field


def show(field: BenchField, *shelves: Shelf) -> None:
    field.show_shelves(shelves, [()] * len(shelves), lambda _: 0)


def test_a_card_that_pytorch_cannot_use_says_why_and_the_way_out(field: BenchField) -> None:
    show(field, shelf(HOST), shelf(card(0, usable=False)))
    left_out = field.columns[1]
    assert left_out.accessibleName() == "Card 0, nothing on it"
    assert "build for the processor only" in left_out.accessibleDescription()
    assert "Choose a Python" in left_out.accessibleDescription()
    assert field.device_at(left_out.geometry().center()) is None


def test_what_is_special_about_a_usable_card_is_told_on_asking(field: BenchField) -> None:
    odd = replace(card(0), reason=Message("PyTorch's cuda:0 is card 1 of this window."))
    show(field, shelf(HOST), shelf(odd))
    assert "is card 1" in field.columns[1].hint_at(QPoint(30, 20))
    assert "is card 1" in field.columns[1].accessibleDescription()


def test_of_64_cards_those_that_hold_nothing_are_lines_of_a_list(field: BenchField) -> None:
    cards = [shelf(card(number)) for number in range(64)]
    cards[5] = shelf(card(5), tensor("X", "cuda:5"))
    show(field, shelf(HOST), *cards)
    assert [each.device for each in field.columns] == ["cpu", "cuda:5"]
    rest = the(RestList, field)
    assert rest.isVisible()
    assert rest.accessibleName() == "63 more, empty"
    assert "79.0 GiB free" in rest.words_of("cuda:63")[1]
    line = rest.mapTo(field, rest.place_of("cuda:3").center())
    assert field.device_at(line) == "cuda:3"


def test_the_keyboard_walks_over_the_list(field: BenchField) -> None:
    show(field, shelf(HOST), *[shelf(card(number)) for number in range(64)])
    rest = the(RestList, field)
    rest.setFocus()
    press(rest, Qt.Key.Key_Down)
    assert rest.focused_part() == "cuda:1"


def test_eight_cards_stand_side_by_side_and_the_bench_is_wider_than_its_room(
    field: BenchField,
) -> None:
    show(field, shelf(HOST), *[shelf(card(n), tensor("X", f"cuda:{n}")) for n in range(8)])
    columns = field.findChildren(BenchColumn)
    assert len(columns) == 9
    assert field.minimumWidth() > 900
    ordered = [each.geometry() for each in field.columns]
    assert all(a.right() < b.left() for a, b in itertools.pairwise(ordered))
    assert field.device_at(QPoint(ordered[3].center())) == "cuda:2"
