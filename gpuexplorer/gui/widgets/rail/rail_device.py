"""RailDevice: one card, or the computer itself: chip, name, how busy, and a thin bar."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton
from gpuexplorer.gui.wording.cards.device_face import DeviceFace

DEVICE_HEIGHT = 40
_CHIP, _LEFT, _TEXT_LEFT, _RIGHT = 20.0, 20.0, 52.0, 20.0
_BAR, _SIDE, _AIR = 3.0, 8.0, 1.0
_WARNING = 14.0


class RailDevice(PaintedButton):
    """Repaints only when something else would be seen. Chosen, it opens the card's screen."""

    card_chosen = Signal(str)

    def __init__(self, look: Look, card: CardId, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._card = card
        self._face: DeviceFace | None = None
        self._narrow = False
        self.setCheckable(True)
        self.clicked.connect(self._on_clicked)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_face(self, face: DeviceFace) -> None:
        before, self._face = self._face, face
        if before is None or (before.title, before.said) != (face.title, face.said):
            self.setAccessibleName(face.title)
            self.setAccessibleDescription(face.said)
        if before is None or _seen(before) != _seen(face):
            self.update()

    def show_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.update()

    def draw(self, drawing: Drawing) -> None:
        face = self._face
        if face is None:
            return
        place = QRectF(self.rect())
        self.draw_ground(drawing, place.adjusted(_SIDE, _AIR, -_SIDE, -_AIR))
        if self._narrow:
            self._draw_narrow(drawing, place, face)
        else:
            self._draw_wide(drawing, place, face)

    def _draw_wide(self, drawing: Drawing, place: QRectF, face: DeviceFace) -> None:
        theme, letters = drawing.theme, drawing.letters
        middle = place.center().y()
        wide = max(_CHIP, letters.badge.width(face.chip) + 8)
        self._draw_chip(drawing, QRectF(_LEFT, middle - 8, wide, _CHIP), face)
        left = max(_TEXT_LEFT, _LEFT + wide + 8)
        right = place.right() - _RIGHT
        baseline = middle + 2
        if face.word:
            word = Run(face.word, letters.body, theme.tone(face.tone))
            room = right - left - 24
            word = Run(letters.body.elided(face.word, room), letters.body, word.colour)
            end = drawing.runs_right(right, baseline, [word])
        else:
            number = Run(face.number, letters.body, theme.text)
            unit = Run(f"{THIN_SPACE}{face.unit}", letters.caption, theme.faint)
            end = drawing.runs_right(right, baseline, [number, unit])
        room = end - 6 - left
        if face.warning is not None:
            room -= _WARNING + 6
        name = Run(face.name, letters.body, theme.text if face.answers else theme.faint)
        shown = letters.body.elided(name.text, room)
        after = drawing.text(left, baseline, Run(shown, letters.body, name.colour))
        if face.warning is not None:
            top = baseline - letters.body.cap_height / 2 - _WARNING / 2
            corner = QRectF(after + 6, top, _WARNING, _WARNING)
            drawing.icon(face.warning, corner, theme.warn)
        track = QRectF(left, middle + 8.5, right - left, _BAR)
        self._draw_bar(drawing, track, face)

    def _draw_narrow(self, drawing: Drawing, place: QRectF, face: DeviceFace) -> None:
        theme, middle = drawing.theme, place.center()
        wide = max(_CHIP, drawing.letters.badge.width(face.chip) + 8)
        chip = QRectF(middle.x() - wide / 2, middle.y() - 13, wide, _CHIP)
        self._draw_chip(drawing, chip, face)
        self._draw_bar(drawing, QRectF(middle.x() - 12, middle.y() + 10, 24, _BAR), face)
        if face.warning is not None:
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            drawing.painter.setBrush(theme.ground)
            corner = QRectF(chip.right() - 7, chip.top() - 5, 14, 14)
            drawing.painter.drawEllipse(corner)
            drawing.icon(face.warning, corner.adjusted(1, 1, -1, -1), theme.warn)
        elif face.tone is not Tone.FAINT:
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            drawing.painter.setBrush(theme.tone(face.tone))
            drawing.painter.drawEllipse(QRectF(chip.right() - 4, chip.top() - 3, 7, 7))

    def _draw_chip(self, drawing: Drawing, place: QRectF, face: DeviceFace) -> None:
        theme = drawing.theme
        filled = face.colour is not None and face.answers
        drawing.chip(
            place, face.chip, drawing.letters.badge, theme.card(face.colour) if filled else None
        )

    def _draw_bar(self, drawing: Drawing, track: QRectF, face: DeviceFace) -> None:
        theme = drawing.theme
        colour: QColor = theme.card(face.colour)
        if face.card is None:
            colour = faded(theme.quiet, 0.75)
        painter = drawing.painter
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.selection)
        painter.drawRoundedRect(track, _BAR / 2, _BAR / 2)
        if face.share:
            filled = QRectF(track)
            filled.setWidth(max(_BAR, min(1.0, face.share) * track.width()))
            painter.setBrush(colour)
            painter.drawRoundedRect(filled, _BAR / 2, _BAR / 2)

    def _on_clicked(self) -> None:
        self.card_chosen.emit(self._card)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            told = "" if self._face is None else self._face.told
            QToolTip.showText(event.globalPos(), told, self, self.rect())
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(56 if self._narrow else 208, DEVICE_HEIGHT)

    def nextCheckState(self) -> None:
        """Which card is shown is not for a click to say: the navigation says it."""


def _seen(face: DeviceFace) -> tuple[object, ...]:
    """What the picture shows; the rest is told on asking."""
    percent = None if face.share is None else round(face.share * 200)
    return (
        face.chip,
        face.colour,
        face.name,
        face.number,
        face.unit,
        percent,
        face.word,
        face.tone,
        face.warning,
        face.answers,
    )
