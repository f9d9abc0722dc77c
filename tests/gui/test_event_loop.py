"""A bug of ours ends nothing; what other threads hand in; searches for rubbish."""

import ast
import gc
import sys
import threading
from collections.abc import Iterator, Mapping

import pytest
import shiboken6
from PySide6.QtCore import QThread, QTimer
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.crash_dialog import CrashDialog, CrashReports
from gpuexplorer.gui.event_loop import Bridge, Sweeping
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.gui.conftest import OpenWindow
from tests.gui.hands import click
from tests.gui.test_names import GUI


def test_a_happening_from_another_thread_arrives_in_ours(qtbot: QtBot) -> None:
    bridge = Bridge()
    arrived: list[tuple[Happening, bool]] = []
    bridge.happened.connect(
        lambda happening: arrived.append((happening, QThread.currentThread().isMainThread()))
    )
    lost = Happening(1.0, 2.0, Kind.CARD_LOST, CardId("GPU-0"), Message("The card is lost"))
    thread = threading.Thread(target=bridge.post_happening, args=(lost,))
    thread.start()
    thread.join()
    assert not arrived
    qtbot.waitUntil(lambda: bool(arrived))
    assert arrived == [(lost, True)]


def test_a_driver_that_answers_once_the_window_has_gone_troubles_nobody(qtbot: QtBot) -> None:
    bridge = Bridge()
    answer = bridge.post_source_answered
    shiboken6.delete(bridge)
    answer()


def test_all_screens_are_brought_in_while_the_window_stands(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    open_window()
    last = "gpuexplorer.gui.machines.view"
    qtbot.waitUntil(lambda: last in sys.modules, timeout=60_000)


@pytest.fixture
def sweeping(qtbot: QtBot) -> Iterator[Sweeping]:
    del qtbot  # there has to be an application
    gc.enable()
    made = Sweeping()
    timer = made.findChild(QTimer)
    assert timer is not None
    timer.setInterval(10)
    yield made
    gc.disable()


def test_rubbish_is_searched_for_in_the_windows_thread_alone(
    sweeping: Sweeping, qtbot: QtBot
) -> None:
    searched: list[threading.Thread] = []

    def note(phase: str, _: Mapping[str, int]) -> None:
        if phase == "start":
            searched.append(threading.current_thread())

    gc.callbacks.append(note)
    at_work = threading.Thread(target=lambda: [[number] for number in range(200_000)])
    at_work.start()
    at_work.join()
    assert searched == []
    kept = [[number] for number in range(2_000)]
    qtbot.waitUntil(lambda: len(searched) > 0)
    gc.callbacks.remove(note)
    assert set(searched) == {threading.main_thread()}
    assert len(kept) == 2_000


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QWidget]:
    """A window whose bugs are reported."""
    window, before = QWidget(), (sys.excepthook, threading.excepthook)
    qtbot.addWidget(window)
    window.show()
    reports = CrashReports(window)
    yield window
    reports.stop()
    reports.stop()
    assert (sys.excepthook, threading.excepthook) == before


def meet_bug(words: str) -> None:
    try:
        raise ZeroDivisionError(words)
    except ZeroDivisionError as error:
        sys.excepthook(type(error), error, error.__traceback__)


def reported(window: QWidget, qtbot: QtBot, words: str) -> str:
    """The report, which is closed then."""

    def there() -> list[CrashDialog]:
        found = (each for each in window.findChildren(CrashDialog) if each.isVisible())
        return [each for each in found if words in each.report.toPlainText()]

    qtbot.waitUntil(lambda: len(there()) == 1)
    [dialog] = there()
    text: str = dialog.report.toPlainText()
    click(dialog, "Copy report")
    assert QGuiApplication.clipboard().text() == text
    click(dialog, "Go on")
    qtbot.waitUntil(lambda: not there())
    assert text.startswith("GPU Explorer ")
    return text


def test_bugs_join_one_dialog_and_each_is_shown_once_however_often_it_comes(
    window: QWidget, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    for tick in range(50):
        meet_bug(f"row {tick} of <object at {tick + 140_000:#x}>")
    meet_bug("second")
    text = reported(window, qtbot, "second")
    assert text.count("Traceback") == capsys.readouterr().err.count("Traceback") == 2
    meet_bug("row 51 of <object at 0x7f>")
    meet_bug("column 51")
    assert "row" not in reported(window, qtbot, "column 51")
    assert window.isVisible()


def test_a_bug_in_another_thread_is_shown_too(window: QWidget, qtbot: QtBot) -> None:
    known: dict[str, str] = {}
    thread = threading.Thread(target=lambda: known["nowhere"])
    thread.start()
    thread.join()
    reported(window, qtbot, "KeyError: 'nowhere'")


class Broken(Painted):
    """Cannot draw itself until it is mended."""

    mended = False

    def draw(self, drawing: Drawing) -> None:
        if not self.mended:
            raise ValueError("nothing to draw with")
        drawing.painter.fillRect(self.rect(), drawing.theme.accent)


def test_a_bug_while_drawing_is_shown_and_the_rest_is_drawn_on(
    window: QWidget, qtbot: QtBot
) -> None:
    broken = Broken(window)
    broken.setGeometry(0, 0, 80, 80)
    broken.show()
    reported(window, qtbot, "nothing to draw with")
    broken.mended = True
    assert QColor(broken.grab().toImage().pixel(40, 40)) == look().theme.accent


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
