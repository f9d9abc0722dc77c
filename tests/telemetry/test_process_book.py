"""The book of processes: by name, with a past, calm where the driver is not, never endless."""

import math
import os
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.telemetry.process_book import (
    ENDED_STAYS,
    ProcessBook,
    ProcessNames,
    Standing,
)
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.clocks import ManualClock

A, B = CardId("GPU-a"), CardId("GPU-b")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def book(clock: ManualClock) -> ProcessBook:
    return ProcessBook(clock)


# Of the computer itself: tests may run inside a container.
_NAMES = ProcessNames(Path("no namespaces"))


def made_up(
    card: CardId, pid: int, sm: float | None = 0.5, memory: float = 1e9
) -> NamedProcess:
    told = {ProcessFigure.MEMORY: memory, ProcessFigure.SM: sm}
    values = {each: value for each, value in told.items() if value is not None}
    missing = {each: Absence.NO_NEW_SAMPLE for each in told if each not in values}
    command = f"train {pid}"
    return _NAMES.one(CardProcess(card, pid, ProcessUse.COMPUTE, values, missing, command))


def real(card: CardId) -> NamedProcess:
    return _NAMES.one(CardProcess(card, os.getpid(), ProcessUse.COMPUTE))


def standings(book: ProcessBook) -> dict[int, Standing]:
    return {row.named.process.pid: row.standing for row in book.rows()}


def test_the_past_is_kept_for_each_card_and_process(
    book: ProcessBook, clock: ManualClock
) -> None:
    for look in range(3):
        book.take(A, [made_up(A, 1, sm=look / 10, memory=look)])
        book.take(B, [made_up(B, 1, sm=0.9)])
        clock.advance(2.0)
    past = book.past(A, 1)
    assert list(past.times) == [1000.0, 1002.0, 1004.0]
    assert list(past.sm) == pytest.approx([0.0, 0.1, 0.2])
    assert list(past.memory) == [0.0, 1.0, 2.0]
    assert list(book.past(B, 1).sm) == pytest.approx([0.9] * 3)
    assert list(book.past(B, 2).times) == []
    book.take(A, [made_up(A, 1, sm=None)])
    assert math.isnan(book.past(A, 1).sm[-1])  # a gap, and not a zero
    assert book.living()[0].process.missing[ProcessFigure.SM] is Absence.NO_NEW_SAMPLE


def test_who_ended_stays_a_moment_and_says_so(book: ProcessBook, clock: ManualClock) -> None:
    book.take(A, [made_up(A, 1), made_up(A, 2)])
    clock.advance(2.0)
    book.take(A, [made_up(A, 2)])
    assert standings(book) == {1: Standing.ENDED, 2: Standing.THERE}
    assert [named.process.pid for named in book.living()] == [2]
    clock.advance(ENDED_STAYS)
    book.take(A, [made_up(A, 2)])
    assert standings(book) == {2: Standing.THERE}


def test_who_comes_back_within_a_minute_has_the_same_past(
    book: ProcessBook, clock: ManualClock
) -> None:
    book.take(A, [made_up(A, 1)])
    clock.advance(2.0)
    book.take(A, [])
    clock.advance(20.0)
    book.take(A, [])
    assert not book.rows()
    book.take(A, [made_up(A, 1)])
    assert standings(book) == {1: Standing.THERE}
    assert len(book.past(A, 1).times) == 2
    clock.advance(2.0)
    book.take(A, [])
    clock.advance(61.0)
    book.take(A, [])
    assert not book.past(A, 1).times


def test_a_card_that_does_not_tell_keeps_its_rows_without_figures(
    book: ProcessBook, clock: ManualClock
) -> None:
    book.take(A, [made_up(A, 1)])
    book.take(B, [made_up(B, 2)])
    clock.advance(2.0)
    book.take(A, None)
    assert standings(book) == {1: Standing.UNKNOWN, 2: Standing.THERE}
    [unknown] = [row.named for row in book.rows() if row.standing is Standing.UNKNOWN]
    assert unknown.command == "train 1"
    assert not unknown.process.values
    assert set(unknown.process.missing) == set(ProcessFigure)
    assert [named.process.pid for named in book.living()] == [2]
    clock.advance(2.0)
    book.take(A, [made_up(A, 1)])
    assert standings(book) == {1: Standing.THERE, 2: Standing.THERE}


def test_the_share_of_the_processor_comes_for_all_cards(
    book: ProcessBook, clock: ManualClock
) -> None:
    for _ in range(2):
        book.take(A, [real(A)])
        book.take(B, [real(B)])
        clock.advance(2.0)
    assert all(named.cpu is not None for named in book.living())
    assert all(named.identity == psutil.Process() for named in book.living())


def test_a_session_names_the_processes_of_its_cards() -> None:
    session = remembering(session_on(simulated("2xTitanRTX"), interval=0.1))
    session.want()
    session.start()
    try:
        assert session.wait_for_sweeps(1, 20.0)
        named = session.process_book.living()
        assert {each.process.card for each in named} == {card.id for card in session.cards()}
        assert all(each.command for each in named)
        assert [row.named for row in session.process_book.rows()] == [*named]
    finally:
        assert session.stop(5.0)
