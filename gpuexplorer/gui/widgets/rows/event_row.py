"""EventRow: one thing that took place: when, to which card, and what."""

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.rows.pressable_row import PressableRow
from gpuexplorer.gui.wording.events.event_words import EventFace
from gpuexplorer.telemetry.happenings import Happening

HEIGHT = 28
_ICON = 16.0
_LEAST_SENTENCE = 120.0


class EventRow(PressableRow):
    """Rows are made once and shown again with other content."""

    chosen = Signal(object)  # what it shows

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._face: EventFace | None = None
        self._happening: Happening | None = None
        self.pressed.connect(self._on_pressed)

    def show_face(self, face: EventFace, happening: Happening | None = None) -> None:
        self._happening = happening
        if face != self._face:
            self._face = face
            self.setAccessibleName(face.spoken)
            self.update()

    def draw_row(self, drawing: Drawing, place: QRectF) -> None:
        face = self._face
        if face is None:
            return
        theme, letters = drawing.theme, drawing.letters
        middle = place.center().y()
        baseline = middle + letters.body.cap_height / 2
        time = Run(face.time, letters.body, theme.quiet)
        x = drawing.text(place.left(), baseline, time) + 12
        drawing.icon(face.icon, QRectF(x, middle - 8, _ICON, _ICON), theme.tone(face.tone))
        x += _ICON + 10
        if face.card:
            wide = max(20.0, letters.caption.width(face.card) + 10)
            fill = None if face.colour is None else theme.card(face.colour)
            chip = QRectF(x, middle - 10, wide, 20)
            drawing.chip(chip, face.card, letters.caption, fill)
            x += wide + 10
        sentence = Run(face.sentence, letters.body, theme.text)
        right = place.right()
        result = Run(face.result, letters.body, theme.quiet)
        if face.result and right - result.width - x >= _LEAST_SENTENCE:
            right = drawing.runs_right(right, baseline, [result]) - 12
        drawing.elided(x, baseline, sentence, right - x, face.spoken)

    def _on_pressed(self) -> None:
        if self._happening is not None:
            self.chosen.emit(self._happening)

    def sizeHint(self) -> QSize:
        return QSize(300, HEIGHT)
