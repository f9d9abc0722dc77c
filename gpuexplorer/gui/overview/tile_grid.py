"""TileGrid: the cards' tiles, from one card to very many, in an order a person can change;
HoverCard: one card in detail, beside its cell while that is pointed at.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QRubberBand, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.overview.card_tile import (
    MORE_FIGURES,
    CardTile,
    Tile,
    least_height,
)
from gpuexplorer.gui.overview.heat_strip import BOARD
from gpuexplorer.gui.overview.sums import power_of, sums_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.keyboard import stop_at
from gpuexplorer.gui.widgets.laid_out import FREE, add, column
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, wordings

_GAP, _CELL_GAP, _CELL_HEIGHT = 16, 4, 54
# Narrow where eight cards would else not be seen at once.
_LEAST_LARGE, _LEAST_COMPACT, _NARROW = 400, 292, 256
_MOST_LARGE, _MOST_COMPACT = 760, 380
_LABEL, _SUM = 88, 64  # beside the cells of a board
_HOVER, _PROGRAMS, _AWAY = 332, 17 + 2 * 22, 8  # the height of two of them, with their rule
_MOVING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
_NO_LIMIT = 16_777_215
_Shape = tuple[bool, int, Sequence[float]]  # large, in so many columns, with rows so high


class TileGrid(QWidget):
    """One stop for the Tab key; the arrow keys go from tile to tile."""

    tile_focused = Signal(CardTile)
    tile_pointed = Signal(object)  # the cell pointed at or with the keyboard, or None
    opened = Signal(str)
    menu_asked = Signal(str, QPoint)
    moved = Signal(str, str)  # this card, to the place of that one
    # What is left of it when Python has taken it down and Qt asks it once more.
    tiles: Mapping[CardId, CardTile] = {}

    def __init__(self) -> None:
        super().__init__()
        self._faces: Sequence[CardFace] = ()  # in the order in which they are shown
        self._boards: Sequence[Sequence[CardFace]] = ()
        self._beside: list[tuple[ElidedLabel, ElidedLabel, Line]] = []
        self._laid: object = None  # what stands there, and how
        self._room = (0.0, 0.0, 0.0)
        self._taken: QPoint | None = None  # where a tile was pressed
        self._frame = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self._sheet, self._box = QWidget(), column(within=self)

    def show_faces(
        self,
        faces: Sequence[CardFace],
        boards: Sequence[Sequence[CardFace]] = (),
        remarks: Sequence[str] = (),
    ) -> bool:
        """With boards, tiles are cells, with a remark on each board beside them. True when the
        height it asks for may differ.
        """
        self._faces, self._boards = faces, boards
        changed = self._arrange()
        for tile, face in zip(self.tiles.values(), faces, strict=True):
            tile.show_face(face)
        letters = look().letters
        for board, remark, beside in zip(boards, remarks, self._beside, strict=True):
            title, what, power = beside
            title.show_text(tr("Board {number}", number=board[0].index // BOARD))
            what.show_text(remark)
            drawn = power_of(sums_of(board)).shorter
            power.show_wordings(wordings(drawn, letters.body, letters.caption))
        return changed

    def fit(self, width: float, room: float, fold: float) -> None:
        """How much height there is without scrolling, and down to where scrolling begins. More
        than one row of large tiles is shown only where they fit in there.
        """
        self._room = width, room, fold
        self._arrange()

    def _shape(self) -> _Shape:
        """As even as it gets: five are three and two, and not four and one."""
        faces, (width, room, fold) = self._faces, self._room
        if self._boards:
            fitting = (width - _LABEL - _SUM - _CELL_GAP) // (_CELL_HEIGHT + _CELL_GAP)
            columns = next((each for each in (BOARD, 4, 2) if each <= fitting), 1)
            rows = sum(ceil(len(board) / columns) for board in self._boards)
            return False, columns, [_CELL_HEIGHT] * rows

        def shape(least: int) -> _Shape:
            count, fitting = max(1, len(faces)), max(1, (width + _GAP) // (least + _GAP))
            columns, large = ceil(count / ceil(count / fitting)), least == _LEAST_LARGE
            wide = (width + _GAP) / columns - _GAP
            heights = [least_height(e, wide, large=large, curve=count > 1) for e in faces]
            rows = [max(heights[at : at + columns]) for at in range(0, len(faces), columns)]
            return large, columns, rows

        large, compact, narrow = map(shape, (_LEAST_LARGE, _LEAST_COMPACT, _NARROW))
        if width >= _LEAST_LARGE and (len(large[2]) <= 1 or _height(large[2]) <= room):
            return large
        return narrow if _height(narrow[2]) <= fold < _height(compact[2]) else compact

    def _arrange(self) -> bool:
        """All anew, where it is another way than before: true then."""
        large, columns, rows = shape = self._shape()
        faces, boards, many = self._faces, self._boards or [self._faces], bool(self._boards)
        cards = [(each.id, len(each.instances)) for each in faces]
        laid = cards, [*map(len, boards)], many, shape
        if laid == self._laid:
            return False
        self._give_up()
        focused = next((card for card, tile in self.tiles.items() if tile.hasFocus()), None)
        self._sheet.hide()
        self._sheet.deleteLater()
        self._laid, self._sheet, self._beside, top = laid, QWidget(), [], 0
        self.tiles = {
            each.id: CardTile(each) if many else Tile(each, large=large, curve=len(faces) > 1)
            for each in faces
        }
        grid, letters = QGridLayout(self._sheet), look().letters
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(_CELL_GAP if many else _GAP)
        for board in boards:
            tall = ceil(len(board) / columns)
            if many:
                title = ElidedLabel(letters.body, Tone.TEXT)
                what, power = ElidedLabel(letters.caption, Tone.QUIET), Line(right=True)
                self._beside.append((title, what, power))
                grid.addLayout(column(FREE, title, what, FREE, gap=0), top, 0, tall, 1)
                grid.addWidget(power, top, columns + 1, tall, 1)
                grid.setColumnMinimumWidth(0, _LABEL)
                grid.setColumnMinimumWidth(columns + 1, _SUM)
            for at, face in enumerate(board):
                tile = self.tiles[face.id]
                tile.opened.connect(partial(self.opened.emit, face.id))
                tile.installEventFilter(self)
                grid.addWidget(tile, top + at // columns, 1 + at % columns)
                grid.setColumnStretch(1 + at % columns, 1)
            top += tall
        for at, high in enumerate(rows):
            grid.setRowStretch(at, 1)
            grid.setRowMinimumHeight(at, round(high))
        most = _height(rows, _MOST_LARGE if large else _MOST_COMPACT)
        if large and len(faces) == 1:
            most = _height(rows) + MORE_FIGURES
        self.setMaximumHeight(_NO_LIMIT if many else round(most))
        add(self._box, self._sheet)
        self._sheet.show()
        self._box.activate()
        self._frame.raise_()
        stop_at([*self.tiles.values()], next(iter(self.tiles.values()), None))
        if focused in self.tiles:
            self.tiles[focused].setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _give_up(self) -> None:
        """A tile that was dragged stays where it was."""
        self._taken = None
        self.unsetCursor()
        self._frame.hide()

    def _drag(self, tile: CardTile, event: QMouseEvent) -> bool:
        """True where the event was part of a move and nothing else may have it."""
        place, kind = event.globalPosition().toPoint(), event.type()
        left = event.button() is Qt.MouseButton.LeftButton
        if kind is QEvent.Type.MouseButtonDblClick and left:
            self.opened.emit(tile.face.id)
        if kind is QEvent.Type.MouseButtonPress:
            tile.setFocus(Qt.FocusReason.MouseFocusReason)
            self._taken = place if left else None
            return False
        if self._taken is None:
            return False
        far = (place - self._taken).manhattanLength() >= QApplication.startDragDistance()
        here, others = self.mapFromGlobal(place), {*self.tiles.values()} - {tile}
        onto = next((each for each in others if each.geometry().contains(here)), None)
        if kind is QEvent.Type.MouseButtonRelease:
            self._give_up()
            if far and onto is not None:
                self.moved.emit(tile.face.id, onto.face.id)
        elif far:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._frame.setVisible(onto is not None)
            if onto is not None:
                self._frame.setGeometry(onto.geometry())
        return far

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._room = self.width(), *self._room[1:]
        self._arrange()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, CardTile) or watched.face.id not in self.tiles:
            return False
        match event.type():
            case QEvent.Type.FocusIn:
                stop_at([*self.tiles.values()], watched)
                self.tile_focused.emit(watched)
                self.tile_pointed.emit(watched)
            case QEvent.Type.Enter:
                self.tile_pointed.emit(watched)
            case QEvent.Type.Leave | QEvent.Type.FocusOut:
                focused = next((tile for tile in self.tiles.values() if tile.hasFocus()), None)
                self.tile_pointed.emit(focused)
            case _ if isinstance(event, QContextMenuEvent):
                by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
                middle = watched.mapToGlobal(watched.rect().center())
                place = middle if by_key else event.globalPos()
                self.menu_asked.emit(watched.face.id, place)
                return True
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent):
                return self._take_key(watched, event)
            case _ if isinstance(event, QMouseEvent):
                return self._drag(watched, event)
        return False

    def _take_key(self, tile: CardTile, event: QKeyEvent) -> bool:
        tiles, key = [*self.tiles.values()], Qt.Key(event.key())
        if self._taken is not None and key == Qt.Key.Key_Escape:
            self._give_up()
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(tile.face.id)
            return True
        at, down = tiles.index(tile), {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key, 0)
        y = tile.y() + down * (tile.height() + _GAP)
        nearest = min(tiles, key=lambda e: (abs(e.y() - y), abs(e.x() - tile.x())))
        neighbour = {
            Qt.Key.Key_Left: tiles[max(0, at - 1)],
            Qt.Key.Key_Right: tiles[min(at + 1, len(tiles) - 1)],
            Qt.Key.Key_Home: tiles[0],
            Qt.Key.Key_End: tiles[-1],
            Qt.Key.Key_Up: nearest,
            Qt.Key.Key_Down: nearest,
        }.get(key)
        if neighbour is None:
            return False
        if event.modifiers() & _MOVING != _MOVING:
            neighbour.setFocus(Qt.FocusReason.OtherFocusReason)
        elif neighbour is not tile:
            self.moved.emit(tile.face.id, neighbour.face.id)
        return True


class HoverCard(Tile):
    """The mouse goes through it. It stays above the other cells of the grid, and off the cell
    it is about.
    """

    def __init__(self, face: CardFace, page: QWidget, cells: TileGrid) -> None:
        super().__init__(face, raised=True)
        self._page, self._cells = page, cells
        self.setParent(page)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def tell_about(self, tile: CardTile, programs: Sequence[ProgramFace]) -> None:
        self.show_face(tile.face)
        self.show_programs(programs)
        high = round(least_height(tile.face, _HOVER, large=False, curve=True))
        high += _PROGRAMS if programs and tile.face.answers else 0
        # What stands beside the cells is not theirs to cover.
        page, cells, below = self._page, self._cells, QPoint(0, tile.height() + _AWAY)
        place = QRect(tile.mapTo(page, below), QSize(_HOVER, high))
        beside = QSize(_LABEL + _SUM, 0)
        field = QRect(cells.mapTo(page, QPoint(_LABEL, 0)), cells.size() - beside)
        if place.bottom() > field.bottom():
            place.moveBottom(place.top() - tile.height() - 2 * _AWAY)
        place.moveLeft(max(field.left(), min(place.left(), field.right() - _HOVER)))
        self.setGeometry(place)
        self.raise_()
        self.show()


def _height(rows: Sequence[float], least: float = 0) -> float:
    """Of tiles, each row at least so high."""
    return max(0, sum(max(each, least) + _GAP for each in rows) - _GAP)
