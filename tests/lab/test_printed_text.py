"""What a program prints: shown for as long as it runs, unless it comes too fast."""

from gpuexplorer.core.clock import ManualClock
from gpuexplorer.lab.printed import MOST_PRINTED, Flow

LINE = "x" * 99 + "\n"
CUT = "This prints faster than the lab shows: some is left out."


def test_a_flood_is_cut_at_a_line_and_goes_on_at_a_line() -> None:
    clock = ManualClock()
    flow = Flow(clock.now)
    shown, cut = flow.take("y" * 50 + "\n" + LINE * 3000)
    assert cut == CUT
    assert shown.endswith(LINE)
    assert MOST_PRINTED - 100 < len(shown) <= MOST_PRINTED
    assert not flow.take(LINE)
    clock.advance(2.0)
    left_out = 51 + 300_000 - len(shown) + 100 + 4
    assert flow.take("xxx\n" + LINE) == [f"{left_out:,} letters were left out.", LINE]


def test_a_progress_bar_fills_nothing() -> None:
    flow = Flow(ManualClock().now)
    for _ in range(10_000):
        assert flow.take("\r" + "#" * 80) == ["\r" + "#" * 80]
