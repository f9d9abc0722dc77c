"""HostStrip: the computer itself in one line: processor, memory, swap."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import faded
from gpuexplorer.gui.widgets.figure_drawing import draw_figure_right
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.host_face import HostFace

_HEIGHT = 64
_CHIP = 24.0
_BAR_OPACITY = 0.4


class HostStrip(Painted):
    """Its bars have no colour of their own: colours belong to the cards."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._face: HostFace | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_face(self, face: HostFace) -> None:
        if face != self._face:
            self._face = face
            self.setAccessibleName(f"This computer, {face.name}")
            self.setAccessibleDescription(face.spoken)
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        place = QRectF(self.rect())
        drawing.tile(place)
        face = self._face
        if face is None:
            return
        inner = place.adjusted(16, 0, -16, 0)
        middle = inner.center().y()
        drawing.chip(QRectF(inner.left(), middle - 12, _CHIP, _CHIP), "H", letters.body, None)
        x = inner.left() + _CHIP + 12
        room = inner.right() - x
        name = room * 0.24
        title = Run("This computer", letters.body, theme.text)
        drawing.elided(x, middle - 4, title, name - 16)
        second = middle + 4 + letters.caption.ascent
        drawing.elided(x, second, Run(face.name, letters.caption, theme.quiet), name - 16)
        x += name
        gauge = room * 0.265
        self._gauge(drawing, QRectF(x, middle - 24, gauge, 48), face.busy, face.busy_share)
        x += gauge + 24
        self._gauge(drawing, QRectF(x, middle - 24, gauge, 48), face.memory, face.memory_share)
        x += gauge + 24
        self._swap(drawing, QRectF(x, middle - 24, inner.right() - x, 48), face.swap)

    def _gauge(
        self, drawing: Drawing, place: QRectF, figure: Figure, share: float | None
    ) -> None:
        theme, letters = drawing.theme, drawing.letters
        baseline = place.top() + 22
        end = drawing.text(
            place.left(), baseline, Run(figure.label, letters.caption, theme.quiet)
        )
        width = place.right() - end - 8
        draw_figure_right(drawing, place.right(), baseline, width, figure, letters.title)
        track = QRectF(place.left(), place.top() + 33, place.width(), 6)
        if share is None:
            drawing.no_bar(track)
        else:
            drawing.bar(track, ((share, faded(theme.quiet, _BAR_OPACITY)),))
        drawing.hint(place, figure.hint)

    def _swap(self, drawing: Drawing, place: QRectF, figure: Figure) -> None:
        theme, letters = drawing.theme, drawing.letters
        caption = Run(figure.label, letters.caption, theme.quiet)
        drawing.runs_right(place.right(), place.top() + 22, [caption])
        draw_figure_right(
            drawing, place.right(), place.top() + 42, place.width(), figure, letters.body
        )
        drawing.hint(place, figure.hint)

    def sizeHint(self) -> QSize:
        return QSize(600, _HEIGHT)
