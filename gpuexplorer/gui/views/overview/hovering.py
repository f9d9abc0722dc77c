"""Hovering: which cell is told about in detail, by mouse or by keyboard, and where."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QRect, QSize
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.tiles.card_tile import CardTile, TileSize
from gpuexplorer.gui.widgets.tiles.hover_card import HoverCard
from gpuexplorer.gui.widgets.tiles.tile_grid import TileGrid
from gpuexplorer.gui.widgets.tiles.tile_past import TilePast
from gpuexplorer.gui.wording.processes.programs import ProgramFace


class Hovering(QObject):
    """Floats on `sheet`, above the other cells of the grid."""

    def __init__(self, look: Look, sheet: QWidget, grid: TileGrid) -> None:
        super().__init__(sheet)
        self._sheet, self._grid = sheet, grid
        self._card = HoverCard(look, sheet)
        self._tile: CardTile | None = None

    @property
    def tile(self) -> CardTile | None:
        return self._tile

    def point_at(self, tile: CardTile | None) -> bool:
        """True where there is something to show of it."""
        if tile is not None and tile.tile_size is not TileSize.CELL:
            tile = None
        if self._tile is not None and self._tile is not tile:
            self._tile.show_pointed(pointed=False)
        self._tile = tile
        if tile is None:
            self._card.hide()
            return False
        tile.show_pointed(pointed=True)
        return True

    def past_width(self) -> float:
        return self._card.past_width()

    def show_card(self, past: TilePast, programs: Sequence[ProgramFace]) -> None:
        tile = self._tile
        if tile is None:
            return
        self._card.show_card(tile.face, past, programs)
        cell, field = _on(self._sheet, tile), QRect()
        # What stands beside the cells is not theirs to cover.
        for other in self._grid.tiles.values():
            field = field.united(_on(self._sheet, other))
        self._card.open_beside(cell, field)

    def forget_gone(self) -> None:
        """Its card may be listed no more."""
        if self._tile is not None and self._tile not in self._grid.tiles.values():
            self._tile = None
            self._card.hide()


def _on(sheet: QWidget, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(sheet, widget.rect().topLeft()), QSize(widget.size()))
