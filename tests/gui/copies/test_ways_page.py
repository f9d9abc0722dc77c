"""The page of ways: rates over size, pointed at, compared, saved."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.gui.copies.comparison_panel import ComparisonPanel, ComparisonTable
from gpuexplorer.gui.copies.rate_plot import RatePlot
from gpuexplorer.gui.copies.results_saving import ResultsSaving
from gpuexplorer.gui.copies.sweep_rows import SIZES, SweepWay
from gpuexplorer.gui.copies.ways_page import WaysPage, WayTable
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.widgets.saving import CSV, JSON, PNG
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.hands import press, texts, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
ACROSS = SweepWay("cuda:0", "cuda:1")

Open = Callable[..., WaysPage]


class HostOnly(CopiesState):
    """Of a computer without cards."""

    def devices(self) -> Sequence[BenchDevice]:
        return [each for each in super().devices() if each.is_host]


@pytest.fixture
def open_page(lab: Lab, qtbot: QtBot) -> Iterator[Open]:
    made: list[CopiesState] = []

    def open_one(faults: str = "", kind: type[CopiesState] = CopiesState) -> WaysPage:
        spec, ordered = parse_machine("2xTitanRTX"), parse_faults(faults, 2)
        ways = Ways(lab.machine, lab.cards, lab)
        copies = kind(lab, ways, lambda: ModelBench(spec, ordered), lab)
        made.append(copies)
        copies.ways.look()
        qtbot.waitUntil(lambda: copies.ways.routes is not None)
        page = WaysPage(copies)
        qtbot.addWidget(page)
        page.resize(1300, 900)
        with qtbot.waitExposed(page):
            page.show()
        page.pull()
        return page

    yield open_one
    for each in made:
        each.end()


@pytest.fixture
def page(open_page: Open) -> WaysPage:
    return open_page()


def measure(page: WaysPage, qtbot: QtBot, run: Callable[[], None] | None = None) -> None:
    (run or page.measure)()
    qtbot.waitUntil(lambda: not page.copies.running)
    qtbot.waitUntil(lambda: primary(page).isEnabled() and page.tools[0].isEnabled())


def primary(page: WaysPage) -> QPushButton:
    button = page.tools[1]
    assert isinstance(button, QPushButton)
    return button


def chosen(page: WaysPage) -> str:
    return the(WayTable, page).accessibleDescription()


def panel(page: WaysPage, name: str) -> ComparisonPanel:
    return next(p for p in page.findChildren(ComparisonPanel) if p.comparison.name == name)


def test_ways_are_proposed_before_anything_was_measured(page: WaysPage) -> None:
    assert len(page.ways) == 4
    assert chosen(page) == "host to 0, pinned: not measured yet"
    assert primary(page).text() == "Measure"
    assert not page.tools[0].isEnabled()
    assert "Can the card compute while the bytes are under way?" in texts(page)
    assert {each.sentence for each in page.findChildren(ComparisonPanel)} == {
        "Nothing has been measured yet."
    }


def test_what_is_added_alone_is_measured_the_next_time(page: WaysPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    page.add(SweepWay("cuda:1", "cpu"))
    assert primary(page).text() == "Measure"
    assert "29 copies" in primary(page).toolTip()
    page.add(SweepWay("cuda:1", "cuda:0", Kind.STAGED))
    assert chosen(page) == "1 to 0, staged: not measured yet"


def test_arrow_keys_choose_a_way_and_delete_takes_it_out(page: WaysPage) -> None:
    table = the(WayTable, page)
    press(table, Qt.Key.Key_Down)
    said = chosen(page)
    assert not said.startswith("host to 0, pinned")
    press(table, Qt.Key.Key_Delete)
    assert len(page.ways) == 3
    assert chosen(page) != said
    for _ in range(3):
        press(table, Qt.Key.Key_Delete)
    assert page.ways == []
    assert not primary(page).isEnabled()


def test_the_crosshair_goes_from_size_to_size(page: WaysPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    plot = the(RatePlot, page)
    press(plot, Qt.Key.Key_End)
    assert plot.crosshair == 1 << 30
    press(plot, Qt.Key.Key_Left)
    assert plot.crosshair == 1 << 29
    assert "host to 0, pinned 12.3 GB/s, 43.7 ms" in plot.accessibleDescription()
    press(plot, Qt.Key.Key_Home)
    assert plot.crosshair == 4
    press(plot, Qt.Key.Key_Down)
    assert not chosen(page).startswith("host to 0, pinned")
    press(plot, Qt.Key.Key_Escape)
    assert plot.crosshair is None


def hints(plot: RatePlot) -> list[str]:
    plot.grab()
    items = plot.scene().items()
    words = [each.toPlainText() for each in items if isinstance(each, pg.TextItem)]
    spots = [each.data["data"] for each in items if isinstance(each, pg.ScatterPlotItem)]
    return [*words, *(tip for tips in spots for tip in tips)]


def test_limits_and_half_rates_are_told(page: WaysPage, qtbot: QtBot) -> None:
    plot = the(RatePlot, page)
    assert {"NVLink x2, 50.0 GB/s", "PCIe 3.0 x16, 15.8 GB/s"} <= {*hints(plot)}
    measure(page, qtbot)
    assert "host to 0, pinned: half rate at 121 KiB" in hints(plot)


def test_pointing_at_the_plot_shows_the_nearest_size(page: WaysPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    plot = the(RatePlot, page)
    QTest.mouseMove(plot.viewport(), plot.place_of(1 << 20, 1e-3).toPoint() + QPoint(3, 0))
    qtbot.waitUntil(lambda: plot.crosshair == 1 << 20)
    assert "host to 0, pinned 11.0 GB/s, 95.3 µs" in plot.accessibleDescription()
    QTest.mouseMove(plot.viewport(), QPoint(plot.width() - 2, 2))
    qtbot.waitUntil(lambda: plot.crosshair is None)


def test_a_press_on_a_curve_chooses_its_way(page: WaysPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    plot, job = the(RatePlot, page), ACROSS.job(1 << 30)
    seconds = None if job is None else page.copies.results[job].seconds
    assert seconds is not None
    place = plot.place_of(1 << 30, seconds).toPoint()
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen(page).startswith("0 to 1, NVLink")


def test_what_is_compared_is_the_pair_of_the_chosen_way(page: WaysPage, qtbot: QtBot) -> None:
    measure(page, qtbot, page.measure_comparisons)
    assert panel(page, "pinned").sentence.startswith("Pinned memory is ")
    page.choose(ACROSS)
    assert panel(page, "pieces").sentence == "Nothing has been measured yet."
    page.choose(page.ways[0])
    assert panel(page, "pieces").sentence.startswith("In 512 pieces")
    page.choose_size(1 << 20)
    assert panel(page, "pinned").sentence == "Nothing has been measured yet."


def test_a_wrong_copy_is_said_to_be_wrong_and_has_no_figure(
    open_page: Open, qtbot: QtBot
) -> None:
    page = open_page("wrong:0>1")
    page.choose(ACROSS)
    measure(page, qtbot, page.measure_comparisons)
    staged = panel(page, "staged")
    assert "arrives WRONG" in staged.sentence
    assert "as PyTorch copies: WRONG" in the(ComparisonTable, staged).accessibleName()


def test_a_computer_without_cards_has_its_own_memory(open_page: Open, qtbot: QtBot) -> None:
    page = open_page(kind=HostOnly)
    assert page.ways == [SweepWay("cpu", "cpu")]
    page.measure()
    qtbot.waitUntil(lambda: chosen(page).startswith("inside the host: 12.0 GB/s"))


def test_files_say_that_all_is_modelled(page: WaysPage, qtbot: QtBot, tmp_path: Path) -> None:
    measure(page, qtbot)
    saving = the(ResultsSaving, page)
    for kind, name in ((JSON, "ways.json"), (CSV, "ways.csv"), (PNG, "ways.png")):
        with qtbot.waitSignal(saving.done):
            saving.save_as(kind, tmp_path / name)
    told = json.loads((tmp_path / "ways.json").read_text("utf-8"))
    assert told["simulated"] is True
    assert told["modelled"] is True
    assert len(told["results"]) >= 4 * len(SIZES)
    saving.copy_table()
    assert "yes" in QGuiApplication.clipboard().text().splitlines()[1]
    with qtbot.waitSignal(saving.refused) as refused:
        saving.save_as(CSV, tmp_path)
    assert "was not saved" in refused.args[0]


def test_it_is_one_column_where_it_is_narrow(page: WaysPage, qtbot: QtBot) -> None:
    first, second = page.findChildren(ComparisonPanel)[:2]
    qtbot.waitUntil(lambda: first.y() == second.y())
    page.resize(620, 600)
    qtbot.waitUntil(lambda: first.x() == second.x() and first.y() < second.y())
    qtbot.waitUntil(lambda: the(WayTable, page).width() <= page.width())
