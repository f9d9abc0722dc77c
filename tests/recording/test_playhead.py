"""The moment of a recording that is looked at: it plays, stands, jumps, and ends."""

from collections.abc import Callable

import pytest

from gpuexplorer.recording.recorded_session import Playhead

BEGAN, ENDED = 1000.0, 1600.0
Step = float | Callable[[Playhead], None]


class Steady:
    seconds = 50.0

    def __call__(self) -> float:
        return self.seconds


def opened() -> tuple[Playhead, Steady]:
    steady = Steady()
    return Playhead(BEGAN, ENDED, lambda at: at + 7.0, steady), steady


def seek(at: float) -> Step:
    return lambda playhead: playhead.seek(at)


def play(speed: float) -> Step:
    return lambda playhead: playhead.play(speed)


@pytest.mark.parametrize(
    ("steps", "at", "playing"),
    [
        pytest.param([100.0], ENDED, False, id="it stands at the end until somebody plays it"),
        ([seek(1100.0), play(10.0), 3.0], 1130.0, True),
        ([seek(1100.0), play(10.0), 3.0, play(1.0), 5.0], 1135.0, True),
        ([seek(1100.0), play(2.0), 10.0, Playhead.pause, 10.0], 1120.0, False),
        ([seek(1100.0), play(2.0), 10.0, Playhead.pause, 10.0, play(2.0), 1.0], 1122.0, True),
        pytest.param([seek(1590.0), play(100.0), 3.0], ENDED, False, id="it stops at the end"),
        pytest.param([play(1.0)], BEGAN, True, id="from the end it begins anew"),
        pytest.param([seek(0.0)], BEGAN, False, id="a jump stays within the recording"),
        pytest.param([seek(0.0), play(4.0), seek(1500.0), 5.0], 1520.0, True, id="plays on"),
        ([seek(1500.0), play(4.0), seek(1e12)], ENDED, False),
    ],
)
def test_it_is_where_it_was_sent(steps: list[Step], at: float, playing: bool) -> None:
    playhead, steady = opened()
    for step in steps:
        if isinstance(step, float):
            steady.seconds += step
        else:
            step(playhead)
    assert (playhead.now(), playhead.wall(), playhead.playing) == (at, at + 7.0, playing)
