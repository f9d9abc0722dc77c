"""Another machine's seconds in ours."""

import pytest

from gpuexplorer.core.clock import ManualClock
from gpuexplorer.remote.stream import FarClock
from gpuexplorer.remote.wire import Knocked

AHEAD = 5000.0  # their steady seconds, less ours


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(now=100.0)


def knock(far: FarClock, clock: ManualClock, there: float, back: float, wall: float) -> None:
    sent_at = clock.now()
    clock.advance(there)
    told = clock.now() + AHEAD, clock.wall() + wall
    clock.advance(back)
    far.knocked(Knocked(sent_at, *told))


def test_the_quickest_knock_tells_the_time_best(clock: ManualClock) -> None:
    far = FarClock(clock)
    far.greeted(clock.now() + AHEAD - 0.4, clock.wall())
    for there, back in ((0.5, 0.1), (0.01, 0.01), (0.1, 0.9)):
        knock(far, clock, there, back, 0.0)
    assert far.round_trip == pytest.approx(0.02)
    assert far.ours(clock.now() + AHEAD - 1.0) == pytest.approx(clock.now() - 1.0)


def test_no_time_is_to_come_or_from_before_the_connection(clock: ManualClock) -> None:
    far = FarClock(clock)
    far.greeted(clock.now() + AHEAD, clock.wall())
    clock.advance(10.0)
    assert far.ours(1e300) == clock.now()
    assert far.ours(-1e300) == 100.0


def test_a_time_of_day_that_differs_is_said_only_where_that_is_sure(
    clock: ManualClock,
) -> None:
    far = FarClock(clock)
    far.greeted(clock.now() + AHEAD, clock.wall() + 1000.0)
    assert far.differs is None  # nobody knows how long the greeting was under way
    knock(far, clock, 0.6, 0.0, wall=1.1)
    assert far.differs == pytest.approx(1.4)  # at least 1.1 of it are sure
    knock(far, clock, 0.01, 0.01, wall=3.0)
    assert far.differs == pytest.approx(3.0)
    far.greeted(clock.now() + AHEAD, clock.wall())
    knock(far, clock, 0.01, 0.01, wall=0.9)
    assert far.differs is None


def test_a_new_connection_forgets_the_clock_of_the_one_before(clock: ManualClock) -> None:
    far = FarClock(clock)
    far.greeted(clock.now() + AHEAD, clock.wall())
    knock(far, clock, 0.01, 0.01, wall=0.0)
    far.greeted(7.0, clock.wall())  # it was started anew, and counts from zero
    assert far.round_trip == float("inf")
    assert far.ours(7.0) == clock.now()
