"""Links that are narrow, far, lossy, interrupted or cut for good, each for real."""

import time
from collections.abc import Iterator

import pytest

from tests.machines.ground import Ground
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
            reached.into.send(b'{"is":"Knock","id":%d}\n' % (10_000 + number))
        reached.knock(99_999)
        answers = [each for each in reached.lines if b'"Knocked"' in each]
        assert len(answers) == 1_011


def test_a_short_cut_is_lived_through(wire: Wire) -> None:
    with Reached(wire.name) as reached:
        reached.hello()
        wire.cut()
        reached.into.send(b'{"is":"Knock","id":1}\n')
        time.sleep(3)
        wire.mend()
        reached.knock(2)
        assert any(b'"id":1,' in each for each in reached.lines)


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
