"""Which processors are close to a card, and that a thread runs there only meanwhile."""

import os
import sys
from collections.abc import Set

import pytest

from gpuexplorer.worker.measuring.near import on_processors, processors

linux = pytest.mark.skipif(sys.platform != "linux", reason="only there a thread can be moved")


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ("0-3,8", {0, 1, 2, 3, 8}),
        ("0-1,64-65", {0, 1, 64, 65}),
        ("5", {5}),
        ("", set()),
        ("-", set()),
        ("all of them", set()),
    ],
)
def test_a_list_of_processors_is_read_as_linux_writes_it(listed: str, found: Set[int]) -> None:
    assert processors(listed) == found


@linux
def test_a_thread_runs_there_and_comes_back() -> None:
    before = os.sched_getaffinity(0)
    one = {min(before)}
    with on_processors(one | {4095}) as moved:
        assert moved
        assert os.sched_getaffinity(0) == one
    assert os.sched_getaffinity(0) == before


@linux
def test_a_thread_comes_back_when_something_failed_there() -> None:
    before = os.sched_getaffinity(0)
    with pytest.raises(MemoryError), on_processors({min(before)}):
        raise MemoryError
    assert os.sched_getaffinity(0) == before


@linux
def test_where_it_may_not_run_it_stays_where_it_is() -> None:
    before = os.sched_getaffinity(0)
    with on_processors({4095}) as moved:
        assert not moved
        assert os.sched_getaffinity(0) == before


def test_a_system_without_the_call_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with on_processors({0}) as moved:
        assert not moved
