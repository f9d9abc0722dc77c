"""The page of ways: rates over size, pointed at, compared, saved."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.jobs import Kind
from gpuexplorer.gui.copies.copies_page import ResultsSaving
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.copies.ways_facts import SIZES, SweepRow, SweepWay
from gpuexplorer.gui.copies.ways_page import ComparisonPanel, RatePlot, WaysPage
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.saving import CSV, JSON, PNG
from tests.gui.hands import press, texts, the

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
DOWN, ACROSS = SweepWay("cpu", "cuda:0"), SweepWay("cuda:0", "cuda:1")
NOTHING = "Nothing has been measured yet."


@pytest.fixture
def page(view: CopiesView, qtbot: QtBot) -> WaysPage:
    view.open_page("sweep")
    page = the(WaysPage, view)
    qtbot.waitUntil(lambda: bool(page.ways))
    return page


def measure(page: WaysPage, qtbot: QtBot, run: Callable[[], None] | None = None) -> None:
    (run or page.measure)()
    qtbot.waitUntil(lambda: not page.copies.running and primary(page).isEnabled())
    qtbot.waitUntil(page.tools[0].isEnabled)


def primary(page: WaysPage) -> QPushButton:
    button = page.tools[1]
    assert isinstance(button, QPushButton)
    return button


def table(page: WaysPage) -> Table[SweepRow]:
    tables: Sequence[Table[SweepRow]] = page.findChildren(Table)
    return next(each for each in tables if each.accessibleName() == "Ways that are compared")


def chosen(page: WaysPage) -> list[str]:
    _, [[*_, name, top, share, half, floor]] = table(page).texts(table(page).picked())
    return [name, top, share, half, floor]


def panel(page: WaysPage, title: str) -> ComparisonPanel:
    panels = page.findChildren(ComparisonPanel)
    return next(each for each in panels if each.accessibleName() == title)


def sentence(panel: ComparisonPanel) -> str:
    bold = look().letters.strong.font
    return next(each.text() for each in panel.findChildren(QLabel) if each.font() == bold)


def told(panel: ComparisonPanel) -> list[list[str]]:
    bars = the(Table, panel)
    return bars.texts(bars.listed.things)[1]


def test_ways_are_proposed_before_anything_was_measured(page: WaysPage) -> None:
    assert len(page.ways) == 4
    assert chosen(page) == ["host to 0, pinned", *"––––"]
    assert primary(page).text() == "Measure"
    assert not page.tools[0].isEnabled()
    assert "Can the card compute while the bytes are under way?" in texts(page)
    assert {sentence(each) for each in page.findChildren(ComparisonPanel)} == {NOTHING}


def test_what_is_added_alone_is_measured_the_next_time(page: WaysPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    assert chosen(page) == ["host to 0, pinned", "12.3", "78 %", "121 KiB", "10.0 µs"]
    page.add(SweepWay("cuda:1", "cuda:0", Kind.STAGED))
    assert primary(page).text() == "Measure"
    assert "29 copies" in primary(page).toolTip()
    assert chosen(page)[0] == "1 to 0, staged"


def test_arrow_keys_choose_a_way_and_delete_takes_it_out(page: WaysPage) -> None:
    table(page).setFocus()
    press(table(page), Qt.Key.Key_Down)
    second = chosen(page)[0]
    assert second != "host to 0, pinned"
    press(table(page), Qt.Key.Key_Delete)
    assert len(page.ways) == 3
    assert chosen(page)[0] != second
    for _ in range(3):
        press(table(page), Qt.Key.Key_Delete)
    assert page.ways == []
    assert not primary(page).isEnabled()


def test_limits_are_told_and_the_crosshair_goes_from_size_to_size(
    page: WaysPage, qtbot: QtBot
) -> None:
    measure(page, qtbot)
    plot = the(RatePlot, page)
    words = [
        each.toPlainText() for each in plot.scene().items() if isinstance(each, pg.TextItem)
    ]
    assert {"50.0 GB/s: 2 NVLinks of generation 2", "15.8 GB/s: PCIe 3.0 x16"} <= {*words}
    press(plot, Qt.Key.Key_End)
    press(plot, Qt.Key.Key_Left)
    assert "host to 0, pinned 12.3 GB/s, 43.7 ms" in plot.accessibleDescription()
    press(plot, Qt.Key.Key_Home)
    assert plot.crosshair == 4
    press(plot, Qt.Key.Key_Down)
    assert chosen(page)[0] != "host to 0, pinned"
    press(plot, Qt.Key.Key_Escape)
    assert plot.crosshair is None


def place(plot: RatePlot, size: int, rate: float) -> QPoint:
    view = next(each for each in plot.scene().items() if isinstance(each, pg.ViewBox))
    where: QPointF = view.mapViewToScene(QPointF(math.log2(size), math.log10(rate)))
    return where.toPoint()


def test_what_is_compared_is_the_pair_of_the_chosen_way(page: WaysPage, qtbot: QtBot) -> None:
    pinned, pieces = panel(page, "Pinned or pageable"), panel(page, "One large or many small")
    measure(page, qtbot, page.measure_comparisons)
    assert sentence(pinned).startswith("The faster way is pinned")
    assert told(pinned) == [["pinned", "12.3 GB/s"], ["pageable", "6.00 GB/s"]]
    page.choose(ACROSS)
    assert sentence(pieces) == NOTHING
    page.choose(page.ways[0])
    assert sentence(pieces).startswith("In 512 pieces")
    page.choose_size(1 << 20)
    assert sentence(pinned) == NOTHING


@pytest.mark.parametrize("faults", ["wrong:0>1"])
def test_a_wrong_copy_is_said_to_be_wrong_and_has_no_figure(
    page: WaysPage, qtbot: QtBot
) -> None:
    page.choose(ACROSS)
    measure(page, qtbot, page.measure_comparisons)
    staged = panel(page, "Direct or through the host")
    assert "arrives WRONG" in sentence(staged)
    assert told(staged)[0] == ["PyTorch's own copy", ""]
    measure(page, qtbot)
    assert chosen(page)[:2] == ["0 to 1, NVLink x2", "WRONG"]


def test_files_say_that_all_is_modelled(page: WaysPage, qtbot: QtBot, tmp_path: Path) -> None:
    measure(page, qtbot)
    saving = the(ResultsSaving, page)
    for kind, name in ((JSON, "ways.json"), (CSV, "ways.csv"), (PNG, "ways.png")):
        with qtbot.waitSignal(saving.done):
            saving.save_as(kind, tmp_path / name)
    told = json.loads((tmp_path / "ways.json").read_text("utf-8"))
    assert (told["simulated"], told["modelled"]) == (True, True)
    assert len(told["results"]) >= 4 * len(SIZES)
    saving.copy_table()
    assert "yes" in QGuiApplication.clipboard().text().splitlines()[1]
    with qtbot.waitSignal(saving.refused) as refused:
        saving.save_as(CSV, tmp_path)
    assert "was not saved" in refused.args[0]
