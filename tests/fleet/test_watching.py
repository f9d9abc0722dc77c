"""Watching: a beat in a thread of its own, and a server that does not answer."""

import threading
from collections.abc import Iterator

import pytest

from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.watching import Watching
from tests.clocks import ManualClock
from tests.fleet.fake_prometheus import FakePrometheus

_PATIENCE = 30.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def watching(client: Prometheus, clock: ManualClock) -> Iterator[Watching]:
    made = Watching(Fleet(client), clock=clock)
    yield made
    made.stop(_PATIENCE)


def test_a_server_that_breaks_is_said_with_since_when_and_asked_more_and_more_slowly(
    server: FakePrometheus, watching: Watching, clock: ManualClock
) -> None:
    watching.look()
    began, waits = clock.now(), []
    server.special["*"] = 503, {}, b'{"error":"overloaded"}'
    for _ in range(7):
        watching.look()
        assert watching.broken is not None
        waits.append(watching.broken.retry_at - clock.now())
        clock.advance(10.0)
    assert watching.broken is not None
    assert waits == [15.0, 30.0, 60.0, 120.0, 240.0, 300.0, 300.0]
    assert watching.broken.since == began
    assert "too busy" in watching.broken.why
    assert watching.now is not None  # what was known stays to be looked at
    server.special.clear()
    watching.look()
    assert watching.broken is None


def test_a_login_that_is_refused_is_not_tried_again_at_once(
    server: FakePrometheus, watching: Watching, clock: ManualClock
) -> None:
    server.special["*"] = 401, {}, b""
    watching.look()
    assert watching.broken is not None
    assert watching.broken.retry_at - clock.now() == 60.0


def test_its_thread_asks_again_and_again_and_ends_while_a_server_holds_its_answer_back(
    server: FakePrometheus, client: Prometheus
) -> None:
    beats, asked, free = threading.Semaphore(0), threading.Event(), threading.Event()
    watching = Watching(Fleet(client), beat=0.01)
    watching.listen(beats.release)
    watching.start()
    for _ in range(3):
        assert beats.acquire(timeout=_PATIENCE)

    def hold() -> None:
        asked.set()
        free.wait(_PATIENCE)

    server.hold = hold
    assert asked.wait(_PATIENCE)
    assert watching.stop(_PATIENCE)
    free.set()
