"""The page of the datasheet: what a card promises, and what it reached here."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import POWER_DRAW
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.copies.datasheet_page import DatasheetPage, SheetTable
from gpuexplorer.gui.copies.results_saving import ResultsSaving
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.widgets.saving import CSV, JSON, PNG
from gpuexplorer.lab.wire import ProductJob
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.facts import Fact
from tests.gui.copies.datasheet_pages import (
    NOTHING,
    RTX_4090,
    TITAN,
    Open,
    about,
    measure_button,
    measured,
    run,
    said,
    told,
)
from tests.gui.hands import press, texts, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)")


def test_before_measuring_it_says_what_is_promised_and_by_whom(open_datasheet: Open) -> None:
    page = open_datasheet()
    assert len(told(page)) == 9
    assert told(page)["Memory bandwidth"] == "promised 672 GB/s, not measured yet"
    assert {NOTHING, f"{TITAN}, 24.0 GiB"} <= {*texts(page)}
    assert "modelled" not in texts(page)
    assert measure_button(page).text() == "Measure"


def test_what_was_measured_while_nobody_looked_is_seen_on_coming_back(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet()
    page.hide()
    page.measure()
    qtbot.waitUntil(lambda: not page.copies.running and len(page.copies.products) >= 2)
    page.show()
    assert measure_button(page).text() == "Measure again"
    assert NOTHING not in texts(page)
    memory = about(the(SheetTable, page).model(), 0, 0)
    assert memory.startswith("Bytes read and written")
    assert "Promised: 672 GB/s (the device says: 384 bit at 7001 MHz" in memory
    assert "Reached: 590 GB/s" in memory
    assert "Watts: modelled: nothing was copied." in memory


def test_the_row_that_is_measured_says_so_and_can_be_stopped(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet(pace=30.0)
    page.measure()
    model = the(SheetTable, page).model()
    qtbot.waitUntil(lambda: "measuring" in [said(model, row, 2) for row in range(9)])
    assert not measure_button(page).isEnabled()
    page.copies.stop()
    qtbot.waitUntil(lambda: measure_button(page).isEnabled())
    assert NOTHING in texts(page)


def test_a_wrong_copy_has_no_figure(open_datasheet: Open, qtbot: QtBot) -> None:
    page = open_datasheet("wrong:0>1")
    measured(page, qtbot)
    peer = "Peer link, one way to card 1"
    assert told(page)[peer] == "what arrived was WRONG, and a wrong copy has no rate"
    assert f"{peer}: the result was WRONG, so it has no figure." in texts(page)
    assert said(the(SheetTable, page).model(), 3, 2) == "WRONG"
    page.grab()


def test_a_card_that_is_lost_says_so_in_its_rows(open_datasheet: Open, qtbot: QtBot) -> None:
    page = open_datasheet("lost:0@0s")
    page.measure()
    qtbot.waitUntil(lambda: "cuda:0 is lost" in told(page)["FP32 products"])
    assert "Card 0 reaches" not in " ".join(texts(page))


def test_why_nothing_can_be_measured_is_said(lab: LabState, qtbot: QtBot) -> None:
    def no_bench() -> ModelBench:
        raise Trouble("No Python with PyTorch has been found.", "Install it.")

    copies = CopiesState(lab, Ways(lab.machine, lab.cards, lab), no_bench, lab)
    page = DatasheetPage(copies)
    qtbot.addWidget(page)
    page.pull()
    page.measure()
    assert copies.sentence == "No Python with PyTorch has been found. Install it."
    assert measure_button(page).isEnabled()
    page.stop()
    copies.end()


def test_rows_are_reached_by_the_keyboard(open_datasheet: Open) -> None:
    page = open_datasheet()
    rows = the(SheetTable, page)
    rows.setFocus()
    before = rows.grab().toImage()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Up):
        press(rows, key)
    assert rows.grab().toImage() != before
    assert QToolTip.text().startswith("Half precision, summed up")
    QToolTip.hideText()


class WatchedBench(ModelBench):
    """Says of each product when it was made, and nothing of what it drew."""

    def __init__(self, lab: LabState) -> None:
        super().__init__(parse_machine("2xTitanRTX"))
        self._session = lab.machine.session

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
        began, drawn = self._session.clock.now(), threading.Semaphore(0)

        def hear(fact: Fact) -> None:
            if isinstance(fact, Sample) and POWER_DRAW in fact.values:
                drawn.release()

        self._session.attach(hear)
        for _ in range(6):
            assert drawn.acquire(timeout=5)
        self._session.detach(hear)
        result = super().measure_product(job, on_sampled)
        # The first second does not count: it is of the time before.
        return replace(result, watts=None, loaded=(began - 1.0, self._session.clock.now()))


def test_what_a_card_drew_is_read_while_it_multiplies(lab: LabState, qtbot: QtBot) -> None:
    ways = Ways(lab.machine, lab.cards, lab)
    ways.look()
    copies = CopiesState(lab, ways, lambda: WatchedBench(lab), lab)
    page = DatasheetPage(copies)
    qtbot.addWidget(page)
    page.show()
    page.measure()
    qtbot.waitUntil(lambda: told(page)["FP32 products"].endswith(" W"))
    qtbot.waitUntil(lambda: not copies.running)
    page.stop()
    copies.end()


def test_files_have_what_is_seen_and_say_that_it_is_modelled(
    open_datasheet: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_datasheet()
    page.turn(RTX_4090)
    measured(page, qtbot)
    saving = the(ResultsSaving, page)
    for number, kind in enumerate((JSON, CSV, PNG), 1):
        with qtbot.waitSignal(saving.done):
            saving.save_as(kind, tmp_path / f"sheet.{number}")
    found = json.loads((tmp_path / "sheet.1").read_text("utf-8"))
    assert (found["simulated"], found["modelled"], found["card"]) == (True, True, TITAN)
    assert [card["name"] for card in found["beside"]] == [RTX_4090]
    lines = (tmp_path / "sheet.2").read_text("utf-8").splitlines()
    assert any("memory bandwidth" in line and TITAN in line for line in lines)
    assert any(RTX_4090 in line for line in lines)
    assert (tmp_path / "sheet.3").read_bytes().startswith(b"\x89PNG")
    run(page, "Copy datasheet as a table")
    assert QGuiApplication.clipboard().text().splitlines() == lines


def test_everything_has_a_name_for_readers_of_screens(open_datasheet: Open) -> None:
    page = open_datasheet(width=740)
    assert the(SheetTable, page).width() <= page.width()
    for each in page.findChildren(QWidget):
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisible():
            assert each.accessibleName(), type(each).__name__
