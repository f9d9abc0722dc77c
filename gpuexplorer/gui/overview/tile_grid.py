"""TileGrid: the cards' tiles, from one card to very many, in an order a person can change."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QRubberBand, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.overview.card_tile import MORE_FIGURES, CardTile, Tile, least_height
from gpuexplorer.gui.overview.heat_strip import BOARD, Faces
from gpuexplorer.gui.overview.panels import power_of, sums_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.keyboard import stop_at
from gpuexplorer.gui.widgets.laid_out import add, column
from gpuexplorer.gui.widgets.line import Line, wordings

_GAP, _CELL_GAP, _CELL_HEIGHT = 16, 4, 54
_LEAST_LARGE, _LEAST_COMPACT = 400, 256
_MOST_LARGE, _MOST_COMPACT = 760, 380
_LABEL, _SUM = 88, 64  # beside the cells of a board
_WHOLE_BOARD = 620  # so wide, its cells stand in a row
_HOVER, _PROGRAMS, _AWAY = 332, 17 + 2 * 22, 8  # the height of two of them, with their rule
_MOVING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
_NO_LIMIT = 16_777_215
_Shape = tuple[bool, int, Sequence[float]]  # large, in so many columns, with rows so high


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
        self._faces: Faces = ()  # of all, in the order in which they are shown
        self._boards: Sequence[Faces] = ()
        self._cells = False
        self._beside: list[tuple[Line, Line]] = []  # boards: what and how much power
        self._laid: object = None  # what stands there, and how
        self._room = (0.0, 0.0)
        self._taken: QPoint | None = None  # where a tile was pressed
        self._frame = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self._sheet, self._box = QWidget(), column(within=self)

    def show_boards(self, boards: Sequence[Faces], remarks: Sequence[str] = ()) -> bool:
        """With a remark on each board, which stands beside it, tiles are cells. True when the
        height it asks for may differ.
        """
        self._boards, self._cells = boards, bool(remarks)
        self._faces = [each for board in boards for each in board]
        changed, letters = self._arrange(), look().letters
        for tile, face in zip(self.tiles.values(), self._faces, strict=True):
            tile.show_face(face)
        for board, remark, beside in zip(boards, remarks, self._beside, strict=False):
            (name, power), drawn = beside, power_of(sums_of(board)).shorter
            title = tr("Board {number}", number=board[0].index // BOARD)
            name.show_wordings([((remark, letters.body, Tone.TEXT),)], remark, title)
            power.show_wordings(wordings(drawn, letters.body, letters.caption))
        return changed

    def fit(self, width: float, room: float) -> None:
        """How much height there is without scrolling. More than one row of large tiles is shown
        only where they fit in there.
        """
        self._room = width, room
        self._arrange()

    def put_beside(self, cell: CardTile, detail: Tile, page: QWidget) -> None:
        """Over other cells, and off this one, of which it tells more."""
        high = round(least_height(cell.face, _HOVER, large=False, curve=True)) + _PROGRAMS
        place, away = cell.geometry(), high + _AWAY
        low = place.top() > self.height() / 2
        # What stands at the right of the cells is not its to cover.
        left = min(place.left(), self.width() - _SUM - _HOVER)
        top = place.top() - away if low else place.bottom() + _AWAY
        detail.setParent(page)
        detail.setGeometry(QRect(self.mapTo(page, QPoint(left, top)), QSize(_HOVER, high)))
        detail.show()
        detail.raise_()

    def _shape(self) -> _Shape:
        """As even as it gets: five are three and two, and not four and one."""
        faces, (width, room) = self._faces, self._room
        if self._cells:
            columns = BOARD if width >= _WHOLE_BOARD else BOARD // 2
            rows = sum(ceil(len(board) / columns) for board in self._boards)
            return False, columns, [_CELL_HEIGHT] * rows

        def shape(least: int) -> _Shape:
            count, fitting = max(1, len(faces)), max(1, (width + _GAP) // (least + _GAP))
            columns, large = ceil(count / ceil(count / fitting)), least == _LEAST_LARGE
            wide = (width + _GAP) / columns - _GAP
            heights = [least_height(e, wide, large=large, curve=count > 1) for e in faces]
            rows = [max(heights[at : at + columns]) for at in range(0, len(faces), columns)]
            return large, columns, rows

        large = shape(_LEAST_LARGE)
        fits = len(large[2]) <= 1 or _height(large[2]) <= room
        return large if width >= _LEAST_LARGE and fits else shape(_LEAST_COMPACT)

    def _arrange(self) -> bool:
        """All anew, where it is another way than before: true then."""
        large, columns, rows = shape = self._shape()
        faces, boards, many = self._faces, self._boards, self._cells
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
        grid = QGridLayout(self._sheet)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(_CELL_GAP if many else _GAP)
        for board in boards:
            tall = ceil(len(board) / columns)
            if many:
                name, power = Line(height=36), Line(right=True)
                self._beside.append((name, power))
                grid.addWidget(name, top, 0, tall, 1)
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
        self._room = self.width(), self._room[1]
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
                focused = (tile for tile in self.tiles.values() if tile.hasFocus())
                self.tile_pointed.emit(next(focused, None))
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
        at, last = tiles.index(tile), len(tiles) - 1
        down = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(key, 0)
        y = tile.y() + down * (tile.height() + _GAP)
        nearest = min(tiles, key=lambda e: (abs(e.y() - y), abs(e.x() - tile.x())))
        to = {
            Qt.Key.Key_Left: max(0, at - 1),
            Qt.Key.Key_Right: min(at + 1, last),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(key)
        neighbour = nearest if down else None if to is None else tiles[to]
        if neighbour is None:
            return False
        if event.modifiers() & _MOVING != _MOVING:
            neighbour.setFocus(Qt.FocusReason.OtherFocusReason)
        elif neighbour is not tile:
            self.moved.emit(tile.face.id, neighbour.face.id)
        return True


def _height(rows: Sequence[float], least: float = 0) -> float:
    """Of tiles, each row at least so high."""
    return max(0, sum(max(each, least) + _GAP for each in rows) - _GAP)
