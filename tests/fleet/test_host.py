"""A host of a fleet as a machine: its cards, their figures and their past."""

import math
import threading
from collections.abc import Iterator

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.host_backend import HostBackend
from gpuexplorer.fleet.host_past import HostPast
from gpuexplorer.fleet.host_session import host_session
from gpuexplorer.fleet.watching import Watching
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology
from gpuexplorer.telemetry.trace import Trace
from tests.fleet.fake_prometheus import FakePrometheus, card

_BUSY = MetricId("gpu_utilization")
_FIRST = CardId("GPU-0008")
_PATIENCE = 30.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(wall=1_764_000_000.0)


@pytest.fixture
def session(client: Prometheus, clock: ManualClock) -> Iterator[Session]:
    watching = Watching(Fleet(client), clock=clock)
    watching.look()
    made = host_session(watching, "node-1", client.another())
    yield made
    made.stop(_PATIENCE)
    watching.stop(_PATIENCE)


def test_its_cards_are_those_of_the_host_in_their_order(session: Session) -> None:
    assert [each.id for each in session.cards()] == [f"GPU-{n:04d}" for n in range(8, 16)]
    assert [each.index for each in session.cards()] == list(range(8))
    assert session.cards()[0].memory_bytes == 2**33
    assert session.computer == "node-1"
    assert session.cards() is session.cards()


def test_one_question_brings_all_figures_of_a_host(
    server: FakePrometheus, session: Session
) -> None:
    server.asked.clear()
    told = [
        session.backend.read(each.id, {_BUSY, MetricId("fan_speed")})
        for each in session.cards()
    ]
    assert len(server.queries()) == 2  # and how old they are
    assert all('UUID=~"GPU-0008|' in each for each in server.queries())
    assert told[0].values == {_BUSY: 0.4}
    assert told[0].missing == {"fan_speed": Absence.NOT_TOLD}
    assert told[0].at == session.clock.now() - server.age


def test_serves_own_reasons_and_an_xid_error_are_told_of_a_host(
    server: FakePrometheus, session: Session, clock: ManualClock
) -> None:
    server.series["gpuexplorer_card_state"] = [(card(8, state="working"), 1.0)]
    part = {"metric": "gpuexplorer_each_fan_speed_ratio", "fan": "1", "reason": "no such part"}
    server.series["gpuexplorer_missing_info"] = [(card(8, **part), 1.0)]
    server.series["DCGM_FI_DEV_XID_ERRORS"] = [(card(8), 79.0)]
    backend = session.backend
    assert isinstance(backend, HostBackend)
    watching = backend.watching
    watching.fleet.look_for_cards()
    watching.look()
    clock.advance(60.0)
    fan = MetricId("fan_1_speed")
    assert backend.read(_FIRST, {fan}).missing == {fan: Absence.NO_PART}
    assert "Card 0: Xid error 79." in backend.notes()


def test_a_connection_that_breaks_is_the_reason_at_each_figure(
    server: FakePrometheus, session: Session, clock: ManualClock
) -> None:
    server.special["*"] = 503, {}, b""
    told = session.backend.read(_FIRST, {_BUSY})
    assert told.state is CardState.NO_CONNECTION
    assert told.missing == {_BUSY: Absence.NO_CONNECTION}
    server.special.clear()
    clock.advance(60.0)
    assert session.backend.read(_FIRST, {_BUSY}).values == {_BUSY: 0.4}


def test_a_card_that_fell_silent_gives_no_figure(
    server: FakePrometheus, session: Session
) -> None:
    for series in server.series.values():
        series[:] = [each for each in series if each[0]["UUID"] != _FIRST]
    told = session.backend.read(_FIRST, {_BUSY})
    assert told.state is CardState.NO_ANSWER
    assert told.missing == {_BUSY: Absence.NO_NEW_VALUE}


def test_nobody_tells_who_uses_its_cards_nor_how_they_are_wired(session: Session) -> None:
    assert len(session.processes_unknown()) == 8
    assert session.stream.wiring() == Topology((), (), {})


def test_a_uuid_that_is_no_uuid_is_asked_for_as_it_is(
    server: FakePrometheus, client: Prometheus, clock: ManualClock
) -> None:
    name = 'a.*"} or vector(1)'
    server.series = {"DCGM_FI_DEV_GPU_UTIL": [(card(0, UUID=name), 1.0)]}
    watching = Watching(Fleet(client), clock=clock)
    watching.look()
    session = host_session(watching, "node-0", client.another())
    session.backend.read(session.cards()[0].id, {_BUSY})
    assert 'UUID=~"a\\\\.\\\\*\\"\\\\} or vector\\\\(1\\\\)"' in server.queries()[-1]
    session.stop(_PATIENCE)


@pytest.fixture
def past(session: Session) -> HostPast:
    assert isinstance(session.past, HostPast)
    return session.past


def _told(past: HostPast, begin: float, end: float, columns: int = 200) -> Trace:
    """As soon as all of it is there."""
    came = threading.Event()
    past.on_change = came.set
    while True:
        trace = past.trace(_FIRST, _BUSY, begin, end, columns)
        wide = 2 * trace.column_seconds
        if len(trace) and trace.times[0] <= begin + wide and trace.times[-1] >= end - wide:
            return trace
        assert came.wait(_PATIENCE)
        came.clear()


def test_who_draws_the_past_never_waits_and_gets_it_with_the_next_frame(
    server: FakePrometheus, past: HostPast, clock: ManualClock
) -> None:
    free = threading.Event()

    def hold() -> None:
        free.wait(_PATIENCE)

    server.hold = hold
    now = clock.now()
    assert len(past.trace(_FIRST, _BUSY, now - 300, now)) == 0
    free.set()
    past.start()
    trace = _told(past, now - 300, now)
    assert set(trace.means) == {0.4}
    assert trace.times[0] <= now - 270
    assert now - 60 < trace.times[-1] <= now


def test_a_long_stretch_is_told_by_lowest_highest_and_mean(
    server: FakePrometheus, past: HostPast, clock: ManualClock
) -> None:
    past.start()
    now = clock.now()
    trace = _told(past, now - 86_400, now)
    asked = [each for each in server.queries() if "_over_time" in each]
    assert all(f"{how}_over_time(" in "".join(asked) for how in ("min", "max", "avg"))
    assert trace.column_seconds > 60
    assert not math.isnan(trace.means[0])


def test_what_was_looked_at_is_not_asked_for_again(
    server: FakePrometheus, past: HostPast, clock: ManualClock
) -> None:
    past.start()
    now = clock.now()
    _told(past, now - 90_000, now - 86_400)
    server.asked.clear()
    for move in range(20):
        past.trace(_FIRST, _BUSY, now - 90_000 - move, now - 86_400 - move, 200)
    assert len(server.queries()) <= 6  # the piece before it, at most


def test_what_lies_before_the_past_is_empty(past: HostPast, clock: ManualClock) -> None:
    now = clock.now()
    assert len(past.trace(_FIRST, _BUSY, now - 3e7, now - 2e7)) == 0
