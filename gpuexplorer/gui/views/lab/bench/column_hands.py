"""ColumnHands: what a person does with a column by mouse and keyboard, as signals."""

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QToolTip

from gpuexplorer.gui.views.lab.bench.column import BenchColumn
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Key

_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -8,
    Qt.Key.Key_PageDown: 8,
    Qt.Key.Key_Home: -(10**6),
    Qt.Key.Key_End: 10**6,
}
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NOTCH = 60.0  # pixels scrolled by one step of a mouse wheel


class ColumnHands(QObject):
    """Goes by the events of its column, and leaves alone what it does not know."""

    chosen = Signal(Key)
    left_alone = Signal()  # clicked where no block is
    opened = Signal(Key)
    deleted = Signal(Key)
    menu_asked = Signal(Key, QPoint)
    carried = Signal(Key, int)  # copied by one device to the left (-1) or right (1)
    gone_sideways = Signal(int)
    dragged = Signal(Key, QPoint)
    let_go = Signal(QPoint)
    given_up = Signal()

    def __init__(self, column: BenchColumn) -> None:
        super().__init__(column)
        self._column = column
        self._held: Key | None = None
        self._pressed: Key | None = None
        self._pressed_at = QPoint()
        self._dragging = False
        column.installEventFilter(self)

    @property
    def column(self) -> BenchColumn:
        return self._column

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event:
            case QContextMenuEvent():
                return self._ask_menu(event)
            case QHelpEvent() if event.type() is QEvent.Type.ToolTip:
                self._tell(event)
                return True
            case QWheelEvent():
                return self._scroll(event)
            case QMouseEvent():
                return self._take_mouse(event)
            case QKeyEvent() if event.type() is QEvent.Type.KeyPress:
                return self._take_key(event)
            case QKeyEvent() if event.type() is QEvent.Type.ShortcutOverride:
                # The space bar selects a block, before it holds the time, and Ctrl+C copies
                # its name, before the screen copies something else.
                copies = event.matches(QKeySequence.StandardKey.Copy)
                taken = copies or event.key() == Qt.Key.Key_Space
                if taken and self._column.view.at is not None:
                    event.accept()
                    return True
            case _ if event.type() is QEvent.Type.Leave:
                self._column.point_at(None)
            case _:
                pass
        return False

    def _take_mouse(self, event: QMouseEvent) -> bool:
        place = event.position().toPoint()
        left = event.button() is Qt.MouseButton.LeftButton
        match event.type():
            case QEvent.Type.MouseButtonPress if left:
                self._press(place, event.globalPosition().toPoint())
                return True
            case QEvent.Type.MouseButtonDblClick if left:
                # The first click may have made room for it, and moved what lies below.
                if self._pressed is not None:
                    self.opened.emit(self._pressed)
                return True
            case QEvent.Type.MouseMove:
                self._move(place, event.globalPosition().toPoint())
                return self._dragging
            case QEvent.Type.MouseButtonRelease if left:
                self._release(event.globalPosition().toPoint())
                return True
            case _:
                return False

    def _press(self, place: QPoint, there: QPoint) -> None:
        key = self._pressed = self._column.key_at(place)
        self._column.setFocus(Qt.FocusReason.MouseFocusReason)
        if key is None:
            self.left_alone.emit()
            return
        self._column.go_to(key)
        self._held, self._pressed_at = key, there
        self.chosen.emit(key)

    def _move(self, place: QPoint, there: QPoint) -> None:
        if self._held is None:
            key = self._column.key_at(place)
            self._column.point_at(key)
            shape = Qt.CursorShape.ArrowCursor if key is None else Qt.CursorShape.OpenHandCursor
            if self._column.cursor().shape() is not shape:
                self._column.setCursor(shape)
            return
        far = (there - self._pressed_at).manhattanLength()
        if not self._dragging and far >= QApplication.startDragDistance():
            self._dragging = True
            self._column.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragging:
            self.dragged.emit(self._held, there)

    def _release(self, there: QPoint) -> None:
        dragging = self._dragging
        self._stop()
        if dragging:
            self.let_go.emit(there)

    def _stop(self) -> None:
        self._held = None
        self._dragging = False
        self._column.unsetCursor()

    def _take_key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Escape and self._dragging:
            self._stop()
            self.given_up.emit()
            return True
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        at = self._column.view.at
        if key in _SIDEWAYS:
            if not control:
                self.gone_sideways.emit(_SIDEWAYS[key])
            elif at is not None:
                self.carried.emit(at, _SIDEWAYS[key])
            return True
        if at is None or control:
            return False
        if key in _STEPS:
            self._column.step(_STEPS[key])
        elif key in _TAKES:
            self.opened.emit(at)
        elif key is Qt.Key.Key_Space:
            self.chosen.emit(at)
        elif key is Qt.Key.Key_Delete:
            self.deleted.emit(at)
        else:
            return False
        return True

    def _ask_menu(self, event: QContextMenuEvent) -> bool:
        column = self._column
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            key = column.key_at(event.pos())
            place = event.globalPos()
        else:
            key = column.view.at
            shown = QPoint() if key is None else column.place_of(key).center()
            place = column.mapToGlobal(shown)
        if key is not None:
            self.menu_asked.emit(key, place)
        return True

    def _scroll(self, event: QWheelEvent) -> bool:
        """By a wheel or two fingers; sideways is for the bench."""
        if not self._column.view.overflows or event.modifiers():
            return False
        fine, coarse = event.pixelDelta().y(), event.angleDelta().y()
        if not (fine or coarse):
            return False
        self._column.scroll_by(-fine if fine else -coarse / 120 * _NOTCH)
        return True

    def _tell(self, event: QHelpEvent) -> None:
        text = self._column.hint_at(event.pos())
        if text:
            QToolTip.showText(event.globalPos(), text, self._column)
        else:
            QToolTip.hideText()
