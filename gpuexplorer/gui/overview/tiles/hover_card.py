"""HoverCard: one card in detail, floating beside its cell while that is pointed at."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.overview.tiles.stamps import Stamps
from gpuexplorer.gui.overview.tiles.tile_curve import PlacedCurve, TileCurves
from gpuexplorer.gui.overview.tiles.tile_drawing import (
    NO_PAST,
    TilePast,
    draw_tile,
    placed_curves,
)
from gpuexplorer.gui.overview.tiles.tile_grid import TileGrid
from gpuexplorer.gui.overview.tiles.tile_plan import (
    PROGRAM_HEIGHT,
    TilePlan,
    TileSize,
    tile_height,
    tile_plan,
)
from gpuexplorer.gui.paint.drawing import TILE_RADIUS, Drawing
from gpuexplorer.gui.widgets.painted import Painted

_WIDTH = 332
_SHADOW, _DOWN = 14, 4
_AWAY = 8
_PROGRAMS_RULE = 17.0
_MOST_PROGRAMS = 2


class HoverCard(Painted):
    """Tells about the cell that is pointed at, by mouse or by keyboard. The mouse goes through
    it. It stays above the other cells of the grid, and off the cell it is about.
    """

    def __init__(self, sheet: QWidget, grid: TileGrid) -> None:
        super().__init__(sheet)
        self._sheet, self._grid = sheet, grid
        self.tile: CardTile | None = None
        self._face: CardFace | None = None
        self._past = NO_PAST
        self._programs: list[ProgramFace] = []
        self._stamps = Stamps()
        self._curves = TileCurves(self)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def point_at(self, tile: CardTile | None) -> bool:
        """True where there is something to show of it."""
        if tile is not None and tile.tile_size is not TileSize.CELL:
            tile = None
        if self.tile is not None and self.tile is not tile:
            self.tile.show_pointed(pointed=False)
        self.tile = tile
        if tile is None:
            self.hide()
            return False
        tile.show_pointed(pointed=True)
        return True

    def forget_gone(self) -> None:
        """Its card may be listed no more."""
        if self.tile is not None and self.tile not in self._grid.tiles.values():
            self.tile = None
            self.hide()

    def past_width(self) -> float:
        return max((each.trace_width for each in self._placed_curves()), default=0.0)

    def show_card(self, past: TilePast, programs: Sequence[ProgramFace]) -> None:
        if self.tile is None:
            return
        self._face, self._past = self.tile.face, past
        self._programs = list(programs[:_MOST_PROGRAMS])
        self.setAccessibleName(self._face.title)
        self.update()
        self._open_beside(self.tile)

    def _open_beside(self, tile: CardTile) -> None:
        size, cell, field = self._wanted(), _on(self._sheet, tile), QRect()
        # What stands beside the cells is not theirs to cover.
        for other in self._grid.tiles.values():
            field = field.united(_on(self._sheet, other))
        self.resize(size)
        self._curves.show(self._placed_curves())
        below = cell.bottom() + _AWAY - _SHADOW
        above = cell.top() - _AWAY + _SHADOW - size.height()
        y = below if below + size.height() <= field.bottom() + _SHADOW else above
        if y < field.top() - _SHADOW:
            y = below
        x = min(cell.left() - _SHADOW, field.right() + _SHADOW - size.width())
        self.move(max(x, field.left() - _SHADOW), y)
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
        plan = self._plan(face)
        draw_tile(drawing, plan, face, self._past, self._programs, self._stamps)

    def _placed_curves(self) -> list[PlacedCurve]:
        if self._face is None:
            return []
        return placed_curves(self._plan(self._face), self._face, self._past, raised=True)

    def _plan(self, face: CardFace) -> TilePlan:
        count = len(self._programs)
        return tile_plan(self._card_place(), TileSize.COMPACT, face, count, curve=True)

    def _card_place(self) -> QRectF:
        return QRectF(self.rect()).adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)

    def _wanted(self) -> QSize:
        if self._face is None:
            return QSize(_WIDTH, 0)
        size = TileSize.COMPACT
        height = tile_height(size, _WIDTH, self._face, curve=True)
        if self._programs and not self._face.sentence:
            height += _PROGRAMS_RULE + len(self._programs) * PROGRAM_HEIGHT
        return QSize(_WIDTH + 2 * _SHADOW, round(height) + 2 * _SHADOW)


def _on(sheet: QWidget, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(sheet, widget.rect().topLeft()), widget.size())
