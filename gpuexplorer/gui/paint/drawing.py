"""Drawing: puts texts, chips, bars and marks on a painter in the theme. Delegate: for views."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QImage, QPainter, QPen, QRegion
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QToolTip, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.theme.icons import Icon, draw_icon
from gpuexplorer.gui.theme.letters import Lettering, Letterings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded

Index = QModelIndex | QPersistentModelIndex
THIN_SPACE = "\N{THIN SPACE}"
TILE_RADIUS = 10.0
CHIP_RADIUS = 4.0


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one lettering and one colour."""

    text: str
    letters: Lettering
    colour: QColor

    @property
    def width(self) -> float:
        return self.letters.width(self.text)


@dataclass(frozen=True, slots=True)
class Hint:
    """What to say about a place when a person asks."""

    place: QRectF
    text: str


class Drawing:
    """For the length of one paint event."""

    def __init__(
        self, painter: QPainter, letters: Letterings | None = None, dirty: QRegion | None = None
    ) -> None:
        """`dirty` is what is to be drawn anew, where that is not everything."""
        self.painter = painter
        self.dirty = dirty
        self.theme, self.letters = look().theme, letters or look().letters
        self.hints: list[Hint] = []
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def needs(self, place: QRectF) -> bool:
        """Whether anything in there is to be drawn anew."""
        return self.dirty is None or self.dirty.intersects(place.toAlignedRect())

    def hint(self, place: QRectF, text: str) -> None:
        if text:
            self.hints.append(Hint(place, text))

    def text(self, x: float, baseline: float, run: Run) -> float:
        """Returns where the text ends."""
        self.painter.setFont(run.letters.font)
        self.painter.setPen(run.colour)
        self.painter.drawText(QPointF(x, baseline), run.text)
        return x + run.width

    def elided(
        self, x: float, baseline: float, run: Run, width: float, hint: str = ""
    ) -> float:
        """As much as fits; what was cut off is told on asking. Returns where the text ends."""
        shown = run.letters.elided(run.text, width)
        told = hint or (run.text if shown != run.text else "")
        top = baseline - run.letters.ascent
        self.hint(QRectF(x, top, width, run.letters.height), told)
        return self.text(x, baseline, Run(shown, run.letters, run.colour))

    def runs(self, x: float, baseline: float, runs: Sequence[Run]) -> float:
        for run in runs:
            x = self.text(x, baseline, run)
        return x

    def runs_right(self, right: float, baseline: float, runs: Sequence[Run]) -> float:
        """Ends at `right`; returns where the runs begin."""
        left = right - sum(run.width for run in runs)
        self.runs(left, baseline, runs)
        return left

    def icon(self, icon: Icon, place: QRectF, colour: QColor) -> None:
        draw_icon(self.painter, icon, place, colour)

    def tile(
        self, place: QRectF, fill: QColor | None = None, edge: QColor | None = None
    ) -> None:
        self.painter.setPen(QPen(edge or self.theme.edge, 1))
        self.painter.setBrush(fill or self.theme.surface)
        half = place.adjusted(0.5, 0.5, -0.5, -0.5)
        self.painter.drawRoundedRect(half, TILE_RADIUS, TILE_RADIUS)

    def filled(self, place: QRectF, colour: QColor | QBrush, radius: float) -> None:
        """Without an edge."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(colour)
        self.painter.drawRoundedRect(place, radius, radius)

    def outlined(self, place: QRectF, pen: QPen, radius: float = CHIP_RADIUS) -> None:
        self.painter.setPen(pen)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        half = pen.widthF() / 2
        self.painter.drawRoundedRect(place.adjusted(half, half, -half, -half), radius, radius)

    def dot(self, place: QRectF, tone: Tone, *, lit: bool) -> None:
        """How something is: filled while it is lit, else an outline."""
        if lit:
            calm = tone in (Tone.TEXT, Tone.QUIET)
            self.filled(place, self.theme.tone(Tone.GOOD if calm else tone), place.width() / 2)
        else:
            self.outlined(place, QPen(self.theme.tone(tone), 1.5), place.width() / 2)

    def focus_ring(self, place: QRectF, radius: float = TILE_RADIUS) -> None:
        self.outlined(place, QPen(self.theme.accent, 2), radius - 1)

    def hairline(self, left: float, right: float, y: float) -> None:
        self.painter.fillRect(QRectF(left, y, right - left, 1), self.theme.line)

    def chip(
        self,
        place: QRectF,
        text: str,
        letters: Lettering,
        fill: QColor | None = None,
        ink: QColor | None = None,
        *,
        dashed: bool = False,
    ) -> None:
        """Filled with a card's colour, or outlined where there is none."""
        if fill is None:
            pen = QPen(self.theme.faint, 1)
            if dashed:
                pen.setDashPattern([2.0, 2.0])
            self.outlined(place, pen)
        else:
            self.filled(place, fill, CHIP_RADIUS)
        ink = ink or (self.theme.quiet if fill is None else self.theme.inverse)
        self.centred(place, Run(text, letters, ink))

    def bar(self, place: QRectF, parts: Sequence[tuple[float, QColor]]) -> None:
        """A track with parts laid end to end from the left, each a share of the whole."""
        radius = min(place.height() / 2, 4.0)
        self.filled(place, self.theme.well, radius)
        left = place.left()
        for share, colour in parts:
            # A hair of it stays visible, so that little looks different from nothing.
            width = max(2.0, share * place.width()) if share > 0 else 0.0
            self.painter.setClipRect(QRectF(left, place.top(), width, place.height()))
            self.filled(place, colour, radius)
            left += width
        self.painter.setClipping(False)

    def no_bar(self, place: QRectF) -> None:
        """In the place of a bar for what is not known: dotted, and never an empty track."""
        pen = QPen(self.theme.faint, 1.5)
        pen.setDashPattern([1.0, 3.0])
        self.painter.setPen(pen)
        y = place.center().y()
        self.painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y))

    def wrong(self, place: QRectF, *, lettered: bool) -> None:
        """What arrived WRONG: the only hatched thing anywhere. It has no figure."""
        self.filled(place, self.theme.bad, CHIP_RADIUS)
        hatch = QBrush(faded(self.theme.inverse, 0.5), Qt.BrushStyle.BDiagPattern)
        self.filled(place, hatch, CHIP_RADIUS)
        if lettered:
            run = Run(tr("WRONG"), self.letters.badge, self.theme.inverse)
            if run.width + 4 > place.width():
                run = Run("!", self.letters.badge, self.theme.inverse)
            ground = QRectF(0, 0, run.width + 4, run.letters.cap_height + 6)
            ground.moveCenter(place.center())
            self.painter.fillRect(ground, self.theme.bad)
            self.centred(place, run)

    def centred(self, place: QRectF, run: Run) -> None:
        middle = place.center()
        baseline = middle.y() + run.letters.cap_height / 2
        self.text(middle.x() - run.width / 2, baseline, run)


