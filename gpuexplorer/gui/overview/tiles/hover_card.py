"""HoverCard: one card in detail, floating beside its cell while that is pointed at."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.overview.tiles.card_tile import CardTile, Tile
from gpuexplorer.gui.overview.tiles.tile_grid import TileGrid
from gpuexplorer.gui.paint.drawing import TILE_RADIUS, Drawing
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.gui.widgets.painted import Painted

_WIDTH, _PROGRAMS = 332, 17 + 2 * 22  # the height of two of them, with their rule
_SHADOW, _DOWN, _AWAY = 14, 4, 8


class HoverCard(Painted):
    """Tells about the cell that is pointed at, by mouse or by keyboard. The mouse goes through
    it. It stays above the other cells of the grid, and off the cell it is about.
    """

    def __init__(self, sheet: QWidget, grid: TileGrid) -> None:
        super().__init__(sheet)
        self._sheet, self._grid = sheet, grid
        self.tile: CardTile | None = None  # that is pointed at
        self.card: Tile | None = None  # that tells about it
        self._box = column(within=self, margins=_SHADOW)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def point_at(self, tile: CardTile | None) -> bool:
        """True where there is something to show of it."""
        if self.tile is not None and self.tile is not tile:
            self.tile.show_pointed(pointed=False)
        self.tile = None if isinstance(tile, Tile) else tile
        if self.tile is None:
            self.hide()
        else:
            self.tile.show_pointed(pointed=True)
        return self.tile is not None

    def forget_gone(self) -> None:
        """Its card may be listed no more."""
        if self.tile is not None and self.tile not in self._grid.tiles.values():
            self.point_at(None)

    def show_card(self, tile: CardTile, programs: Sequence[ProgramFace]) -> Tile:
        """Returns what tells about it, which wants its past."""
        face = tile.face
        if self.card is None:
            self.card = Tile(face, raised=True)
            self._box.addWidget(self.card)
        self.setAccessibleName(face.title)
        self.card.show_face(face)
        self.card.show_programs(programs)
        high = self.card.least_height(_WIDTH, large=False, curve=True)
        high += _PROGRAMS if programs and not face.sentence else 0
        self.resize(_WIDTH + 2 * _SHADOW, round(high) + 2 * _SHADOW)
        cell, field = self._place_of(tile), QRect()
        # What stands beside the cells is not theirs to cover.
        for other in self._grid.tiles.values():
            field = field.united(self._place_of(other))
        field = field.adjusted(-_SHADOW, -_SHADOW, _SHADOW, _SHADOW)
        y = cell.bottom() + _AWAY - _SHADOW
        above = cell.top() - _AWAY + _SHADOW - self.height()
        if y + self.height() > field.bottom() and above >= field.top():
            y = above
        x = min(cell.left() - _SHADOW, field.right() - self.width())
        self.move(max(x, field.left()), y)
        self.raise_()
        self.show()
        return self.card

    def _place_of(self, tile: CardTile) -> QRect:
        return QRect(tile.mapTo(self._sheet, tile.rect().topLeft()), tile.size())

    def draw(self, drawing: Drawing) -> None:
        """Its shadow."""
        place = QRectF(self.rect()).adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)
        shade = QColor(0, 0, 0, 9 if drawing.theme.dark else 4)
        for step in range(_SHADOW, 0, -2):
            around = place.adjusted(-step, -step, step, step).translated(0, _DOWN)
            drawing.filled(around, shade, TILE_RADIUS + step)
