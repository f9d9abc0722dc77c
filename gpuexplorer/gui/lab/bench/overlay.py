"""BenchOverlay: the question of two blocks on different devices, drawn between them."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.lab.bench.bench_question import DeviceQuestion
from gpuexplorer.gui.lab.bench.words import asked_of
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.painted import Painted

_ROUND, _RISE, _DOT = 14.0, 64.0, 3.0
_DASHES = [4.0 / 1.5, 3.5 / 1.5]
_ASIDE = 6.0
# A block, and whether others lie above it: then a line begins at its side, else at its top.
LineEnd = tuple[QRectF, bool]


class BenchOverlay(Painted):
    """Over the columns, and there only while there is something to ask; takes no mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.question: DeviceQuestion | None = None
        self._ends: list[LineEnd] = []
        look().changed.connect(self.update)
        self.hide()

    def show_question(self, question: DeviceQuestion | None, ends: list[LineEnd]) -> None:
        """`ends` from left to right."""
        if (question, ends) != (self.question, self._ends):
            self.question, self._ends = question, ends
            self.setVisible(question is not None)
            self.raise_()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        if self.question is None:
            return
        painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.strong
        middle = sum(place.center().x() for place, _ in self._ends) / 2
        height = max(60.0, min(place.top() for place, _ in self._ends) - _RISE)
        sign = Run(self.question.sign, letters, theme.text)
        half = max(_ROUND, sign.width / 2 + 8)  # a function's name is longer than a sign
        pen = QPen(theme.bad, 1.5)
        for end, away in zip(self._ends, (-1.0, 1.0), strict=True):
            pen.setDashPattern(_DASHES)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            begins = _begin(end, away)
            rises = begins.x() - away * _ASIDE if end[1] else begins.x()
            bend = min(40.0, max(0.0, abs(rises - middle) - half))
            path, corner = (
                QPainterPath(QPointF(middle + away * half, height)),
                QPointF(rises, height),
            )
            path.lineTo(rises - away * bend, height)
            path.cubicTo(corner, corner, QPointF(rises, min(begins.y(), height + bend)))
            path.lineTo(rises, begins.y())
            path.lineTo(begins)
            painter.drawPath(path)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.bad)
            painter.drawEllipse(begins, _DOT, _DOT)
        painter.setPen(QPen(theme.bad, 1.5))
        painter.setBrush(theme.surface)
        pill = QRectF(middle - half, height - _ROUND, 2 * half, 2 * _ROUND)
        painter.drawRoundedRect(pill, _ROUND, _ROUND)
        drawing.text(middle - sign.width / 2, height + letters.cap_height / 2, sign)
        words = Run(asked_of(self.question), drawing.letters.body, theme.text)
        box = QRectF(middle - words.width / 2 - 8, pill.top() - 32, words.width + 16, 24)
        box.moveLeft(min(max(2.0, box.left()), self.width() - box.width() - 2))
        painter.setPen(QPen(theme.line, 1))
        painter.setBrush(theme.raised)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        baseline = box.center().y() + words.letters.cap_height / 2
        drawing.text(box.left() + 8, baseline, words)


def _begin(end: LineEnd, away: float) -> QPointF:
    """`away`: the other block is at its right (-1) or left (1)."""
    place, covered = end
    if not covered:
        return QPointF(place.center().x(), place.top())
    side = place.right() if away < 0 else place.left()
    return QPointF(side, place.top() + min(15.0, place.height() / 2))
