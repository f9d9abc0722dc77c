"""HeatMap: every card of every machine as a cell, shaded by how busy it is."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.machines.heat_drawing import (
    draw_cell,
    draw_close,
    draw_head,
    draw_line,
    draw_rack,
    line_height,
    outline,
    share_of,
)
from gpuexplorer.gui.machines.heat_layout import lay_out
from gpuexplorer.gui.machines.words import cell_words, state_sentence
from gpuexplorer.gui.paint.drawing import Drawing, plain_tip
from gpuexplorer.gui.state.groups.group import CardCell, CellKey, HostGroup
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.painted import Painted

_BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_WAYS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class HeatMap(Painted):
    """One widget, however many cards. Where they lie is found when machines come and go."""

    cell_opened = Signal(object)  # CellKey
    machine_opened = Signal(str)
    keyed = Signal(QRect)  # the keyboard is at what lies there, which is to be seen
    pointed = Signal()  # another cell is looked at, or none: `said`

    def __init__(self) -> None:
        super().__init__()
        self._groups: Sequence[HostGroup] = ()
        self._cells: Sequence[CardCell] = ()
        self._group_of: Sequence[HostGroup] = ()  # of each cell
        self._units: Units = USUAL
        self._shares = np.empty(0)
        self._shape: object = None
        self._line_height = partial(line_height)
        self._lay_out()
        self._hover: int | None = None
        self._current: CellKey | None = None
        self._keyed = 0  # the place of that one
        self._by_keyboard = False  # it has a ring only then
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Map of all cards"))
        look().changed.connect(self.update)

    @property
    def cells(self) -> Sequence[CardCell]:
        return self._cells

    @property
    def said(self) -> str:
        """Of the cell under the pointer, or else at the keyboard; empty where there is none."""
        at = self._hover
        if at is None and self.hasFocus() and self._by_keyboard:
            at = self._at_keyboard()
        return "" if at is None else self._words(at)

    def show_groups(self, groups: Sequence[HostGroup], units: Units) -> None:
        """Machines without cards come first."""
        shape = [
            (each.key, len(each.cards), each.place, "" if each.cards else state_sentence(each))
            for each in groups
        ]
        self._groups, self._units = groups, units
        self._cells = [cell for group in groups for cell in group.cards]
        self._group_of = [group for group in groups for _ in group.cards]
        self._shares = np.array([share_of(cell) for cell in self._cells], np.float64)
        if shape != self._shape:
            self._shape, self._hover = shape, None
            self._lay_out()
        self._tell()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        laid, places = self._laid, self._places
        for block in laid.blocks:
            if not drawing.needs(QRectF(block.x, block.y, block.wide, block.high)):
                continue
            groups = self._groups[block.start : block.stop]
            if not groups[0].cards:
                draw_line(drawing, block, groups[0])
            elif laid.apart:
                draw_head(drawing, block, groups[0])
            else:
                draw_rack(drawing, block, groups)
        seen = self._in(self.rect() if drawing.dirty is None else drawing.dirty.boundingRect())
        if laid.apart:
            for at in seen:
                cell, group = self._cells[at], self._group_of[at]
                draw_cell(drawing, places[at], cell, group, self._units)
        else:
            cells = [self._cells[at] for at in seen]
            draw_close(drawing, [places[at] for at in seen], self._shares[seen], cells)
        self._draw_ring(drawing, self._hover, drawing.theme.text)
        if self.hasFocus() and self._by_keyboard:
            self._draw_ring(drawing, self._at_keyboard(), drawing.theme.accent)

    def _in(self, part: QRect) -> list[int]:
        laid = self._laid
        beside = (laid.left > part.right()) | (laid.left + laid.wide <= part.left())
        beside |= (laid.top > part.bottom()) | (laid.top + laid.high <= part.top())
        seen: list[int] = np.flatnonzero(~beside).tolist()
        return seen

    def _draw_ring(self, drawing: Drawing, at: int | None, ink: QColor) -> None:
        if at is not None:
            outline(drawing, self._places[at].adjusted(-1, -1, 1, 1), ink, 2)

    def _words(self, at: int) -> str:
        return cell_words(self._cells[at], self._group_of[at], self._units)

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
        """As high as what it scrolls in, if all fits there."""
        above = self.parentWidget()
        room = self.height() if above is None else above.height()
        laid = self._laid = lay_out(self._groups, self.width(), room, self._line_height)
        size = laid.wide, laid.high
        corners = zip(laid.left.tolist(), laid.top.tolist(), strict=True)
        self._places = [QRectF(*corner, *size) for corner in corners]
        self.setMinimumHeight(laid.height if laid.height > room else 0)

    def _tell(self) -> None:
        at = self._at_keyboard()
        words = "" if at is None else self._words(at)
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _point_at(self, at: int | None) -> None:
        if at != self._hover:
            self._hover = at
            self.pointed.emit()
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
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
        self.keyed.emit(self._places[at].toAlignedRect())
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
                place = self._places[at].toAlignedRect()
                QToolTip.showText(event.globalPos(), plain_tip(self._words(at)), self, place)
                return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(600, max(120, self._laid.height))
