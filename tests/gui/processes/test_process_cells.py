"""What stands in each column; a missing figure is a reason and never a zero."""

import time

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.units import Units
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.processes.columns import ProcessColumns
from gpuexplorer.gui.processes.model import ProcessLine
from gpuexplorer.gui.tables.cell import Cell
from gpuexplorer.telemetry.process_book import ELSEWHERE, SIMULATED, ProcessPast, Standing
from gpuexplorer.telemetry.processes import NamedProcess, ProcessUse
from tests.gui.fakes import GIB, card
from tests.gui.processes.programs import A, B, named, row, using

AROUND = ProcessColumns(
    {shown.card.id: shown for shown in arrange([card(0), card(1)])},
    now=1000.0,
    wall=1_700_000_000.0,
)


def cell(line: ProcessLine, key: str, around: ProcessColumns) -> Cell:
    columns = {column.key: column for column in around.all()}
    return columns[key].cell(line)


def said(column: str, who: NamedProcess, standing: Standing = Standing.THERE) -> str:
    return cell(ProcessLine("a", (row(who, standing),)), column, AROUND).said


def test_a_process_is_told_in_every_column() -> None:
    who = named(using(A, 41873, 17.93 * GIB, 0.96), "python train.py", cpu=1.18)
    told = {column.key: said(column.key, who) for column in AROUND.all()}
    assert told["card"] == "0"
    assert told["command"] == "python train.py"
    assert told["pid"] == "41873"
    assert told["user"] == "ana"
    assert told["memory"] == "17.93"
    assert told["sm"] == "96"
    assert told["cpu"] == "118"
    assert told["host_memory"] == "2.00"
    assert told["use"] == "C"
    assert told["container"] == "none"


def test_a_command_is_drawn_without_the_folder_of_its_program_and_told_in_full() -> None:
    for command, short in (
        ("/opt/venv/bin/python /home/ana/train.py", "python /home/ana/train.py"),
        ("/usr/lib/xorg/Xorg", "Xorg"),
    ):
        drawn = cell(ProcessLine("a", (row(named(using(A, 1), command)),)), "command", AROUND)
        assert (drawn.said, drawn.short, drawn.hint) == (command, short, command)


def test_a_zero_is_a_number_and_little_is_not_zero() -> None:
    assert said("sm", named(using(A, 1, sm=0.0))) == "0"
    assert said("memory", named(using(A, 1, memory=0.0))) == "0.00"
    assert said("memory", named(using(A, 1, memory=4e6))) == "<0.01"


def test_memory_is_told_in_the_unit_of_the_caption() -> None:
    decimal = ProcessColumns(units=Units(decimal_memory=True))
    line = ProcessLine("a", (row(named(using(A, 1, memory=2e9))),))
    assert cell(line, "memory", decimal).said == "2.00"


@pytest.mark.parametrize("absence", list(Absence))
@pytest.mark.parametrize("column", ["memory", "sm", "controller", "encoder", "history"])
def test_a_missing_figure_says_why(absence: Absence, column: str) -> None:
    line = ProcessLine("a", (row(named(using(A, 1, memory=None, sm=None, why=absence))),))
    told = cell(line, column, AROUND)
    assert told.absent
    assert not any(letter.isdigit() for letter in told.said)
    assert absence.sentence in told.hint


@pytest.mark.parametrize("standing", [Standing.UNKNOWN, Standing.LEFT, Standing.ENDED])
def test_who_is_not_there_has_no_figures(standing: Standing) -> None:
    words = {
        Standing.UNKNOWN: "not known",
        Standing.LEFT: "no longer on this card",
        Standing.ENDED: "has ended",
    }
    for column in ("memory", "sm"):
        assert words[standing] in said(column, named(using(A, 1)), standing)


def test_in_a_container_the_name_is_not_made_up() -> None:
    who = NamedProcess(using(A, 1), resolved=False, reason=ELSEWHERE, elsewhere=True)
    assert said("command", who) == "not visible here"
    for column in ("user", "cpu", "host_memory", "since", "container"):
        assert said(column, who) == "–"
    assert said("memory", who) == "1.00"


def test_what_is_simulated_says_so_where_nothing_can_be_known() -> None:
    process = using(A, 1)._replace(simulated_command="x")
    who = NamedProcess(process, resolved=False, reason=SIMULATED, user="ada", command="x")
    assert said("user", who) == "ada"
    for column in ("cpu", "host_memory", "since", "container"):
        told = cell(ProcessLine("a", (row(who),)), column, AROUND)
        assert (told.said, told.hint) == ("–", "Made up: there is no such process.")


def test_the_first_look_has_no_share_of_the_processor_yet() -> None:
    assert said("cpu", named(using(A, 1), cpu=None)) == "soon"


def test_what_ended_and_was_not_collected_says_so_and_has_no_zeros() -> None:
    who = named(using(A, 1), cpu=None, memory_bytes=None, ended=True)
    for column in ("cpu", "host_memory"):
        told = cell(ProcessLine("a", (row(who),)), column, AROUND)
        assert told.absent == ("has ended", "ended")
        assert told.hint == "It has ended, and what started it has not collected it yet."


def test_this_window_is_marked() -> None:
    ours = named(using(A, 1), "gpuexplorer", ours=True)
    assert said("command", ours) == "gpuexplorer (this window)"


def test_since_when_is_short_and_told_in_full_on_asking() -> None:
    then = time.localtime(1_690_000_000.0)
    long_ago = ProcessLine("a", (row(named(using(A, 1), started_at=1_690_000_000.0)),))
    told = cell(long_ago, "since", AROUND)
    assert told.said == f"{then.tm_mday} Jul"
    assert "2023" in told.hint
    assert "115 days" in told.hint


def program() -> ProcessLine:
    rows = (
        row(named(using(A, 1, 10 * GIB, 0.91), "train", cpu=1.0)),
        row(named(using(B, 2, 12 * GIB, 0.97), "train", cpu=0.5)),
        row(named(using(B, 1, 1 * GIB, None), "train", cpu=1.0)),
    )
    return ProcessLine("p", rows, tuple(ProcessLine(each.key, (each,)) for each in rows))


def test_a_program_adds_up_what_can_be_added() -> None:
    told = {
        column: cell(program(), column, AROUND)
        for column in ("card", "pid", "memory", "sm", "cpu")
    }
    assert [chip.text for chip in told["card"].chips] == ["0", "1"]
    assert told["pid"].said == "2 pids"
    assert told["memory"].said == "23.00"
    assert told["sm"].said == "91–97"
    assert "2 of 3 rows" in told["sm"].hint
    # A process that uses two cards uses the processor once.
    assert told["cpu"].said == "150"


def test_the_kind_is_explained() -> None:
    who = named(using(A, 1, use=ProcessUse.GRAPHICS))
    told = cell(ProcessLine("a", (row(who),)), "use", AROUND)
    assert told.said == "G"
    assert "draws on a screen" in told.hint


def test_the_history_is_told_in_words_too() -> None:
    past = ProcessPast([998.0, 999.0, 1000.0], [0.2, float("nan"), 0.6], [1 * GIB] * 3)
    around = ProcessColumns(AROUND.cards, now=1000.0, past=lambda card, pid: past)
    told = cell(ProcessLine("a", (row(named(using(A, 1))),)), "history", around)
    assert told.drawn is not None
    assert "mean 40 %" in told.hint
    assert "most 60 %" in told.hint
    assert "3 looks" in told.hint
