"""Several things at the same time, each in a thread of its own; for real."""

import os
import sys
import threading
from functools import partial

import pytest

from gpuexplorer.worker.measuring.near import on_processors
from gpuexplorer.worker.measuring.threads import at_once


def test_all_run_at_the_same_time_and_answer_in_their_order() -> None:
    met = threading.Barrier(3)  # which lets nobody pass before all are there

    def meet(number: int) -> int:
        met.wait(30)
        return number

    assert at_once([partial(meet, number) for number in range(3)]) == [0, 1, 2]


def test_what_fails_is_told_when_the_others_have_ended() -> None:
    ended = []

    def fail() -> None:
        raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        at_once([fail, lambda: ended.append(1)])
    assert ended == [1]


@pytest.mark.skipif(sys.platform != "linux", reason="only there a thread can be moved")
def test_threads_run_on_the_processors_of_who_starts_them() -> None:
    one = {min(os.sched_getaffinity(0))}
    with on_processors(one):
        assert at_once([lambda: os.sched_getaffinity(0)] * 2) == [one, one]
