"""Which rows are shown, in which order, and which of them are one program."""

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.views.processes.arrangement import (
    Grouping,
    Line,
    Wanted,
    arrange,
    in_the_order_of,
)
from gpuexplorer.gui.views.processes.columns import COLUMNS, Column
from gpuexplorer.telemetry.process_book import Standing
from tests.gui.fakes import GIB
from tests.gui.processes.programs import A, B, named, row, using

PLACES = {A: 0, B: 1}


def pids(lines: list[Line]) -> list[list[int]]:
    return [list(line.pids) for line in lines]


def test_the_most_memory_comes_first_and_what_is_not_told_last() -> None:
    rows = [
        row(named(using(A, 1, memory=None))),
        row(named(using(A, 2, memory=1 * GIB))),
        row(named(using(B, 3, memory=9 * GIB))),
    ]
    assert pids(arrange(rows, Wanted(), PLACES)) == [[3], [2], [1]]
    rising = Wanted(falling=False)
    assert pids(arrange(rows, rising, PLACES)) == [[2], [3], [1]]


@pytest.mark.parametrize("column", list(Column))
@pytest.mark.parametrize("falling", [True, False])
def test_every_column_sorts_whatever_is_missing(column: Column, falling: bool) -> None:
    rows = [
        row(named(using(A, 1))),
        row(named(using(A, 2, memory=None, sm=None), command=None, user=None, cpu=None)),
        row(named(using(B, 3, sm=0.7), started_at=None, memory_bytes=None, container="box")),
    ]
    lines = arrange(rows, Wanted(column, falling), PLACES)
    assert sorted(pids(lines)) == [[1], [2], [3]]


def test_who_is_alike_stands_by_card_and_number() -> None:
    rows = [row(named(using(card, pid))) for card, pid in ((B, 1), (A, 9), (A, 4))]
    assert pids(arrange(rows, Wanted(), PLACES)) == [[4], [9], [1]]


def test_who_ended_keeps_its_place_until_it_goes() -> None:
    rows = [
        row(named(using(A, 1, memory=5 * GIB)), Standing.ENDED),
        row(named(using(A, 2, memory=1 * GIB))),
    ]
    assert pids(arrange(rows, Wanted(), PLACES)) == [[1], [2]]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("train", [1]),
        ("TRAIN", [1]),
        ("train bea", []),
        ("serve bea", [2]),
        ("4242", [3]),
        ("box", [3]),
        ("", [1, 2, 3]),
    ],
)
def test_a_filter_finds_every_word_in_any_of_the_facts(words: str, found: list[int]) -> None:
    rows = [
        row(named(using(A, 1), "python train.py")),
        row(named(using(A, 2), "python serve.py", user="bea")),
        row(named(using(A, 4242), "python", container="box", user="bea")),
    ]
    names = {1: 1, 2: 2, 4242: 3}
    lines = arrange(rows, Wanted(words=words), PLACES)
    assert sorted(names[line.pids[0]] for line in lines) == found


def test_a_card_is_chosen_with_its_instances() -> None:
    instance = CardId("MIG-0")
    rows = [row(named(using(card, pid))) for card, pid in ((A, 1), (instance, 2), (B, 3))]
    lines = arrange(rows, Wanted(cards=frozenset({A, instance})), PLACES)
    assert pids(lines) == [[1], [2]]


def test_the_ranks_of_one_training_are_one_program() -> None:
    ranks = [
        row(named(using(card, pid), "torchrun train.py")) for card, pid in ((A, 1), (B, 2))
    ]
    alone = row(named(using(A, 3), "python serve.py"))
    other = row(named(using(B, 4), "torchrun train.py", user="bea"))
    wanted = Wanted(grouping=Grouping.PROGRAM)
    lines = arrange([*ranks, alone, other], wanted, PLACES)
    assert pids(lines) == [[1, 2], [3], [4]]
    assert [line.pids[0] for line in lines[0].under] == [1, 2]
    assert not lines[1].under


def test_processes_without_a_name_are_not_taken_for_one_program() -> None:
    rows = [row(named(using(A, pid), command=None)) for pid in (1, 2)]
    lines = arrange(rows, Wanted(grouping=Grouping.PROGRAM), PLACES)
    assert pids(lines) == [[1], [2]]


def test_rows_that_stand_still_keep_their_order_and_new_ones_come_last() -> None:
    def held(*memory: float) -> list[Line]:
        rows = [
            row(named(using(A, pid, memory=each * GIB)))
            for pid, each in enumerate(memory, start=1)
        ]
        return arrange(rows, Wanted(), PLACES)

    before = held(1, 2, 3)
    assert pids(before) == [[3], [2], [1]]
    assert pids(held(9, 2, 3, 20)) == [[4], [1], [3], [2]]
    assert pids(in_the_order_of(before, held(9, 2, 3, 20))) == [[3], [2], [1], [4]]


def test_every_column_has_words_of_its_own() -> None:
    assert {spec.column for spec in COLUMNS} == set(Column)
    assert all(spec.meaning for spec in COLUMNS)
    assert len({spec.caption for spec in COLUMNS}) == len(COLUMNS)
