"""TileGrid: the cards' tiles, from one card to very many, in an order a person can change;
HoverCard: one card in detail, beside its cell while that is pointed at.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QRubberBand, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.overview.sums import power_of
from gpuexplorer.gui.overview.tiles.card_tile import (
    CELL_HEIGHT,
    MORE_FIGURES,
    MOST_CELL_HEIGHT,
    CardTile,
    Tile,
)
from gpuexplorer.gui.overview.tiles.heat_strip import BOARD
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, column
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, wordings

_GAP, _CELL_GAP = 16, 4
# Narrow where eight cards would else not be seen at once.
_LEAST_LARGE, _LEAST_COMPACT, _NARROW = 400, 292, 256
_MOST_LARGE, _MOST_COMPACT = 760, 380
_LABEL, _SUM = 88, 64  # beside the cells of a board
_HOVER, _PROGRAMS, _AWAY = 332, 17 + 2 * 22, 8  # the height of two of them, with their rule
_MOVING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class _Shape(NamedTuple):
    """How tiles stand at a width: in rows of so many, each at least so high."""

    columns: int
    rows: Sequence[float]
    gap: int
    large: bool = False

    def height(self, row: float = 0) -> float:
        """With each row so high, or as high as it must be."""
        rows = [max(each, row) for each in self.rows]
        return sum(rows) + self.gap * max(0, len(rows) - 1)


class TileGrid(QWidget):
    """One stop for the Tab key; the arrow keys go from tile to tile."""

    tile_focused = Signal(CardTile)
    tile_pointed = Signal(object)  # the tile pointed at or with the keyboard, or None
    opened = Signal(str)
    menu_asked = Signal(str, QPoint)
    moved = Signal(str, str)  # this card, to the place of that one
    # What is left of it when Python has taken it down and Qt asks it once more.
    tiles: Mapping[CardId, CardTile] = {}

    def __init__(self) -> None:
        super().__init__()
        self.tiles = {}  # in the order in which they are shown
        self._cards: object = None  # with how many parts they have, and of each board
        self._boards: Sequence[Sequence[CardId]] = ()
        self._beside: list[tuple[ElidedLabel, ElidedLabel, Line]] = []
        self._room, self._fold = 0.0, 0.0
        self._taken: tuple[CardTile, QPoint] | None = None  # and where it was pressed
        self._frame = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)

    def show_faces(
        self,
        faces: Sequence[CardFace],
        boards: Sequence[Sequence[CardFace]] = (),
        remark: Callable[[Sequence[CardFace]], str] = lambda board: "",
    ) -> bool:
        """Tiles of cards that stay are kept. With boards, tiles are cells, with a remark on
        each board beside them. True when the height it asks for may differ.
        """
        before, cards = self._cards, [(face.id, len(face.instances)) for face in faces]
        ids = [[face.id for face in board] for board in boards]
        self._cards = (cards, ids)
        changed = self._cards != before
        if changed:
            self._take(faces, ids)
        for tile, face in zip(self.tiles.values(), faces, strict=True):
            tile.show_face(face)
        letters = look().letters
        for board, (title, what, power) in zip(boards, self._beside, strict=True):
            title.show_text(tr("Board {number}", number=board[0].index // BOARD))
            what.show_text(remark(board))
            drawn = power_of(board).shorter
            power.show_wordings(wordings(drawn, letters.body, letters.caption))
        if changed:
            self._arrange()
        return changed

    def show_room(self, height: float, fold: float) -> None:
        """How much height there is without scrolling, and down to where scrolling begins. More
        than one row of large tiles is shown only where they fit in there.
        """
        if (height, fold) != (self._room, self._fold):
            self._room, self._fold = height, fold
            self._arrange()

    def least_height(self, width: float) -> float:
        return self._shape(width).height()

    def most_height(self, width: float) -> float:
        shape = self._shape(width)
        if len(self.tiles) == 1 and shape.large:
            return shape.height() + MORE_FIGURES
        few = _MOST_LARGE if shape.large else _MOST_COMPACT
        return shape.height(MOST_CELL_HEIGHT if self._boards else few)

    def _shape(self, width: float) -> _Shape:
        """As even as it gets: five are three and two, and not four and one."""
        tiles = [tile for tile in self.tiles.values() if isinstance(tile, Tile)]
        count = max(1, len(tiles))
        if self._boards:
            field = width - _LABEL - _SUM - 2 * _CELL_GAP
            fitting = (field + _CELL_GAP) // (CELL_HEIGHT + _CELL_GAP)
            columns = next((each for each in (BOARD, 4, 2) if each <= fitting), 1)
            rows = sum(ceil(len(board) / columns) for board in self._boards)
            return _Shape(columns, [CELL_HEIGHT] * rows, _CELL_GAP)

        def shape(least: int, *, large: bool = False) -> _Shape:
            fitting = max(1, int((width + _GAP) // (least + _GAP)))
            columns = ceil(count / ceil(count / fitting))
            wide = (width - _GAP * (columns - 1)) / columns
            heights = [
                tile.least_height(wide, large=large, curve=len(tiles) > 1) for tile in tiles
            ]
            rows = [max(heights[at : at + columns]) for at in range(0, len(tiles), columns)]
            return _Shape(columns, rows, _GAP, large)

        found = shape(_LEAST_LARGE, large=True)
        fits = len(found.rows) == 1 or found.height() <= self._room
        if width >= _LEAST_LARGE and fits:
            return found
        found, narrow = shape(_LEAST_COMPACT), shape(_NARROW)
        return narrow if narrow.height() <= self._fold < found.height() else found

    def _take(self, faces: Sequence[CardFace], boards: Sequence[Sequence[CardId]]) -> None:
        kind = CardTile if boards else Tile
        before, tiles = dict(self.tiles), {}
        for face in faces:
            tile = before.pop(face.id, None) or kind(face)
            if tile.parent() is not self:
                tile.setParent(self)
                tile.opened.connect(partial(self.opened.emit, face.id))
                tile.menu_asked.connect(partial(self.menu_asked.emit, face.id))
                tile.installEventFilter(self)
            tiles[face.id] = tile
        for gone in before.values():
            self._give_up()
            gone.hide()
            gone.deleteLater()
        self.tiles, self._boards = tiles, boards
        focused = next((tile for tile in tiles.values() if tile.hasFocus()), None)
        self._offer_to_tab_key(focused or next(iter(tiles.values()), None))
        for each in (each for beside in self._beside for each in beside):
            each.deleteLater()
        self._beside, letters = [], look().letters
        for _ in boards:
            title = ElidedLabel(letters.body, Tone.TEXT)
            what = ElidedLabel(letters.caption, Tone.QUIET)
            self._beside.append((title, what, Line(right=True)))
        for tile in tiles.values():
            tile.show()
            tile.raise_()  # the Tab key and screen readers go by the order of children

    def _arrange(self) -> None:
        shape, grid, boards = self._shape(self.width()), self._grid, self._beside
        while grid.takeAt(0) is not None:
            pass
        grid.setSpacing(shape.gap)
        first, top = int(bool(boards)), 0
        for at, cards in enumerate(self._boards or [list(self.tiles)]):
            tall = ceil(len(cards) / shape.columns)
            if boards:
                *words, power = boards[at]
                grid.addLayout(column(FREE, *words, FREE, gap=0), top, 0, tall, 1)
                grid.addWidget(power, top, shape.columns + 1, tall, 1)
            for place, card in enumerate(cards):
                down, across = divmod(place, shape.columns)
                tile = self.tiles[card]
                if isinstance(tile, Tile):
                    tile.show_size(large=shape.large, curve=len(self.tiles) > 1)
                grid.addWidget(tile, top + down, first + across)
            top += tall
        beside = {0: _LABEL, shape.columns + 1: _SUM} if boards else {}
        for at in range(max(grid.columnCount(), shape.columns + 2)):
            grid.setColumnStretch(at, int(first <= at < first + shape.columns))
            grid.setColumnMinimumWidth(at, beside.get(at, 0))
        for at in range(max(grid.rowCount(), top)):
            grid.setRowStretch(at, int(at < top))
            grid.setRowMinimumHeight(at, round(shape.rows[at]) if at < top else 0)
        grid.activate()
        self.updateGeometry()

    def _offer_to_tab_key(self, chosen: CardTile | None) -> None:
        for tile in self.tiles.values():
            policy = Qt.FocusPolicy.StrongFocus if tile is chosen else Qt.FocusPolicy.ClickFocus
            tile.setFocusPolicy(policy)

    def _neighbour(self, tile: CardTile, key: int) -> CardTile | None:
        tiles, here = list(self.tiles.values()), tile.geometry()
        at, last = tiles.index(tile), len(tiles) - 1
        sideways = {
            Qt.Key.Key_Left: max(0, at - 1),
            Qt.Key.Key_Right: min(last, at + 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if key in sideways:
            return tiles[sideways[Qt.Key(key)]]
        if key not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return None

        def away(other: CardTile) -> tuple[int, int]:
            there, up = other.geometry(), key == Qt.Key.Key_Up
            down = here.top() - there.bottom() if up else there.top() - here.bottom()
            return down, abs(there.x() - here.x())

        return min((t for t in tiles if away(t)[0] > 0), key=away, default=tile)

    def _give_up(self) -> None:
        """A tile that was dragged stays where it was."""
        if self._taken is not None:
            self._taken[0].unsetCursor()
        self._taken = None
        self._frame.hide()

    def _drag(self, tile: CardTile, event: QMouseEvent) -> bool:
        """True where the event was part of a move and nothing else may have it."""
        place = event.globalPosition().toPoint()
        if event.type() is QEvent.Type.MouseButtonPress:
            left = event.button() is Qt.MouseButton.LeftButton
            self._taken = (tile, place) if left else None
        if self._taken is None or event.type() is QEvent.Type.MouseButtonPress:
            return False
        released = event.type() is QEvent.Type.MouseButtonRelease
        far = (place - self._taken[1]).manhattanLength() >= QApplication.startDragDistance()
        here, moving = self.mapFromGlobal(place), far or self._frame.isVisible()
        others = (each for each in self.tiles.values() if each is not tile)
        onto = next((each for each in others if each.geometry().contains(here)), None)
        if moving and not released:
            tile.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._frame.setGeometry(QRect() if onto is None else onto.geometry())
            self._frame.setVisible(onto is not None)
            self._frame.raise_()
        if released:
            self._give_up()
            if moving and onto is not None:
                self.moved.emit(tile.face.id, onto.face.id)
        return moving

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, CardTile) or watched.face.id not in self.tiles:
            return False
        match event.type():
            case QEvent.Type.FocusIn:
                self._offer_to_tab_key(watched)
                self.tile_focused.emit(watched)
                self.tile_pointed.emit(watched)
            case QEvent.Type.Enter:
                self.tile_pointed.emit(watched)
            case QEvent.Type.Leave | QEvent.Type.FocusOut:
                focused = next((tile for tile in self.tiles.values() if tile.hasFocus()), None)
                self.tile_pointed.emit(focused)
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent):
                return self._take_key(watched, event)
            case _ if isinstance(event, QMouseEvent):
                return self._drag(watched, event)
        return False

    def _take_key(self, tile: CardTile, event: QKeyEvent) -> bool:
        if self._taken is not None and event.key() == Qt.Key.Key_Escape:
            self._give_up()
            return True
        neighbour = self._neighbour(tile, event.key())
        if neighbour is None:
            return False
        if event.modifiers() & _MOVING == _MOVING:
            if neighbour is not tile:
                self.moved.emit(tile.face.id, neighbour.face.id)
                self.tile_focused.emit(tile)
        else:
            neighbour.setFocus(Qt.FocusReason.OtherFocusReason)
        return True


class HoverCard(Tile):
    """The mouse goes through it. It stays above the other cells of the grid, and off the cell
    it is about.
    """

    def __init__(self, face: CardFace, sheet: QWidget, grid: TileGrid) -> None:
        super().__init__(face, raised=True)
        self._sheet, self._grid = sheet, grid
        self.setParent(sheet)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def tell_about(self, tile: CardTile, programs: Sequence[ProgramFace]) -> None:
        self.show_face(tile.face)
        self.show_programs(programs)
        high = self.least_height(_HOVER, large=False, curve=True)
        high += _PROGRAMS if programs and tile.face.answers else 0
        self.resize(_HOVER, round(high))
        # What stands beside the cells is not theirs to cover.
        cell, field = self._place_of(tile), QRect()
        for other in self._grid.tiles.values():
            field = field.united(self._place_of(other))
        y, above = cell.bottom() + _AWAY, cell.top() - _AWAY - self.height()
        if y + self.height() > field.bottom() and above >= field.top():
            y = above
        x = min(cell.left(), field.right() - self.width())
        self.move(max(x, field.left()), y)
        self.raise_()
        self.show()

    def _place_of(self, tile: CardTile) -> QRect:
        return QRect(tile.mapTo(self._sheet, tile.rect().topLeft()), tile.size())
