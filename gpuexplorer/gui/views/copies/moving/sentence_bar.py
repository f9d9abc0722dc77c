"""SentenceBar: what is to be said of the chosen copy, and the way to its cure."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.copies.moving.sentences import Said

_CHIP = 20
_LEAST = 62


class SentenceBar(QWidget):
    """As high in every case, so that the table above it stands still."""

    cure_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._said = Said()
        self._flag = _LineFlag(look)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._cure = wrapped_label(look, "", Tone.QUIET)
        self._cure.setFont(look.letters.caption.font)
        self._button = QPushButton(tr("Show the cure"))
        self._button.setFont(look.letters.body.font)
        self._button.clicked.connect(self.cure_asked)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        words.addWidget(self._sentence)
        words.addWidget(self._cure)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 0)
        row.setSpacing(12)
        row.addWidget(self._flag)
        row.addLayout(words, 1)
        row.addWidget(self._button)
        self.setMinimumHeight(_LEAST)
        self.show_said(Said())

    @property
    def said(self) -> Said:
        return self._said

    def show_said(self, said: Said) -> None:
        self._said = said
        self._flag.show_line(said.line, asked=said.asked)
        self._flag.setVisible(bool(said.line))
        for label, words in ((self._sentence, said.sentence), (self._cure, said.cure)):
            if words != label.text():
                label.setText(words)
            label.setVisible(bool(words))
        tone = Tone.BAD if said.bad else Tone.TEXT if said.line else Tone.QUIET
        if self._sentence.property("tone") != tone.value:
            self._sentence.setProperty("tone", tone.value)
            self._sentence.style().polish(self._sentence)
        self._button.setVisible(bool(said.code))


class _LineFlag(Painted):
    """The number of a line, in dashes where nobody asked for the copy."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._line, self._asked = "", True
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_line(self, line: str, *, asked: bool) -> None:
        if (line, asked) != (self._line, self._asked):
            self._line, self._asked = line, asked
            self.setAccessibleName(tr("Line {number}", number=line))
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters.caption
        place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.track)
        if not self._asked:
            pen = QPen(theme.faint, 1, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([2.0, 2.0])
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
        run = Run(self._line, letters, theme.text if self._asked else theme.quiet)
        x = place.center().x() - run.width / 2
        drawing.text(x, place.center().y() + letters.cap_height / 2, run)

    def sizeHint(self) -> QSize:
        width = self.look.letters.caption.width(self._line) + 10
        return QSize(max(_CHIP, round(width)), _CHIP)
