"""RestList: the devices that hold nothing, one line each, where there are very many."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.bench.fills import hue
from gpuexplorer.gui.widgets.machine.voiced import Voiced
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.bench.bench_column import ColumnFace

_HEAD, ROW = 44, 26
_SIDE, _CHIP = 12.0, 18.0
_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -10,
    Qt.Key.Key_PageDown: 10,
}


class RestList(Painted, Voiced[str]):
    """A block can be let go on each of its lines. It is as high as it has lines."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._faces: Sequence[ColumnFace] = ()
        self._target: str | None = None
        self._at = 0
        self._dirty = QRect()
        look.changed.connect(self.update)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_faces(self, faces: Sequence[ColumnFace]) -> None:
        if faces == self._faces:
            return
        self._faces = faces
        self._at = min(self._at, max(0, len(faces) - 1))
        self.setFixedHeight(_HEAD + ROW * len(faces) + 8)
        self.setAccessibleName(self._words)
        self.forget_parts()
        self.update()

    def show_target(self, device: str | None) -> None:
        if device != self._target:
            self._target = device
            self.update()

    def device_at(self, place: QPoint) -> str | None:
        number = (place.y() - _HEAD) // ROW
        inside = self.rect().contains(place) and 0 <= number < len(self._faces)
        return self._faces[number].device if inside else None

    @property
    def _words(self) -> str:
        count = len(self._faces)
        return trn("{count} more, empty", "{count} more, empty", count)

    def parts(self) -> Sequence[str]:
        return [each.title for each in self._faces]

    def words_of(self, part: str) -> tuple[str, str]:
        face = next((each for each in self._faces if each.title == part), None)
        return (part, "" if face is None else face.spoken)

    def place_of(self, part: str) -> QRect:
        titles = self.parts()
        return self._row(titles.index(part)) if part in titles else QRect()

    def focused_part(self) -> str | None:
        return self._faces[self._at].title if self.hasFocus() and self._faces else None

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        drawing.tile(QRectF(self.rect()))
        drawing.text(_SIDE + 2, 28, Run(self._words, letters.strong, theme.quiet))
        for number, face in enumerate(self._faces):
            row = QRectF(self._row(number))
            if face.device and face.device == self._target:
                drawing.painter.setPen(Qt.PenStyle.NoPen)
                drawing.painter.setBrush(faded(theme.accent, 0.2))
                drawing.painter.drawRoundedRect(row, 4, 4)
            self._draw_row(drawing, row, face)
            if self.hasFocus() and number == self._at:
                drawing.focus_ring(row, 5)

    def _draw_row(self, drawing: Drawing, row: QRectF, face: ColumnFace) -> None:
        theme, letters = drawing.theme, drawing.letters
        middle = row.center().y()
        wide = max(_CHIP, letters.badge.width(face.chip) + 8)
        chip = QRectF(row.left() + 4, middle - 9, wide, _CHIP)
        coloured = face.colour is not None and face.usable
        drawing.chip(chip, face.chip, letters.badge, hue(theme, face) if coloured else None)
        baseline = middle + letters.caption.cap_height / 2
        right = row.right() - 4
        if face.free is not None and face.usable:
            runs = [
                Run(face.free.number, letters.strong, theme.text),
                Run(f"{THIN_SPACE}{face.free.unit}", letters.caption, theme.quiet),
            ]
        else:
            said = tr("not known") if face.usable else tr("not usable")
            runs = [Run(said, letters.caption, theme.faint)]
        right = drawing.runs_right(right, baseline, runs) - 6
        x = chip.right() + 8
        drawing.elided(x, baseline, Run(face.title, letters.body, theme.text), right - x)

    def _row(self, number: int) -> QRect:
        return QRect(8, _HEAD + number * ROW, self.width() - 16, ROW)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or not self._faces:
            super().keyPressEvent(event)
            return
        self._at = min(max(0, self._at + step), len(self._faces) - 1)
        self.update()
        self.tell_focus()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.tell_focus()

    def inputMethodQuery(self, query: Qt.InputMethodQuery, /) -> object:
        # What the scroll area around it brings into sight.
        if query is Qt.InputMethodQuery.ImCursorRectangle:
            return self._row(self._at)
        return super().inputMethodQuery(query)
