"""Notices, errors and their cures, questions, files and menus of the code pane."""

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.error_panel import CureButton, ErrorPanel
from gpuexplorer.gui.lab.code.notice_bar import NoticeBar, QuestionBar
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.lab.events import Asked, Began, Failed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.session_files import OpenedCell
from gpuexplorer.lab.wire import Answer, Run
from gpuexplorer.recording.lab_said import Sent
from tests.gui.hands import click, press, texts, the
from tests.gui.lab.code_panes import (
    MAKE_X,
    Seat,
    fail_apart,
    read,
    said,
    settled,
    shown_pane,
    transcript,
)
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

# Menus are windows of their own.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def seat(qtbot: QtBot, lab: Lab, worker: ScriptedWorker) -> Seat:
    return Seat(shown_pane(qtbot, lab), lab, worker, qtbot)


def test_a_failed_cell_is_explained_and_the_first_fix_has_the_keyboard(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    fail_apart(lab, worker, qtbot)
    shown = texts(the(ErrorPanel, pane))
    assert shown[0] == "Cell 3: Tensors are on different devices."
    assert any(each.startswith("X lies on cuda:0. Y lies on cuda:1.") for each in shown)
    assert {"X + Y.cuda(0)", "X.cuda(1) + Y", "X.cpu() + Y.cpu()"} <= set(shown)
    first, second, *_ = pane.findChildren(CureButton)
    assert first.hasFocus()
    assert "24 B over NVLink, about 8" in first.accessibleName()
    assert first.accessibleName().endswith("From cuda:1 to cuda:0")
    press(first, Qt.Key.Key_Down)
    assert second.hasFocus()
    QTest.keyClicks(second, "Z")
    assert (pane.entry.code, pane.entry.hasFocus()) == ("Z", True)


def test_a_cure_runs_and_the_failed_cell_says_what_cured_it(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    failed = fail_apart(lab, worker, qtbot)
    press(pane.findChildren(CureButton)[0], Qt.Key.Key_Return)
    assert worker.cells[-1] == "X + Y.cuda(0)"
    worker.done()
    settled(qtbot, lab)
    assert not the(ErrorPanel, pane).isVisible()
    lab.selection.choose(failed)
    assert "Cured by cell 4. Excluded from the saved script" in said(pane)
    assert "Cures cell 3." in read(pane)
    assert the(ErrorPanel, pane).isVisible()


def menu_of(pane: CodePane, cell: Cell) -> QMenu:
    transcript(pane).menu_asked.emit(cell, pane.mapToGlobal(QPoint(40, 120)))
    return pane.findChildren(QMenu)[-1]


def choose(pane: CodePane, cell: Cell, words: str) -> None:
    menu = menu_of(pane, cell)
    next(each for each in menu.actions() if each.text() == words).trigger()
    menu.close()


def test_a_cell_can_be_copied_changed_and_run_again(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    choose(pane, lab.ledger.cells[1], "Copy cell")
    assert QGuiApplication.clipboard().text() == MAKE_X
    choose(pane, lab.ledger.cells[1], "Put into the editor")
    assert pane.entry.code == MAKE_X
    choose(pane, lab.ledger.cells[1], "Run again")
    worker.done(tensor("X"))
    pane.run_unwatched()
    worker.done(tensor("X"))
    again = [each for each in worker.sent if isinstance(each, Run)]
    assert [each.code for each in again] == [MAKE_X] * 3
    assert [each.watched for each in again] == [True, True, False]
    choose(pane, lab.ledger.cells[1], "Run the session again to here")
    assert worker.cells[3:] == [MAKE_X]


def test_the_session_is_copied_as_a_program_and_a_bad_place_is_a_sentence(
    seat: Seat, tmp_path: Path
) -> None:
    pane, lab, worker, qtbot = seat
    pane.program.ask_where()
    assert "There is no cell yet that could be saved or copied." in texts(pane)
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    pane.program.copy()
    qtbot.waitUntil(lambda: any(each.startswith("Copied as a pro") for each in texts(pane)))
    assert MAKE_X in QGuiApplication.clipboard().text()
    pane.program.save(tmp_path / "gone" / "lab.py")
    wanted = "lab.py was not saved. That folder does not exist. Choose another place."
    qtbot.waitUntil(lambda: wanted in texts(pane))


@pytest.fixture
def lesson(seat: Seat, tmp_path: Path) -> Path:
    """A file of three cells that was opened."""
    path = tmp_path / "lesson.py"
    path.write_text("# %%\na = 1\n# %%\nb = 2\n# %%\nc = 3\n", "utf-8")
    seat.pane.program.open(path)
    seat.qtbot.waitUntil(lambda: "3 cells of lesson.py have not run." in texts(seat.pane))
    return path


def test_cells_of_a_file_stand_there_and_the_first_run_asks_once(
    seat: Seat, lesson: Path
) -> None:
    pane, lab, worker, qtbot = seat
    assert "c = 3\nNot run yet" in read(pane)
    click(pane, "Run next")
    assert worker.cells == []
    assert any("with your rights" in each for each in texts(the(NoticeBar, pane)))
    click(pane, "Run them")
    assert [each.splitlines()[-1] for each in worker.cells] == ["a = 1"]
    worker.done()
    qtbot.waitUntil(lambda: "2 cells of lesson.py have not run." in texts(pane))
    click(pane, "Run all")
    for count in (2, 3):
        qtbot.waitUntil(partial(ran, worker, count))
        worker.done()
    settled(qtbot, lab)
    assert "Not run yet" not in read(pane)


def ran(worker: ScriptedWorker, count: int) -> bool:
    return len(worker.cells) == count


def test_cells_of_a_file_can_be_discarded_and_a_broken_file_is_a_sentence(
    seat: Seat, lesson: Path
) -> None:
    pane, lab, worker, qtbot = seat
    click(pane, "Run all")
    click(pane, "Discard")
    qtbot.waitUntil(lambda: "Not run yet" not in read(pane))
    assert (worker.cells, lab.opened) == ([], [])
    path = lesson.parent / "broken.ipynb"
    path.write_text("{", "utf-8")
    pane.program.open(path)
    qtbot.waitUntil(lambda: any("broken.ipynb" in each for each in texts(pane)))


def asks(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot, pane: CodePane, what: str, text: str
) -> int:
    number = lab.run("ask()")
    worker.say(Began(number), Asked(number, what, text))
    qtbot.waitUntil(the(QuestionBar, pane).isVisible)
    return number


def test_a_password_is_not_shown_and_escape_ends_the_input(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    number = asks(lab, worker, qtbot, pane, "password", "Password: ")
    answer = the(QLineEdit, the(QuestionBar, pane))
    assert answer.echoMode() is QLineEdit.EchoMode.Password
    press(answer, Qt.Key.Key_Escape)
    assert worker.last() == Answer(number, None)


def test_installing_is_asked_with_its_command_and_enter_does_not_install(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    number = asks(lab, worker, qtbot, pane, "install", "pip install rich")
    assert any("pip install rich" in each for each in texts(the(QuestionBar, pane)))
    focused = pane.window().focusWidget()
    assert focused is not None
    press(focused, Qt.Key.Key_Return)
    assert worker.last() == Answer(number, None)
    worker.done()
    number = asks(lab, worker, qtbot, pane, "install", "pip install rich")
    click(pane, "Install")
    assert worker.last() == Answer(number, "yes")


def test_a_recording_offers_nothing_that_would_run(qtbot: QtBot, lab: Lab) -> None:
    shown = Lab(lab.machine, lab.pythons, lambda *_: None, recorded=True)  # type: ignore[arg-type]  # none is started
    pane = CodePane(shown)
    qtbot.addWidget(pane)
    pane.show()
    shown.note(Sent(1, MAKE_X, 1))
    failed = Failed(1, "module missing", "ModuleNotFoundError", "No module named 'rich'")
    for each in (Began(1), failed):
        shown.note(each)
    shown.changed.emit()
    buttons = [e.text() for e in pane.findChildren(QToolButton) if e.isVisible()]
    assert buttons == ["Copy", "Save as"]
    menu = menu_of(pane, shown.ledger.cells[0])
    assert [each.text() for each in menu.actions()] == ["Copy cell"]
    menu.close()
    assert not any(each.isEnabled() for each in pane.findChildren(CureButton))
    shown.stop()


def test_a_cell_that_runs_on_can_be_stopped_and_one_that_hangs_restarted(seat: Seat) -> None:
    pane, lab, worker, qtbot = seat
    lab.open_cells([OpenedCell(each, "lesson.py") for each in "12"])
    number, *_ = [lab.run(each) for each in (MAKE_X, "3", "4")]
    worker.say(Began(number))

    def long_enough() -> bool:
        pane.pull()
        (words,) = texts(the(NoticeBar, pane))
        return words.startswith("Cell 1 runs, ") and words.endswith(". Cells waiting: 2")

    qtbot.waitUntil(long_enough)
    click(pane, "Stop")
    assert number in worker.cancelled
    qtbot.waitUntil(lambda: lab.stage is Stage.HANGING)
    assert texts(the(NoticeBar, pane))[0].startswith("The cell was asked to stop")
    click(pane, "Restart the worker")
    assert worker.killed
