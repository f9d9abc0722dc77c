"""HeatMap: every card of every machine as a cell, shaded by one figure."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.machines.heat_drawing import (
    CELL_RADIUS,
    NOTHING_SHOWN,
    HeatShown,
    draw_close,
    draw_machine,
)
from gpuexplorer.gui.machines.heat_layout import lay_out
from gpuexplorer.gui.machines.heat_shades import colours, picture_of, shades_of
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.paint.plain_tip import plain_tip
from gpuexplorer.gui.state.groups.group import CardCell, CellKey, HostGroup
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_WAYS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_LEAST = 120


class HeatMap(Painted):
    """One widget, however many cards: where they lie is worked out when machines come and go.
    `words_of` says a card to whoever points or listens.
    """

    cell_opened = Signal(object)  # CellKey
    machine_opened = Signal(str)
    keyed = Signal(QRect)  # the keyboard is at what lies there, which is to be seen
    pointed = Signal()  # another cell is looked at, or none: `looked_at`

    def __init__(self, look: Look, words_of: Callable[[CardCell], str]) -> None:
        super().__init__(look)
        self._words_of = words_of
        self._groups: Sequence[HostGroup] = ()
        self._cells: Sequence[CardCell] = ()
        self._shown = NOTHING_SHOWN
        self._shades: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._shape: tuple[bool, object] = (True, None)
        self._room = 0
        self._laid = lay_out((), 0, 0, by_place=True)
        self._table: list[int] = []
        self._hover: int | None = None
        self._current: CellKey | None = None
        self._keyed = 0  # the place of that one
        self._by_keyboard = False  # it has a ring only then
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Map of all cards"))
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    @property
    def cells(self) -> Sequence[CardCell]:
        return self._cells

    @property
    def looked_at(self) -> CardCell | None:
        """Under the pointer, or else at the keyboard."""
        at = self._hover
        if at is None and self.hasFocus() and self._by_keyboard:
            at = self._at_keyboard()
        return None if at is None else self._cells[at]

    def show_groups(
        self, groups: Sequence[HostGroup], shown: HeatShown, *, by_place: bool = True
    ) -> None:
        shape = (by_place, [(group.key, len(group.cards), group.place) for group in groups])
        self._groups, self._shown = groups, shown
        self._cells = [cell for group in groups for cell in group.cards]
        self._shades = shades_of(shown.shares, shown.lost)
        if shape != self._shape:
            self._shape, self._hover = shape, None
            self._lay_out()
        self._tell()
        self.update()

    def show_room(self, high: int) -> None:
        """As high as what it lies in, if all fits there."""
        if high != self._room:
            self._room = high
            self._lay_out()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        laid = self._laid
        dirty = self.rect() if drawing.dirty is None else drawing.dirty.boundingRect()
        if not laid.apart:
            scale = self.devicePixelRatioF()
            picture = picture_of(laid, self._shades, dirty, scale, self._table)
            drawing.painter.drawImage(QPointF(dirty.topLeft()), picture)
        first = 0
        for block in laid.blocks:
            place = QRectF(block.x, block.y, block.wide, block.high)
            count = sum(len(group.cards) for group in self._groups[block.start : block.stop])
            if place.intersects(QRectF(dirty)):
                if laid.apart:
                    group = self._groups[block.start]
                    numbers = range(first, first + count)
                    draw_machine(drawing, laid, block, group, numbers, self._shown)
                else:
                    draw_close(drawing, laid, block, self._groups[block.start : block.stop])
            first += count
        self._draw_ring(drawing, self._hover, drawing.theme.text)
        if self.hasFocus() and self._by_keyboard:
            self._draw_ring(drawing, self._at_keyboard(), drawing.theme.accent)

    def _draw_ring(self, drawing: Drawing, at: int | None, ink: QColor) -> None:
        if at is None:
            return
        place = self._place(at).adjusted(-1, -1, 1, 1)
        drawing.painter.setPen(QPen(ink, 2))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = CELL_RADIUS + 1 if self._laid.apart else 0.0
        drawing.painter.drawRoundedRect(place, radius, radius)

    def _place(self, at: int) -> QRectF:
        laid = self._laid
        return QRectF(int(laid.left[at]), int(laid.top[at]), laid.wide, laid.high)

    def _at_keyboard(self) -> int | None:
        """The cell it was at last, the first where that is gone; None where there is none."""
        if not self._cells:
            return None
        if self._keyed >= len(self._cells) or self._cells[self._keyed].key != self._current:
            keys = (at for at, cell in enumerate(self._cells) if cell.key == self._current)
            self._keyed = next(keys, 0)
            self._current = self._cells[self._keyed].key
        return self._keyed

    def _block_at(self, place: QPointF) -> HostGroup | None:
        """The machine whose block it is, where each has one."""
        for block in self._laid.blocks if self._laid.apart else ():
            if QRectF(block.x, block.y, block.wide, block.high).contains(place):
                return self._groups[block.start]
        return None

    def _lay_out(self) -> None:
        by_place = self._shape[0]
        self._laid = lay_out(self._groups, self.width(), self._room, by_place=by_place)
        self.setFixedHeight(max(self._laid.height, self._room))

    def _tell(self) -> None:
        at = self._at_keyboard()
        words = "" if at is None else self._words_of(self._cells[at])
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _point_at(self, at: int | None) -> None:
        if at != self._hover:
            self._hover = at
            self.pointed.emit()
            self.update()

    def _on_look_changed(self) -> None:
        self._table = [colour.rgb() for colour in colours(self.look.theme)]
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._lay_out()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        self._point_at(self._laid.at(place.x(), place.y()))
        opens = self._hover is not None or self._block_at(place) is not None
        shape = Qt.CursorShape
        self.setCursor(shape.PointingHandCursor if opens else shape.ArrowCursor)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if event.button() is not Qt.MouseButton.LeftButton or not self.rect().contains(
            place.toPoint()
        ):
            return
        at, group = self._laid.at(place.x(), place.y()), self._block_at(place)
        if at is not None:
            self._current = self._cells[at].key
            self.cell_opened.emit(self._current)
        elif group is not None:
            self.machine_opened.emit(group.key)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        at, key = self._at_keyboard(), Qt.Key(event.key())
        self._by_keyboard = True
        if at is None:
            super().keyPressEvent(event)
        elif key in _ENTER:
            self.cell_opened.emit(self._cells[at].key)
        elif key in _WAYS:
            self._go_to(self._laid.beside(at, *_WAYS[key]))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go_to(0 if key is Qt.Key.Key_Home else len(self._cells) - 1)
        else:
            super().keyPressEvent(event)

    def _go_to(self, at: int) -> None:
        self._keyed, self._current, self._hover = at, self._cells[at].key, None
        self._tell()
        self.keyed.emit(self._place(at).toAlignedRect())
        self.pointed.emit()
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._by_keyboard = event.reason() in _BY_KEYBOARD
        self._tell()
        self.pointed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.pointed.emit()

    @guarded
    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            at = self._laid.at(event.pos().x(), event.pos().y())
            if at is not None:
                place = self._place(at).toAlignedRect()
                words = self._words_of(self._cells[at])
                QToolTip.showText(event.globalPos(), plain_tip(words), self, place)
                return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(600, max(_LEAST, self._laid.height))

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 0)
