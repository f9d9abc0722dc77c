"""Which processors are close to a card, and that a thread runs there only meanwhile."""

import os
import sys

import pytest

pytest.importorskip("torch")

from gpuexplorer.worker.engines.measuring.measure import processors
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_CARDS = TorchCards()
linux = pytest.mark.skipif(sys.platform != "linux", reason="only there a thread can be moved")


def test_a_list_of_processors_is_read_as_linux_writes_it() -> None:
    assert processors("0-3,8") == {0, 1, 2, 3, 8}


@linux
def test_a_thread_runs_there_and_comes_back() -> None:
    before = os.sched_getaffinity(0)
    one = {min(before)}
    with _CARDS.on_processors(one | {4095}) as moved:
        assert moved
        assert os.sched_getaffinity(0) == one
    assert os.sched_getaffinity(0) == before
