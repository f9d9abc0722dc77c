"""SourceBadge: where the figures come from, always in the same place."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

SIMULATED = mark("SIMULATED")


class SourceBadge(Painted):
    """Filled while the cards are make-believe, outlined otherwise."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._text = ""
        self._filled = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_simulated(self) -> None:
        meaning = tr("No real card is read: all figures are made up.")
        self._show(tr(SIMULATED), meaning, filled=True)

    def show_live(self, name: str) -> None:
        meaning = tr("These figures are read from real cards.")
        self._show(tr("Live, {name}", name=name), meaning, filled=False)

    def show_no_card(self) -> None:
        meaning = tr("No card answers: only this computer's processor and memory are read.")
        self._show(tr("No card"), meaning, filled=False)

    def draw(self, drawing: Drawing) -> None:
        painter, theme = drawing.painter, drawing.theme
        place = QRectF(self.rect())
        if self._filled:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.simulated)
        else:
            painter.setPen(QPen(theme.faint, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            place = place.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
        letters = self._letters()
        run = Run(self._text, letters, theme.simulated_ink if self._filled else theme.quiet)
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(place.center().x() - run.width / 2, baseline, run)

    def _letters(self) -> Lettering:
        return self.look.letters.badge if self._filled else self.look.letters.caption

    def _show(self, text: str, meaning: str, *, filled: bool) -> None:
        self._text, self._filled = text, filled
        self.setAccessibleName(text)
        self.setAccessibleDescription(meaning)
        self.setToolTip(meaning)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(self._letters().width(self._text)) + 18, 22)
