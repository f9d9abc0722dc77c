"""Pages of the matrix for tests, and what a person does with them."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.gui.copies.matrix.matrix_page import MatrixPage
from gpuexplorer.gui.copies.matrix.pair_views import FactGrid, PairTable
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import Motion, look
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.hands import texts, the

HOST_TO_0, THERE = ("cpu", "cuda:0"), ("cuda:0", "cuda:1")


OpenMatrix = Callable[..., MatrixPage]
OnSampled = Callable[[int, int], None]


@pytest.fixture
def kept_jobs() -> list[CopyJob]:
    return []


@pytest.fixture
def open_matrix(lab: Lab, qtbot: QtBot, kept_jobs: list[CopyJob]) -> Iterator[OpenMatrix]:
    opened: list[CopiesState] = []

    def open_one(faults: str = "", width: int = 1360, height: int = 860) -> MatrixPage:
        look().motion_wanted = Motion.REDUCED
        spec = parse_machine("2xTitanRTX")

        class KeepingBench(ModelBench):
            def measure(self, job: CopyJob, on_sampled: OnSampled) -> CopyResult:
                kept_jobs.append(job)
                return super().measure(job, on_sampled)

        def make_bench() -> ModelBench:
            return KeepingBench(spec, parse_faults(faults, 2))

        copies = CopiesState(lab, Ways(lab.machine, lab.cards, lab), make_bench, lab)
        opened.append(copies)
        copies.ways.look()
        qtbot.waitUntil(lambda: copies.route(*THERE) is not None)
        page = MatrixPage(copies)
        qtbot.addWidget(page)
        page.resize(width, height)
        with qtbot.waitActive(page):
            page.show()
            page.activateWindow()
        return page

    yield open_one
    for copies in opened:
        copies.end()


def maps(page: MatrixPage) -> tuple[PairTable, PairTable]:
    measured, promised = page.findChildren(PairTable)
    assert measured.accessibleName() == "Measured between every two devices"
    assert promised.accessibleName() == "Promised between every two devices"
    return measured, promised


def told(page: MatrixPage, pair: tuple[str, str]) -> str:
    return maps(page)[0].pairs.words(pair)[1]


def facts(page: MatrixPage) -> str:
    return the(FactGrid, page).accessibleDescription()


def settle(page: MatrixPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not page.copies.running)
    page.pull()


def measure_all(page: MatrixPage, qtbot: QtBot, words: str = "") -> None:
    """And waits for words that follow from it."""
    QTest.mouseClick(page.tools[-1], Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    qtbot.waitUntil(lambda: any(words in each for each in texts(page)))


def choose(page: MatrixPage, words: str) -> None:
    buttons = [each for each in page.findChildren(ToolButton) if each.isVisible()]
    [segment] = [each for each in buttons if each.text() == words]
    QTest.mouseClick(segment, Qt.MouseButton.LeftButton)


def colours(widget: QWidget) -> set[str]:
    image = widget.grab().toImage()
    steps = range(2, image.width(), 5), range(2, image.height(), 5)
    return {image.pixelColor(x, y).name() for x in steps[0] for y in steps[1]}


def place_of(table: PairTable, pair: tuple[str, str]) -> QRect:
    """In the viewport."""
    return table.place(table.pairs.index_of(pair)).toAlignedRect()


def chosen_in(table: PairTable) -> tuple[str, str] | None:
    return table.pairs.pair(table.currentIndex())


def choose_cell(table: PairTable, pair: tuple[str, str]) -> None:
    """By a click on it."""
    at = place_of(table, pair).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
