"""Drags, which Qt leaves to the window system: where there is none, they are done here."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget


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
