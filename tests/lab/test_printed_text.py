"""What a program prints: shown for as long as it runs, unless it comes too fast."""

from gpuexplorer.lab.printed import MOST_PRINTED, Flow
from tests.clocks import ManualClock

LINE = "x" * 99 + "\n"
CUT = "This prints faster than the lab shows: some is left out."


def test_a_flood_is_cut_and_goes_on_when_there_is_room() -> None:
    clock = ManualClock()
    flow = Flow(clock.now)
    shown, cut = flow.take(LINE * 3000)
    assert (len(shown), cut) == (MOST_PRINTED, CUT)
    assert not flow.take(LINE)
    clock.advance(2.0)
    assert flow.take(LINE) == [LINE]
    assert flow.take(LINE * 3000)[1:] == [CUT]
    assert flow.finish() == [LINE * 40]


def test_a_progress_bar_fills_nothing() -> None:
    flow = Flow(ManualClock().now)
    for _ in range(10_000):
        assert flow.take("\r" + "#" * 80) == ["\r" + "#" * 80]
