"""EventRow: one thing that took place: when, to which card, and what."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.icons import Icon
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.painted import Painted

HEIGHT = 28
_ICON = 16.0


@dataclass(frozen=True, slots=True)
class EventFace:
    """What a row shows."""

    time: str
    icon: Icon
    tone: Tone
    card: str  # its number; empty where it is about all of them
    colour: int | None
    sentence: str

    @property
    def spoken(self) -> str:
        who = f", card {self.card}" if self.card else ""
        return f"{self.time}{who}: {self.sentence}"


class EventRow(Painted):
    """Rows are made once and shown again with other content."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._face: EventFace | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_face(self, face: EventFace) -> None:
        if face != self._face:
            self._face = face
            self.setAccessibleName(face.spoken)
            self.update()

    def draw(self, drawing: Drawing) -> None:
        face = self._face
        if face is None:
            return
        theme, letters = drawing.theme, drawing.letters
        middle = self.height() / 2
        baseline = middle + letters.body.cap_height / 2
        x = drawing.text(0, baseline, Run(face.time, letters.body, theme.quiet)) + 12
        drawing.icon(face.icon, QRectF(x, middle - 8, _ICON, _ICON), theme.tone(face.tone))
        x += _ICON + 10
        if face.card:
            wide = max(20.0, letters.caption.width(face.card) + 10)
            fill = None if face.colour is None else theme.card(face.colour)
            chip = QRectF(x, middle - 10, wide, 20)
            drawing.chip(chip, face.card, letters.caption, fill)
            x += wide + 10
        sentence = Run(face.sentence, letters.body, theme.text)
        drawing.elided(x, baseline, sentence, self.width() - x)

    def sizeHint(self) -> QSize:
        return QSize(300, HEIGHT)
