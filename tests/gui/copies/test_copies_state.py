"""What was measured stays; what is being measured can be stopped; nobody waits for a card."""

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.copies.copies_page import MeasuringStrip
from gpuexplorer.gui.state.copies.copies_state import CopiesState, MakeBench, copies_of
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
from tests.gui.hands import texts
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


def test_simulated_cards_are_modelled_and_say_so(lab: Lab, qtbot: QtBot) -> None:
    copies = copies_of(lab)
    copies.setParent(lab)
    with qtbot.waitSignal(copies.ways.changed):
        copies.ways.look()
    route = copies.route("cuda:0", "cuda:1")
    assert route is not None
    assert route.words == "NVLink x2"
    product = ProductJob("cuda:0", "bf16")
    copies.measure([THERE, product])
    ends(copies, qtbot, THERE)
    assert copies.products[product].rate
    assert copies.modelled
    assert copies.results[THERE].modelled
    assert [each.name for each in copies.devices()] == ["cpu", "cuda:0", "cuda:1"]
    copies.end()


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


@pytest.mark.qt_log_ignore("This plugin does not support")
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
