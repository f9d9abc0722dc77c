"""The page of the datasheet on simulated cards, and what is read off it."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.gui.copies.datasheet.beside_panel import BesideTable, OtherName
from gpuexplorer.gui.copies.datasheet.offers_panel import OffersTable
from gpuexplorer.gui.copies.datasheet.sheet_panel import SheetTable
from gpuexplorer.gui.copies.datasheet.view import DatasheetPage
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
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
        page.pull()
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
    qtbot.waitUntil(lambda: not page.copies.running and "Measure again" in button_words(page))
    qtbot.waitUntil(lambda: len(page.copies.products) >= 2)
    page.pull()


def asked(page: DatasheetPage, qtbot: QtBot) -> None:
    """The card has told what it can do."""

    def has_told() -> bool:
        page.pull()
        return "device: 384 bit" in the(SheetTable, page).rows[0].source

    qtbot.waitUntil(has_told)


def names_beside(page: DatasheetPage) -> list[OtherName]:
    return [each for each in page.findChildren(OtherName) if each.isVisible()]


def others(page: DatasheetPage) -> list[str]:
    return list(page.others)


def button_words(page: DatasheetPage) -> str:
    return measure_button(page).text()


def told(page: DatasheetPage) -> dict[str, str]:
    """What each row says, by its name."""
    return {row.words: row.said for row in the(SheetTable, page).rows}


def beside(page: DatasheetPage) -> str:
    return the(BesideTable, page).accessibleDescription()


def column(page: QWidget, at: int) -> list[str]:
    model = the(OffersTable, page).model()
    return [str(model.index(row, at).data() or "") for row in range(model.rowCount())]


def run(page: DatasheetPage, words: str) -> None:
    """As from the list of all commands."""
    next(command for said, _, command in page.commands() if said == words)()