class Delegate(QStyledItemDelegate):
    """Subclasses implement `draw`; a bug in there spoils one row or cell."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.look = look()

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        raise NotImplementedError

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        try:
            self.draw(Drawing(painter), QRectF(option.rect), option, index)
        finally:
            painter.restore()


def plain_tip(text: str) -> str:
    """For a tooltip: a long line is broken into several, and none is taken for markup."""
    if max(map(len, text.split("\n"))) <= 90 and not GuiQt.mightBeRichText(text):
        return text
    shown = escape(f"{text[:1500]}…" if len(text) > 1500 else text).replace("\n", "<br>")
    return f"<qt>{shown}</qt>"


def tell_hint(event: QHelpEvent, hints: Sequence[Hint], widget: QWidget) -> bool:
    """In a tooltip what lies there, of several the last; False where nothing does."""
    for hint in reversed(hints):
        if hint.place.contains(event.pos()):
            place = hint.place.toAlignedRect()
            QToolTip.showText(event.globalPos(), plain_tip(hint.text), widget, place)
            return True
    QToolTip.hideText()
    return False


def picture_of(colours: Sequence[QColor], cells: NDArray[np.intp]) -> QImage:
    """Very many cells: a pixel for each, which says which of the colours it has."""
    known = np.array([(c.red(), c.green(), c.blue()) for c in colours], np.uint8)
    pixels, (high, wide) = np.ascontiguousarray(known[cells]), cells.shape
    return QImage(pixels.data, wide, high, 3 * wide, QImage.Format.Format_RGB888).copy()


def draw_picture(
    painter: QPainter, picture: QImage, corner: QPoint, step: QSize, gap: int, ground: QColor
) -> None:
    """A cell every `step` pixels, with the ground in the gaps between them."""
    wide, high = step.toTuple()
    whole = QRect(corner, QSize(picture.width() * wide, picture.height() * high))
    # Half a gap aside: Qt rounds where one colour ends, and the gap is painted over it.
    aside, part = gap / 2, QRectF(picture.rect())
    part.adjust(aside / wide, aside / high, 0, 0)
    painter.drawImage(QRectF(whole).adjusted(0, 0, -aside, -aside), picture, part)
    for x in range(whole.left() + wide - gap, whole.right() + 1, wide):
        painter.fillRect(x, whole.top(), gap, whole.height(), ground)
    for y in range(whole.top() + high - gap, whole.bottom() + 1, high):
        painter.fillRect(whole.left(), y, whole.width(), gap, ground)
