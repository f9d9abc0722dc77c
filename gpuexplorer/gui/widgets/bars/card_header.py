"""CardHeader: whose screen this is, in one line: chip, name, CUDA's number, badges, state."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.cards.card_face import Badge, CardFace, Mark

_HEIGHT, _CHIP, _ICON = 36, 32.0, 16.0
_GAP = 12.0


class CardHeader(Painted):
    """Gives up, from the right to the left, what does not fit, and tells it on asking."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._face: CardFace | None = None
        self._mark: Mark | None = None
        self._badges: tuple[Badge, ...] = ()
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_face(self, face: CardFace, mark: Mark | None, badges: tuple[Badge, ...]) -> None:
        """The mark may say more than a tile has room for: since when."""
        before = (self._face, self._mark, self._badges)
        if before == (face, mark, badges):
            return
        self._face, self._mark, self._badges = face, mark, badges
        self.setAccessibleName(face.title)
        said = [] if mark is None else [mark.word]
        said += [badge.hint for badge in badges]
        if face.cuda_reason:
            said.append(face.cuda_reason)
        self.setAccessibleDescription("\n".join(said))
        self.update()

    def draw(self, drawing: Drawing) -> None:
        face = self._face
        if face is None:
            return
        theme, letters = drawing.theme, drawing.letters
        middle = _HEIGHT / 2
        wide = max(_CHIP, letters.title.width(face.number) + 16)
        chip = QRectF(0, middle - _CHIP / 2, wide, _CHIP)
        silent = bool(face.sentence)
        fill = None if face.colour is None or silent else theme.card(face.colour)
        drawing.chip(chip, face.number, letters.title, fill)
        x = chip.right() + _GAP
        right = self._draw_mark(drawing, x)
        name = face.name or tr("Card {number}", number=face.number)
        if letters.number.width(name) > right - x:
            # The model says more than the maker, who made them all.
            name = name.removeprefix("NVIDIA ")
        baseline = middle + letters.number.cap_height / 2
        ink = theme.quiet if silent else theme.text
        hint = face.name if name != face.name else ""
        run = Run(name, letters.number, ink)
        x = drawing.elided(x, baseline, run, right - x, hint) + _GAP
        x = self._draw_cuda(drawing, x, right, baseline, face)
        for badge in self._badges:
            x = self._draw_badge(drawing, x, right, badge)

    def _draw_mark(self, drawing: Drawing, least: float) -> float:
        """At the right end. Returns where there is room up to."""
        right = float(self.width())
        mark = self._mark
        if mark is None:
            return right
        letters = drawing.letters.body
        colour = drawing.theme.tone(mark.tone)
        room = (right - least) * 0.6 - (_ICON + 6)
        fits = letters.width(mark.word) <= room
        said = mark.word if fits else mark.brief or mark.word
        run = Run(letters.elided(said, room), letters, colour)
        middle = _HEIGHT / 2
        left = drawing.runs_right(right, middle + letters.cap_height / 2, [run])
        if mark.icon is not None:
            left -= _ICON + 6
            drawing.icon(mark.icon, QRectF(left, middle - _ICON / 2, _ICON, _ICON), colour)
        if run.text != mark.word:
            drawing.hint(QRectF(left, 0, right - left, _HEIGHT), mark.word)
        return left - 16

    def _draw_cuda(
        self, drawing: Drawing, x: float, right: float, baseline: float, face: CardFace
    ) -> float:
        theme, letters = drawing.theme, drawing.letters.body
        run = Run(face.cuda, letters, theme.faint if face.cuda_reason else theme.quiet)
        if x + run.width > right:
            return x
        drawing.text(x, baseline, run)
        place = QRectF(x, 0, run.width, _HEIGHT)
        hint = face.cuda_reason or tr("The number CUDA and PyTorch give this card.")
        drawing.hint(place, hint)
        return x + run.width + _GAP

    def _draw_badge(self, drawing: Drawing, x: float, right: float, badge: Badge) -> float:
        theme, letters = drawing.theme, drawing.letters.caption
        run = Run(badge.word, letters, theme.quiet)
        place = QRectF(x, _HEIGHT / 2 - 9, run.width + 14, 19)
        if place.right() > right:
            return x
        drawing.painter.setPen(QPen(theme.line, 1))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
        drawing.painter.drawRoundedRect(edge, CHIP_RADIUS, CHIP_RADIUS)
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(x + 7, baseline, run)
        drawing.hint(place, badge.hint)
        return place.right() + 8

    def sizeHint(self) -> QSize:
        return QSize(320, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)
