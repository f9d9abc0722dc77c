"""The page of rates over size: measured, pointed at, guessed, saved."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.measuring import Bench
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.copies.plan import Kind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.copies.rate_plot import RatePlot
from gpuexplorer.gui.copies.sweep_page import GuessPanel, SweepPage, WayTable
from gpuexplorer.gui.copies.sweep_rows import SIZES, SweepWay
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look, Motion
from gpuexplorer.gui.widgets.results_saving import ResultsSaving
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.hands import press, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.fixture
def copies(lab: LabState, qtbot: QtBot) -> Iterator[CopiesState]:
    spec = parse_machine("2xTitanRTX")
    copies = CopiesState(lab, Ways(lab.machine, lab.cards, lab), lambda: ModelBench(spec), lab)
    copies.ways.look()
    qtbot.waitUntil(lambda: copies.ways.routes is not None)
    yield copies
    copies.end()


class HostOnly(CopiesState):
    """Of a computer without cards."""

    def devices(self) -> Sequence[BenchDevice]:
        return [each for each in super().devices() if each.is_host]


def shown(page: SweepPage, qtbot: QtBot) -> SweepPage:
    qtbot.addWidget(page)
    page.resize(1300, 800)
    with qtbot.waitExposed(page):
        page.show()
    page.pull()
    return page


@pytest.fixture
def page(look: Look, copies: CopiesState, qtbot: QtBot) -> SweepPage:
    look.choose_motion(Motion.REDUCED)
    return shown(SweepPage(look, copies), qtbot)


def measure(page: SweepPage, qtbot: QtBot) -> None:
    page.measure()
    qtbot.waitUntil(lambda: not page.copies.running)
    qtbot.waitUntil(lambda: "GB/s" in the(WayTable, page).accessibleDescription())
    qtbot.waitUntil(page.tools[1].isEnabled)


def primary(page: SweepPage) -> QPushButton:
    button = page.tools[1]
    assert isinstance(button, QPushButton)
    return button


def test_ways_are_proposed_before_anything_was_measured(page: SweepPage) -> None:
    assert len(page.ways) == 4
    said = the(WayTable, page).accessibleDescription()
    assert said == "host to 0, pinned: not measured yet"
    assert primary(page).text() == "Measure"
    assert not page.tools[0].isEnabled()


def test_what_is_added_alone_is_measured_the_next_time(page: SweepPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    added = SweepWay("cuda:1", "cpu")
    page.add(added)
    assert page.ways[-1] == added
    assert primary(page).text() == "Measure"
    assert "29 copies" in primary(page).toolTip()


def the_button(page: SweepPage, name: str) -> QPushButton:
    found = [b for b in page.findChildren(QPushButton) if b.accessibleName() == name]
    assert len(found) == 1
    return found[0]


def test_arrow_keys_choose_a_way_and_delete_takes_it_out(page: SweepPage) -> None:
    table = the(WayTable, page)
    press(table, Qt.Key.Key_Down)
    said = table.accessibleDescription()
    assert not said.startswith("host to 0, pinned")
    press(table, Qt.Key.Key_Delete)
    assert len(page.ways) == 3
    assert table.accessibleDescription() != said
    for _ in range(3):
        press(table, Qt.Key.Key_Delete)
    assert page.ways == []
    assert not primary(page).isEnabled()


def test_the_crosshair_goes_from_size_to_size(page: SweepPage, qtbot: QtBot) -> None:
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
    assert not the(WayTable, page).accessibleDescription().startswith("host to 0, pinned")
    press(plot, Qt.Key.Key_Up)
    assert the(WayTable, page).accessibleDescription().startswith("host to 0, pinned")
    press(plot, Qt.Key.Key_Escape)
    assert plot.crosshair is None


def hints(plot: RatePlot) -> list[str]:
    plot.grab()
    items = plot.scene().items()
    words = [each.toPlainText() for each in items if isinstance(each, pg.TextItem)]
    spots = [each.data["data"] for each in items if isinstance(each, pg.ScatterPlotItem)]
    return [*words, *(tip for tips in spots for tip in tips)]


def test_limits_and_half_rates_are_told_on_pointing(page: SweepPage, qtbot: QtBot) -> None:
    plot = the(RatePlot, page)
    assert {"NVLink x2, 50.0 GB/s", "PCIe 3.0 x16, 15.8 GB/s"} <= {*hints(plot)}
    measure(page, qtbot)
    assert "host to 0, pinned: half rate at 121 KiB" in hints(plot)


def test_pointing_at_the_plot_shows_the_nearest_size(page: SweepPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    plot = the(RatePlot, page)
    place = plot.place_of(1 << 20, 1e-3).toPoint() + QPoint(3, 0)
    QTest.mouseMove(plot.viewport(), place)
    qtbot.waitUntil(lambda: plot.crosshair == 1 << 20)
    assert "1 MiB: " in plot.accessibleDescription()
    assert "host to 0, pinned 11.0 GB/s, 95.3 µs" in plot.accessibleDescription()
    QTest.mouseMove(plot.viewport(), QPoint(plot.width() - 2, 2))
    qtbot.waitUntil(lambda: plot.crosshair is None)


def test_a_press_on_a_curve_chooses_its_way(page: SweepPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    plot = the(RatePlot, page)
    result = page.copies.results[SweepWay("cuda:0", "cuda:1").job(1 << 30)]  # type: ignore[index]  # there is one
    assert result.seconds is not None
    place = plot.place_of(1 << 30, result.seconds).toPoint()
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert the(WayTable, page).accessibleDescription().startswith("0 to 1, NVLink")


def test_a_guess_is_answered_from_what_was_measured(page: SweepPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    panel = the(GuessPanel, page)
    bar = panel.slider
    press(bar, Qt.Key.Key_Right)
    said = bar.accessibleDescription()
    press(bar, Qt.Key.Key_Right)
    assert bar.accessibleDescription() != said
    press(bar, Qt.Key.Key_Return)
    assert panel.sentence.startswith("12.3 GB/s. Your guess means ")
    press(bar, Qt.Key.Key_Left)
    assert "compare" in panel.sentence


def test_where_nothing_can_be_measured_the_question_stays(
    look: Look, lab: LabState, qtbot: QtBot
) -> None:
    def refuse() -> Bench:
        raise Trouble("No Python with PyTorch has been found yet.")

    copies = CopiesState(lab, Ways(lab.machine, lab.cards, lab), refuse, lab)
    copies.ways.look()
    qtbot.waitUntil(lambda: copies.ways.routes is not None)
    page = shown(SweepPage(look, copies), qtbot)
    the(GuessPanel, page).compare()
    assert copies.sentence == "No Python with PyTorch has been found yet."
    assert "comparing measures this one size" in the(GuessPanel, page).sentence
    copies.end()


def test_a_computer_without_cards_has_its_own_memory(
    look: Look, lab: LabState, qtbot: QtBot
) -> None:
    copies = HostOnly(
        lab,
        Ways(lab.machine, lab.cards, lab),
        lambda: ModelBench(parse_machine("2xTitanRTX")),
        lab,
    )
    page = shown(SweepPage(look, copies), qtbot)
    assert page.ways == [SweepWay("cpu", "cpu")]
    page.measure()
    table = the(WayTable, page)
    qtbot.waitUntil(lambda: "12.0 GB/s" in table.accessibleDescription())
    assert table.accessibleDescription().startswith("inside the host: ")
    copies.end()


def test_the_bar_grows_only_where_things_may_move(
    page: SweepPage, look: Look, qtbot: QtBot
) -> None:
    measure(page, qtbot)
    panel = the(GuessPanel, page)
    bar = panel.slider
    panel.compare()
    assert not moves(panel)
    press(bar, Qt.Key.Key_Left)
    look.choose_motion(Motion.FULL)
    panel.compare()
    assert moves(panel)
    bar.grab()
    qtbot.waitUntil(lambda: not moves(panel))


def moves(panel: GuessPanel) -> bool:
    return panel.growing


def test_another_size_is_another_question(page: SweepPage, qtbot: QtBot) -> None:
    measure(page, qtbot)
    panel = the(GuessPanel, page)
    panel.compare()
    panel.choose_size(4096)
    assert "compare" in panel.sentence
    panel.compare()
    assert "only the start of a copy" in panel.sentence


def test_files_say_that_all_is_modelled(page: SweepPage, qtbot: QtBot, tmp_path: Path) -> None:
    measure(page, qtbot)
    saving = the(ResultsSaving, page)
    with qtbot.waitSignal(saving.done):
        saving.save_json(tmp_path / "sweep.json")
    told = json.loads((tmp_path / "sweep.json").read_text("utf-8"))
    assert told["simulated"] is True
    assert told["modelled"] is True
    assert len(told["results"]) == 4 * len(SIZES)
    with qtbot.waitSignal(saving.done):
        saving.save_csv(tmp_path / "sweep.csv")
    lines = (tmp_path / "sweep.csv").read_text("utf-8").splitlines()
    assert len(lines) == 1 + 4 * len(SIZES)
    with qtbot.waitSignal(saving.done):
        saving.save_png(tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")
    saving.copy_table()
    assert "yes" in QGuiApplication.clipboard().text().splitlines()[1]


@pytest.mark.parametrize("size", [(620, 500), (1300, 800)])
def test_it_can_be_drawn_empty_and_full(
    page: SweepPage, qtbot: QtBot, size: tuple[int, int]
) -> None:
    page.resize(*size)
    page.grab()
    measure(page, qtbot)
    page.grab()
    assert the(WayTable, page).width() <= page.width()


def test_a_way_that_was_chosen_can_be_staged(page: SweepPage) -> None:
    page.add(SweepWay("cuda:1", "cuda:0", Kind.STAGED))
    said = the(WayTable, page).accessibleDescription()
    assert said == "1 to 0, staged: not measured yet"
