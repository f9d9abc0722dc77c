"""The screen of copies: what was measured stays, measuring can be stopped, pages go by keys."""

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.copies.copies_page import MeasuringStrip
from gpuexplorer.gui.copies.matrix.matrix_page import MatrixPage
from gpuexplorer.gui.copies.moving.copies_panel import CopiesPanel
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.state.copies.copies_state import CopiesState, MakeBench
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.events import Measured, Multiplied
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.lab.wire import CopyJob, ProductJob
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.clocks import ManualClock
from tests.gui.hands import press, texts, the
from tests.gui.lab.conftest import PYTHON, KnownPython, ScriptedWorker

THERE = CopyJob("cpu", "cuda:0", 1 << 20, pinned=True)
BACK = CopyJob("cuda:0", "cpu", 1 << 20, pinned=True)


class HeldBench:
    """Measures when the test lets it, and tells that it was closed."""

    modelled = False

    def __init__(self) -> None:
        self.let = threading.Semaphore(0)
        self.told: CopyResult | None = None
        self.stopped = threading.Event()
        self.closed = threading.Event()

    def measure(self, job: CopyJob, on_sampled: Callable[[int, int], None]) -> CopyResult:
        on_sampled(1, 7)
        self.let.acquire()
        if self.stopped.is_set():
            return CopyResult(job, None, None, Message("It was stopped."))
        return self.told or CopyResult(job, Measured(1, (0.5, 0.25, 0.25)), None)

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
        on_sampled(0, 7)
        return ProductResult(job, Multiplied(1, (0.5,), right=True))

    def stop(self) -> None:
        self.stopped.set()
        self.let.release()

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def bench() -> HeldBench:
    return HeldBench()


def made(lab: Lab, make_bench: MakeBench) -> CopiesState:
    return CopiesState(lab, Ways(lab.machine, lab.cards, lab), make_bench, lab)


@pytest.fixture
def copies(lab: Lab, bench: HeldBench) -> CopiesState:
    return made(lab, lambda: bench)


def ends(copies: CopiesState, qtbot: QtBot, *measured: CopyJob) -> None:
    qtbot.waitUntil(lambda: not copies.running)
    assert list(copies.results) == [*measured]


@pytest.mark.parametrize("then", ["go on", "stop", "close"])
def test_results_come_one_by_one_and_stay_and_closing_waits_for_nobody(
    copies: CopiesState, bench: HeldBench, qtbot: QtBot, then: str
) -> None:
    with qtbot.waitSignal(copies.changed):
        copies.measure([THERE, BACK])
        bench.let.release()
    assert list(copies.results) == [THERE]
    {"go on": bench.let.release, "stop": copies.stop, "close": copies.end}[then]()
    ends(copies, qtbot, THERE, *([BACK] if then == "go on" else []))
    assert copies.results[THERE].seconds == 0.25
    assert copies.sentence == ""
    assert bench.closed.wait(5)  # which gives the cards' memory back


def test_while_it_measures_nothing_else_is_begun_and_how_far_it_is_is_told(
    copies: CopiesState, bench: HeldBench, qtbot: QtBot
) -> None:
    copies.measure([THERE])
    copies.measure([BACK])
    qtbot.waitUntil(lambda: copies.progress is not None and copies.progress.taken == 1)
    assert copies.progress is not None
    assert (copies.progress.done, copies.progress.of) == (0, 1)
    bench.let.release()
    ends(copies, qtbot, THERE)
    assert copies.progress is None


class Asked(LabPythons):
    """All are asked for the list of them. When one is looked for, it is `there` or none is."""

    there: LabPython | None = None

    def find(self) -> None:
        self.python, self.lacking = self.there, self.there is None
        self.trouble = Message("None has PyTorch.") if self.lacking else NOTHING
        self.changed.emit()


def test_without_pytorch_copies_wait_for_it_and_are_measured_when_it_is_there(
    machine: MachineState, worker: ScriptedWorker, bench: HeldBench, qtbot: QtBot
) -> None:
    pythons = Asked(machine.settings, machine)
    lab = Lab(machine, pythons, worker.start)
    answers = [None, bench]
    copies = made(lab, lambda: answers.pop(0))
    strip = MeasuringStrip(copies)
    qtbot.addWidget(strip)
    copies.measure([THERE])
    pythons.find()
    assert copies.running
    assert "Waiting for PyTorch" in texts(strip)
    assert pythons.fetch is not None
    pythons.fetch.fetched.emit(PYTHON)
    assert answers == []
    copies.stop()
    lab.stop()


