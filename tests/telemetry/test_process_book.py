"""The book of processes: by name, with a past, calm where the driver is not, never endless."""

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.telemetry.process_book import (
    ENDED_STAYS,
    LOOKS,
    BookRow,
    ProcessBook,
    ProcessNames,
    Standing,
)
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated

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
    values = {ProcessFigure.MEMORY: memory}
    missing = {}
    if sm is None:
        missing[ProcessFigure.SM] = Absence.NO_NEW_SAMPLE
    else:
        values[ProcessFigure.SM] = sm
    return _NAMES.one(
        CardProcess(
            card, pid, ProcessUse.COMPUTE, values, missing, simulated_command=f"train {pid}"
        )
    )


def real(card: CardId, pid: int | None = None) -> NamedProcess:
    number = os.getpid() if pid is None else pid
    return _NAMES.one(CardProcess(card, number, ProcessUse.COMPUTE))


def standings(book: ProcessBook) -> dict[int, Standing]:
    return {row.named.process.pid: row.standing for row in book.rows()}


def test_rows_of_all_cards_stand_together_by_name(book: ProcessBook) -> None:
    book.take(A, [made_up(A, 1), made_up(A, 2)])
    book.take(B, [made_up(B, 1)])
    assert [(n.process.card, n.process.pid, n.command) for n in book.living()] == [
        (A, 1, "train 1"),
        (A, 2, "train 2"),
        (B, 1, "train 1"),
    ]


def test_nothing_is_put_together_anew_until_something_changes(
    book: ProcessBook, clock: ManualClock
) -> None:
    book.take(A, [made_up(A, 1)])
    rows = book.rows()
    clock.advance(1.0)
    assert book.rows() is rows
    book.take(A, [made_up(A, 1, sm=0.6)])
    assert book.rows() is not rows


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


def test_a_look_that_told_nothing_is_a_gap_and_not_a_zero(
    book: ProcessBook, clock: ManualClock
) -> None:
    book.take(A, [made_up(A, 1, sm=0.5)])
    clock.advance(2.0)
    book.take(A, [made_up(A, 1, sm=None)])
    assert math.isnan(book.past(A, 1).sm[-1])
    assert book.living()[0].process.missing[ProcessFigure.SM] is Absence.NO_NEW_SAMPLE


def test_the_past_is_as_long_as_it_may_be_and_goes_on(
    book: ProcessBook, clock: ManualClock
) -> None:
    for look in range(LOOKS + 5):
        book.take(A, [made_up(A, 1, memory=look)])
        clock.advance(2.0)
    past = book.past(A, 1)
    assert list(past.memory) == list(range(5, LOOKS + 5))
    assert list(past.times) == sorted(past.times)


def test_who_ended_stays_a_moment_and_says_so(book: ProcessBook, clock: ManualClock) -> None:
    book.take(A, [made_up(A, 1), made_up(A, 2)])
    clock.advance(2.0)
    book.take(A, [made_up(A, 2)])
    assert standings(book) == {1: Standing.ENDED, 2: Standing.THERE}
    assert [named.process.pid for named in book.living()] == [2]
    clock.advance(ENDED_STAYS)
    book.take(A, [made_up(A, 2)])
    assert standings(book) == {2: Standing.THERE}


def test_who_lets_the_card_go_and_runs_on_has_not_ended(
    book: ProcessBook, clock: ManualClock
) -> None:
    book.take(A, [real(A)])
    clock.advance(2.0)
    book.take(A, [])
    assert standings(book) == {os.getpid(): Standing.LEFT}


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


def test_a_number_that_was_given_on_begins_a_new_past(
    book: ProcessBook, clock: ManualClock
) -> None:
    book.take(A, [replace(real(A), resolved=True, identity=psutil.Process())])
    clock.advance(2.0)
    book.take(A, [replace(real(A), identity=psutil.Process(os.getppid()))])
    assert len(book.past(A, os.getpid()).times) == 1


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


def test_memory_does_not_grow_with_the_processes_that_ended(
    book: ProcessBook, clock: ManualClock
) -> None:
    for pid in range(2000):
        book.take(A, [made_up(A, pid)])
        clock.advance(0.01)
    remembered = [pid for pid in range(2000) if book.past(A, pid).times]
    assert 1 < len(remembered) < 300
    assert remembered[-1] == 1999


def test_a_card_that_is_no_longer_listed_is_forgotten(book: ProcessBook) -> None:
    book.take(A, [made_up(A, 1)])
    book.take(B, [made_up(B, 2)])
    book.keep({B})
    assert standings(book) == {2: Standing.THERE}
    assert book.looked_at(A) is None


def test_who_uses_an_instance_has_a_past_there_and_ends_with_its_card(
    book: ProcessBook, clock: ManualClock
) -> None:
    """A card with MIG on tells of all its instances."""
    part = CardId("MIG-a")
    book.take(A, [made_up(part, 1)])
    assert len(book.past(part, 1).times) == 1
    clock.advance(2.0)
    book.take(A, [])
    assert standings(book) == {1: Standing.ENDED}


def test_a_session_names_the_processes_of_its_cards() -> None:
    session = remembering(session_on(simulated("2xTitanRTX"), interval=0.1))
    session.want()
    session.start()
    try:
        assert session.wait_for_sweeps(1, 20.0)
        named = session.named_processes()
        assert {each.process.card for each in named} == {card.id for card in session.cards()}
        assert all(each.command for each in named)
        assert pids(session.process_rows()) == [each.process.pid for each in named]
    finally:
        assert session.stop(5.0)


def pids(rows: Sequence[BookRow]) -> list[int]:
    return [row.named.process.pid for row in rows]
