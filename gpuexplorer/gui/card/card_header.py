"""CardHeader: whose screen this is, in one line, and what it says of a card that
gives no figures.
"""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardBadge, CardFace
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import wrapped_label
from gpuexplorer.gui.widgets.line import draw_badge, draw_mark
from gpuexplorer.gui.widgets.painted import Painted

_HEIGHT, _CHIP = 36, 32.0
_GAP = 12.0
_MARGIN, _ABOVE, _BETWEEN = 16, 14, 4


class CardHeader(Painted):
    """Gives up, from the right to the left, what does not fit, and tells it on asking."""

    def __init__(self) -> None:
        super().__init__()
        self._face: CardFace | None = None
        self._mark: StateMark | None = None
        self._badges: tuple[CardBadge, ...] = ()
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_face(
        self, face: CardFace, mark: StateMark | None, badges: tuple[CardBadge, ...]
    ) -> None:
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
        right = float(self.width())
        if self._mark is not None:
            room = (right - x) * 0.6
            right = draw_mark(drawing, right, middle, self._mark, room, room) - 16
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
            x = draw_badge(drawing, x, right, middle, badge, 7.0)

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

    def sizeHint(self) -> QSize:
        return QSize(320, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)


class SentencePanel(QFrame):
    """A sentence, and under it a quieter one.

    Without a layout: a page that holds one whose height hangs on its width gives all it holds
    the height it likes and not the least, and plots no longer fit the window.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._sentence = wrapped_label("", Tone.TEXT)
        self._more = wrapped_label("", Tone.QUIET)
        for label in (self._sentence, self._more):
            label.setParent(self)

    def show_sentences(self, sentence: str, more: str) -> None:
        if (sentence, more) == (self._sentence.text(), self._more.text()):
            return
        self._sentence.setText(sentence)
        self._more.setText(more)
        self._more.setVisible(bool(more))
        self.setAccessibleName(f"{sentence} {more}".strip())
        self._fit()

    def _fit(self) -> None:
        width = max(1, self.width() - 2 * _MARGIN)
        top = _ABOVE
        for label in (self._sentence, self._more):
            if label.text():
                height = label.heightForWidth(width)
                label.setGeometry(_MARGIN, top, width, height)
                top += height + _BETWEEN
        self.setFixedHeight(top - _BETWEEN + _ABOVE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def sizeHint(self) -> QSize:
        return QSize(320, self.height())
