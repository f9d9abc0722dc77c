"""Strip: one trace over the stretch of time that all plots show, small and cheap: on tiles and
hover cards, and in the strips of the lab. A stack of plots is what one zooms and points into.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QTransform
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.axes import TimeTick
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.plots.content import Band
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, Curve, draw_curves, on_columns
from gpuexplorer.gui.plots.graph import fitting_words
from gpuexplorer.gui.plots.labels import draw_dots
from gpuexplorer.gui.theme.palette import Theme, Tone, faded, mixed
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.trace import Trace

LABELS, _TIMES = 56, 20  # beside a plot that has a scale, and below
_BAND_EDGE, _BAND_FILL = 2.0, 0.13
_EDGE = 1.0  # half a line at either end of the scale is drawn whole

# The colours that it is drawn in, and on.
Wear = Callable[[Theme], tuple[QColor, QColor]]


@dataclass(frozen=True, slots=True, eq=False)
class StripShown:
    """One trace from `start` to `end`, in steady seconds, on a scale from 0 to `highest`."""

    trace: Trace
    start: float
    end: float
    highest: float
    bands: Sequence[Band] = ()  # when the card was slowed, the gravest reason first
    ended: float | None = None  # when the card was lost
    ended_word: str = ""
    unread: str = ""  # "not read": why nothing is there now
    scale: Sequence[tuple[float, str]] = ()  # what its hairlines are called
    ticks: Sequence[TimeTick] = ()  # the weightier first
    playhead: float | None = None  # the moment of a recording that is looked at
    began: float = -math.inf  # nothing is known of the time before


def card_wear(colour: int | None, strength: float = 1.0, *, raised: bool = False) -> Wear:
    """A card's own colour on its tile."""

    def wear(theme: Theme) -> tuple[QColor, QColor]:
        ground = theme.raised if raised else theme.surface
        return mixed(ground, theme.card(colour), strength), ground

    return wear


