"""Which rows are shown, in which order, what they say, and what is written of them."""

import csv
import io
import time

import pytest
from PySide6.QtCore import Qt

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.processes.columns import ProcessColumns
from gpuexplorer.gui.processes.rows import (
    Grouping,
    ProcessFilter,
    ProcessLine,
    as_csv,
    lines_of,
)
from gpuexplorer.gui.tables.cell import Cell
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.telemetry.process_book import ELSEWHERE, BookRow, ProcessPast, Standing
from gpuexplorer.telemetry.processes import NamedProcess, ProcessUse
from tests.gui.fakes import GIB, card
from tests.gui.processes.programs import A, B, named, row, using

AROUND = ProcessColumns(
    {shown.card.id: shown for shown in arrange([card(0), card(1)])},
    now=1000.0,
    wall=1_700_000_000.0,
)


def pids(rows: list[BookRow], **wanted: object) -> list[list[int]]:
    lines = lines_of(rows, ProcessFilter(**wanted), AROUND.cards)  # type: ignore[arg-type]  # a test names what it wants
    return [list(line.pids) for line in lines]


def sorted_by(key: str, rows: list[BookRow], *, falling: bool = True) -> list[int]:
    columns = [*AROUND.all()]
    model = TableModel(columns, lambda line: line.key, lambda line: line.under)
    order = Qt.SortOrder.DescendingOrder if falling else Qt.SortOrder.AscendingOrder
    model.sort([column.key for column in columns].index(key), order)
    model.show(lines_of(rows, ProcessFilter(), AROUND.cards))
    found = (model.thing(model.index(at, 0)) for at in range(model.rowCount()))
    return [pid for line in found if line is not None for pid in line.pids]


def cell(line: ProcessLine, key: str, around: ProcessColumns = AROUND) -> Cell:
    return {column.key: column for column in around.all()}[key].cell(line)


def line_of(who: NamedProcess, standing: Standing = Standing.THERE) -> ProcessLine:
    return ProcessLine("a", (row(who, standing),))


def said(column: str, who: NamedProcess, standing: Standing = Standing.THERE) -> str:
    return cell(line_of(who, standing), column).said


@pytest.mark.parametrize("key", [each.key for each in AROUND.all()])
@pytest.mark.parametrize("falling", [True, False])
def test_every_column_sorts_whatever_is_missing(key: str, falling: bool) -> None:
    unknown = named(
        using(A, 2, memory=None, sm=None), None, user=None, cpu=None, started_at=None
    )
    rows = [row(named(using(A, 1))), row(unknown), row(named(using(B, 3), container="box"))]
    assert sorted(sorted_by(key, rows, falling=falling)) == [1, 2, 3]


def test_the_most_memory_comes_first_what_is_not_told_last_and_who_ended_keeps_its_place() -> (
    None
):
    rows = [
        row(named(using(A, 1, memory=None))),
        row(named(using(A, 2, memory=5 * GIB)), Standing.ENDED),
        row(named(using(B, 3, memory=1 * GIB))),
    ]
    assert sorted_by("memory", rows) == [2, 3, 1]
    assert sorted_by("memory", rows, falling=False) == [3, 2, 1]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("TRAIN", [1]),
        ("train bea", []),
        ("serve bea", [2]),
        ("4242", [4242]),
        ("box", [4242]),
        ("", [1, 2, 4242]),
    ],
)
def test_a_filter_finds_every_word_in_any_of_the_facts(words: str, found: list[int]) -> None:
    rows = [
        row(named(using(A, 4242), "python", container="box", user="bea")),
        row(named(using(A, 1), "python train.py")),
        row(named(using(A, 2), "python serve.py", user="bea")),
    ]
    assert pids(rows, words=words) == [[each] for each in found]


def test_a_card_is_chosen_with_its_instances() -> None:
    part = CardId("MIG-0")
    rows = [row(named(using(card, pid))) for card, pid in ((A, 1), (part, 2), (B, 3))]
    assert pids(rows, cards=frozenset({A, part})) == [[1], [2]]


def test_the_ranks_of_one_training_are_one_program_and_those_without_a_name_are_none() -> None:
    rows = [row(named(using(each, pid), "torchrun")) for each, pid in ((A, 1), (B, 2))]
    rows.append(row(named(using(B, 3), "torchrun", user="bea")))
    rows += [row(named(using(B, pid), command=None)) for pid in (4, 5)]
    assert pids(rows, grouping=Grouping.PROGRAM) == [[1, 2], [3], [4], [5]]