def test_what_hangs_is_told_with_a_way_out(
    worker: ScriptedWorker, bench: HeldBench, qtbot: QtBot
) -> None:
    clock, parent = ManualClock(), QObject()
    session = remembering(session_on(simulated("2xTitanRTX"), clock=clock))
    machine = MachineState(session, Settings(), parent)
    lab = Lab(machine, KnownPython(machine.settings, machine), worker.start)
    copies = made(lab, lambda: bench)
    strip = MeasuringStrip(copies)
    qtbot.addWidget(strip)
    copies.measure([THERE])
    qtbot.waitUntil(lambda: copies.progress is not None and copies.progress.taken == 1)
    for seconds, said in ((20.0, ""), (25.0, ": no answer for 45 s. Stop ends it")):
        clock.advance(seconds)
        strip.pull()
        assert f"Measuring 1 of 1{said}" in texts(strip)
    copies.stop()
    ends(copies, qtbot)
    assert copies.silent == 0
    lab.stop()


def test_what_arrived_wrong_stays_though_it_cannot_be_measured_again(
    copies: CopiesState, bench: HeldBench, qtbot: QtBot
) -> None:
    lost = Message("cuda:0 is lost."), Message("Restart the computer.")
    for result in (
        CopyResult(THERE, Measured(1, (0.5,), intact=False), None),
        CopyResult(THERE, None, None, *lost),
    ):
        bench.told = result
        bench.stopped.clear()
        bench.let.release()
        copies.measure([THERE])
        ends(copies, qtbot, THERE)
        assert bench.closed.wait(5)
        bench.closed.clear()
    assert copies.results[THERE].wrong
    assert copies.sentence == "cuda:0 is lost. Restart the computer."


KEYS_PAGE = (Path(__file__).parents[3] / "docs" / "keys.md").read_text("utf-8")

SECTIONS = {
    "copies": ("Copies: the first page", "Table of copies", "Timeline of copies"),
    "matrix": ("Matrix", "Cells of the matrix"),
    "sweep": ("Ways", "Rates over size", "Table of ways"),
    "datasheet": ("Datasheet", "Figures of a card", "Table of other cards"),
}


def promised(heading: str) -> set[tuple[str, str]]:
    text = re.split(r"^## ", KEYS_PAGE.split(f"## {heading}\n", 1)[1], flags=re.MULTILINE)[0]
    lines = [line.strip("|").split(" | ") for line in text.splitlines() if line[:1] == "|"]
    return {(keys.replace("`", "").strip().lower(), words.strip()) for keys, words in lines[2:]}


def taken(view: CopiesView) -> set[tuple[str, str]]:
    by_screen = {
        (action.shortcut().toString(), action.text().rstrip("…"))
        for action in view.actions()
        if not action.shortcut().isEmpty()
    }
    by_parts = {row for _, rows in view.key_groups for row in rows}
    return {
        (keys.replace("Return", "Enter").lower(), words) for keys, words in by_screen | by_parts
    }


@pytest.mark.parametrize("name", SECTIONS)
def test_the_page_of_keys_tells_what_each_page_takes(view: CopiesView, name: str) -> None:
    view.open_page(name)
    wanted = {row for heading in ("Copies", *SECTIONS[name]) for row in promised(heading)}
    assert taken(view) == wanted


def test_pages_are_gone_through_by_keys_and_each_key_does_what_its_page_is_for(
    view: CopiesView, qtbot: QtBot
) -> None:
    view.open_page("copies")
    by_words = {each.text(): each for each in view.actions()}
    by_words["Copies: previous page"].trigger()
    before = view.key_groups
    by_words["Copies: next page"].trigger()
    assert view.key_groups != before
    assert view.start_search()
    qtbot.waitUntil(the(CopiesPanel, view).search.hasFocus)
    view.open_page("matrix")
    assert not view.start_search()
    press(view, Qt.Key.Key_Return, control=True)
    qtbot.waitUntil(lambda: bool(view.copies.results))
    press(view, Qt.Key.Key_Period, control=True)
    qtbot.waitUntil(lambda: not view.copies.running)


def test_for_a_picture_the_matrix_is_filled(view: CopiesView, qtbot: QtBot) -> None:
    view.pose()
    assert not view.posed()
    qtbot.waitUntil(view.posed)
    assert the(MatrixPage, view).isVisible()
    assert len(view.copies.results) > 9
    view.pose()
    assert view.posed()
