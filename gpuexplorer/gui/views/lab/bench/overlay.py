"""BenchOverlay: what lies over the columns: a held block, the question of two, a refusal."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.bench.block_drawing import BlockLook, draw_block
from gpuexplorer.gui.views.lab.bench.block_stack import Slab
from gpuexplorer.gui.widgets.painted import Painted

_ROUND, _RISE, _DOT = 14.0, 64.0, 3.0
_DASH, _SPACE = 4.0, 3.5
_ASIDE = 6.0
_WIDEST = 240.0
_WRAPPED = int((Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft).value)


@dataclass(frozen=True, slots=True)
class Ghost:
    """A block that is carried."""

    place: QRectF
    slab: Slab
    hue: QColor


@dataclass(frozen=True, slots=True)
class End:
    """A block from which a line begins: at its top, or at its side where others lie above."""

    place: QRectF
    free_above: bool


@dataclass(frozen=True, slots=True)
class Asking:
    """Between two blocks that lie on different devices."""

    left: End
    right: End
    sign: str
    words: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sentence near what it is about."""

    about: QRectF
    words: str


class BenchOverlay(Painted):
    """There only while there is something to show; takes no mouse."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._ghost: Ghost | None = None
        self._asking: Asking | None = None
        self._refusal: Refusal | None = None
        look.changed.connect(self.update)
        self.hide()

    @property
    def asking(self) -> Asking | None:
        return self._asking

    @property
    def refusal(self) -> Refusal | None:
        return self._refusal

    def show_ghost(self, ghost: Ghost | None) -> None:
        self._ghost = ghost
        self._show()

    def show_asking(self, asking: Asking | None) -> None:
        if asking != self._asking:
            self._asking = asking
            self._show()

    def show_refusal(self, refusal: Refusal | None) -> None:
        if refusal != self._refusal:
            self._refusal = refusal
            self._show()

    def draw(self, drawing: Drawing) -> None:
        if self._asking is not None:
            _draw_asking(drawing, self._asking, QRectF(self.rect()))
        if self._ghost is not None:
            place = self._ghost.place
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            drawing.painter.setBrush(faded(drawing.theme.raised, 0.9))
            drawing.painter.drawRoundedRect(place, 5, 5)
            look = BlockLook(self._ghost.hue, chosen=True, notch=False)
            draw_block(drawing, place, self._ghost.slab, look)
        if self._refusal is not None:
            _draw_refusal(drawing, self._refusal, QRectF(self.rect()))

    def _show(self) -> None:
        shown = (self._ghost, self._asking, self._refusal)
        self.setVisible(any(each is not None for each in shown))
        if self.isVisible():
            self.raise_()
            self.update()


def _draw_asking(drawing: Drawing, asking: Asking, whole: QRectF) -> None:
    painter, theme = drawing.painter, drawing.theme
    ends = sorted((asking.left, asking.right), key=lambda end: end.place.center().x())
    start, end = _begin(ends[0], 1.0), _begin(ends[1], -1.0)
    middle = (ends[0].place.center().x() + ends[1].place.center().x()) / 2
    height = max(whole.top() + 60, min(each.place.top() for each in ends) - _RISE)
    pen = QPen(theme.bad, 1.5)
    pen.setDashPattern([_DASH / 1.5, _SPACE / 1.5])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for each, begins, away in ((ends[0], start, -1.0), (ends[1], end, 1.0)):
        rises = begins.x() if each.free_above else begins.x() - away * _ASIDE
        path = QPainterPath(QPointF(middle + away * _ROUND, height))
        bend = min(40.0, max(0.0, abs(rises - middle) - _ROUND))
        path.lineTo(rises - away * bend, height)
        corner = QPointF(rises, height)
        path.cubicTo(corner, corner, QPointF(rises, min(begins.y(), height + bend)))
        path.lineTo(rises, begins.y())
        path.lineTo(begins)
        painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.bad)
    for dot in (start, end):
        painter.drawEllipse(dot, _DOT, _DOT)
    centre = QPointF(middle, height)
    painter.setPen(QPen(theme.bad, 1.5))
    painter.setBrush(theme.surface)
    painter.drawEllipse(centre, _ROUND, _ROUND)
    letters = drawing.letters.strong
    sign = Run(asking.sign, letters, theme.text)
    baseline = height + letters.cap_height / 2
    drawing.text(middle - sign.width / 2, baseline, sign)
    words = Run(asking.words, drawing.letters.body, theme.text)
    box = QRectF(middle - words.width / 2 - 8, height - _ROUND - 32, words.width + 16, 24)
    box.moveLeft(min(max(whole.left() + 2, box.left()), whole.right() - box.width() - 2))
    painter.setPen(QPen(theme.line, 1))
    painter.setBrush(theme.raised)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    baseline = box.center().y() + drawing.letters.body.cap_height / 2
    drawing.text(box.left() + 8, baseline, words)


def _begin(end: End, towards: float) -> QPointF:
    """`towards`: the other block is at the right (1) or at the left (-1)."""
    place = end.place
    if end.free_above:
        return QPointF(place.center().x(), place.top())
    side = place.right() if towards > 0 else place.left()
    return QPointF(side, place.top() + min(15.0, place.height() / 2))


def _draw_refusal(drawing: Drawing, refusal: Refusal, whole: QRectF) -> None:
    """Above what it is about, or below where there is no room."""
    painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.body
    widest = min(_WIDEST, whole.width() - 16)
    asked = letters.metrics.boundingRect(
        QRectF(0, 0, widest - 24, 1000), _WRAPPED, refusal.words
    )
    box = QRectF(0, 0, asked.width() + 26, asked.height() + 16)
    about = refusal.about
    box.moveCenter(QPointF(about.center().x(), 0))
    box.moveBottom(about.top() - 8)
    if box.top() < whole.top() + 4:
        box.moveTop(min(about.bottom() + 8, whole.bottom() - box.height() - 4))
    box.moveLeft(min(max(whole.left() + 4, box.left()), whole.right() - box.width() - 4))
    painter.setPen(QPen(theme.line, 1))
    painter.setBrush(theme.raised)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
    painter.fillRect(QRectF(box.left() + 1, box.top() + 6, 2, box.height() - 12), theme.warn)
    painter.setPen(theme.text)
    painter.setFont(letters.font)
    painter.drawText(box.adjusted(14, 8, -10, -8), _WRAPPED, refusal.words)
