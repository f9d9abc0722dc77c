"""Rates over size and ways compared: what follows from figures, and their page."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.copies.copies_page import ResultsSaving
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.copies.ways_facts import (
    COMPARISONS,
    SIZES,
    Comparison,
    Crowd,
    Overlap,
    Pair,
    Pieces,
    Pinned,
    Staged,
    SweepRow,
    SweepWay,
    Trial,
    jobs_of,
    proposed,
    rows_of,
    ways_between,
)
from gpuexplorer.gui.copies.ways_page import ComparisonPanel, RatePlot, WaysPage
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.saving import CSV, JSON, PNG
from gpuexplorer.lab.events import Measured
from gpuexplorer.lab.wire import CopyJob
from tests.copies.made import bench, measured, real, routes
from tests.gui.hands import press, the

SIZE = 256 << 20

DEVICES = {"cpu": BenchDevice("cpu", "EPYC", "H")} | {
    f"cuda:{at}": BenchDevice(f"cuda:{at}", "TITAN RTX", str(at), at) for at in range(2)
}
DOWN, PAGEABLE = SweepWay("cpu", "cuda:0"), SweepWay("cpu", "cuda:0", Kind.PAGEABLE)
ACROSS, STAGED = SweepWay("cuda:0", "cuda:1"), SweepWay("cuda:0", "cuda:1", Kind.STAGED)
INSIDE, UP = SweepWay("cuda:0", "cuda:0"), SweepWay("cuda:0", "cpu")
EACH = pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda each: each.title)


def sweep_rows(
    ways: Sequence[SweepWay], faults: str = "", most: int = 1 << 30
) -> list[SweepRow]:
    on, known = bench("2xTitanRTX", faults), routes("2xTitanRTX")
    results = {job: measured(on, job) for job in jobs_of(ways) if job.bytes <= most}

    def route(way: SweepWay) -> Route | None:
        find = known.staged if way.kind is Kind.STAGED else known.route
        return find(way.source, way.target)

    return rows_of(ways, results, DEVICES, route)


@pytest.mark.parametrize(
    ("cards", "machine", "ways"),
    [
        (2, "2xTitanRTX", [DOWN, PAGEABLE, ACROSS, STAGED]),
        (2, "4xRTX4090+pcie", [DOWN, PAGEABLE, ACROSS, UP]),
        (1, "2xTitanRTX", [DOWN, PAGEABLE, UP, INSIDE]),
        (0, "2xTitanRTX", [SweepWay("cpu", "cpu")]),
    ],
)
def test_what_shows_most_on_these_devices_is_proposed(
    cards: int, machine: str, ways: Sequence[SweepWay]
) -> None:
    known = routes(machine)
    offered = proposed([*DEVICES][: cards + 1], lambda way: known.route(way.source, way.target))
    assert offered == ways
    assert all(each in ways_between(each.source, each.target) for each in offered)


@pytest.mark.parametrize(
    ("way", "faults", "most", "figures"),
    [
        (DOWN, "", 1 << 30, ["12.3 GB/s", "78 %", "121 KiB", "10.0 µs"]),
        (DOWN, "", 64 << 10, ["GB/s", "%", "larger ones are not measured yet", "10.0 µs"]),
        (ACROSS, "wrong:0>1", 1 << 30, ["4 B: arrives WRONG. A wrong copy has no rate."] * 4),
    ],
)
def test_a_row_has_rate_share_half_rate_and_floor_or_the_reason(
    way: SweepWay, faults: str, most: int, figures: Sequence[str]
) -> None:
    (row,) = sweep_rows([way], faults, most)
    for figure, said in zip(row.figures, figures, strict=True):
        assert said in str(figure)


def test_a_size_that_does_not_fit_leaves_the_others() -> None:
    large = CopyJob("cuda:0", "cuda:1", 1 << 30)
    small = [real("cuda:0", "cuda:1", size, size / 1e9 + 1e-5) for size in (4, 1 << 20)]
    why = Message("1 GiB does not fit."), Message("Choose less.")
    results = {each.job: each for each in small} | {large: CopyResult(large, None, None, *why)}
    (row,) = rows_of([ACROSS], results, DEVICES, lambda _: None)
    assert row.trouble == "1 GiB: 1 GiB does not fit. Choose less."
    assert row.curve is not None


def pair(source: str = "cpu", target: str = "cuda:0", cards: int = 2, size: int = SIZE) -> Pair:
    return Pair(source, target, size, [f"cuda:{at}" for at in range(cards)])


def found(trials: Sequence[Trial], text: str = "2xTitanRTX", faults: str = "") -> list[Trial]:
    on = bench(text, faults)
    return [replace(each, result=measured(on, each.job)) for each in trials]


def taking(trials: Sequence[Trial], *told: dict[str, Any], **all_: Any) -> list[Trial]:
    """As if each had taken so long, or been measured so."""
    return [
        replace(each, result=CopyResult(each.job, Measured(1, **{**all_, **one}), None))
        for each, one in zip(trials, told, strict=True)
    ]


def took(seconds: float, **more: Any) -> dict[str, Any]:
    return {"samples_s": (seconds,), **more}


@EACH
@pytest.mark.parametrize("ends", [("cpu", "cuda:0"), ("cuda:1", "cpu"), ("cuda:0", "cuda:1")])
def test_each_says_something_of_each_pair_and_nothing_before(
    comparison: Comparison, ends: tuple[str, str]
) -> None:
    trials = comparison.trials(pair(*ends))
    assert comparison.follows(trials) == "Nothing has been measured yet."
    assert all(each.seconds is None and each.trouble for each in trials)
    trials = found(trials)
    assert comparison.conclude(trials)
    assert all(each.seconds and not each.trouble for each in trials)


def test_where_the_chosen_pair_makes_no_sense_another_is_taken_or_the_reason_said() -> None:
    for comparison, asked, ends in (
        (Pinned(), pair("cuda:0", "cuda:1"), ("cpu", "cuda:1")),  # only the host can pin
        (Staged(), pair("cpu", "cuda:0"), ("cuda:0", "cuda:1")),
        (Crowd(), pair("cuda:0", "cuda:0"), ("cpu", "cuda:0")),
    ):
        job = comparison.trials(asked)[0].job
        assert (job.source, job.target) == ends
        with pytest.raises(Trouble, match="card"):
            comparison.trials(pair("cpu", "cpu", cards=0))


def test_the_faster_way_is_so_many_times_as_fast_or_it_makes_no_difference() -> None:
    for seconds, said in (
        ((0.01, 0.02), "The faster way is pinned: 2.0 times the rate of pageable, 26.8"),
        ((0.04, 0.02), "The faster way is pageable: 2.0 times the rate of pinned, 13.4"),
        ((0.02, 0.0205), "It makes no difference worth mentioning here: 13.4 against 13.1"),
    ):
        trials = taking(Pinned().trials(pair()), *map(took, seconds))
        assert Pinned().conclude(trials).startswith(said)


def test_the_direct_path_may_be_slower_or_missing_or_wrong() -> None:
    trials = Staged().trials(pair("cuda:0", "cuda:1"))
    slower = Staged().conclude(taking(trials, took(0.027), took(0.012), direct=True))
    assert "staged by hand: 2.2 times the rate" in slower
    assert slower.endswith("PyTorch takes a direct path all the same.")
    none = Staged().conclude(found(trials, "4xRTX4090+pcie"))
    assert none.endswith(
        "There is no direct path here: the driver goes through the host as well."
    )
    wrong = found(trials, faults="wrong:0>1")
    assert "What PyTorch copies arrives WRONG; staged it reaches" in Staged().follows(wrong)
    assert (wrong[0].words, wrong[0].seconds) == ("PyTorch's own copy", None)


def test_each_further_piece_has_its_price() -> None:
    trials = Pieces().trials(pair("cuda:0", "cuda:1"))
    said = Pieces().conclude(taking(trials, took(1e-3), took(2e-3), took(6.11e-3)))
    assert said.startswith("In 512 pieces the same bytes take 6.1 times as long: each further")
    assert "costs 10.0 µs" in said
    wrong = found(trials, faults="wrong:0>1")
    assert Pieces().follows(wrong) == "A copy arrives WRONG, so there is nothing to compare."
    alike = Pieces().conclude(taking(trials, took(1e-3), took(1e-3), took(1.02e-3)))
    assert "no difference" in alike


def test_a_copy_that_waits_is_not_hidden_and_one_that_does_not_is() -> None:
    times = [took(0.01, together_s=each) for each in (0.2, 0.2, 0.2, 0.103)]
    shown = taking(Overlap().trials(pair()), *times, alone_s=0.1, copying_s=0.1, loops=10)
    assert Overlap().conclude(shown) == (
        "A blocking copy adds 10.0 ms to the computation: nothing of it is hidden. "
        "With non_blocking it adds 300 µs: the computation hides 97 % of it."
    )
    assert [each.words for each in shown] == [
        *("the computation alone", "the copy alone", "both, blocking", "both, non_blocking")
    ]


def test_copies_that_share_a_wire_slow_each_other_down_and_others_do_not() -> None:
    trials = Crowd().trials(pair(cards=4))
    both = took(0.0125, back_samples_s=(0.0125,))
    many = took(0.04, beside_samples_s=((0.04,),) * 3)
    assert Crowd().conclude(taking(trials, took(0.01), both, many)) == (
        "Both ways at once it keeps 80 %: 42.9 GB/s in all. "
        "On a wire with others it keeps 25 %: 26.8 GB/s in all."
    )
    free = took(0.01, beside_samples_s=((0.01,),) * 3)
    assert "It shares no wire with the others: 107 GB/s in all." in Crowd().conclude(
        taking(trials, took(0.01), both, free)
    )
    apart = Crowd().conclude(taking(trials, took(0.01), both, many, overlap=0.1))
    assert apart.count("at once for 10 % only, so nothing follows.") == 2
    assert "GB/s" not in apart
    assert len(Crowd().trials(pair(cards=64))[-1].job.beside) == 15


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


def test_limits_are_told_figures_pointed_at_and_saved_and_what_is_added_alone_is_measured(
    page: WaysPage, qtbot: QtBot, tmp_path: Path
) -> None:
    measure(page, qtbot)
    assert chosen(page) == ["host to 0, pinned", "12.3", "78 %", "121 KiB", "10.0 µs"]
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
    assert not plot.crosshair
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
