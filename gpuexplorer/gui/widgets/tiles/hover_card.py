"""HoverCard: one card in detail, floating beside its cell while that is pointed at."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.drawing import TILE_RADIUS, Drawing
from gpuexplorer.gui.paint.stamps import Stamps
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.tiles.compact_tile import (
    compact_curves,
    compact_plan,
    compact_tile_height,
    draw_compact_tile,
)
from gpuexplorer.gui.widgets.tiles.tile_curve import PlacedCurve, TileCurves
from gpuexplorer.gui.widgets.tiles.tile_parts import PROGRAM_HEIGHT
from gpuexplorer.gui.widgets.tiles.tile_past import NO_PAST, TilePast
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.processes.programs import ProgramFace

_WIDTH = 332
_SHADOW, _DOWN = 14, 4
_AWAY = 8
_PROGRAMS_RULE = 17.0
_MOST_PROGRAMS = 2


class HoverCard(Painted):
    """The mouse goes through it. It stays within its parent, and off the cell it is about."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._face: CardFace | None = None
        self._past = NO_PAST
        self._programs: list[ProgramFace] = []
        self._stamps = Stamps()
        self._curves = TileCurves(look, self)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_card(
        self, face: CardFace, past: TilePast, programs: Sequence[ProgramFace]
    ) -> None:
        self._face, self._past = face, past
        self._programs = list(programs[:_MOST_PROGRAMS])
        self.setAccessibleName(face.title)
        self.update()

    def past_width(self) -> float:
        return max((each.trace_width for each in self._placed_curves()), default=0.0)

    def open_beside(self, cell: QRect, field: QRect) -> None:
        """`cell` and `field` are places in the parent; it covers nothing outside the field
        where that is large enough.
        """
        size = self._wanted()
        self.resize(size)
        self._curves.show(self._placed_curves())
        below = cell.bottom() + _AWAY - _SHADOW
        above = cell.top() - _AWAY + _SHADOW - size.height()
        y = below if below + size.height() <= field.bottom() + _SHADOW else above
        if y < field.top() - _SHADOW:
            y = below
        x = cell.left() - _SHADOW
        x = min(x, field.right() + _SHADOW - size.width())
        x = max(x, field.left() - _SHADOW)
        self.move(QPoint(x, y))
        self.raise_()
        self.show()

    def draw(self, drawing: Drawing) -> None:
        face = self._face
        if face is None:
            return
        place = self._card_place()
        painter, theme = drawing.painter, drawing.theme
        painter.setPen(Qt.PenStyle.NoPen)
        for step in range(_SHADOW, 0, -2):
            painter.setBrush(QColor(0, 0, 0, 9 if theme.dark else 4))
            around = place.adjusted(-step, -step, step, step).translated(0, _DOWN)
            painter.drawRoundedRect(around, TILE_RADIUS + step, TILE_RADIUS + step)
        drawing.tile(place, theme.raised, theme.line)
        plan = compact_plan(place, face, len(self._programs))
        parts = (face, self._past, self._programs, self._stamps)
        draw_compact_tile(drawing, place, plan, *parts)

    def _placed_curves(self) -> list[PlacedCurve]:
        if self._face is None:
            return []
        plan = compact_plan(self._card_place(), self._face, len(self._programs))
        return compact_curves(plan, self._face, self._past, raised=True)

    def _card_place(self) -> QRectF:
        return QRectF(self.rect()).adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)

    def _wanted(self) -> QSize:
        if self._face is None:
            return QSize(_WIDTH, 0)
        height = compact_tile_height(_WIDTH, self._face)
        if self._programs and not self._face.sentence:
            height += _PROGRAMS_RULE + len(self._programs) * PROGRAM_HEIGHT
        return QSize(_WIDTH + 2 * _SHADOW, round(height) + 2 * _SHADOW)
