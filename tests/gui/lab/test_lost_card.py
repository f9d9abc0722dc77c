"""A simulated card falls off the bus: its cells fail as real ones do, the rest comes back."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardState
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.lab.test_real_worker import RealLab, ready, run, shown
from tests.gui.leaping_clock import LeapingClock
from tests.lab.processes import needs_torch

pytestmark = needs_torch

PATIENCE = 60_000


class Fall:
    """Makes card 1 fall off the bus, for an hour."""

    def __init__(self, qtbot: QtBot) -> None:
        self.clock, self._qtbot = LeapingClock(), qtbot
        source = simulated("2xTitanRTX", "lost:1@1000s-4600s", clock=self.clock)
        self.session = remembering(session_on(source, interval=0.1, clock=self.clock))

    def until(self, state: CardState, later: float) -> None:
        self.clock.ahead += later
        card = self.session.cards()[1].id
        self._qtbot.waitUntil(
            lambda: [each.state for each in [self.session.reading(card)] if each] == [state],
            timeout=PATIENCE,
        )


@pytest.fixture
def fall(qtbot: QtBot) -> Iterator[Fall]:
    fall = Fall(qtbot)
    want = fall.session.want()
    fall.session.start()
    assert fall.session.wait_for_sweeps(1, PATIENCE / 1000)
    yield fall
    fall.session.release(want)
    fall.session.stop()


@pytest.fixture
def lab(fall: Fall) -> Iterator[RealLab]:
    parent = QObject()
    lab = RealLab(MachineState(fall.session, Settings(), parent))
    yield lab
    lab.state.stop()
    for each in lab.workers:
        each.stop()


def test_what_uses_the_lost_card_fails_and_all_else_comes_back(
    lab: RealLab, fall: Fall, qtbot: QtBot
) -> None:
    run(lab, qtbot, "A = torch.rand(2, 3, device='cuda:0')")
    before = shown(run(lab, qtbot, "float(A.sum())"))
    lost = run(lab, qtbot, "B = torch.ones(3).cuda(1)")
    follows = run(lab, qtbot, "C = B.cpu()")
    run(lab, qtbot, "H = torch.zeros(4)")
    fall.until(CardState.LOST, 1000.0)
    assert [each.reason for each in lab.state.devices() if each.name == "cuda:1"] == [
        "The driver has lost this card: nothing on it answers any more."
    ]
    assert run(lab, qtbot, "D = A + 1").state == "done"
    failed = run(lab, qtbot, "B + 1").failed
    assert failed is not None
    assert (failed.cause, failed.error) == ("device broken", "AcceleratorError")
    assert failed.message.startswith("CUDA error: unspecified launch failure")
    assert failed.sentence.startswith("cuda:1 is lost: the card does not answer any more")
    qtbot.waitUntil(lambda: lab.state.can_replay, timeout=PATIENCE)
    ready(lab, qtbot)
    lab.state.replay()
    there = {"A", "H", "D"}
    qtbot.waitUntil(lambda: set(lab.state.ledger.things) == there, timeout=PATIENCE)
    assert shown(run(lab, qtbot, "float(A.sum())")) == before
    for each in (lost, follows):
        assert each.failed is not None
        said = "cuda:1 is lost, and what this cell made went with it."
        assert each.failed.sentence == said


def test_a_process_that_did_not_use_the_lost_card_goes_on(
    lab: RealLab, fall: Fall, qtbot: QtBot
) -> None:
    run(lab, qtbot, "A = torch.ones(2, device='cuda:0')")
    fall.until(CardState.LOST, 1000.0)
    failed = run(lab, qtbot, "B = A.cuda(1)").failed
    assert failed is not None
    assert failed.cause == "device lost"
    assert failed.message.startswith("CUDA error: unknown error")
    assert shown(run(lab, qtbot, "float((A + 1).sum())")) == "4.0"
    assert set(lab.state.ledger.things) == {"A"}
    assert len(lab.workers) == 1
    fall.until(CardState.WORKING, 4600.0)
    assert run(lab, qtbot, "B = A.cuda(1)").state == "done"


def test_a_look_into_what_lies_there_is_a_use_of_it(
    lab: RealLab, fall: Fall, qtbot: QtBot
) -> None:
    run(lab, qtbot, "B = torch.ones(3).cuda(1)")
    fall.until(CardState.LOST, 1000.0)
    lab.state.look_into("B")
    qtbot.waitUntil(lambda: "cuda:1 is lost" in lab.state.sentence, timeout=PATIENCE)
    ready(lab, qtbot)
    assert lab.state.ledger.things == {}
