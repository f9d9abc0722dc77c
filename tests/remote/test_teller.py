"""What is told where the link is too slow for all of it."""

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import POWER_DRAW
from gpuexplorer.remote.agent import teller
from gpuexplorer.remote.wire import Answer, Knocked, told_of
from gpuexplorer.telemetry.facts import Users

PATIENCE = 30.0
CARD = CardId("GPU-a")


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reads, writes = os.pipe()
    yield reads, writes
    for each in (reads, writes):
        with suppress(OSError):  # the test may have done it
            os.close(each)


def test_all_is_told_in_order_and_waits_for_whoever_reads(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    say = teller(writes, lambda: None)
    sample = Sample(CARD, 1.0, {POWER_DRAW: 100.0})
    said: list[Any] = [Answer(1, "x" * 500_000), sample, Users(CARD, None), Answer(2)]

    def tell() -> None:
        for each in said:
            say(each)
        os.close(writes)

    telling = threading.Thread(target=tell)
    telling.start()
    with os.fdopen(reads, "rb", closefd=False) as lines:
        assert [told_of(line) for line in lines] == said
    telling.join(PATIENCE)


def test_lines_of_several_threads_stay_whole(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    say = teller(writes, lambda: None)
    told = [Answer(number, "y" * 100_000) for number in range(20)] + [Knocked(7.0, 1.0, 2.0)]
    threads = [threading.Thread(target=say, args=(each,)) for each in told]
    for each in threads:
        each.start()
    with os.fdopen(reads, "rb", closefd=False) as lines:
        heard = [told_of(next(lines)) for _ in told]
    assert {*heard} == {*told}
    for each in threads:
        each.join(PATIENCE)


def test_that_nobody_reads_any_more_is_noticed(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    broken = threading.Event()
    os.close(reads)
    teller(writes, broken.set)(Answer(1))
    assert broken.is_set()
