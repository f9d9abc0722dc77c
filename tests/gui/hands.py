"""What a person does with a window: find things, press keys and buttons, and drag."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from PySide6.QtCore import QEventLoop, QObject, QPoint, Qt
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton, QWidget

from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.live_view import LiveView

T = TypeVar("T", bound=QObject)
W = TypeVar("W", bound=QWidget)


def the(kind: type[T], within: QWidget) -> T:
    """The one thing of this kind."""
    found = within.findChildren(kind)
    assert len(found) == 1, f"{len(found)} of {kind.__name__}"
    return found[0]


def shown(kind: type[W], within: QWidget) -> W:
    """The one of this kind that can be seen, where other screens have theirs."""
    [found] = [each for each in within.findChildren(kind) if each.isVisible()]
    return found


def in_front(kind: type[W], over: QWidget) -> W:
    """The dialog or popup that was opened over it, once it has the keyboard."""
    [opened] = [each for each in over.findChildren(kind) if each.isVisible()]
    waiting = QEventLoop()
    while QApplication.activePopupWidget() is not opened and not opened.isActiveWindow():
        waiting.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    return opened


def dialog_called(title: str, over: QWidget) -> QDialog:
    (found,) = (each for each in over.findChildren(QDialog) if each.windowTitle() == title)
    return found


def press(widget: QWidget, key: Qt.Key, control: bool = False) -> None:
    modifier = Qt.KeyboardModifier
    QTest.keyClick(widget, key, modifier.ControlModifier if control else modifier.NoModifier)


def click(within: QWidget, text: str) -> None:
    QTest.mouseClick(button(within, text), Qt.MouseButton.LeftButton)


def choose(within: QWidget, words: str) -> None:
    """One of a few choices in a row."""
    found = next(each for each in within.findChildren(ToolButton) if each.text() == words)
    QTest.mouseClick(found, Qt.MouseButton.LeftButton)


def search(view: LiveView, words: str) -> None:
    assert view.start_search()
    QTest.keyClicks(view.window().focusWidget(), words)


def button(within: QWidget, text: str) -> QPushButton:
    found = [
        each
        for each in within.findChildren(QPushButton)
        if each.text() == text and each.isVisible()
    ]
    assert len(found) == 1, f"{len(found)} buttons {text!r}"
    return found[0]


def texts(within: QWidget) -> list[str]:
    """All that is written in labels and can be seen."""
    return [label.text() for label in within.findChildren(QLabel) if label.isVisible()]


def written(within: QWidget) -> list[str]:
    """The same, and on buttons."""
    buttons = [each.text() for each in within.findChildren(QPushButton) if each.isVisible()]
    return [*texts(within), *buttons]


def table_called(window: QWidget, name: str) -> Table[Any]:
    """The one that can be seen."""
    tables = window.findChildren(Table)
    (found,) = (e for e in tables if e.accessibleName() == name and e.isVisible())
    return found


def rows_of(window: QWidget, name: str) -> list[str]:
    """What its rows say to a screen reader, from the top down."""
    tables = [e for e in window.findChildren(Table) if e.accessibleName() == name]
    models = [table.model() for table in tables if table.isVisible()]
    indexes = [model.index(at, 0) for model in models for at in range(model.rowCount())]
    return [str(each.data(Qt.ItemDataRole.AccessibleTextRole)) for each in indexes]


def drag(source: QWidget, held: QPoint, there: QPoint, *, let_go: bool = True) -> None:
    """With the mouse, from a place of the source to one of the screen; else it is given up."""
    with _system(source.window(), there, let_go):
        QTest.mousePress(source, Qt.MouseButton.LeftButton, pos=held)
        for far in (15, 30):
            QTest.mouseMove(source, held + QPoint(far, far))
        end = source.mapFromGlobal(there)
        QTest.mouseRelease(source, Qt.MouseButton.LeftButton, pos=end)


@contextmanager
def _system(window: QWidget, there: QPoint, let_go: bool) -> Iterator[None]:
    def carry(dragged: QDrag, _actions: Qt.DropAction) -> Qt.DropAction:
        under: QWidget | None = window.childAt(window.mapFromGlobal(there))
        while under is not None and not under.acceptDrops():
            under = under.parentWidget()
        if under is None:
            return Qt.DropAction.IgnoreAction
        place, mime = under.mapFromGlobal(there), dragged.mimeData()
        copies, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        plain = Qt.KeyboardModifier.NoModifier
        entered = QDragEnterEvent(place, copies, mime, left, plain)
        QApplication.sendEvent(under, entered)
        if entered.isAccepted():
            QApplication.sendEvent(under, QDragMoveEvent(place, copies, mime, left, plain))
            if let_go:
                QApplication.sendEvent(under, QDropEvent(place, copies, mime, left, plain))
        return copies

    before, QDrag.exec = QDrag.exec, carry  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        QDrag.exec = before  # type: ignore[method-assign]
