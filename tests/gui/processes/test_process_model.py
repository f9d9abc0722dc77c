"""The model of the table, as Qt and whoever picked a row see it."""

from random import Random

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.core.units import Units
from gpuexplorer.gui.views.processes.arrangement import Grouping, Wanted, arrange
from gpuexplorer.gui.views.processes.cells import Surroundings
from gpuexplorer.gui.views.processes.columns import COLUMNS, INDEX, Column
from gpuexplorer.gui.views.processes.process_model import ProcessModel
from gpuexplorer.gui.widgets.tables.data_table import CELL
from gpuexplorer.gui.wording.cell import Cell
from gpuexplorer.telemetry.process_book import BookRow
from tests.gui.fakes import GIB
from tests.gui.processes.programs import A, B, named, row, using

PLACES = {A: 0, B: 1}
COMMAND, MEMORY = INDEX[Column.COMMAND], INDEX[Column.MEMORY]


def show(model: ProcessModel, rows: list[BookRow], grouping: Grouping = Grouping.LIST) -> None:
    model.show_lines(arrange(rows, Wanted(grouping=grouping), PLACES), Surroundings())


def held(pid: int, memory: float, command: str = "") -> BookRow:
    return row(named(using(A, pid, memory * GIB), command))


def column(model: ProcessModel, at: int) -> list[str]:
    return [str(model.index(each, at).data()) for each in range(model.rowCount())]


@pytest.mark.parametrize("grouping", list(Grouping))
def test_the_model_is_one(grouping: Grouping, qtmodeltester: ModelTester) -> None:
    model = ProcessModel()
    show(model, [held(1, 2, "a"), held(2, 1, "a"), held(3, 5, "b")], grouping)
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # its own


def test_an_empty_model_is_one(qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(ProcessModel())  # type: ignore[no-untyped-call]  # its own


@pytest.mark.parametrize("seed", range(6))
def test_it_stays_one_whatever_comes_and_goes(seed: int, qtbot: QtBot) -> None:
    chance = Random(seed)
    model = ProcessModel()
    tester = QAbstractItemModelTester(
        model, QAbstractItemModelTester.FailureReportingMode.Warning
    )
    for _ in range(20):
        rows = [
            row(named(using(chance.choice((A, B)), pid, chance.randrange(9) * GIB), command))
            for pid in chance.sample(range(12), chance.randrange(12))
            for command in (chance.choice(("a", "b", "c")),)
        ]
        grouping = chance.choice(list(Grouping))
        lines = arrange(rows, Wanted(grouping=grouping), PLACES)
        model.show_lines(lines, Surroundings())
        shown = [model.line(model.index(at, 0)) for at in range(model.rowCount())]
        assert shown == lines
        for at, line in enumerate(lines):
            first = model.index(at, 0)
            under = [
                model.line(model.index(each, 0, first)) for each in range(model.rowCount(first))
            ]
            assert tuple(under) == line.under
    del tester


def test_rows_change_in_place_and_nobody_loses_their_row(qtbot: QtBot) -> None:
    model = ProcessModel()
    show(model, [held(1, 3), held(2, 2), held(3, 1)])
    second = QPersistentModelIndex(model.index(1, COMMAND))
    assert second.data() == "python 2.py"
    with qtbot.assertNotEmitted(model.modelReset):
        show(model, [held(1, 3), held(2, 9), held(4, 1)])
    assert column(model, COMMAND) == ["python 2.py", "python 1.py", "python 4.py"]
    assert second.row() == 0
    assert second.data() == "python 2.py"
    show(model, [held(1, 3)])
    assert not second.isValid()


def test_where_nothing_moves_only_the_content_changes(qtbot: QtBot) -> None:
    model = ProcessModel()
    show(model, [held(1, 3), held(2, 2)])
    with (
        qtbot.waitSignal(model.dataChanged),
        qtbot.assertNotEmitted(model.layoutChanged),
        qtbot.assertNotEmitted(model.rowsInserted),
        qtbot.assertNotEmitted(model.rowsRemoved),
    ):
        show(model, [held(1, 4), held(2, 3)])
    assert column(model, MEMORY) == ["4.00", "3.00"]


def test_a_second_rank_makes_a_program_of_the_first() -> None:
    model = ProcessModel()
    show(model, [held(1, 3, "train")], Grouping.PROGRAM)
    assert not model.hasChildren(model.index(0, 0))
    show(model, [held(1, 3, "train"), held(2, 2, "train")], Grouping.PROGRAM)
    assert model.rowCount() == 1
    program = model.index(0, 0)
    assert model.rowCount(program) == 2
    assert program.siblingAtColumn(MEMORY).data() == "5.00"
    assert model.index(1, MEMORY, program).data() == "2.00"
    show(model, [held(2, 2, "train")], Grouping.PROGRAM)
    assert not model.hasChildren(model.index(0, 0))


def test_captions_carry_the_unit_and_their_meaning(qtbot: QtBot) -> None:
    model = ProcessModel()
    across = Qt.Orientation.Horizontal
    assert model.headerData(MEMORY, across) == "Memory, GiB"
    with qtbot.waitSignal(model.headerDataChanged):
        model.show_units(Units(decimal_memory=True))
    assert model.headerData(MEMORY, across) == "Memory, GB"
    for at in range(len(COLUMNS)):
        assert model.headerData(at, across, Qt.ItemDataRole.ToolTipRole)


def test_a_long_command_is_told_whole_on_asking_and_never_as_markup() -> None:
    model = ProcessModel()
    show(model, [held(1, 1, "python -c 'print(\"<b>\")' " + "--again " * 20)])
    told = model.index(0, COMMAND).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;" in told
    assert told.count("--again") == 20


def test_a_reader_of_screens_is_told_what_each_figure_is() -> None:
    model = ProcessModel()
    show(model, [held(1, 3)])
    spoken = model.index(0, MEMORY).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Memory, GiB: 3.00"
    assert isinstance(model.index(0, MEMORY).data(CELL), Cell)
