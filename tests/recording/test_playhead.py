"""The moment of a recording that is looked at: it plays, stands, jumps, and ends."""

import threading
from concurrent.futures import ThreadPoolExecutor

from gpuexplorer.recording.recorded_session import Playhead

BEGAN, ENDED = 1000.0, 1600.0


class Steady:
    def __init__(self) -> None:
        self.seconds = 50.0

    def __call__(self) -> float:
        return self.seconds


def opened() -> tuple[Playhead, Steady]:
    steady = Steady()
    return Playhead(BEGAN, ENDED, lambda at: at + 7.0, steady), steady


def test_it_stands_at_the_end_until_somebody_plays_it() -> None:
    playhead, steady = opened()
    steady.seconds += 100.0
    assert (playhead.now(), playhead.wall(), playhead.playing) == (ENDED, ENDED + 7.0, False)


def test_it_plays_at_the_speed_that_was_asked_for() -> None:
    playhead, steady = opened()
    playhead.seek(1100.0)
    playhead.play(10.0)
    steady.seconds += 3.0
    assert (playhead.now(), playhead.playing) == (1130.0, True)
    playhead.play(1.0)
    steady.seconds += 5.0
    assert playhead.now() == 1135.0


def test_paused_it_stands_where_it_came_to_and_goes_on_from_there() -> None:
    playhead, steady = opened()
    playhead.seek(1100.0)
    playhead.play(2.0)
    steady.seconds += 10.0
    playhead.pause()
    steady.seconds += 10.0
    assert (playhead.now(), playhead.playing) == (1120.0, False)
    playhead.play(2.0)
    steady.seconds += 1.0
    assert playhead.now() == 1122.0


def test_it_stops_at_the_end_and_begins_anew_from_there() -> None:
    playhead, steady = opened()
    playhead.seek(1590.0)
    playhead.play(100.0)
    steady.seconds += 3.0
    assert (playhead.now(), playhead.playing) == (ENDED, False)
    playhead.play(1.0)
    assert (playhead.now(), playhead.playing) == (BEGAN, True)


def test_a_jump_stays_within_the_recording_and_it_plays_on_if_it_did() -> None:
    playhead, steady = opened()
    playhead.seek(0.0)
    assert (playhead.now(), playhead.playing) == (BEGAN, False)
    playhead.play(4.0)
    playhead.seek(1500.0)
    steady.seconds += 5.0
    assert (playhead.now(), playhead.playing) == (1520.0, True)
    playhead.seek(1e12)
    assert (playhead.now(), playhead.playing) == (ENDED, False)


def test_whoever_listens_hears_of_every_hand_that_moves_it() -> None:
    playhead, _ = opened()
    heard: list[float] = []
    playhead.listen(lambda: heard.append(playhead.now()))
    playhead.seek(1200.0)
    playhead.play(1.0)
    playhead.pause()
    assert heard == [1200.0, 1200.0, 1200.0]


def test_who_waits_waits_in_seconds_of_their_own() -> None:
    playhead, _ = opened()
    rung = threading.Event()
    assert not playhead.wait(rung, 0.0)
    rung.set()
    assert playhead.wait(rung, 60.0)


def test_many_threads_that_move_it_leave_it_within_the_recording() -> None:
    playhead, steady = opened()

    def move(number: int) -> bool:
        playhead.seek(BEGAN + number)
        playhead.play(number % 100)
        steady.seconds += 0.1
        playhead.pause()
        return BEGAN <= playhead.now() <= ENDED

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(move, range(500)))
