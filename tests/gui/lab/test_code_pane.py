"""Notices, errors and their cures, questions, files and menus of the code pane."""

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.error_panel import CureButton, ErrorPanel
from gpuexplorer.gui.lab.code.notice_bar import NoticeBar, QuestionBar
from gpuexplorer.gui.lab.code.program import Program
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.settings import Choices
from gpuexplorer.lab.events import Asked, Began
from gpuexplorer.lab.wire import Answer, Run
from tests.gui.hands import click, press, texts, the
from tests.gui.lab.code_panes import (
    APART,
    MAKE_X,
    editor,
    fail_apart,
    read,
    said,
    settled,
    shown_pane,
    transcript,
)
from tests.gui.lab.conftest import ScriptedWorker, memory, run, tensor

# Menus are windows of their own.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def pane(qtbot: QtBot, lab: Lab) -> CodePane:
    return shown_pane(qtbot, lab)


def test_a_failed_cell_is_explained_and_the_first_way_on_has_the_keyboard(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    editor(pane).setFocus()
    fail_apart(lab, worker, qtbot)
    assert f"RuntimeError: {APART}" in read(pane)
    shown = texts(the(ErrorPanel, pane))
    assert shown[0] == "Cell 3: Two devices."
    assert any(each.startswith("X lies on cuda:0. Y lies on cuda:1.") for each in shown)
    assert {"X + Y.cuda(0)", "X.cuda(1) + Y", "X.cpu() + Y.cpu()"} <= set(shown)
    first = pane.findChildren(CureButton)[0]
    assert first.hasFocus()
    assert "24 B over NVLink, about 8" in first.accessibleName()


class Windows(QObject):
    """Counts those that open."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt calls it
        if isinstance(watched, QWidget) and watched.isWindow():
            self.opened += [type(watched).__name__] if event.type() is QEvent.Type.Show else []
        return False


def test_ways_on_open_no_window_of_their_own(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    windows = Windows()
    fail_apart(lab, worker, qtbot)
    assert pane.findChildren(CureButton)
    assert not windows.opened


def test_a_cure_runs_and_the_failed_cell_says_what_cured_it(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    failed = fail_apart(lab, worker, qtbot)
    press(pane.findChildren(CureButton)[0], Qt.Key.Key_Return)
    assert worker.cells[-1] == "X + Y.cuda(0)"
    worker.done()
    settled(qtbot, lab)
    qtbot.waitUntil(lambda: not the(ErrorPanel, pane).isVisible())
    lab.selection.choose(failed)
    assert "Cured by cell 4. Not in the script" in said(pane)
    assert "Cures cell 3." in read(pane)
    assert the(ErrorPanel, pane).isVisible()
    assert not [each for each in pane.findChildren(CureButton) if each.isVisible()]


def test_whoever_writes_while_a_way_on_has_the_keyboard_writes_into_the_editor(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fail_apart(lab, worker, qtbot)
    first, second, *_ = pane.findChildren(CureButton)
    press(first, Qt.Key.Key_Down)
    assert second.hasFocus()
    QTest.keyClicks(second, "Z")
    assert editor(pane).code == "Z"
    assert editor(pane).hasFocus()


def test_nobody_is_torn_away_from_what_is_being_written(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    editor(pane).put("Z = ")
    fail_apart(lab, worker, qtbot)
    assert editor(pane).hasFocus()


@pytest.mark.parametrize(("width", "height"), [(300, 340), (320, 640), (700, 400)])
def test_the_newest_cell_and_the_first_way_on_are_in_view_in_a_small_pane(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot,
    width: int, height: int,
) -> None:  # fmt: skip
    pane.resize(width, height)
    fail_apart(lab, worker, qtbot)
    first = pane.findChildren(CureButton)[0]
    qtbot.waitUntil(lambda: first.visibleRegion().boundingRect().height() == first.height())
    page = transcript(pane)
    bar = page.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    assert page.height() > 70
    assert editor(pane).geometry().bottom() < pane.height()


def test_an_error_with_nothing_to_explain_takes_no_room(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run("1 / 0")
    worker.fail("error", "ZeroDivisionError", "division by zero")
    settled(qtbot, lab)
    assert "ZeroDivisionError: division by zero" in read(pane)
    assert not the(ErrorPanel, pane).isVisible()


def test_a_cell_and_what_it_placed_are_selected_together(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    first = lab.run(MAKE_X)
    worker.done(tensor("X"), memory=(memory("cuda:0"),))
    settled(qtbot, lab)
    press(transcript(pane), Qt.Key.Key_Up)
    assert (lab.selection.cell, lab.selection.things) == (first, frozenset({"X"}))
    assert said(pane).startswith(f"Cell 1: {MAKE_X}. done. 24 B allocated ·")
    press(transcript(pane), Qt.Key.Key_Escape)
    assert (lab.selection.cell, lab.selection.things) == (None, frozenset())
    assert editor(pane).hasFocus()


def offered(pane: CodePane, command: int) -> list[str]:
    transcript(pane).menu_asked.emit(command, pane.mapToGlobal(QPoint(40, 120)))
    menu = pane.findChildren(QMenu)[-1]
    found = [each.text() for each in menu.actions()]
    menu.close()
    return found


def choose(pane: CodePane, command: int, words: str) -> None:
    transcript(pane).menu_asked.emit(command, pane.mapToGlobal(QPoint(40, 120)))
    menu = pane.findChildren(QMenu)[-1]
    next(each for each in menu.actions() if each.text() == words).trigger()
    menu.close()


def test_a_cell_can_be_copied_changed_and_run_again(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    choose(pane, number, "Copy cell")
    assert QGuiApplication.clipboard().text() == MAKE_X
    choose(pane, number, "Put into the editor")
    assert editor(pane).code == MAKE_X
    choose(pane, number, "Run again")
    worker.done(tensor("X"))
    choose(pane, number, "Run again unwatched")
    again = [each for each in worker.sent if isinstance(each, Run)]
    assert [each.code for each in again] == [MAKE_X] * 3
    assert [each.watched for each in again] == [True, True, False]


def test_the_session_is_run_again_to_a_picked_cell(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    numbers = [run(lab, worker, f"A{at} = torch.rand(2)") for at in range(3)]
    settled(qtbot, lab)
    choose(pane, numbers[1], "Run the session again to here")
    assert worker.cells[3:] == ["A0 = torch.rand(2)", "A1 = torch.rand(2)"]


def test_a_cell_is_run_unwatched_on_asking(pane: CodePane, worker: ScriptedWorker) -> None:
    editor(pane).put("a = 1")
    pane.run_unwatched()
    command = worker.last()
    assert isinstance(command, Run)
    assert (command.code, command.watched) == ("a = 1", False)


def test_the_session_is_copied_as_a_program(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    the(Program, pane).copy()
    qtbot.waitUntil(lambda: any(each.startswith("Copied as a pro") for each in texts(pane)))
    assert MAKE_X in QGuiApplication.clipboard().text()


def test_a_place_that_cannot_be_written_is_a_sentence(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot, tmp_path: Path
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    the(Program, pane).save(tmp_path / "gone" / "lab.py")
    wanted = "lab.py was not saved. That folder does not exist. Choose another place."
    qtbot.waitUntil(lambda: wanted in texts(pane))


def test_without_a_cell_there_is_nothing_to_save(pane: CodePane, qtbot: QtBot) -> None:
    the(Program, pane).ask_where()
    assert "There is no cell yet that could be saved or copied." in texts(pane)


@pytest.fixture
def lesson(pane: CodePane, qtbot: QtBot, tmp_path: Path) -> Path:
    """A file of three cells that was opened."""
    path = tmp_path / "lesson.py"
    path.write_text("# %%\na = 1\n# %%\nb = 2\n# %%\nc = 3\n", "utf-8")
    the(Program, pane).open(path)
    qtbot.waitUntil(lambda: "3 cells of lesson.py have not run." in texts(pane))
    return path


def test_cells_are_counted_of_the_file_that_comes_next(
    pane: CodePane, lesson: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    another = tmp_path / "another.py"
    another.write_text("# %%\nd = 4\n", "utf-8")
    the(Program, pane).open(another)
    qtbot.waitUntil(lambda: "d = 4\nNot run yet" in read(pane))
    assert "3 cells of lesson.py have not run." in texts(pane)


def test_cells_of_a_file_stand_there_and_the_first_run_asks_once(
    pane: CodePane, lesson: Path, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
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


def test_cells_of_a_file_can_be_dropped(
    pane: CodePane, lesson: Path, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    click(pane, "Run all")
    click(pane, "Drop them")
    qtbot.waitUntil(lambda: "Not run yet" not in read(pane))
    assert worker.cells == []
    assert lab.opened == []


def test_a_file_that_holds_no_cells_is_a_sentence(
    pane: CodePane, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "broken.ipynb"
    path.write_text("{", "utf-8")
    the(Program, pane).open(path)
    qtbot.waitUntil(lambda: any("broken.ipynb" in each for each in texts(pane)))


def asks(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot, pane: CodePane, what: str, text: str
) -> int:
    number = lab.run("ask()")
    worker.say(Began(number), Asked(number, what, text))
    qtbot.waitUntil(the(QuestionBar, pane).isVisible)
    return number


def test_a_password_is_not_shown_and_escape_ends_the_input(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = asks(lab, worker, qtbot, pane, "password", "Password: ")
    answer = the(QLineEdit, the(QuestionBar, pane))
    assert answer.echoMode() is QLineEdit.EchoMode.Password
    press(answer, Qt.Key.Key_Escape)
    assert worker.last() == Answer(number, None)


def test_installing_is_asked_with_its_command_and_enter_does_not_install(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
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


def test_forms_only_hides_the_editor_and_the_way_to_files(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    lab.machine.settings.choose(Choices(lab_forms_only=True))
    assert not editor(pane).isVisible()
    assert MAKE_X in read(pane)
    assert "Put into the editor" not in offered(pane, lab.ledger.cells[1].id)
    lab.machine.settings.choose(Choices())
    assert editor(pane).isVisible()


def test_a_cell_that_runs_on_can_be_stopped_and_one_that_hangs_restarted(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run(MAKE_X)
    worker.say(Began(number))
    qtbot.waitUntil(lambda: lab.course.began_at.get(number) is not None)

    def long_enough() -> bool:
        pane.pull()
        return any(each.startswith("Cell 1 runs, ") for each in texts(pane))

    qtbot.waitUntil(long_enough)
    click(pane, "Stop")
    assert worker.cancelled == [number]
    qtbot.waitUntil(lambda: lab.stage is Stage.HANGING)
    assert texts(the(NoticeBar, pane))[0].startswith("It does not come back")
    click(pane, "Restart the worker")
    assert worker.killed


def test_what_runs_is_said_before_cells_of_a_file_that_have_not(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.open_cells(["1", "2"], "lesson.py")
    qtbot.waitUntil(lambda: "2 cells of lesson.py have not run." in texts(pane))
    first, *_ = [lab.run(each) for each in (MAKE_X, "3", "4")]
    worker.say(Began(first))

    def said_with_time() -> bool:
        pane.pull()
        (words,) = texts(the(NoticeBar, pane))
        return words.startswith("Cell 1 runs, ") and words.endswith("; 2 cells wait behind it")

    qtbot.waitUntil(said_with_time)
    click(pane, "Stop")


def test_what_was_lost_can_be_given_up(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: lab.can_replay)
    pane.pull()
    click(pane, "Start over")
    press(transcript(pane), Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: "what it made is gone" in said(pane))
    assert not lab.can_replay


def test_an_explanation_makes_room_for_a_cell_that_runs_and_asks(
    pane: CodePane, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    pane.resize(448, 400)
    failed = fail_apart(lab, worker, qtbot)
    panel, question = the(ErrorPanel, pane), the(QuestionBar, pane)
    assert panel.isVisible()
    number = lab.run("input()")
    worker.say(Began(number), Asked(number, "input", "Name:"))
    qtbot.waitUntil(question.isVisible)
    assert not panel.isVisible()
    lab.selection.choose(failed)
    qtbot.waitUntil(lambda: panel.isVisible() and panel.y() + panel.height() <= question.y())


def test_of_a_long_file_the_next_cells_stand_there(
    pane: CodePane, lab: Lab, qtbot: QtBot
) -> None:
    lab.open_cells([f"x{number} = 1" for number in range(5000)], "/tmp/course.py")
    qtbot.waitUntil(lambda: "x199 = 1" in read(pane))
    assert "x200 = 1" not in read(pane)
    assert any("5000 cells" in each for each in texts(pane))
