"""A bug of ours is shown, can be copied, and does not end the program."""

import ast
import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRectF, QStringListModel
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QListView, QPlainTextEdit, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.crash_dialog import CrashDialog, CrashReports
from gpuexplorer.gui.event_loop import FrameClock
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.painted import Painted
from tests.gui.hands import click, the
from tests.gui.test_names import GUI

# The platform without a screen says so of every dialog that is opened.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QWidget]:
    """A window whose bugs are reported."""
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    reports = CrashReports(window)
    yield window
    reports.stop()


class Broken(Painted):
    """Cannot draw itself until it is mended."""

    mended = False

    def draw(self, drawing: Drawing) -> None:
        if not self.mended:
            raise ValueError("nothing to draw with")
        drawing.painter.fillRect(self.rect(), drawing.theme.accent)


class BrokenRows(Delegate):
    """Cannot draw any row until it is mended."""

    mended = False

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        if not self.mended:
            raise LookupError("no such row")
        drawing.painter.fillRect(place, drawing.theme.accent)


def meet_bug(words: str) -> None:
    try:
        raise ZeroDivisionError(words)
    except ZeroDivisionError as error:
        sys.excepthook(type(error), error, error.__traceback__)


def dialogs(window: QWidget) -> list[CrashDialog]:
    return [dialog for dialog in window.findChildren(CrashDialog) if dialog.isVisible()]


def report(window: QWidget) -> str:
    return the(QPlainTextEdit, dialogs(window)[0]).toPlainText()


def test_a_bug_shows_its_traceback_which_can_be_copied(window: QWidget, qtbot: QtBot) -> None:
    meet_bug("seven by nothing")
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    click(dialogs(window)[0], "Copy report")
    copied = QGuiApplication.clipboard().text()
    assert "ZeroDivisionError: seven by nothing" in copied
    assert copied.startswith("GPU Explorer ")
    click(dialogs(window)[0], "Go on")
    qtbot.waitUntil(lambda: not dialogs(window))
    assert window.isVisible()


def test_a_second_bug_joins_the_dialog_that_is_open(window: QWidget, qtbot: QtBot) -> None:
    meet_bug("first")
    meet_bug("second")
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    qtbot.waitUntil(lambda: "second" in report(window))
    assert "first" in report(window)
    assert len(dialogs(window)) == 1
    click(dialogs(window)[0], "Go on")


def test_a_bug_that_names_another_figure_at_every_tick_is_shown_once(
    window: QWidget, qtbot: QtBot
) -> None:
    for tick in range(50):
        meet_bug(f"row {tick} of <object at {tick + 140_000:#x}>")
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    assert report(window).count("ZeroDivisionError") == 2, report(window)
    click(dialogs(window)[0], "Go on")
    meet_bug("row 51 of <object at 0x7f>")
    meet_bug("column 51")
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    assert "column 51" in report(window)
    assert "row" not in report(window)
    click(dialogs(window)[0], "Go on")


def test_a_bug_while_drawing_is_shown_and_the_rest_is_drawn_on(
    window: QWidget, qtbot: QtBot
) -> None:
    broken = Broken(window)
    broken.setGeometry(0, 0, 80, 80)
    broken.show()
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    assert "nothing to draw with" in report(window)
    broken.mended = True
    assert QColor(broken.grab().toImage().pixel(40, 40)) == look().theme.accent
    click(dialogs(window)[0], "Go on")


def test_a_bug_in_every_row_of_a_list_is_shown_and_the_program_goes_on(
    window: QWidget, qtbot: QtBot
) -> None:
    # As in the program: what paints is called within a call of ours, see Diagnostics.
    frames = Diagnostics(window, FrameClock(window), Navigation())
    rows = QListView(window)
    rows.setModel(QStringListModel(["one", "two", "three"], rows))
    drawing = BrokenRows(rows)
    rows.setItemDelegate(drawing)
    rows.show()
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    assert "no such row" in report(window)
    click(dialogs(window)[0], "Go on")
    drawing.mended, drawn = True, frames.drawn
    rows.viewport().update()
    qtbot.waitUntil(lambda: frames.drawn > drawn)
    assert QColor(rows.grab().toImage().pixel(8, 8)) == look().theme.accent


def test_whatever_draws_or_watches_events_in_the_window_is_guarded() -> None:
    painting = {"paint", "paintEvent", "initStyleOptionForIndex", "drawRow", "drawBranches"}
    painting |= {"drawBackground", "drawForeground", "eventFilter"}
    unguarded = [
        f"{path.name}: {each.name}.{method.name}"
        for path in GUI.rglob("*.py")
        for each in ast.walk(ast.parse(path.read_text("utf-8")))
        # A graph guards all events of its subclasses.
        if isinstance(each, ast.ClassDef) and each.name != "PlotStack"
        for method in each.body
        if isinstance(method, ast.FunctionDef) and method.name in painting
        if not any(ast.unparse(mark) == "guarded" for mark in method.decorator_list)
    ]
    assert unguarded == []


def test_a_bug_in_another_thread_is_shown_too(window: QWidget, qtbot: QtBot) -> None:
    known: dict[str, str] = {}
    thread = threading.Thread(target=lambda: known["nowhere"])
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    assert "KeyError: 'nowhere'" in report(window)
    click(dialogs(window)[0], "Go on")


def test_stopping_gives_the_hooks_back(qtbot: QtBot) -> None:
    before = sys.excepthook, threading.excepthook
    window = QWidget()
    qtbot.addWidget(window)
    reports = CrashReports(window)
    assert sys.excepthook != before[0]
    reports.stop()
    reports.stop()
    assert (sys.excepthook, threading.excepthook) == before