class Strip(Painted):
    """Keeps neither mouse nor keyboard. `scaled`: with words at its scale and times below."""

    above = 13  # so much stays free above the scale

    def __init__(self, parent: QWidget | None = None, *, scaled: bool = False) -> None:
        super().__init__(parent)
        self._scaled = scaled
        self._shown: StripShown | None = None
        self._wear = card_wear(None)
        self._pointed: tuple[float, str, str] | None = None
        # All of it is painted, and so nothing below it is.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_past(self, shown: StripShown, wear: Wear) -> None:
        theme = self.look.theme
        if shown is not self._shown or wear(theme) != self._wear(theme):
            self.update()
        self._shown, self._wear = shown, wear

    def point_at(self, at: float | None, value: str = "", moment: str = "") -> None:
        """`value` stands at the crosshair, `moment` on the axis of time."""
        self._pointed = None if at is None else (at, value, moment)
        self.update()

    def plot(self) -> QRectF:
        """Where the trace is."""
        place = QRectF(self.rect())
        if not self._scaled:
            return place
        below = _TIMES if self._shown is not None and self._shown.ticks else 0
        return place.adjusted(LABELS, self.above, 0, -below)

    def x_of(self, at: float) -> float:
        plot, shown = self.plot(), self._shown
        share = 0.0 if shown is None else (at - shown.start) / (shown.end - shown.start)
        return plot.left() + min(1.0, max(0.0, share)) * plot.width()

    def draw(self, drawing: Drawing) -> None:
        painter, theme, plot, shown = drawing.painter, drawing.theme, self.plot(), self._shown
        ink, ground = self._wear(theme)
        painter.fillRect(self.rect(), ground)
        if shown is None or plot.isEmpty():
            return
        wide = plot.width() / (shown.end - shown.start)
        tall = max(1.0, plot.height() - 2 * _EDGE) / shown.highest
        left, floor = plot.left() - shown.start * wide, plot.bottom() - _EDGE
        self._draw_scale(drawing, plot, shown, tall)
        bands = self._bands(plot, shown)
        for place, band in bands:
            # At its power limit a busy card is as it should be: told, not held against it.
            if band.tone is Tone.WARN:
                painter.fillRect(place.adjusted(0, 3, 0, -1), faded(theme.warn, _BAND_FILL))
        bare = [(band.start, band.end) for _, band in bands if band.tone is Tone.WARN]
        to = QTransform(wide, 0, 0, -tall, left, floor)
        draw_curves(painter, plot, to, [Curve(shown.trace, ink, fill=True, bare=bare)])
        for place, band in bands:
            edge = QRectF(place.left(), place.top() + 1, place.width(), _BAND_EDGE)
            painter.fillRect(edge, theme.tone(band.tone))
        if shown.playhead is not None:
            self._draw_upright(drawing, plot, shown.playhead, theme.accent)
        if shown.began > shown.start:
            run = Run(tr("nothing read yet"), drawing.letters.caption, theme.faint)
            room = self.x_of(shown.began) - plot.left()
            if room > run.width + 12:
                middle = plot.left() + (room - run.width) / 2
                drawing.text(middle, plot.top() + run.letters.ascent + 3, run)
        if shown.unread:
            self._draw_unread(drawing, plot, shown)
        elif shown.ended is not None:
            # The moment a card was lost: its past stands to the left of it.
            self._draw_upright(drawing, plot, shown.ended, theme.bad)
            run = Run(shown.ended_word, drawing.letters.caption, theme.bad)
            self._draw_beside(drawing, plot, shown.ended, run)
        if self._pointed is not None and shown.start <= self._pointed[0] <= shown.end:
            at, value, _ = self._pointed
            self._draw_upright(drawing, plot, at, faded(theme.text, 0.5))
            run = Run(value, drawing.letters.caption, theme.text)
            self._draw_beside(drawing, plot, at, run, raised=True)
        self._draw_times(drawing, plot, shown)

    def _draw_scale(
        self, drawing: Drawing, plot: QRectF, shown: StripShown, tall: float
    ) -> None:
        letters, words = drawing.letters.caption, {shown.highest: "", 0.0: ""}
        for value, word in (words | dict(shown.scale)).items():
            y = round(plot.bottom() - _EDGE - value * tall)
            drawing.hairline(plot.left(), plot.right(), y)
            run = Run(word if self._scaled else "", letters, drawing.theme.faint)
            drawing.runs_right(plot.left() - 8, round(y + letters.cap_height / 2), [run])

    def _bands(self, plot: QRectF, shown: StripShown) -> list[tuple[QRectF, Band]]:
        """Where they are; where two reasons held at once the graver lies on top."""
        placed = []
        column = COLUMN_PIXELS * (shown.end - shown.start) / max(1.0, plot.width())
        for band in reversed(shown.bands):
            start, end = on_columns(band.start, band.end, column)
            left = round(self.x_of(start))
            place = QRectF(left, plot.top(), round(self.x_of(end)) - left, plot.height())
            placed.append((place, Band(start, end, band.word, band.tone)))
        return placed

    def _draw_upright(self, drawing: Drawing, plot: QRectF, at: float, ink: QColor) -> None:
        place = QRectF(int(self.x_of(at)), plot.top(), 1, plot.height())
        drawing.painter.fillRect(place, ink)

    def _draw_beside(
        self, drawing: Drawing, plot: QRectF, at: float, run: Run, *, raised: bool = False
    ) -> None:
        """Behind a moment, or before it; nothing where there is no room for it."""
        x, height = self.x_of(at), run.letters.height
        left = x + 6 if x + 14 + run.width <= plot.right() else x - 14 - run.width
        if run.text and left >= plot.left():
            if raised:
                back = QRectF(left, plot.top() + 4, run.width + 8, height + 2)
                drawing.filled(back, drawing.theme.raised, CHIP_RADIUS)
            drawing.text(left + 4, plot.top() + 5 + run.letters.ascent, run)

    def _draw_unread(self, drawing: Drawing, plot: QRectF, shown: StripShown) -> None:
        """Dotted: nobody knows what it did, and a line at zero would be a figure."""
        trace, letters, faint = shown.trace, drawing.letters.caption, drawing.theme.faint
        read, left = np.flatnonzero(trace.counts > 0), plot.left()
        if read.size:
            left = self.x_of(float(trace.times[read[-1]]) + trace.column_seconds) + 2
        draw_dots(drawing, left, plot.right(), plot.bottom() - 3)
        room = plot.right() - left
        if not read.size or letters.width(shown.unread) <= room:  # else the tile's words do
            run = Run(shown.unread, letters, faint)
            drawing.elided(left, plot.bottom() - 9, run, room)

    def _draw_times(self, drawing: Drawing, plot: QRectF, shown: StripShown) -> None:
        letters, theme = drawing.letters.caption, drawing.theme
        words = [(self.x_of(each.at), each.text) for each in shown.ticks]
        if self._pointed is not None and shown.ticks:
            words.insert(0, (self.x_of(self._pointed[0]), self._pointed[2]))
        placed = fitting_words(words, letters.width, plot.left(), plot.right())
        for at, (left, word) in enumerate(placed):
            ink, top = theme.faint, self.height() - _TIMES + 4
            if self._pointed is not None and at == 0:
                pill = QRectF(left - 6, top, letters.width(word) + 12, 16)
                drawing.filled(pill, theme.text, CHIP_RADIUS)
                ink = theme.ground
            drawing.text(left, round(top + 8 + letters.cap_height / 2), Run(word, letters, ink))
