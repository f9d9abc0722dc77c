"""The panel of a program that is watched: what a person reads there, and does with it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPlainTextEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.code.notice_bar import NoticeBar, QuestionBar
from gpuexplorer.gui.lab.program.finding_list import FindingCard
from gpuexplorer.gui.lab.program.program_head import ProgramHead
from gpuexplorer.gui.lab.program.program_output import ProgramOutput
from gpuexplorer.gui.lab.program.program_panel import ProgramPage, ProgramPanel
from gpuexplorer.gui.lab.program.watching import EndSheet, Watching
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import PADDING
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.lab.events import Asked, Why
from gpuexplorer.lab.wire import Answer
from tests.gui.frame.steps import called
from tests.gui.hands import click, in_front, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker
from tests.gui.lab.watched_programs import (
    CHOSEN,
    FILE,
    Told,
    copied,
    idled,
    program_lab,
    read,
    seen,
)

# Dialogs of the offscreen screen.
pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),
]


@pytest.fixture
def lab(machine: MachineState, worker: ScriptedWorker) -> Iterator[Lab]:
    lab = program_lab(machine, worker)
    yield lab
    lab.stop()


@pytest.fixture
def told(lab: Lab, worker: ScriptedWorker) -> Told:
    return Told(lab.program, worker)


@pytest.fixture
def panel(qtbot: QtBot, lab: Lab) -> Iterator[ProgramPanel]:
    holder = QWidget()
    qtbot.addWidget(holder)
    panel = ProgramPanel(lab, Watching(lab.program, holder), holder)
    panel.resize(1100, 500)
    holder.resize(1100, 500)
    with qtbot.waitActive(holder):
        holder.show()
        holder.activateWindow()
    yield panel
    panel.stop()


def sees(qtbot: QtBot, panel: QWidget, *words: str) -> None:
    """In any label, whole or as a part of it."""

    def there() -> None:
        said = texts(panel)
        missing = [each for each in words if not any(each in one for one in said)]
        assert not missing, f"{missing} is not among {said}"

    qtbot.waitUntil(there)


def printed(panel: QWidget) -> str:
    return the(ProgramOutput, panel).toPlainText()


def rows(panel: QWidget) -> list[list[str]]:
    table = the(Table, panel)
    model = table.model()
    return [
        [str(model.index(row, column).data() or "") for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def told_rows(qtbot: QtBot, panel: QWidget, count: int) -> list[list[str]]:
    qtbot.waitUntil(lambda: len(rows(panel)) == count)
    return rows(panel)


def test_the_head_says_which_program_how_far_and_how_much_was_watched(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.say(seen())
    sees(
        qtbot,
        panel,
        "train.py --epochs 3",
        "Running",
        "41.0 s modelled · all 12\u202f000 steps watched · watching costs 1.2 %",
    )
    told.say(seen(seen_steps=3400))
    sees(qtbot, panel, "3\u202f400 of 12\u202f000 steps watched")
    name = next(
        each
        for each in the(ProgramHead, panel).findChildren(QWidget)
        if each.accessibleName() == "Program train.py --epochs 3"
    )
    assert name.toolTip() == FILE


def test_a_program_without_steps_says_how_much_of_its_time_was_watched(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.say(seen(step="", steps=0, seen_steps=0, seen_seconds=12.3, modelled=False))
    sees(qtbot, panel, "12.3 s of 41.0 s watched")
    told.say(seen(step="batch", steps=1, seen_steps=1, cost_seconds=None))
    sees(qtbot, panel, "1 batch watched")
    assert not any("costs" in each for each in texts(panel))


def test_findings_stand_the_worst_first_with_their_cures_and_their_places_can_be_copied(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.say(seen())
    sees(qtbot, panel, "12\u202f000 batches: 9.40 of 41.0 s", "the card waited 3.10 of 41.0 s")
    sees(qtbot, panel, "Could save", "23", "9.4 s")
    cards = [each for each in panel.findChildren(FindingCard) if each.isVisible()]
    spoken = [each.accessibleName() for each in cards]
    assert "train.py:2" in spoken[0]
    assert "Take larger batches" in spoken[0]
    assert "It could save 23 % of the time at most." in spoken[0]
    assert "train.py:5 loss.item()" in spoken[1]
    called(QToolButton, panel, "Copy train.py:5").click()
    assert QGuiApplication.clipboard().text() == "train.py:5"
    sees(qtbot, panel, "Copied: train.py:5")


def test_findings_are_gone_through_by_key_and_stand_still_meanwhile(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.say(seen())
    sees(qtbot, panel, "12\u202f000 batches: 9.40 of 41.0 s")
    first = called(QToolButton, panel, "Copy train.py:2")
    first.setFocus()
    press(first, Qt.Key.Key_Down)
    assert called(QToolButton, panel, "Copy train.py:5").hasFocus()
    told.say(seen(idle=(idled(1, 5, "loss.item()", 20.0), *seen().idle[1:])))
    sees(qtbot, panel, "the card waited 20.0 of 41.0 s")
    tops = {
        each.accessibleName(): each.mapTo(panel, each.rect().topLeft()).y()
        for each in panel.findChildren(QToolButton)
        if each.accessibleName().startswith("Copy train.py")
    }
    assert tops["Copy train.py:2"] < tops["Copy train.py:5"]


def test_lines_say_what_each_copied_and_how_long_cards_idled_for_it(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.say(seen())
    found = told_rows(qtbot, panel, 3)
    assert [each[0] for each in found] == ["train.py:2", "train.py:5", "train.py:3"]
    assert found[1][1:] == [
        "loss.item()",
        "0 to H",
        "12\u202f000",
        "46.9 KiB",
        "3.00 s",
        "3.10 s",
        "",
    ]
    assert found[2][2] == "H to 0"
    assert found[2][4:6] == ["8.79 GiB", "2.70 s"]
    sees(qtbot, panel)
    QAbstractItemModelTester(
        model_of(panel), QAbstractItemModelTester.FailureReportingMode.Fatal
    )


def test_what_happens_once_as_a_program_begins_stands_below_what_can_be_changed(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    once = replace(idled(3, 1, "import torch", 20.0, Why.HOST), times=1, longest=20.0)
    told.say(seen(idle=(once, *seen().idle)))
    assert told_rows(qtbot, panel, 4)[-1][0] == "train.py:1"


@pytest.mark.parametrize(
    ("file", "whole"),
    [("train.py", True), ("train_a.py", True), (f"{'very_' * 20}long.py", False)],
)
def test_the_number_of_a_line_can_be_read_however_long_its_file_is_called(
    file: str, whole: bool, panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    path = f"/home/me/resnet/{file}"
    told.say(seen(copies=(copied(1, 1234, "x.to(device)", file=path),), idle=()))
    [[place, *_]] = told_rows(qtbot, panel, 1)
    table = the(Table, panel)
    room = table.columnWidth(0) - 2 * PADDING
    shown = look().letters.mono.elided(place, room, end=True)
    assert (shown == place) is whole
    assert shown.endswith(":1234")


def model_of(panel: QWidget) -> QAbstractItemModel:
    return the(Table, panel).model()


def test_a_line_shows_the_whole_of_it_where_it_is_the_programs_own(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.say(seen())
    told_rows(qtbot, panel, 3)
    code = model_of(panel).index(1, 1)
    assert code.data(Qt.ItemDataRole.ToolTipRole) == "total += loss.item()"


def test_all_figures_of_a_line_have_room_in_a_window_of_a_small_laptop(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    panel.resize(1113, 500)  # what is left of 1366 columns
    panel.show_page(ProgramPage.LINES)
    told.begin()
    told.say(seen())
    told_rows(qtbot, panel, 3)
    table = the(Table, panel)
    assert not any(map(table.isColumnHidden, range(table.model().columnCount())))


def test_arguments_stand_in_the_head_as_they_would_be_typed(
    panel: ProgramPanel, lab: Lab
) -> None:
    lab.program.start(replace(CHOSEN, arguments=("--name", "a b")))
    assert "train.py --name 'a b'" in texts(the(ProgramHead, panel))


def test_nothing_found_says_what_was_looked_at(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    sees(qtbot, panel, "Nothing is watched yet.")
    told.say(seen(copies=(), idle=(), loaders=()))
    sees(qtbot, panel, "Nothing found so far.")
    told.end()
    sees(qtbot, panel, "Ended", "Nothing stands out.", "Looked at: reads")


def test_a_pytorch_without_cards_says_that_nothing_could_be_copied(
    panel: ProgramPanel, told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    worker.hello = replace(worker.hello, devices=worker.hello.devices[:1], simulated=False)
    told.begin()
    told.say(seen(copies=(), idle=(), loaders=(), busy=()))
    told.end()
    sees(qtbot, panel, "so nothing could be copied.", "in the menu, simulates some.")
    assert not any("--simulate" in each for each in texts(panel))


def test_an_error_stands_with_its_place_and_its_sentence(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.fail("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (64x10 and 20x5)")
    sees(qtbot, panel, "Failed", "train.py:4: RuntimeError: mat1 and mat2 shapes")
    assert called(QToolButton, panel, "Run again").isEnabled()


def test_a_status_that_is_not_0_is_no_failure_to_be_explained(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.end(3)
    sees(qtbot, panel, "Ended with status 3")
    assert not the(NoticeBar, panel).isVisible()


def test_what_hangs_after_stop_can_be_ended(
    panel: ProgramPanel, told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    sees(qtbot, panel, "Running")
    called(QToolButton, panel, "Stop").click()
    sees(qtbot, panel, "Stopping")
    sees(qtbot, panel, "Does not end", "It does not come back after Ctrl+C.")
    click(panel, "End it now")
    sees(qtbot, panel, "Killed", "It was ended, since it did not come back.")
    assert worker.killed


def test_what_it_asks_has_the_keyboard_and_is_answered(
    panel: ProgramPanel, told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    told.say(Asked(1, "input", "Which run? "))
    sees(qtbot, panel, "Waiting for input", "Which run?")
    field = QGuiApplication.focusObject()
    assert isinstance(field, QWidget)
    assert the(QuestionBar, panel).isAncestorOf(field)
    press(field, Qt.Key.Key_2)
    press(field, Qt.Key.Key_Return)
    assert worker.sent == [Answer(1, "2")]


def test_output_follows_its_end_until_somebody_scrolls_away(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.print("".join(f"row {each}\n" for each in range(500)))
    qtbot.waitUntil(lambda: "row 499" in printed(panel))
    bar = the(ProgramOutput, panel).verticalScrollBar()
    assert bar.value() == bar.maximum()
    bar.setValue(10)
    told.print("one more\n")
    qtbot.waitUntil(lambda: "one more" in printed(panel))
    assert bar.value() == 10


def test_output_keeps_the_newest_rows_and_what_is_read_stays_in_its_place(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    output = the(ProgramOutput, panel)
    told.print("".join(f"row {each}\n" for each in range(4900)))
    qtbot.waitUntil(lambda: "row 4899" in printed(panel))
    output.verticalScrollBar().setValue(4000)
    top = output.firstVisibleBlock().text()
    told.print("".join(f"more {each}\n" for each in range(200)))
    qtbot.waitUntil(lambda: "more 199" in printed(panel))
    assert output.blockCount() == 5000
    assert output.firstVisibleBlock().text() == top


def test_output_goes_on_where_the_program_has_printed_more_than_is_kept(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    for each in range(12):
        told.print(f"{'x' * 99_998} {each}\n")
    told.print("the newest\n")
    qtbot.waitUntil(lambda: printed(panel).endswith("the newest\n"))
    told.print("and one more\n")
    qtbot.waitUntil(lambda: printed(panel).endswith("the newest\nand one more\n"))


def test_sentences_of_the_lab_stand_in_lines_of_their_own(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.print("one\n")
    told.print(Message("Some is left out."), "note")
    told.print("two\n")
    qtbot.waitUntil(lambda: printed(panel) == "one\nSome is left out.\ntwo\n")


def test_a_progress_bar_writes_over_its_own_row(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.print("epoch 0\n", "out")
    for share in (10, 20, 30):
        told.print(f"\r{share}%|###", "err")
    qtbot.waitUntil(lambda: printed(panel) == "epoch 0\n30%|###")
    told.print("\r\x1b[32mdone\x1b[0m    \nbye\n", "err")
    qtbot.waitUntil(lambda: printed(panel) == "epoch 0\ndone    \nbye\n")


def test_in_a_narrow_panel_output_is_a_page_of_its_own(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.print("hello\n")
    qtbot.waitUntil(lambda: printed(panel) == "hello\n")
    assert the(QPlainTextEdit, panel).isVisible()
    panel.resize(700, 400)
    assert not the(QPlainTextEdit, panel).isVisible()
    panel.show_page(ProgramPage.OUTPUT)
    assert the(QPlainTextEdit, panel).isVisible()
    panel.resize(1100, 500)
    assert the(QPlainTextEdit, panel).isVisible()


def test_what_was_watched_is_copied_as_text_and_saved_as_data(
    panel: ProgramPanel, told: Told, qtbot: QtBot, tmp_path: Path
) -> None:
    told.begin()
    slow = copied(1, 3, "x.to(device)", seconds=3.2)
    told.say(seen(copies=(slow, read(2, 5, "loss.item()"))))
    told_rows(qtbot, panel, 3)
    sees(qtbot, panel, "the wire could carry")  # once the ways between devices are known
    copy = called(QToolButton, panel, "Copy what was watched")
    qtbot.waitUntil(copy.isEnabled)
    copy.click()
    text = QGuiApplication.clipboard().text()
    assert "train.py:5 `loss.item()` 12\u202f000 times: the card waited 3.10 of 41.0 s." in text
    assert "train.py:3\tx.to(device)\tH to 0\t12\u202f000\t8.79 GiB" in text
    panel.save(tmp_path / "run.json")
    qtbot.waitUntil((tmp_path / "run.json").exists)
    data = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert [each["line"] for each in data["findings"]][:2] == [2, 5]
    panel.save(tmp_path / "run.txt")
    qtbot.waitUntil((tmp_path / "run.txt").exists)
    assert (tmp_path / "run.txt").read_text("utf-8") == text
    sees(qtbot, panel, "Saved to")


def test_one_that_still_runs_is_closed_only_when_a_person_says_so(
    panel: ProgramPanel, told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    sees(qtbot, panel, "Running")
    called(QToolButton, panel, "Close the program").click()
    sheet = in_front(EndSheet, panel.window())
    click(sheet, "Keep it")
    assert told.state.run() is not None
    called(QToolButton, panel, "Close the program").click()
    with qtbot.waitSignal(panel.closed):
        click(in_front(EndSheet, panel.window()), "End it")
    assert told.state.chosen is None
    qtbot.waitUntil(lambda: worker.stopped)


def test_another_run_begins_with_nothing_of_the_one_before(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.print("first\n")
    told.say(seen())
    told_rows(qtbot, panel, 3)
    told.end()
    told.begin(replace(CHOSEN, arguments=()))
    sees(qtbot, panel, "Running", "Nothing is watched yet.")
    told_rows(qtbot, panel, 0)
    assert printed(panel) == ""


def test_copies_from_several_files_are_told_apart(
    panel: ProgramPanel, told: Told, qtbot: QtBot
) -> None:
    told.begin()
    other = "/home/me/resnet/data/loading.py"
    rows_ = (copied(1, 3, "x.to(device)"), read(2, 3, "y.item()", file=other))
    told.say(seen(copies=rows_, idle=()))
    found = told_rows(qtbot, panel, 2)
    assert {each[0] for each in found} == {"train.py:3", "data/loading.py:3"}
