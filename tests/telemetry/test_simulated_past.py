"""A past that was not waited for is the one that waiting would have brought."""

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.simulated_past import PastClock, live_through
from gpuexplorer.telemetry.sources import simulated

CARD, OTHER = CardId("SIM-0"), CardId("SIM-1")
BUSY = MetricId("gpu_utilization")


def lived(seconds: float, faults: str = "", cards: str = "2xTitanRTX") -> Session:
    clock = PastClock(seconds)
    session = remembering(session_on(simulated(cards, faults, 0, clock), clock=clock))
    assert isinstance(session.stream, Local)
    live_through(session.stream, clock)
    return session


def test_a_fault_of_the_past_has_its_time_and_is_still_so() -> None:
    session = lived(100.0, "lost:1@40s,hung:0@70s")
    kinds = {happening.kind: happening for happening in session.happenings()}
    ago = session.clock.now() - kinds[Kind.CARD_LOST].at
    assert ago == pytest.approx(60.0, abs=1.5)
    assert kinds[Kind.XID].at == pytest.approx(kinds[Kind.CARD_LOST].at, abs=1.0)
    assert kinds[Kind.NO_ANSWER].card == CARD
    reading = session.reading(OTHER)
    assert reading is not None
    assert reading.state == "lost"


def test_a_day_is_lived_through_in_outline() -> None:
    session = lived(7200.0, cards="1xT4")
    end = session.clock.now()
    trace = session.past.trace(CARD, BUSY, end - 7200.0, end)
    assert trace.times[0] < end - 7100.0
