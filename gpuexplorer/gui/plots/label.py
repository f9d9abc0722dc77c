"""Label: words over a plot, placed in pixels, bare, on a backing or on a pill."""

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded

_BACKING = 0.88
_SAMPLE, _AFTER_SAMPLE = 11.0, 6.0


class Ground(Enum):
    """What the words stand on, and how much of it is around them, in pixels."""

    NONE = (0.0, 16.0)
    BACKING = (3.0, 14.0)  # so that lines below do not cross the words
    PILL = (7.0, 20.0)


class Label(QGraphicsItem):
    """Its scene's unit is the pixel. pyqtgraph's TextItem has one lettering and one colour, and
    lays out a document for it.
    """

    def __init__(
        self,
        look: Look,
        runs: Sequence[Run],
        ground: Ground = Ground.NONE,
        sample: QPen | None = None,
    ) -> None:
        """`sample` draws a piece of the line that the words are about before them."""
        super().__init__()
        self._look, self._runs, self._sample = look, tuple(runs), sample
        self._ground, (self._around, high) = ground, ground.value
        before = _SAMPLE + _AFTER_SAMPLE if sample is not None else 0.0
        wide = sum(run.width for run in runs) + before + 2 * self._around
        self._place = QRectF(0, -high / 2, wide, high)
        self.setZValue(10)

    @property
    def width(self) -> float:
        return self._place.width()

    @property
    def words(self) -> str:
        return "".join(run.text for run in self._runs)

    def put(self, x: float, middle: float) -> None:
        """From `x` to the right. On whole pixels, where letters are sharp."""
        self.setPos(QPointF(round(x), round(middle)))

    def boundingRect(self) -> QRectF:
        return self._place

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        drawing, theme = Drawing(painter, self._look), self._look.theme
        match self._ground:
            case Ground.BACKING:
                painter.fillRect(self._place, faded(theme.surface, _BACKING))
            case Ground.PILL:
                painter.setPen(QPen(theme.line, 1))
                painter.setBrush(theme.raised)
                half = self._place.adjusted(0.5, 0.5, -0.5, -0.5)
                painter.drawRoundedRect(half, CHIP_RADIUS, CHIP_RADIUS)
            case Ground.NONE:
                pass
        x = self._around
        if self._sample is not None:
            painter.setPen(self._sample)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawLine(QPointF(x, 0), QPointF(x + _SAMPLE, 0))
            x += _SAMPLE + _AFTER_SAMPLE
        if self._runs:
            drawing.runs(x, round(self._runs[0].letters.cap_height / 2), self._runs)
