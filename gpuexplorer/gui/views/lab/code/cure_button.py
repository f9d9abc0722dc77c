"""CureButton: a way on after an error: its lines, what it moves, and from where to where."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QLineF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.code.wrapping import wrapped, wrapped_code
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.code.cure_face import CureFace

_MARGIN, _ABOVE = 10.0, 8.0
_CODE_STEP, _PRICE_STEP = 18.0, 16.0
_CHIP, _ARROW, _GAP = 18.0, 14.0, 5.0
_LEAST_TEXT = 120.0


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
        room = max(_LEAST_TEXT, width - 2 * _MARGIN - self._path_width())
        letters = self.look.letters
        columns = max(8, int(room / letters.mono.width("0")))
        self._code = [part for line in self.face.lines for part in wrapped_code(line, columns)]
        self._price = wrapped(self.face.price, room, letters.caption)
        return round(2 * _ABOVE + _CODE_STEP * len(self._code) + _PRICE_STEP * len(self._price))

    def draw(self, drawing: Drawing) -> None:
        theme, place = drawing.theme, QRectF(self.rect())
        drawing.painter.setPen(QPen(theme.line, 1))
        drawing.painter.setBrush(theme.surface)
        edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
        drawing.painter.drawRoundedRect(edge, CONTROL_RADIUS, CONTROL_RADIUS)
        self.draw_ground(drawing, place)
        mono, caption = drawing.letters.mono, drawing.letters.caption
        y = _ABOVE + (_CODE_STEP + mono.cap_height) / 2
        for each in self._code:
            drawing.text(_MARGIN, y, Run(each, mono, theme.text))
            y += _CODE_STEP
        y = _ABOVE + _CODE_STEP * len(self._code) + (_PRICE_STEP + caption.cap_height) / 2
        for each in self._price:
            drawing.text(_MARGIN, y, Run(each, caption, theme.quiet))
            y += _PRICE_STEP
        self._draw_path(drawing, place.right() - _MARGIN, place.center().y())

    def _path_width(self) -> float:
        if not self.face.target:
            return 0.0
        chips = sum(self._chip_width(each) + _GAP for each in self.face.sources)
        return chips + _ARROW + _GAP + self._chip_width(self.face.target) + _MARGIN

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
