"""Which rows are shown, in which order, and which of them are one program."""

import pytest
from PySide6.QtCore import Qt

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.processes.columns import ProcessColumns
from gpuexplorer.gui.processes.model import (
    Grouping,
    ProcessFilter,
    ProcessLine,
    lines_of,
)
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.telemetry.process_book import BookRow, Standing
from tests.gui.fakes import GIB
from tests.gui.processes.programs import A, B, named, row, using

PLACES = {A: 0, B: 1}


def pids(lines: list[ProcessLine]) -> list[list[int]]:
    return [list(line.pids) for line in lines]


def sorted_by(key: str, rows: list[BookRow], *, falling: bool = True) -> list[list[int]]:
    columns = ProcessColumns().all()
    model = TableModel(columns, lambda line: line.key, lambda line: line.under)
    order = Qt.SortOrder.DescendingOrder if falling else Qt.SortOrder.AscendingOrder
    model.sort([column.key for column in columns].index(key), order)
    model.show(lines_of(rows, ProcessFilter(), PLACES))
    found = (model.thing(model.index(at, 0)) for at in range(model.rowCount()))
    return pids([line for line in found if line is not None])


def test_the_most_memory_comes_first_and_what_is_not_told_last() -> None:
    rows = [
        row(named(using(A, 1, memory=None))),
        row(named(using(A, 2, memory=1 * GIB))),
        row(named(using(B, 3, memory=9 * GIB))),
    ]
    assert sorted_by("memory", rows) == [[3], [2], [1]]
    assert sorted_by("memory", rows, falling=False) == [[2], [3], [1]]


@pytest.mark.parametrize("key", [each.key for each in ProcessColumns().all()])
@pytest.mark.parametrize("falling", [True, False])
def test_every_column_sorts_whatever_is_missing(key: str, falling: bool) -> None:
    rows = [
        row(named(using(A, 1))),
        row(named(using(A, 2, memory=None, sm=None), command=None, user=None, cpu=None)),
        row(named(using(B, 3, sm=0.7), started_at=None, memory_bytes=None, container="box")),
    ]
    assert sorted(sorted_by(key, rows, falling=falling)) == [[1], [2], [3]]


def test_who_is_alike_stands_by_card_and_number() -> None:
    rows = [row(named(using(card, pid))) for card, pid in ((B, 1), (A, 9), (A, 4))]
    assert pids(lines_of(rows, ProcessFilter(), PLACES)) == [[4], [9], [1]]


def test_who_ended_keeps_its_place_until_it_goes() -> None:
    rows = [
        row(named(using(A, 1, memory=5 * GIB)), Standing.ENDED),
        row(named(using(A, 2, memory=1 * GIB))),
    ]
    assert sorted_by("memory", rows) == [[1], [2]]


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
    lines = lines_of(rows, ProcessFilter(words=words), PLACES)
    assert sorted(names[line.pids[0]] for line in lines) == found


def test_a_card_is_chosen_with_its_instances() -> None:
    instance = CardId("MIG-0")
    rows = [row(named(using(card, pid))) for card, pid in ((A, 1), (instance, 2), (B, 3))]
    lines = lines_of(rows, ProcessFilter(cards=frozenset({A, instance})), PLACES)
    assert pids(lines) == [[1], [2]]


def test_the_ranks_of_one_training_are_one_program() -> None:
    ranks = [
        row(named(using(card, pid), "torchrun train.py")) for card, pid in ((A, 1), (B, 2))
    ]
    alone = row(named(using(A, 3), "python serve.py"))
    other = row(named(using(B, 4), "torchrun train.py", user="bea"))
    wanted = ProcessFilter(grouping=Grouping.PROGRAM)
    lines = lines_of([*ranks, alone, other], wanted, PLACES)
    assert pids(lines) == [[1, 2], [3], [4]]
    assert [line.pids[0] for line in lines[0].under] == [1, 2]
    assert not lines[1].under


def test_processes_without_a_name_are_not_taken_for_one_program() -> None:
    rows = [row(named(using(A, pid), command=None)) for pid in (1, 2)]
    lines = lines_of(rows, ProcessFilter(grouping=Grouping.PROGRAM), PLACES)
    assert pids(lines) == [[1], [2]]


def test_every_column_has_words_of_its_own() -> None:
    columns = ProcessColumns().all()
    assert all(column.meaning for column in columns)
    assert len({column.named for column in columns}) == len(columns)
