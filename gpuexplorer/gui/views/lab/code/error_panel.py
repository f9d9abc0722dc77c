"""ErrorPanel: what PyTorch said, what it means here, and the ways on."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.views.lab.code.cure_button import CureButton
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.amounts import beginning
from gpuexplorer.gui.wording.lab.code.cure_face import CureFace

_MARGIN, _ABOVE, _BETWEEN, _AFTER_CAPTION, _AFTER_TEXT = 16, 12, 6, 3, 12
_BAR, _RADIUS = 2.0, 8.0
_TINT = 0.075
_MOST_SAID = 260  # letters; PyTorch may say a page


@dataclass(frozen=True, slots=True)
class ErrorFace:
    """`said` is PyTorch's own message, with the type of the error before it."""

    line: int  # its command
    said: str
    meaning: str
    cures: tuple[CureFace, ...]
    modelled: bool = False


class ErrorPanel(Painted):
    """Without a layout: it is told its width, and tells the height it needs there."""

    cure_chosen = Signal(int)  # counted from 0
    resized = Signal()  # it needs another height
    reached = Signal(QRect)  # what has the keyboard, by the parent's measure
    typed = Signal(str)  # somebody writes a line in place of pressing one

    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._lab = lab
        self._face: ErrorFace | None = None
        self._captions = [_caption(look, each, self) for each in (tr("PyTorch says"), "", "")]
        self._said = wrapped_label(look, "", Tone.TEXT)
        self._said.setFont(look.letters.mono.font)
        self._meaning = wrapped_label(look, "", Tone.TEXT)
        for label in (self._said, self._meaning):
            label.setParent(self)
        self._captions[1].setText(tr("What it means here"))
        self._all = QPushButton(tr("All of it"), self)
        self._all.setProperty("kind", "link")
        self._all.setFont(look.letters.caption.font)
        self._all.setAccessibleName(tr("Show all that PyTorch says"))
        self._all.clicked.connect(self._on_all_asked)
        self._whole = False
        self._buttons: list[CureButton] = []

    @property
    def face(self) -> ErrorFace | None:
        return self._face

    def show_face(self, face: ErrorFace) -> bool:
        """Whether it is another now."""
        if face == self._face:
            return False
        before, self._face = self._face, face
        if before is None or before.line != face.line:
            self._whole = False
        self._show_said(face)
        self._meaning.setText(face.meaning)
        modelled = tr("Ways on (the times are modelled)")
        self._captions[2].setText(modelled if face.modelled else tr("Ways on"))
        self.setAccessibleName(f"{face.said} {face.meaning}".strip())
        if before is None or before.cures != face.cures:
            self._make_buttons(face.cures)
        return True

    def _show_said(self, face: ErrorFace) -> None:
        begun = beginning(face.said, _MOST_SAID)
        self._said.setText(face.said if self._whole else begun)
        self._all.setVisible(not self._whole and begun != face.said)

    def begin(self) -> bool:
        """Give the keyboard to the first way on; False where there is none."""
        if not self._buttons:
            return False
        self._buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def fit(self, width: int) -> int:
        """Arrange it there, and say how high it is then."""
        room = width - 2 * _MARGIN
        y = _ABOVE
        for caption, label in zip(self._captions[:2], (self._said, self._meaning), strict=True):
            there = bool(label.text())
            caption.setVisible(there)
            label.setVisible(there)
            if not there:
                continue
            caption.setGeometry(_MARGIN, y, room, caption.sizeHint().height())
            y += caption.sizeHint().height() + _AFTER_CAPTION
            height = label.heightForWidth(room)
            label.setGeometry(_MARGIN, y, room, height)
            y += height + _AFTER_TEXT
        size = self._all.sizeHint()
        self._all.setGeometry(width - _MARGIN - size.width() + 4, _ABOVE - 6, *size.toTuple())
        caption = self._captions[2]
        caption.setVisible(bool(self._buttons))
        if self._buttons:
            caption.setGeometry(_MARGIN, y, room, caption.sizeHint().height())
            y += caption.sizeHint().height() + _AFTER_CAPTION + 2
        for button in self._buttons:
            height = button.fit(room)
            button.setGeometry(_MARGIN, y, room, height)
            y += height + _BETWEEN
        return y - (_BETWEEN if self._buttons else _AFTER_TEXT) + _ABOVE

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(faded(drawing.theme.bad, _TINT))
        drawing.painter.drawRoundedRect(place, _RADIUS, _RADIUS)
        bar = QRectF(0, _RADIUS, _BAR, place.height() - 2 * _RADIUS)
        drawing.painter.fillRect(bar, drawing.theme.bad)

    def _on_all_asked(self) -> None:
        self._whole = True
        if self._face is not None:
            self._show_said(self._face)
            self.resized.emit()

    def _make_buttons(self, cures: Sequence[CureFace]) -> None:
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = []
        for number, cure in enumerate(cures):
            button = CureButton(self.look, self._lab, cure, self)
            button.clicked.connect(lambda _=False, number=number: self._on_pressed(number))
            button.reached.connect(self._on_reached)
            button.typed.connect(self.typed)
            button.show()
            self._buttons.append(button)

    def _on_pressed(self, number: int) -> None:
        self.cure_chosen.emit(number)

    def _on_reached(self) -> None:
        button = next((each for each in self._buttons if each.hasFocus()), None)
        if button is not None:
            self.reached.emit(button.geometry().translated(self.pos()))


def _caption(look: Look, words: str, parent: QWidget) -> QLabel:
    label = QLabel(words, parent)
    label.setFont(look.letters.caption.font)
    label.setProperty("tone", Tone.QUIET.value)
    return label
