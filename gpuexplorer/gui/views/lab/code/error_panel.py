"""ErrorPanel: what PyTorch said, what it means here, and the ways on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPen
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.views.lab.code.wrapping import wrapped, wrapped_code
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.amounts import beginning
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.code.cure_face import CureFace

_MARGIN, _ABOVE, _BETWEEN, _AFTER_CAPTION, _AFTER_TEXT = 16, 12, 6, 3, 12
_BAR, _RADIUS = 2.0, 8.0
_TINT = 0.075
_MOST_SAID = 260  # letters; PyTorch may say a page
_BUTTON_MARGIN, _BUTTON_ABOVE = 10.0, 8.0
_CODE_STEP, _PRICE_STEP = 18.0, 16.0
_CHIP, _ARROW, _GAP = 18.0, 14.0, 5.0
_LEAST_TEXT = 120.0


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


class CureButton(PaintedButton):
    """`reached`: it has the keyboard; `typed`: somebody would rather write a line."""

    reached = Signal()
    typed = Signal(str)

    def __init__(
        self, look: Look, lab: LabState, face: CureFace, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self.face = face
        self._devices: Mapping[str, BenchDevice] = {each.name: each for each in lab.devices()}
        self._code: Sequence[str] = ()
        self._price: Sequence[str] = ()
        self.setText(face.lines[-1])
        self.setAccessibleName(face.words)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def fit(self, width: int) -> int:
        """The height it needs there."""
        room = max(_LEAST_TEXT, width - 2 * _BUTTON_MARGIN - self._path_width())
        letters = self.look.letters
        columns = max(8, int(room / letters.mono.width("0")))
        self._code = [part for line in self.face.lines for part in wrapped_code(line, columns)]
        self._price = wrapped(self.face.price, room, letters.caption)
        return round(
            2 * _BUTTON_ABOVE + _CODE_STEP * len(self._code) + _PRICE_STEP * len(self._price)
        )

    def draw(self, drawing: Drawing) -> None:
        theme, place = drawing.theme, QRectF(self.rect())
        drawing.painter.setPen(QPen(theme.line, 1))
        drawing.painter.setBrush(theme.surface)
        edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
        drawing.painter.drawRoundedRect(edge, CONTROL_RADIUS, CONTROL_RADIUS)
        self.draw_ground(drawing, place)
        mono, caption = drawing.letters.mono, drawing.letters.caption
        y = _BUTTON_ABOVE + (_CODE_STEP + mono.cap_height) / 2
        for each in self._code:
            drawing.text(_BUTTON_MARGIN, y, Run(each, mono, theme.text))
            y += _CODE_STEP
        y = (
            _BUTTON_ABOVE
            + _CODE_STEP * len(self._code)
            + (_PRICE_STEP + caption.cap_height) / 2
        )
        for each in self._price:
            drawing.text(_BUTTON_MARGIN, y, Run(each, caption, theme.quiet))
            y += _PRICE_STEP
        self._draw_path(drawing, place.right() - _BUTTON_MARGIN, place.center().y())

    def _path_width(self) -> float:
        if not self.face.target:
            return 0.0
        chips = sum(self._chip_width(each) + _GAP for each in self.face.sources)
        return chips + _ARROW + _GAP + self._chip_width(self.face.target) + _BUTTON_MARGIN

    def _chip_width(self, device: str) -> float:
        return max(_CHIP, self.look.letters.caption.width(self._chip_text(device)) + 8)

    def _chip_text(self, device: str) -> str:
        known = self._devices.get(device)
        return known.chip if known is not None and known.chip else device

    def _draw_path(self, drawing: Drawing, right: float, middle: float) -> None:
        if not self.face.target:
            return
        x = self._draw_chip(drawing, right, middle, self.face.target) - _GAP
        drawing.painter.setPen(QPen(drawing.theme.quiet, 1.5))
        left = x - _ARROW
        drawing.painter.drawLines(
            [
                QLineF(left + 1, middle, x - 1, middle),
                QLineF(x - 5, middle - 4, x - 1, middle),
                QLineF(x - 5, middle + 4, x - 1, middle),
            ]
        )
        x = left - _GAP
        for each in reversed(self.face.sources):
            x = self._draw_chip(drawing, x, middle, each) - _GAP

    def _draw_chip(self, drawing: Drawing, right: float, middle: float, device: str) -> float:
        """Returns its left edge."""
        known = self._devices.get(device)
        width = self._chip_width(device)
        place = QRectF(right - width, middle - _CHIP / 2, width, _CHIP)
        coloured = known is not None and known.is_card and known.colour is not None
        fill = drawing.theme.card(known.colour) if coloured and known is not None else None
        drawing.chip(place, self._chip_text(device), drawing.letters.badge, fill)
        return place.left()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.reached.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Down:
                self.focusNextChild()
            case Qt.Key.Key_Up:
                self.focusPreviousChild()
            case Qt.Key.Key_Escape:
                self.typed.emit("")
            case Qt.Key.Key_Space | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                super().keyPressEvent(event)
            case _ if event.text().isprintable() and event.text():
                self.typed.emit(event.text())
            case _:
                super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(260, self.fit(260))
