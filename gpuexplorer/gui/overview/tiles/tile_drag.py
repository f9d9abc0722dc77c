"""TileDrag: a tile is taken with the mouse and let go in another one's place."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.painted import Painted


class TileDrag(QObject):
    """Follows the mouse events of tiles that its owner hands on."""

    dropped = Signal(CardTile, CardTile)  # this one, onto that one

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        self._field = field
        self._frame = _DropFrame(field)
        self._frame.hide()
        self._taken: CardTile | None = None
        self._onto: CardTile | None = None
        self._pressed_at = QPoint()
        self._active = False

    @property
    def active(self) -> bool:
        return self._active

    def consider(self, tile: CardTile, event: QEvent) -> bool:
        """True where the event was part of a move and nothing else may have it."""
        if not isinstance(event, QMouseEvent):
            return False
        match event.type():
            case QEvent.Type.MouseButtonPress if event.button() is Qt.MouseButton.LeftButton:
                self._taken, self._pressed_at = tile, event.globalPosition().toPoint()
            case QEvent.Type.MouseMove if self._taken is not None:
                self._move_to(event.globalPosition().toPoint())
                return self._active
            case QEvent.Type.MouseButtonRelease if self._taken is not None:
                return self._let_go()
            case _:
                pass
        return False

    def forget(self, tile: CardTile) -> None:
        """It goes, since its card did."""
        if tile in (self._taken, self._onto):
            self.give_up()

    def give_up(self) -> None:
        """Everything stays where it was."""
        if self._active and self._taken is not None:
            self._taken.unsetCursor()
        self._taken = self._onto = None
        self._active = False
        self._frame.hide()

    def _move_to(self, place: QPoint) -> None:
        if self._taken is None:
            return
        far = (place - self._pressed_at).manhattanLength()
        if not self._active and far >= QApplication.startDragDistance():
            self._active = True
            self._taken.setCursor(Qt.CursorShape.ClosedHandCursor)
        if not self._active:
            return
        under = self._field.childAt(self._field.mapFromGlobal(place))
        while under is not None and not isinstance(under, CardTile):
            under = under.parentWidget()
        self._onto = under if under is not self._taken else None
        self._frame.setVisible(self._onto is not None)
        if self._onto is not None:
            self._frame.setGeometry(self._onto.geometry())
            self._frame.raise_()

    def _let_go(self) -> bool:
        taken, onto, moved = self._taken, self._onto, self._active
        self.give_up()
        if moved and taken is not None and onto is not None:
            self.dropped.emit(taken, onto)
        return moved


class _DropFrame(Painted):
    """Lies on the tile whose place would be taken."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        drawing.tile(place, faded(drawing.theme.accent, 0.12), drawing.theme.accent)
