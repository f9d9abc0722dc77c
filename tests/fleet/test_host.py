"""A beat in a thread of its own, a server that does not answer, and a host of a fleet as a
machine: its cards, their figures and their past.
"""

from collections.abc import Iterator

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.host import HostPast, Watching, host_session
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology
from tests.clocks import ManualClock
from tests.fleet.fake_prometheus import FakePrometheus, card

_BUSY, _FAN = MetricId("gpu_utilization"), MetricId("fan_speed")
_FIRST = CardId("GPU-0008")
_PATIENCE = 30.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(wall=1_764_000_000.0)


@pytest.fixture
def watching(client: Prometheus, clock: ManualClock) -> Iterator[Watching]:
    made = Watching(Fleet(client), clock=clock)
    made.look()
    yield made
    made.stop(_PATIENCE)


@pytest.fixture
def session(watching: Watching) -> Iterator[Session]:
    made = host_session(watching, "node-1")
    made.start()
    made.want_metrics({_BUSY, _FAN})
    yield made
    made.stop(_PATIENCE)


def _beat(session: Session, watching: Watching) -> Reading:
    """What is then known of the first card."""
    watching.look()
    reading = session.reading(_FIRST)
    assert reading is not None
    return reading


def test_its_cards_are_those_of_the_host_in_their_order(session: Session) -> None:
    assert [each.id for each in session.cards()] == [f"GPU-{n:04d}" for n in range(8, 16)]
    assert [each.index for each in session.cards()] == list(range(8))
    assert session.cards()[0].memory_bytes == 2**33
    assert session.computer == "node-1"
    assert len(session.processes_unknown()) == 8
    assert session.stream.wiring() == Topology((), (), {})


def test_one_question_brings_all_figures_of_a_host(
    server: FakePrometheus, session: Session, watching: Watching
) -> None:
    reading = _beat(session, watching)
    assert len([each for each in server.queries() if 'UUID=~"GPU\\\\-0008|' in each]) == 2
    assert reading.values == {_BUSY: 0.4}
    assert reading.missing == {_FAN: Absence.NOT_TOLD}
    assert reading.at == session.clock.now() - server.age


def test_serves_own_reasons_and_an_xid_error_are_told_of_a_host(
    server: FakePrometheus, session: Session, watching: Watching
) -> None:
    server.series["gpuexplorer_card_state"] = [(card(8, state="working"), 1.0)]
    fan = card(8, metric="gpuexplorer_fan_speed_ratio", reason="no such part")
    server.series["gpuexplorer_missing_info"] = [(fan, 1.0)]
    server.series["DCGM_FI_DEV_XID_ERRORS"] = [(card(8), 79.0)]
    watching.fleet.look_for_cards()
    assert _beat(session, watching).missing[_FAN] is Absence.NO_PART
    assert "Card 0: Xid error 79." in session.notes()


def test_a_connection_that_breaks_is_the_reason_at_each_figure(
    server: FakePrometheus, session: Session, watching: Watching
) -> None:
    server.special["*"] = 503, {}, b""
    told = _beat(session, watching)
    assert told.state is CardState.NO_CONNECTION
    assert told.missing == dict.fromkeys((_BUSY, _FAN), Absence.NO_CONNECTION)
    server.special.clear()
    assert _beat(session, watching).values == {_BUSY: 0.4}


@pytest.fixture
def past(session: Session) -> HostPast:
    assert isinstance(session.past, HostPast)
    return session.past


def test_who_draws_the_past_never_waits_and_gets_it_with_a_later_frame(
    past: HostPast, watching: Watching, clock: ManualClock
) -> None:
    now = clock.now()
    assert len(past.trace(_FIRST, _BUSY, now - 300, now)) == 0
    while watching.run_order():
        """Until none is left."""
    trace = past.trace(_FIRST, _BUSY, now - 300, now)
    assert set(trace.means) == {0.4}
    assert trace.times[0] <= now - 270
    assert now - 60 < trace.times[-1] <= now


def test_a_long_stretch_is_told_by_lowest_highest_and_mean_and_asked_for_once(
    server: FakePrometheus, past: HostPast, watching: Watching, clock: ManualClock
) -> None:
    now = clock.now()
    for _ in range(2):
        trace = past.trace(_FIRST, _BUSY, now - 180_000, now - 86_400, 200)
        while watching.run_order():
            """Until none is left."""
    asked = "".join(each for each in server.queries() if "_over_time" in each)
    assert all(f"{how}_over_time(" in asked for how in ("min", "max", "avg"))
    assert trace.column_seconds > 60
    assert trace.minima[0] == trace.means[0] == trace.maxima[0] == 0.4
    server.asked.clear()
    for move in range(20):
        past.trace(_FIRST, _BUSY, now - 180_000 - move, now - 86_400 - move, 200)
        while watching.run_order():
            """Until none is left."""
    assert len(server.queries()) <= 6  # the piece before it, at most


def test_a_server_that_breaks_is_said_with_since_when_and_asked_more_and_more_slowly(
    server: FakePrometheus, watching: Watching, clock: ManualClock
) -> None:
    watching.look()
    began, waits = clock.now(), []
    server.special["*"] = 503, {}, b'{"error":"overloaded"}'
    for _ in range(7):
        watching.look()
        assert watching.broken is not None
        waits.append((watching.broken.retry_at or 0.0) - clock.now())
        clock.advance(10.0)
    assert watching.broken is not None
    assert waits == [15.0, 30.0, 60.0, 120.0, 240.0, 300.0, 300.0]
    assert watching.broken.since == began
    assert "too busy" in watching.broken.why
    assert watching.now is not None  # what was known stays to be looked at
    server.special.clear()
    watching.look()
    assert watching.broken is None
