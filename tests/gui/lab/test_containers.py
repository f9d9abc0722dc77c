"""Containers on the shelf: a block on each device, and their elements to be opened in turn."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.lab.bench.blocks import blocks_by_device
from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.lab.events import Element, Held, Placed
from tests.gui.hands import press, texts
from tests.gui.lab.conftest import ScriptedWorker, run
from tests.gui.lab.looking import looks

NETS = Placed(
    1,
    "nets",
    "container",
    "cuda:0, cuda:1",
    "[Linear(), tensor(5)]",
    bytes=84,
    holds=(Held("cuda:0", "values", 1024, 1), Held("cuda:1", "values", 512, 2)),
    elements=(
        Element("nets[0]", "model", "cuda:0", "Linear", 64),
        Element("nets[1]", "tensor", "cuda:1", "5, float32", 20),
    ),
    more=3,
)


@pytest.fixture
def inside(qtbot: QtBot, lab: Lab, worker: ScriptedWorker) -> Iterator[Inside]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1200, 700)
    inside = Inside(lab, window)
    inside.setGeometry(0, 0, 1200, 700)
    with qtbot.waitExposed(window):
        window.show()
    run(lab, worker, "nets = [nn.Linear(3, 4), torch.ones(5)]", NETS)
    qtbot.waitUntil(lambda: "nets" in lab.ledger.things)
    inside.open("nets")
    yield inside
    window.close()


def elements(inside: Inside) -> Table[Element]:
    found = inside.findChildren(Table)
    return next(each for each in found if each.accessibleName() == "Elements")


def test_a_container_is_a_block_on_each_device_with_what_it_has_there() -> None:
    found = blocks_by_device({"nets": NETS}, {})
    (here,), (there,) = found["cuda:0"], found["cuda:1"]
    said = here.spoken(BenchDevice("cuda:0", "", "0"), USUAL)
    assert said == "nets, container, [Linear(), tensor(5)], 1.00 KiB, rest on cuda:1"
    assert there.size == 512
    assert here.kind.opens


def test_its_elements_stand_in_a_table_with_their_devices(inside: Inside) -> None:
    model = elements(inside).model()
    rows = [
        [str(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]
    assert rows == [
        ["nets[0]", "model", "Linear", "0", "64 B"],
        ["nets[1]", "tensor", "5, float32", "1", "20 B"],
    ]
    assert "and 3 more" in texts(inside)


def test_an_element_is_looked_into_by_its_path(
    inside: Inside, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    table = elements(inside)
    table.setFocus()
    table.pick("nets[1]")
    press(table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [each.what for each in looks(worker)] == ["nets[1]"])
    assert "5, float32 on cuda:1" in texts(inside)
