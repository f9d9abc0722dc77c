"""Which rows are shown, in which order, what they say, and what is written of them."""

import csv
import io
import time
from collections.abc import Mapping

import pytest
from PySide6.QtCore import Qt

from gpuexplorer.core.absence import Absence
from gpuexplorer.gui.processes.columns import process_columns
from gpuexplorer.gui.processes.process_lines import Grouping, ProcessLine, as_csv, lines_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.telemetry.process_book import ELSEWHERE, BookRow, Standing
from gpuexplorer.telemetry.processes import NamedProcess, ProcessUse
from tests.gui.fakes import GIB, SIMULATED
from tests.gui.processes.conftest import A, B, Machine, named, row, using

KEYS = [
    *("card", "command", "pid", "user", "memory", "sm", "memory_controller", "encoder"),
    *("decoder", "cpu", "host_memory", "since", "runs", "use", "container"),
]


Columns = Mapping[str, Column[ProcessLine]]


def columns_of(machine: Machine) -> Columns:
    found = process_columns(MachineState(machine.session, Settings()))
    return {each.key: each for each in found}


@pytest.fixture
def columns() -> Columns:
    return columns_of(Machine())


def pids(rows: list[BookRow], grouping: Grouping = Grouping.LIST, **wanted: object) -> object:
    lines = lines_of(rows, grouping, **wanted)  # type: ignore[arg-type]  # a test names what it wants
    return [list(line.pids) for line in lines]


def sorted_by(
    columns: Columns, key: str, rows: list[BookRow], *, falling: bool = True
) -> list[int]:
    model = TableModel([*columns.values()], lambda line: line.key, lambda line: line.under)
    order = Qt.SortOrder.DescendingOrder if falling else Qt.SortOrder.AscendingOrder
    model.sort([*columns].index(key), order)
    model.show(lines_of(rows, Grouping.LIST))
    found = (model.thing(model.index(at, 0)) for at in range(model.rowCount()))
    return [pid for line in found if line is not None for pid in line.pids]


def cell(columns: Columns, line: ProcessLine | NamedProcess, key: str) -> Cell:
    line = ProcessLine("a", (row(line),)) if isinstance(line, NamedProcess) else line
    return columns[key].cell(line)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("falling", [True, False])
def test_every_column_sorts_whatever_is_missing(
    columns: Columns, key: str, falling: bool
) -> None:
    unknown = named(
        using(A, 2, memory=None, sm=None), None, user=None, cpu=None, started_at=None
    )
    rows = [row(named(using(A, 1))), row(unknown), row(named(using(B, 3), container="box"))]
    assert sorted(sorted_by(columns, key, rows, falling=falling)) == [1, 2, 3]


def test_the_most_memory_comes_first_what_is_not_told_last_and_who_ended_keeps_its_place(
    columns: Columns,
) -> None:
    rows = [
        row(named(using(A, 1, memory=None))),
        row(named(using(A, 2, memory=5 * GIB)), Standing.ENDED),
        row(named(using(B, 3, memory=1 * GIB))),
    ]
    assert sorted_by(columns, "memory", rows) == [2, 3, 1]
    assert sorted_by(columns, "memory", rows, falling=False) == [3, 2, 1]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("TRAIN", [1]),
        ("train bea", []),
        ("serve bea", [2]),
        ("4242", [4242]),
        ("box", [4242]),
        ("", [4242, 1, 2]),
    ],
)
def test_a_filter_finds_every_word_in_any_of_the_facts(words: str, found: list[int]) -> None:
    rows = [
        row(named(using(A, 4242), "python", container="box", user="bea")),
        row(named(using(A, 1), "python train.py")),
        row(named(using(A, 2), "python serve.py", user="bea")),
    ]
    assert pids(rows, words=words) == [[each] for each in found]


