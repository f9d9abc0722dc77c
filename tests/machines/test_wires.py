"""Links that are narrow, far, lossy, interrupted or cut for good, each for real."""

import time
from collections.abc import Iterator

import pytest

from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import host_name
from gpuexplorer.remote.wire import Knock
from tests.machines.ground import Ground, wait_for
from tests.machines.network import Wire
from tests.machines.reaching import Reached

pytestmark = pytest.mark.machines


@pytest.fixture
def wire(ground: Ground, request: pytest.FixtureRequest) -> Iterator[Wire]:
    """With a machine at its end that is called as it is, and a user of the same name."""
    made = Wire()
    far = getattr(request, "param", None)
    try:
        if far is None:
            made.pull()
        else:
            made.pull_far(*far)
        ground.user(made.name)
        ground.serve(22, made.address, made.inside)
        ground.host(made.name, made.name, address=made.address, port=22)
        yield made
    finally:
        made.close()


def test_a_narrow_wire_is_only_slower(wire: Wire, figures: list[str]) -> None:
    wire.shape("1mbit", "16kb")
    began = time.monotonic()
    with Reached(wire.name) as reached:
        reached.hello()
        for number in range(20):
            reached.knock(number)
    figures.append(f"hello and 20 answers over 1 Mbit/s: {time.monotonic() - began:.1f} s")


@pytest.mark.parametrize("wire", [(0.25, 0.02)], indirect=True)
def test_half_a_second_of_delay_and_lost_packets_are_only_slower(
    wire: Wire, figures: list[str]
) -> None:
    began = time.monotonic()
    with Reached(wire.name) as reached:
        reached.hello()
        figures.append(f"hello at 500 ms and 2 % of loss: {time.monotonic() - began:.1f} s")
        for number in range(10):
            began = time.monotonic()
            reached.knock(number)
            took = time.monotonic() - began
            assert took > 0.4
        for number in range(1_000):  # without waiting for each
            reached.into.send(b'{"is":"Knock","sent_at":%d}\n' % (10_000 + number))
        reached.knock(99_999)
        answers = [each for each in reached.lines if b'"Knocked"' in each]
        assert len(answers) == 1_011


def test_a_short_cut_is_lived_through(wire: Wire) -> None:
    with Reached(wire.name) as reached:
        reached.hello()
        wire.cut()
        reached.into.send(b'{"is":"Knock","sent_at":1}\n')
        time.sleep(3)
        wire.mend()
        reached.knock(2)
        assert any(b'"sent_at":1,' in each for each in reached.lines)


def test_a_cut_for_good_is_noticed_and_told(wire: Wire, figures: list[str]) -> None:
    with Reached(wire.name) as reached:
        reached.hello()
        wire.cut()
        began = time.monotonic()
        end = reached.end()
        figures.append(f"cut, after {time.monotonic() - began:.1f} s: {end.why}")
        assert end.again
        assert end.why == f"The connection to {wire.name} broke."
        wire.mend()
        with Reached(wire.name) as again:
            again.hello()


def test_who_is_not_there_is_told_within_the_patience(wire: Wire, figures: list[str]) -> None:
    wire.cut()
    began = time.monotonic()
    with Reached(wire.name, patience=5.0) as reached:
        end = reached.end()
    figures.append(f"not there, after {time.monotonic() - began:.1f} s: {end.why}")
    assert end.again
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("seconds", [13.0, 30.0])
def test_a_machine_comes_back_by_itself_after_a_cut(
    wire: Wire, figures: list[str], seconds: float
) -> None:
    """The shorter cut is over before ssh gives its connection up, the longer one is not."""
    far = FarMachine(host_name(wire.name), simulate="2xTitanRTX")
    far.connect()
    try:
        wait_for(lambda: far.now.state is LinkState.UP)
        wire.cut()
        began = time.monotonic()
        wait_for(lambda: far.now.state is LinkState.BROKEN)
        figures.append(f"silent, after {time.monotonic() - began:.1f} s: {far.now.why}")
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        wire.mend()
        mended = time.monotonic()
        wait_for(lambda: far.now.state is LinkState.UP, 60.0)
        figures.append(
            f"cut for {seconds:.0f} s, back {time.monotonic() - mended:.1f} s after its end"
        )
        assert len(far.stream.cards()) == 2
    finally:
        assert far.stop(5.0)


@pytest.mark.parametrize("wire", [(0.25, 0.02)], indirect=True)
def test_the_delay_of_a_far_machine_is_measured_and_keeps_nobody_waiting(
    wire: Wire, figures: list[str]
) -> None:
    far = FarMachine(host_name(wire.name), simulate="2xTitanRTX")
    far.connect()
    try:
        wait_for(lambda: far.now.state is LinkState.UP, 60.0)
        wait_for(lambda: far.stream.far_clock.best.round_trip < 60)
        took = time.monotonic()
        far.tell(Knock(1.0))  # never waits
        assert time.monotonic() - took < 0.1
        figures.append(
            f"round trip of a far machine: {far.stream.far_clock.best.round_trip:.2f} s"
        )
        assert 0.45 < far.stream.far_clock.best.round_trip < 3
        assert not far.stream.far_clock.differs
    finally:
        assert far.stop(5.0)
