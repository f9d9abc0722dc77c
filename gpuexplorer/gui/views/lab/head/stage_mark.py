"""StageMark: a dot and a word about the worker."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.head.stage_words import StageWords

_HEIGHT, _DOT, _GAP = 24, 7.0, 7.0


class StageMark(Painted):
    """Ends at its right edge. The sentence is told on asking."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._said = StageWords("", "")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def said(self) -> StageWords:
        return self._said

    def show_stage(self, said: StageWords) -> None:
        if said == self._said:
            return
        before, self._said = self.sizeHint().width(), said
        self.setAccessibleName(tr("Worker: {state}", state=said.words))
        self.setAccessibleDescription(said.sentence)
        self.setToolTip(said.sentence)
        if self.sizeHint().width() != before:
            self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters.body
        said, middle = self._said, self.height() / 2
        ink = theme.tone(said.tone)
        words = Run(said.words, letters, ink)
        left = self.width() - 2 - words.width
        dot = QRectF(left - _GAP - _DOT, middle - _DOT / 2, _DOT, _DOT)
        if said.lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.good if said.tone in (Tone.TEXT, Tone.QUIET) else ink)
        else:
            painter.setPen(QPen(ink, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            dot = dot.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawEllipse(dot)
        drawing.text(left, middle + letters.cap_height / 2, words)

    def sizeHint(self) -> QSize:
        letters = self.look.letters.body
        # What stands before it stays where it is while such words come and go.
        usual = tr("Busy, {time}", time="0.0 s")
        words = max(letters.width(self._said.words), letters.width(usual))
        return QSize(round(1 + _DOT + _GAP + words + 2), _HEIGHT)