def test_the_ranks_of_one_training_are_one_program_and_those_without_a_name_are_none() -> None:
    rows = [row(named(using(each, pid), "torchrun")) for each, pid in ((A, 1), (B, 2))]
    rows.append(row(named(using(B, 3), "torchrun", user="bea")))
    rows += [row(named(using(B, pid), command=None)) for pid in (4, 5)]
    assert pids(rows, grouping=Grouping.PROGRAM) == [[1, 2], [3], [4], [5]]


def test_a_process_is_told_in_every_column(columns: Columns) -> None:
    who = named(using(A, 41873, 17.93 * GIB, 0.96), "/opt/bin/python train.py", cpu=1.18)
    told = {key: cell(columns, who, key).said for key in KEYS}
    since = time.strftime("%H:%M", time.localtime(1_699_990_000.0))
    assert told == {
        "card": "0",
        "command": "/opt/bin/python train.py",
        "pid": "41873",
        "user": "ana",
        "memory": "17.93",
        **dict.fromkeys(("sm", "memory_controller", "encoder", "decoder"), "96"),
        "cpu": "118",
        "host_memory": "2.00",
        "since": since,
        "runs": "2 h 47 min",
        "use": "C",
        "container": "none",
    }
    assert cell(columns, who, "command").short == "python train.py"
    screen = named(using(A, 1, use=ProcessUse.GRAPHICS))
    assert cell(columns, screen, "use").hint == "draws on a screen"


@pytest.mark.parametrize("absence", list(Absence))
@pytest.mark.parametrize("key", ["memory", "sm", "encoder", "sm_past"])
def test_a_missing_figure_says_why(columns: Columns, absence: Absence, key: str) -> None:
    told = cell(columns, named(using(A, 1, memory=None, sm=None, why=absence)), key)
    assert told.absent
    assert not any(letter.isdigit() for letter in told.said)
    assert absence.sentence in told.hint


def test_what_is_not_known_of_a_process_has_a_reason_and_is_not_made_up(
    columns: Columns,
) -> None:
    who = NamedProcess(using(A, 1), resolved=False, reason=ELSEWHERE, elsewhere=True)
    for key in ("command", "user", "cpu", "host_memory", "since", "runs", "container"):
        told = cell(columns, who, key)
        assert told.absent == ("not visible here",)
        assert "one of the host's and cannot be looked up in this container" in told.hint
    assert cell(columns, who, "memory").said == "1.00"
    assert cell(columns, named(using(A, 1), cpu=None), "cpu").said == "soon"
    gone = cell(columns, named(using(A, 1), cpu=None, ended=True), "cpu")
    assert gone.hint == "It has ended, and what started it has not collected it yet."
    assert cell(columns, named(using(A, 1, memory=4e6)), "memory").said == "<0.01"


def test_a_program_adds_up_what_can_be_added(columns: Columns) -> None:
    rows = (
        row(named(using(B, 2, 12 * GIB, 0.97), "train", cpu=0.5)),
        row(named(using(A, 1, 10 * GIB, 0.91), "train", cpu=1.0)),
        row(named(using(B, 1, 1 * GIB, None), "train", cpu=1.0)),
    )
    [line] = lines_of(rows, Grouping.PROGRAM)
    # A process that uses two cards uses the processor once.
    for key, words in (("card", "0 1"), ("pid", "2 pids"), ("memory", "23.00"), ("cpu", "150")):
        assert cell(columns, line, key).said == words
    assert cell(columns, line, "sm").said == "91–97"
    assert cell(columns, line, "sm").hint == "Known for 2 of 3 rows"


def test_a_file_has_figures_to_compute_with_and_a_reason_for_each_blank() -> None:
    rows = [
        row(named(using(A, 1, 2 * GIB, 0.5), "=train, fast", cpu=1.5, container="box")),
        row(named(using(A, 2, None, None, Absence.WINDOWS_KEEPS_IT)), Standing.ENDED),
    ]
    text = as_csv(rows, Machine(source=SIMULATED).session)
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
