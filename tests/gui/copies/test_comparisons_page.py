"""The page of comparisons: measured one by one or all, for the pair that is chosen."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.gui.copies.comparisons_page import (
    ComparisonPanel,
    ComparisonsPage,
    ComparisonTable,
)
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.results_saving import ResultsSaving
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.hands import texts, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
NOTHING = "Nothing has been measured yet."

Open = Callable[..., ComparisonsPage]


@pytest.fixture
def open_page(look: Look, lab: LabState, qtbot: QtBot) -> Iterator[Open]:
    made: list[CopiesState] = []

    def open_one(faults: str = "") -> ComparisonsPage:
        spec = parse_machine("2xTitanRTX")
        ordered = parse_faults(faults, 2)
        copies = CopiesState(
            lab, Ways(lab.machine, lab.cards, lab), lambda: ModelBench(spec, ordered), lab
        )
        made.append(copies)
        copies.ways.look()
        page = ComparisonsPage(look, copies)
        qtbot.addWidget(page)
        page.resize(1300, 800)
        with qtbot.waitExposed(page):
            page.show()
        page.pull()
        return page

    yield open_one
    for each in made:
        each.end()


def panel(page: ComparisonsPage, name: str) -> ComparisonPanel:
    return next(p for p in page.findChildren(ComparisonPanel) if p.comparison.name == name)


def measured(page: ComparisonsPage, qtbot: QtBot) -> None:
    button = page.tools[1]
    assert isinstance(button, QPushButton)
    page.measure()
    qtbot.waitUntil(lambda: not page.copies.running)
    qtbot.waitUntil(lambda: button.text() == "Measure all again")


def test_before_measuring_each_panel_asks_its_question(open_page: Open) -> None:
    page = open_page()
    panels = page.findChildren(ComparisonPanel)
    assert len(panels) == 6
    assert {each.sentence for each in panels} == {NOTHING}
    assert "Can the card compute while the bytes are under way?" in texts(page)
    assert not page.tools[0].isEnabled()


def test_another_pair_has_figures_of_its_own(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    measured(page, qtbot)
    page.choose("cuda:0", "cuda:1", 64 << 20)
    assert panel(page, "layout").sentence == NOTHING
    page.choose("cpu", "cuda:0", 256 << 20)
    assert panel(page, "layout").sentence != NOTHING


def test_a_wrong_copy_is_said_to_be_wrong_and_has_no_figure(
    open_page: Open, qtbot: QtBot
) -> None:
    page = open_page("wrong:0>1")
    page.choose("cuda:0", "cuda:1", 256 << 20)
    measured(page, qtbot)
    staged = panel(page, "staged")
    assert "arrives WRONG" in staged.sentence
    assert "as PyTorch copies: WRONG" in the(ComparisonTable, staged).accessibleName()
    page.grab()


def test_it_is_one_column_where_it_is_narrow(open_page: Open, qtbot: QtBot) -> None:
    page = open_page()
    first, second = page.findChildren(ComparisonPanel)[:2]
    qtbot.waitUntil(lambda: first.y() == second.y())
    page.resize(700, 600)
    qtbot.waitUntil(lambda: first.x() == second.x() and first.y() < second.y())
    page.grab()


def test_files_have_what_is_seen(open_page: Open, qtbot: QtBot, tmp_path: Path) -> None:
    page = open_page()
    measured(page, qtbot)
    saving = the(ResultsSaving, page)
    with qtbot.waitSignal(saving.done):
        saving.save_json(tmp_path / "comparisons.json")
    told = json.loads((tmp_path / "comparisons.json").read_text("utf-8"))
    modes = {each["mode"] for each in told["results"]}
    assert {"copy", "fresh", "staged", "blocking", "overlap", "strided", "converted"} == modes
    assert told["modelled"] is True
    with qtbot.waitSignal(saving.done):
        saving.save_png(tmp_path / "comparisons.png")


def test_a_place_that_cannot_be_written_is_said(
    open_page: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_page()
    measured(page, qtbot)
    saving = the(ResultsSaving, page)
    with qtbot.waitSignal(saving.refused) as told:
        saving.save_csv(tmp_path)
    assert "was not saved" in told.args[0]
