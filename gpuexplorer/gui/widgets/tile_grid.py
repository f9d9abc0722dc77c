"""TileGrid: lays the cards' tiles out in as many columns as fit, from one card to very many."""

from collections.abc import Mapping
from math import ceil

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.widgets.card_tile import CardTile
from gpuexplorer.gui.wording.card_face import CardFace

# More cards than this are shown as cells.
MOST_FULL_TILES = 16
_TILE_WIDTH, _TILE_GAP = 292, 16
_CELL_WIDTH, _CELL_GAP = 96, 8
# Machines with very many cards have them in boards of eight.
_BOARD = 8


class TileGrid(QWidget):
    """One stop for the Tab key; the arrow keys go from tile to tile."""

    tile_focused = Signal(CardTile)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._tiles: dict[CardId, CardTile] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_faces(self, faces: Mapping[CardId, CardFace]) -> None:
        """Tiles of cards that stay are kept; new ones are made, and those that went let go."""
        if list(faces) == list(self._tiles):
            taller = [tile.show_face(faces[card]) for card, tile in self._tiles.items()]
            if any(taller):
                self._arrange()
            return
        for card in [card for card in self._tiles if card not in faces]:
            self._let_go(self._tiles.pop(card))
        tiles = {}
        for card, face in faces.items():
            tile = self._tiles.get(card) or self._make(face)
            tile.show_face(face)
            tile.show_as_cell(len(faces) > MOST_FULL_TILES)
            tiles[card] = tile
        self._tiles = tiles
        self._offer_to_tab_key(next(iter(tiles.values()), None))
        self._arrange()

    @property
    def cells(self) -> bool:
        return len(self._tiles) > MOST_FULL_TILES

    def _make(self, face: CardFace) -> CardTile:
        tile = CardTile(self._look, face, self)
        tile.installEventFilter(self)
        tile.show()
        return tile

    def _let_go(self, tile: CardTile) -> None:
        tile.hide()
        tile.removeEventFilter(self)
        tile.deleteLater()

    def _offer_to_tab_key(self, chosen: CardTile | None) -> None:
        for tile in self._tiles.values():
            policy = Qt.FocusPolicy.StrongFocus if tile is chosen else Qt.FocusPolicy.ClickFocus
            tile.setFocusPolicy(policy)

    def _columns(self, width: int) -> int:
        count = max(1, len(self._tiles))
        least, gap = (_CELL_WIDTH, _CELL_GAP) if self.cells else (_TILE_WIDTH, _TILE_GAP)
        fitting = max(1, (width + gap) // (least + gap))
        if self.cells and fitting >= _BOARD:
            return fitting // _BOARD * _BOARD if count > fitting else _BOARD
        rows = ceil(count / fitting)
        return ceil(count / rows)

    def _rows(self, width: int) -> tuple[list[list[CardTile]], int, float]:
        """Tiles row by row, the gap between them, and the width of each."""
        tiles = list(self._tiles.values())
        columns = self._columns(width)
        gap = _CELL_GAP if self.cells else _TILE_GAP
        wide = (width - gap * (columns - 1)) / columns
        rows = [tiles[at : at + columns] for at in range(0, len(tiles), columns)]
        return rows, gap, wide

    def _arrange(self) -> None:
        rows, gap, wide = self._rows(self.width())
        y = 0.0
        for row in rows:
            height = max(tile.height_at(wide) for tile in row)
            for column, tile in enumerate(row):
                left = round(column * (wide + gap))
                right = round(column * (wide + gap) + wide)
                tile.setGeometry(left, round(y), right - left, round(height))
            y += height + gap
        self.updateGeometry()

    def _neighbour(self, tile: CardTile, key: int) -> CardTile | None:
        tiles = list(self._tiles.values())
        columns = self._columns(self.width())
        here = tiles.index(tile)
        match key:
            case Qt.Key.Key_Left:
                there = here - 1
            case Qt.Key.Key_Right:
                there = here + 1
            case Qt.Key.Key_Up:
                there = here - columns
            case Qt.Key.Key_Down:
                there = here + columns
            case Qt.Key.Key_Home:
                there = 0
            case Qt.Key.Key_End:
                there = len(tiles) - 1
            case _:
                return None
        return tiles[there] if 0 <= there < len(tiles) else tile

    def heightForWidth(self, width: int) -> int:
        rows, gap, wide = self._rows(width)
        heights = [max(tile.height_at(wide) for tile in row) for row in rows]
        return round(sum(heights) + gap * max(0, len(rows) - 1))

    def sizeHint(self) -> QSize:
        width = max(self.width(), _TILE_WIDTH)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(_TILE_WIDTH, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, CardTile):
            if event.type() is QEvent.Type.FocusIn:
                self._offer_to_tab_key(watched)
                self.tile_focused.emit(watched)
            if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
                neighbour = self._neighbour(watched, event.key())
                if neighbour is not None:
                    neighbour.setFocus(Qt.FocusReason.OtherFocusReason)
                    return True
        return False
