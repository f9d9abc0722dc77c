"""The matrix: measured, chosen, told, taken along; a lost card, and very many devices."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.findings import Finding, Matter
from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.modelled import ModelBench, routes_of_simulated
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.copies.matrix.matrix_page import MatrixPage
from gpuexplorer.gui.copies.matrix.pair_facts import (
    MOST_SAID,
    AskedPath,
    Head,
    MatrixQuestion,
    PairDetails,
    callouts_of,
    details_of,
    measured_cell,
    path_words,
    promised_cell,
    share_cell,
    wrong_cell,
)
from gpuexplorer.gui.copies.matrix.pair_views import FactGrid, PairPanel, PairTable
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import Motion, look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.pair_grid import CellState, HeatScale, Pair, PairCell
from gpuexplorer.gui.widgets.saving import PlotNote
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.hands import click, press, texts, the
from tests.gui.pixels import colours_of

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


def place_of(table: PairTable, pair: tuple[str, str]) -> QRect:
    """In the viewport."""
    return table.place(table.pairs.index_of(pair)).toAlignedRect()


def chosen_in(table: PairTable) -> tuple[str, str] | None:
    return table.pairs.pair(table.currentIndex())


def choose_cell(table: PairTable, pair: tuple[str, str]) -> None:
    """By a click on it."""
    at = place_of(table, pair).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_what_was_measured_is_there_in_both_themes_and_on_the_clipboard(
    open_matrix: OpenMatrix, qtbot: QtBot
) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    assert page.tools[-1].isEnabled()
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        for each in maps(page):
            assert len(colours_of(each.grab().toImage(), 5)) > 12
    page.copy_text()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("SIMULATED")
    assert "cuda:0\t12.3\t295\t45.9" in text


def test_a_wrong_copy_leads_to_its_cell_its_cures_and_a_report(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob], lab: Lab, tmp_path: Path
) -> None:
    page = open_matrix("wrong:0>1")
    measure_all(page, qtbot, "came as zeros")
    name = "1: Card 0 to card 1: Arrives WRONG"
    [head] = [each for each in page.findChildren(QWidget) if each.accessibleName() == name]
    head.setFocus(Qt.FocusReason.TabFocusReason)
    press(head, Qt.Key.Key_Space)
    assert "Card 0 to card 1" in texts(page)
    assert any("It arrives WRONG" in each for each in texts(the(PairPanel, page)))
    click(page, "In the lab, through the host")
    assert lab.switches.by_host == {THERE}
    click(page, "In the lab, directly again")
    assert lab.switches.by_host == frozenset()
    kept_jobs.clear()
    click(page, "Measure again")
    settle(page, qtbot)
    assert [(each.source, each.target) for each in kept_jobs] == [THERE]
    path = tmp_path / "wrong.txt"
    click(page, "Save a report")
    [dialog] = page.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
    qtbot.waitUntil(lambda: the(PlotNote, page).accessibleName() == f"Saved to {path}.")
    report = path.read_text("utf-8")
    for words in (
        "SIMULATED",
        "Card 0 to card 1 (cuda:0, cuda:1), 256 MiB (268435456 bytes), one-way: It arrives",
        "In 3 of 7 rounds",
        "staged: not wrong, 8.60 GB/s",
        "Card 1 to card 0 (cuda:1, cuda:0), 256 MiB (268435456 bytes), one-way: not wrong",
        "iommu=pt",
    ):
        assert words in report


def test_keys_go_from_cell_to_cell_and_to_measuring_just_this_one(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob]
) -> None:
    page = open_matrix()
    measured = maps(page)[0]
    measured.setFocus(Qt.FocusReason.TabFocusReason)
    assert chosen_in(measured) == HOST_TO_0
    press(measured, Qt.Key.Key_Down)
    press(measured, Qt.Key.Key_Right)
    press(measured, Qt.Key.Key_Right)
    assert chosen_in(measured) == THERE
    assert "Card 0 to card 1" in texts(page)
    press(measured, Qt.Key.Key_Left)
    press(measured, Qt.Key.Key_Return)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Measure this one"
    press(focused, Qt.Key.Key_Space)
    settle(page, qtbot)
    assert [(each.source, each.target) for each in kept_jobs] == [("cuda:0", "cuda:0")]
    qtbot.waitUntil(lambda: "Median: 295 GB/s" in facts(page))
    press(measured, Qt.Key.Key_Escape)
    assert "One pair" in texts(page)
    assert any("Click a cell" in each for each in texts(page))


def test_a_click_in_one_map_chooses_in_both_and_ratios_are_other_figures(
    open_matrix: OpenMatrix, qtbot: QtBot
) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    for each in maps(page):
        for pair, title in ((THERE[::-1], "Card 1 to card 0"), (THERE, "Card 0 to card 1")):
            choose_cell(each, pair)
            assert title in texts(page)
    before = maps(page)[1].grab().toImage()
    choose(page, "Ratio")
    assert "% of it measured" in texts(page)
    assert maps(page)[1].grab().toImage() != before
    assert "Way: NVLink x2" in facts(page)
    assert "Of the limit: 92 %" in facts(page)
    before = maps(page)[0].grab().toImage()
    pointed = place_of(maps(page)[0], ("cuda:1", "cuda:0")).center()
    QTest.mouseMove(maps(page)[0].viewport(), pointed + QPoint(1, 1))
    qtbot.waitUntil(lambda: maps(page)[0].grab().toImage() != before)


SECOND = ("cpu", "cuda:1")


@pytest.mark.parametrize("faults", ["lost:1@0s"])
def test_the_row_of_a_lost_card_stays_with_the_reason_and_is_not_measured(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob], lab: Lab
) -> None:
    session = lab.machine.session

    def is_lost() -> bool:
        reading = session.reading(session.cards()[1].id)
        return reading is not None and reading.state is CardState.LOST

    qtbot.waitUntil(is_lost)
    page = open_matrix()
    assert ("cuda:1", "cuda:1") in maps(page)[0].pairs.cells
    measure_all(page, qtbot)
    assert {(each.source, each.target) for each in kept_jobs} == {
        (one, other) for one in ("cpu", "cuda:0") for other in ("cpu", "cuda:0")
    }
    assert "Card 1: The driver has lost this card" in told(page, SECOND)
    assert "Card 1 cannot be measured now; its cells say why" in texts(page)
    panel = the(PairPanel, page)
    choose_cell(maps(page)[0], SECOND)
    assert not panel.measure.isVisible()
    assert any("lost this card" in each for each in texts(panel))
    choose_cell(maps(page)[0], ("cpu", "cuda:0"))
    assert panel.measure.isVisible()


CARDS, SCALE = 64, HeatScale(25 / 4, 400)


def heads(cards: int) -> list[Head]:
    names = [Head(f"cuda:{n}", str(n), n if cards < 9 else None, "") for n in range(cards)]
    return [Head("cpu", "H", None, "Host", words="host"), *names]


def map_of(cards: int, qtbot: QtBot, side: int = 520) -> PairTable:
    made = PairTable("Map", lambda pair: (" to ".join(pair), ""))
    qtbot.addWidget(made)
    made.resize(side, side)
    made.show_heads(heads(cards))
    made.show_cells(cells(cards), SCALE)
    return made


def cells(cards: int) -> dict[Pair, PairCell]:
    names = [head.name for head in heads(cards)]
    told: dict[Pair, PairCell] = {}
    for row, one in enumerate(names):
        for column, other in enumerate(names):
            rate = 400.0 if row // 8 == column // 8 else 25.0
            state = CellState.LOCAL if one == other else CellState.FIGURE
            told[one, other] = PairCell(state, f"{rate:.0f}", rate)
    if cards > 8:
        told["cuda:40", "cuda:3"] = wrong_cell()
    return told


def painted(made: PairTable) -> QImage:
    return made.viewport().grab().toImage()


@pytest.mark.parametrize("side", [520, 300])
def test_65_devices_fit_and_all_can_be_pointed_at(qtbot: QtBot, side: int) -> None:
    made = map_of(CARDS, qtbot, side)
    chosen: list[Pair] = []
    made.chosen.connect(chosen.append)
    pairs = [("cpu", "cpu"), ("cuda:31", "cuda:32"), ("cuda:63", "cuda:63")]
    for pair in pairs:
        assert made.viewport().rect().contains(place_of(made, pair))
        choose_cell(made, pair)
    assert chosen == pairs


def test_pages_and_ends_are_reached_by_keys(qtbot: QtBot) -> None:
    made = map_of(CARDS, qtbot)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.show_chosen(("cpu", "cpu"))
    press(made, Qt.Key.Key_PageDown)
    press(made, Qt.Key.Key_End)
    assert chosen_in(made) == ("cuda:7", "cuda:63")
    press(made, Qt.Key.Key_End, control=True)
    assert chosen_in(made) == ("cuda:63", "cuda:63")
    made.hide()


DEVICES = ("cpu", "cuda:0", "cuda:1")

BY_NAME = {
    "cpu": Head("cpu", "H", None, "Host", words="host"),
    "cuda:0": Head("cuda:0", "0", 0, "Card 0", words="card 0"),
    "cuda:1": Head("cuda:1", "1", 1, "Card 1", words="card 1"),
}
ACROSS, INSIDE = ("cuda:0", "cuda:1"), ("cuda:0", "cuda:0")
LOCAL, FIGURE = CellState.LOCAL, CellState.FIGURE
PLAIN, BOTH = MatrixQuestion(), MatrixQuestion(kind=Kind.BOTH_WAYS)
LATENCY = MatrixQuestion(kind=Kind.LATENCY)


def measured(question: MatrixQuestion, pair: tuple[str, str], faults: str = "") -> CopyResult:
    bench = ModelBench(parse_machine("2xTitanRTX"), parse_faults(faults, 2))
    return bench.measure(question.jobs(DEVICES)[pair], lambda *_: None)


def said(details: PairDetails) -> str:
    return "; ".join(row.said for row in details.rows)


def test_one_way_asks_every_ordered_pair_and_each_device_with_itself() -> None:
    jobs, other = PLAIN.jobs(DEVICES), MatrixQuestion(pinned=False).jobs(DEVICES)
    assert len(jobs) == 9
    changed = {pair for pair in jobs if jobs[pair] != other[pair]}
    assert changed == {pair for pair in jobs if (pair[0] == "cpu") != (pair[1] == "cpu")}


def test_what_goes_through_the_host_is_not_shown_as_direct() -> None:
    bench = ModelBench(parse_machine("2xRTX4090+pcie"))
    question = MatrixQuestion(way=AskedPath.DIRECT)
    result = bench.measure(question.jobs(DEVICES)[ACROSS], lambda *_: None)
    assert measured_cell(question, result).state is CellState.NONE
    told = details_of(question, result, None).sentences
    assert "goes through host memory" in " ".join(told)


def test_a_wrong_copy_has_no_figure_anywhere() -> None:
    result = measured(PLAIN, ACROSS, "wrong:0>1")
    cell = measured_cell(PLAIN, result)
    assert (cell.state, cell.text, cell.value) == (CellState.WRONG, "WRONG", None)
    assert share_cell(result).state is CellState.WRONG
    details = details_of(PLAIN, result, None)
    assert "came as zeros" in details.bad
    assert "Median" not in said(details)
    assert "One by one" not in said(details)


@pytest.mark.parametrize(
    ("question", "pair", "words"),
    [
        (PLAIN, ACROSS, "Median: 45.9 GB/s one way; Slowest, fastest: "),
        (PLAIN, ACROSS, "Time of one copy: 5.84 ms of the device"),
        (PLAIN, ACROSS, "Way: NVLink x2; Limit: 50.0 GB/s one way: 2 NVLinks"),
        (PLAIN, ACROSS, "Of the limit: 92 %"),
        (PLAIN, ACROSS, "Samples: 7 of one copy each; One by one: "),
        (PLAIN, INSIDE, "Median: 295 GB/s; "),
        (PLAIN, ("cpu", "cpu"), "Limit: it is not known how fast the memory of the computer"),
        (
            BOTH,
            ("cpu", "cuda:0"),
            "The other way: 9.09 GB/s at the same time; Both together: 18.2",
        ),
        (LATENCY, ("cpu", "cuda:0"), "Median: 10.00 µs; Slowest, fastest: 10."),
    ],
)
def test_all_figures_of_a_result_are_told(
    question: MatrixQuestion, pair: tuple[str, str], words: str
) -> None:
    result = measured(question, pair)
    details = details_of(question, result, result.route)
    assert words in said(details)
    local = pair[0] == pair[1]
    assert measured_cell(question, result).state is (LOCAL if local else FIGURE)
    assert "Modelled: no bytes were moved." in details.sentences


def test_what_memory_carried_and_why_no_limit_is_known_is_said() -> None:
    details = details_of(PLAIN, measured(PLAIN, INSIDE), None)
    assert "Copied bytes count once: memory traffic is 590 GB/s." in details.sentences
    result = measured(PLAIN, ("cpu", "cpu"))
    why = "it is not known how fast the memory of the computer is"
    assert f"No limit: {why}." in details_of(PLAIN, result, None).sentences
    assert why in details_of(PLAIN, None, result.route).said
    assert promised_cell(result.route).text == "–"


def test_ways_that_did_not_run_together_have_no_sum_and_what_was_compared_is_said() -> None:
    modelled = measured(BOTH, ("cpu", "cuda:0"))
    seen = replace(modelled.seen, modelled=False, intact=True, overlap=0.1, compared_samples=3)
    details = details_of(BOTH, replace(modelled, measured=seen), None)
    assert "The other way: 9.09 GB/s, 10 % of it at the same time" in said(details)
    assert "Both together" not in said(details)
    assert details.sentences[:2] == [
        "What arrived is intact.",
        "The last copy of each of 3 samples was compared with what was sent.",
    ]


BUSY = Message("Busy")


def test_of_many_findings_a_dozen_is_told_and_a_card_carries_its_number_to_the_host() -> None:
    cells = (("cuda:0", "cuda:1"), ("cuda:1", "cpu"), ("cpu", "cuda:1"))
    narrow = Finding(Matter.NARROW, BUSY, NOTHING, cells, ("cuda:1",))
    many = [Finding(Matter.BUSY, BUSY, NOTHING, (("cpu", f"cuda:{n}"),)) for n in range(40)]
    told = callouts_of([narrow, *many])
    assert len(told) == MOST_SAID
    assert set(told[0].cells) == {("cuda:1", "cpu"), ("cpu", "cuda:1")}


def test_the_path_is_told_place_by_place() -> None:
    routes = routes_of_simulated(parse_machine("2xTitanRTX"))

    def told(route: Route | None) -> str:
        return path_words(route, routes.shape, BY_NAME)

    direct = "card 0, by NVLink x2 (50.0 GB/s one way) to card 1."
    assert told(routes.route(*ACROSS)) == f"The path of the bytes: {direct}"
    assert "to processor 0, by host memory to host memory, by" in told(routes.staged(*ACROSS))
    assert told(routes.route("cpu", "cpu")) == told(None) == ""
