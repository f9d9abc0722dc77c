"""Drawing: puts texts, chips and bars on a painter in the theme, and notes what lies where."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QRegion

from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import Look, look
from gpuexplorer.gui.theme.palette import Theme

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
        self, painter: QPainter, worn: Look | None = None, dirty: QRegion | None = None
    ) -> None:
        """`dirty` is what is to be drawn anew, where that is not everything."""
        worn = worn or look()
        self.painter = painter
        self.dirty = dirty
        self.theme: Theme = worn.theme
        self.letters = worn.letters
        self._icons = worn.icons
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
        self._icons.draw(self.painter, icon, place, colour)

    def tile(
        self, place: QRectF, fill: QColor | None = None, edge: QColor | None = None
    ) -> None:
        self.painter.setPen(QPen(edge or self.theme.edge, 1))
        self.painter.setBrush(fill or self.theme.surface)
        half = place.adjusted(0.5, 0.5, -0.5, -0.5)
        self.painter.drawRoundedRect(half, TILE_RADIUS, TILE_RADIUS)

    def filled(self, place: QRectF, colour: QColor, radius: float) -> None:
        """Without an edge."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(colour)
        self.painter.drawRoundedRect(place, radius, radius)

    def focus_ring(self, place: QRectF, radius: float = TILE_RADIUS) -> None:
        self.painter.setPen(QPen(self.theme.accent, 2))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), radius - 1, radius - 1)

    def hairline(self, left: float, right: float, y: float) -> None:
        self.painter.fillRect(QRectF(left, y, right - left, 1), self.theme.line)

    def chip(self, place: QRectF, text: str, letters: Lettering, fill: QColor | None) -> None:
        """Filled with a card's colour, or outlined where there is none."""
        if fill is None:
            self.painter.setPen(QPen(self.theme.faint, 1))
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
            self.painter.drawRoundedRect(edge, CHIP_RADIUS, CHIP_RADIUS)
        else:
            self.filled(place, fill, CHIP_RADIUS)
        ink = self.theme.quiet if fill is None else self.theme.inverse
        x = place.center().x() - letters.width(text) / 2
        self.text(x, place.center().y() + letters.cap_height / 2, Run(text, letters, ink))

    def bar(self, place: QRectF, parts: Sequence[tuple[float, QColor]]) -> None:
        """A track with parts laid end to end from the left, each a share of the whole."""
        radius = min(place.height() / 2, 4.0)
        self.filled(place, self.theme.well, radius)
        left = place.left()
        for share, colour in parts:
            # A hair of it stays visible, so that little looks different from nothing.
            width = max(2.0, share * place.width()) if share > 0 else 0.0
            width = min(width, place.right() - left)
            if width <= 0:
                continue
            self.painter.setBrush(colour)
            self.painter.setClipRect(QRectF(left, place.top(), width, place.height()))
            self.painter.drawRoundedRect(place, radius, radius)
            left += width
        self.painter.setClipping(False)

    def no_bar(self, place: QRectF) -> None:
        """In the place of a bar for what is not known: dotted, and never an empty track."""
        pen = QPen(self.theme.faint, 1.5, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([1.0, 3.0])
        self.painter.setPen(pen)
        y = place.center().y()
        self.painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y))
