"""Which processors are close to a card, that a thread runs there only meanwhile, and several
threads at the same time; for real.
"""

import os
import sys
from collections.abc import Set

import pytest

pytest.importorskip("torch")

from gpuexplorer.worker.engines.measuring.asked import processors
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_CARDS = TorchCards()
linux = pytest.mark.skipif(sys.platform != "linux", reason="only there a thread can be moved")


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ("0-3,8", {0, 1, 2, 3, 8}),
        ("all of them", set()),
    ],
)
def test_a_list_of_processors_is_read_as_linux_writes_it(listed: str, found: Set[int]) -> None:
    assert processors(listed) == found


@linux
def test_a_thread_runs_there_and_comes_back() -> None:
    before = os.sched_getaffinity(0)
    one = {min(before)}
    with _CARDS.on_processors(one | {4095}) as moved:
        assert moved
        assert os.sched_getaffinity(0) == one
    assert os.sched_getaffinity(0) == before
