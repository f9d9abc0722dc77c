"""What is told where the link is too slow for all of it."""

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import POWER_DRAW
from gpuexplorer.remote.agent import MOST_WAITING, Teller
from gpuexplorer.remote.wire import Answer, Knocked, told_of
from gpuexplorer.telemetry.facts import Users

PATIENCE = 30.0
CARD, OTHER = CardId("GPU-a"), CardId("GPU-b")
MANY = 500


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reads, writes = os.pipe()
    yield reads, writes
    for each in (reads, writes):
        with suppress(OSError):  # the test may have done it
            os.close(each)


def sampled(card: CardId, at: float) -> Sample:
    return Sample(card, at, {POWER_DRAW: 100.0})


def stuffed(writes: int) -> int:
    """Fills the pipe, so that whoever writes into it waits; how many bytes that took."""
    os.set_blocking(writes, False)
    count = 0
    try:
        while True:
            count += os.write(writes, b"\n" * 4096)
    except BlockingIOError:
        os.set_blocking(writes, True)
        return count


def all_told(reads: int) -> list[Any]:
    with os.fdopen(reads, "rb", closefd=False) as lines:
        return [told_of(line) for line in lines if line.strip()]


def end(teller: Teller, writes: int) -> None:
    assert teller.end(PATIENCE)
    os.close(writes)


def test_all_is_told_in_order_where_somebody_reads(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    teller = Teller(writes, lambda: None)
    said: list[Any] = [Answer(1), sampled(CARD, 1.0), Users(CARD, None), Answer(2)]
    for each in said:
        teller.tell(each)
    end(teller, writes)
    assert all_told(reads) == said


def test_of_a_card_the_oldest_are_left_out_and_no_answer_ever_is(
    pipe: tuple[int, int],
) -> None:
    reads, writes = pipe
    stuffed(writes)
    teller = Teller(writes, lambda: None)
    teller.tell(sampled(OTHER, 0.0))
    for number in range(MANY):
        teller.tell(sampled(CARD, float(number)))
        teller.tell(Answer(number))
    heard: list[Any] = []
    reader = threading.Thread(target=lambda: heard.extend(all_told(reads)))
    reader.start()
    end(teller, writes)
    reader.join(PATIENCE)
    answers = [each.id for each in heard if isinstance(each, Answer)]
    samples = [each for each in heard if isinstance(each, Sample)]
    times = [each.at for each in samples if each.card == CARD]
    assert answers == list(range(MANY))
    assert [each.at for each in samples if each.card == OTHER] == [0.0]
    # One more may have been on its way already.
    assert MOST_WAITING <= len(times) <= MOST_WAITING + 1
    assert times[-MOST_WAITING:] == [float(each) for each in range(MANY - MOST_WAITING, MANY)]


def test_a_knock_is_answered_before_all_that_waits(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    stuffed(writes)
    teller = Teller(writes, lambda: None)
    for number in range(MANY):
        teller.tell(Answer(number))
    teller.tell(Knocked(7.0, 1.0, 2.0))
    heard: list[Any] = []
    reader = threading.Thread(target=lambda: heard.extend(all_told(reads)))
    reader.start()
    end(teller, writes)
    reader.join(PATIENCE)
    assert heard.index(Knocked(7.0, 1.0, 2.0)) <= 1  # one was on its way already
    assert len(heard) == MANY + 1


def test_that_nobody_reads_any_more_is_noticed(pipe: tuple[int, int]) -> None:
    reads, writes = pipe
    broken = threading.Event()
    os.close(reads)
    teller = Teller(writes, broken.set)
    teller.tell(Answer(1))
    assert broken.wait(PATIENCE)
