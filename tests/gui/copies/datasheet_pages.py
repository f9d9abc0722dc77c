"""The page of the datasheet on simulated cards, and what is read off it."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.gui.copies.datasheet_page import DatasheetPage, OffersPanel, SheetTable
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.hands import the

NOTHING = "Nothing has been measured yet."
TITAN, RTX_4090, B200 = "NVIDIA TITAN RTX", "GeForce RTX 4090", "NVIDIA B200"

Open = Callable[..., DatasheetPage]


@pytest.fixture
def open_datasheet(lab: Lab, qtbot: QtBot) -> Iterator[Open]:
    made: list[DatasheetPage] = []

    def open_one(faults: str = "", pace: float = 0.0, width: int = 1360) -> DatasheetPage:
        spec, ordered = parse_machine("2xTitanRTX"), parse_faults(faults, 2)
        ways = Ways(lab.machine, lab.cards, lab)
        copies = CopiesState(lab, ways, lambda: ModelBench(spec, ordered, pace=pace), lab)
        ways.look()
        qtbot.waitUntil(lambda: ways.routes is not None)
        page = DatasheetPage(copies)
        made.append(page)
        qtbot.addWidget(page)
        page.resize(width, 860)
        with qtbot.waitExposed(page):
            page.show()
        # The card tells what it can do.
        qtbot.waitUntil(lambda: "Promised: 672 GB/s" in told(page)["Memory bandwidth"])
        return page

    yield open_one
    for each in made:
        each.stop()
        each.copies.end()


def measure_button(page: DatasheetPage) -> QPushButton:
    found = page.tools[1]
    assert isinstance(found, QPushButton)
    return found


def measured(page: DatasheetPage, qtbot: QtBot) -> None:
    measure_button(page).click()
    qtbot.waitUntil(lambda: not page.copies.running and len(page.copies.products) >= 2)
    qtbot.waitUntil(lambda: measure_button(page).text() == "Measure again")


def told(page: DatasheetPage) -> dict[str, str]:
    """What each row says, by its name."""
    page.pull()
    model, spoken = the(SheetTable, page).model(), Qt.ItemDataRole.AccessibleTextRole
    rows = (str(model.index(row, 0).data(spoken)) for row in range(model.rowCount()))
    return dict(row.split(": ", 1) for row in rows)


def said(model: QAbstractItemModel, row: int, column: int) -> str:
    return str(model.index(row, column).data() or "")


def about(model: QAbstractItemModel, row: int, column: int) -> str:
    role = Qt.ItemDataRole.AccessibleDescriptionRole
    return str(model.index(row, column).data(role))


def offered(page: DatasheetPage, at: int) -> list[str]:
    model = the(Table, the(OffersPanel, page)).model()
    return [said(model, row, at) for row in range(model.rowCount())]


def run(page: DatasheetPage, words: str) -> None:
    """As from the list of all commands."""
    next(command for said, _, command in page.commands() if said == words)()
