"""A bug of ours is shown, can be copied, and does not end the program."""

import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.crash_dialog import CrashDialog, CrashReports
from tests.gui.hands import click, the

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


def test_the_same_bug_at_every_tick_is_shown_once(window: QWidget, qtbot: QtBot) -> None:
    for _ in range(2):
        meet_bug("again")
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    click(dialogs(window)[0], "Go on")
    meet_bug("another")
    meet_bug("again")
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    assert "another" in report(window)
    assert "again" not in report(window)
    click(dialogs(window)[0], "Go on")


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
