"""TileGrid: the cards' tiles, from one card to very many, in an order a person can change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.overview.tiles.tile_drag import TileDrag
from gpuexplorer.gui.overview.tiles.tile_layout import TileLayout, lay_out_boards, lay_out_tiles
from gpuexplorer.gui.overview.tiles.tile_plan import FULL, TileSize
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.widgets.line import draw_figure_right
from gpuexplorer.gui.widgets.painted import Painted

_LEAST_WIDTH = 292
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_MOVING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@dataclass(frozen=True, slots=True)
class Board:
    """Eight cards in a row: what it is called, what runs on it, what it draws."""

    title: str
    remark: str
    power: Figure
    cards: tuple[CardId, ...]


class TileGrid(Painted):
    """One stop for the Tab key; the arrow keys go from tile to tile."""

    tile_focused = Signal(CardTile)
    tile_pointed = Signal(object)  # the tile pointed at or with the keyboard, or None
    opened = Signal(str)
    menu_asked = Signal(str, QPoint)
    moved = Signal(str, str)  # this card, to the place of that one
    # What is left of it when Python has taken it down and Qt asks it once more.
    _tiles: Mapping[CardId, CardTile] = {}

    def __init__(self) -> None:
        super().__init__()
        self._tiles = {}
        self._boards: Sequence[Board] = ()
        self._layout: TileLayout = lay_out_tiles((), _LEAST_WIDTH, 0, 0, 0)
        self._room, self._fold = 0.0, 0.0
        self._drag = TileDrag(self)
        self._drag.dropped.connect(self._on_dropped)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def tiles(self) -> Mapping[CardId, CardTile]:
        """In the order in which they are shown."""
        return self._tiles

    def show_faces(self, faces: Sequence[CardFace], boards: Sequence[Board] = ()) -> bool:
        """Tiles of cards that stay are kept. With boards, tiles are cells. True when the height
        it asks for may differ.
        """
        places = [board.cards for board in self._boards] != [board.cards for board in boards]
        if self._boards != boards:
            self._boards = boards
            self.update()
        if [face.id for face in faces] == list(self._tiles) and not places:
            tiles = zip(self._tiles.values(), faces, strict=True)
            taller = [tile.show_face(face) for tile, face in tiles]
            if any(taller):
                self._arrange()
            return any(taller)
        self._take(faces)
        self._arrange()
        return True

    def show_room(self, height: float, fold: float) -> None:
        """How much height there is without scrolling, and down to where scrolling begins."""
        if (height, fold) != (self._room, self._fold):
            self._room, self._fold = height, fold
            self._arrange()

    def least_height(self, width: float) -> float:
        return self._laid_out(width, 0.0).least_height

    def most_height(self, width: float) -> float:
        layout = self._laid_out(width, 0.0)
        if self._curves or layout.size is not TileSize.FULL:
            return layout.most_height
        return layout.least_height + FULL.figure

    @property
    def _curves(self) -> bool:
        """The plots of a card that is alone stand above its tile."""
        return len(self._tiles) > 1

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        rows = zip(self._boards, self._layout.labels, self._layout.sums, strict=False)
        for board, label, total in rows:
            middle = label.center().y()
            drawing.elided(
                0, middle - 2, Run(board.title, letters.body, theme.text), label.width()
            )
            remark = Run(board.remark, letters.caption, theme.quiet)
            drawing.elided(0, middle + 2 + letters.caption.ascent, remark, label.width())
            baseline = middle + letters.body.cap_height / 2
            draw_figure_right(
                drawing, total.right(), baseline, total.width(), board.power, letters.body
            )

    def _take(self, faces: Sequence[CardFace]) -> None:
        for card in set(self._tiles) - {face.id for face in faces}:
            self._let_go(self._tiles[card])
        tiles = {}
        for face in faces:
            tile = self._tiles.get(face.id) or self._make(face)
            tile.show_face(face)
            tiles[face.id] = tile
        self._tiles = tiles
        focused = next((tile for tile in tiles.values() if tile.hasFocus()), None)
        self._offer_to_tab_key(focused or next(iter(tiles.values()), None))
        # The Tab key and screen readers go by the order of children.
        for tile in tiles.values():
            tile.raise_()

    def _make(self, face: CardFace) -> CardTile:
        tile = CardTile(face, self)
        tile.opened.connect(partial(self.opened.emit, face.id))
        tile.menu_asked.connect(partial(self.menu_asked.emit, face.id))
        tile.installEventFilter(self)
        tile.show()
        return tile

    def _let_go(self, tile: CardTile) -> None:
        tile.hide()
        tile.removeEventFilter(self)
        self._drag.forget(tile)
        tile.deleteLater()

    def _offer_to_tab_key(self, chosen: CardTile | None) -> None:
        for tile in self._tiles.values():
            policy = Qt.FocusPolicy.StrongFocus if tile is chosen else Qt.FocusPolicy.ClickFocus
            tile.setFocusPolicy(policy)

    def _laid_out(self, width: float, height: float) -> TileLayout:
        if self._boards:
            counts = [len(board.cards) for board in self._boards]
            return lay_out_boards(counts, width, height)
        heights = [partial(tile.height_at, curve=self._curves) for tile in self._tiles.values()]
        return lay_out_tiles(heights, width, height, self._room, self._fold)

    def _arrange(self) -> None:
        self._layout = self._laid_out(self.width(), self.height())
        for tile, place in zip(self._tiles.values(), self._layout.places, strict=True):
            tile.show_size(self._layout.size, curve=self._curves)
            tile.setGeometry(place)
        self.updateGeometry()

    def _neighbour(self, tile: CardTile, key: int) -> CardTile | None:
        tiles = list(self._tiles.values())
        here = tiles.index(tile)
        match key:
            case Qt.Key.Key_Left:
                return tiles[max(0, here - 1)]
            case Qt.Key.Key_Right:
                return tiles[min(len(tiles) - 1, here + 1)]
            case Qt.Key.Key_Home:
                return tiles[0]
            case Qt.Key.Key_End:
                return tiles[-1]
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                return self._above_or_below(tile, up=key == Qt.Key.Key_Up)
            case _:
                return None

    def _above_or_below(self, tile: CardTile, *, up: bool) -> CardTile:
        here = tile.geometry()

        def beyond(there: QRect) -> int:
            return here.top() - there.bottom() if up else there.top() - here.bottom()

        others = [
            (beyond(other.geometry()), abs(other.x() - tile.x()), at, other)
            for at, other in enumerate(self._tiles.values())
            if beyond(other.geometry()) > 0
        ]
        return min(others, default=(0, 0, 0, tile))[3]

    def _on_dropped(self, dragged: CardTile, onto: CardTile) -> None:
        self.moved.emit(dragged.face.id, onto.face.id)

    def heightForWidth(self, width: int) -> int:
        return round(self.least_height(width))

    def sizeHint(self) -> QSize:
        width = max(self.width(), _LEAST_WIDTH)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, CardTile) or watched.face.id not in self._tiles:
            return False
        match event.type():
            case QEvent.Type.FocusIn:
                self._offer_to_tab_key(watched)
                self.tile_focused.emit(watched)
                self.tile_pointed.emit(watched)
            case QEvent.Type.Enter:
                self.tile_pointed.emit(watched)
            case QEvent.Type.Leave | QEvent.Type.FocusOut:
                focused = next((tile for tile in self._tiles.values() if tile.hasFocus()), None)
                self.tile_pointed.emit(focused)
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent):
                return self._take_key(watched, event)
            case _:
                pass
        return self._drag.consider(watched, event)

    def _take_key(self, tile: CardTile, event: QKeyEvent) -> bool:
        if self._drag.active and event.key() == Qt.Key.Key_Escape:
            self._drag.give_up()
            return True
        neighbour = self._neighbour(tile, event.key())
        if neighbour is None:
            return False
        if event.modifiers() & _MOVING == _MOVING and event.key() in _ARROWS:
            if neighbour is not tile:
                self.moved.emit(tile.face.id, neighbour.face.id)
                self.tile_focused.emit(tile)
        else:
            neighbour.setFocus(Qt.FocusReason.OtherFocusReason)
        return True
