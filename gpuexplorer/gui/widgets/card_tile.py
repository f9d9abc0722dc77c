"""CardTile: one card on the overview, large or as a cell."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.widgets.cell_tile import CELL_HEIGHT, draw_cell_tile
from gpuexplorer.gui.widgets.full_tile import draw_full_tile, full_tile_height
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.card_face import CardFace


class CardTile(Painted):
    """Shows a face. Its accessible description says the same as the picture."""

    def __init__(self, look: Look, face: CardFace, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.face = face
        self._cell = False
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._say()

    def show_face(self, face: CardFace) -> bool:
        """Repaints only what looks different. True when the height it asks for may differ."""
        before, self.face = self.face, face
        if face == before:
            return False
        self._say()
        self.update()
        return _height_decided_by(face) != _height_decided_by(before)

    def show_as_cell(self, cell: bool) -> None:
        self._cell = cell
        self.update()

    def height_at(self, width: float) -> float:
        if self._cell:
            return CELL_HEIGHT
        return full_tile_height(self.look, width, self.face)

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        if self._cell:
            draw_cell_tile(drawing, place, self.face)
        else:
            draw_full_tile(drawing, place, self.face)
        if self.hasFocus():
            drawing.focus_ring(place)

    def _say(self) -> None:
        self.setAccessibleName(self.face.title)
        self.setAccessibleDescription(self.face.spoken)

    def sizeHint(self) -> QSize:
        return QSize(320, int(self.height_at(320)))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()


def _height_decided_by(face: CardFace) -> tuple[int, str, str]:
    return len(face.instances), face.sentence, face.more