def test_a_process_is_told_in_every_column() -> None:
    who = named(using(A, 41873, 17.93 * GIB, 0.96), "/opt/bin/python train.py", cpu=1.18)
    told = {column.key: said(column.key, who) for column in AROUND.all()}
    since = time.strftime("%H:%M", time.localtime(1_699_990_000.0))
    assert told.items() >= {
        ("card", "0"),
        ("command", "/opt/bin/python train.py"),
        ("pid", "41873"),
        ("user", "ana"),
        ("memory", "17.93"),
        ("sm", "96"),
        ("cpu", "118"),
        ("host_memory", "2.00"),
        ("since", since),
        ("runs", "2 h 47 min"),
        ("use", "C"),
        ("container", "none"),
    }
    assert cell(line_of(who), "command").short == "python train.py"
    assert len({column.named for column in AROUND.all()}) == len(told)
    assert all(column.meaning for column in AROUND.all())


def test_a_zero_is_a_number_and_little_is_not_zero() -> None:
    assert said("sm", named(using(A, 1, sm=0.0))) == "0"
    assert said("memory", named(using(A, 1, memory=0.0))) == "0.00"
    assert said("memory", named(using(A, 1, memory=4e6))) == "<0.01"
    decimal = ProcessColumns(units=Units(decimal_memory=True))
    assert cell(line_of(named(using(A, 1, memory=2e9))), "memory", decimal).said == "2.00"


@pytest.mark.parametrize("absence", list(Absence))
@pytest.mark.parametrize("column", ["memory", "sm", "memory_controller", "encoder", "history"])
def test_a_missing_figure_says_why(absence: Absence, column: str) -> None:
    told = cell(line_of(named(using(A, 1, memory=None, sm=None, why=absence))), column)
    assert told.absent
    assert not any(letter.isdigit() for letter in told.said)
    assert absence.sentence in told.hint


def test_in_a_container_the_name_is_not_made_up() -> None:
    who = NamedProcess(using(A, 1), resolved=False, reason=ELSEWHERE, elsewhere=True)
    assert said("command", who) == "name not visible in this container"
    for column in ("user", "cpu", "host_memory", "since", "runs", "container"):
        assert said(column, who) == "not visible here"
    assert said("memory", who) == "1.00"


def test_what_the_computer_does_not_tell_yet_or_any_more_has_a_reason() -> None:
    assert said("cpu", named(using(A, 1), cpu=None)) == "soon"
    gone = named(using(A, 1), cpu=None, memory_bytes=None, ended=True)
    for column in ("cpu", "host_memory"):
        told = cell(line_of(gone), column)
        assert told.absent == ("has ended", "ended")
        assert told.hint == "It has ended, and what started it has not collected it yet."


def test_a_program_adds_up_what_can_be_added() -> None:
    rows = (
        row(named(using(A, 1, 10 * GIB, 0.91), "train", cpu=1.0)),
        row(named(using(B, 2, 12 * GIB, 0.97), "train", cpu=0.5)),
        row(named(using(B, 1, 1 * GIB, None), "train", cpu=1.0)),
    )
    line = ProcessLine("p", rows, tuple(ProcessLine(each.key, (each,)) for each in rows))
    # A process that uses two cards uses the processor once.
    for key, words in (("card", "0 1"), ("pid", "2 pids"), ("memory", "23.00"), ("cpu", "150")):
        assert cell(line, key).said == words
    assert cell(line, "sm").said == "91–97"
    assert "2 of 3 rows" in cell(line, "sm").hint


def test_kind_and_history_are_told_in_words_too() -> None:
    who = named(using(A, 1, use=ProcessUse.GRAPHICS))
    assert (said("use", who), cell(line_of(who), "use").hint) == ("G", "draws on a screen")
    past = ProcessPast([998.0, 999.0, 1000.0], [0.2, float("nan"), 0.6], [1 * GIB] * 3)
    around = ProcessColumns(AROUND.cards, now=1000.0, past=lambda card, pid: past)
    told = cell(line_of(who), "history", around)
    assert told.drawn is not None
    for words in ("mean 40 %", "most 60 %", "3 looks"):
        assert words in told.hint


def test_a_file_has_figures_to_compute_with_and_a_reason_for_each_blank() -> None:
    rows = [
        row(named(using(A, 1, 2 * GIB, 0.5), "=train, fast", cpu=1.5, container="box")),
        row(named(using(A, 2, None, None, Absence.WINDOWS_KEEPS_IT)), Standing.ENDED),
    ]
    text = as_csv(rows, {}, "2026-11-21T14:03:12+01:00", simulated=True)
    first, second = csv.DictReader(io.StringIO(text))
    assert first.items() >= {
        ("memory [B]", "2147483648"),
        ("sm [ratio]", "0.5"),
        ("cpu [cores]", "1.5"),
        ("command", "'=train, fast"),  # no formula
        ("container", "box"),
        ("simulated", "yes"),
    }
    assert second["memory [B]"] == ""
    assert f"memory: {Absence.WINDOWS_KEEPS_IT.sentence}" in second["missing"]
    assert second["standing"] == "has ended"
