"""Strip: one trace over the stretch of time that all plots show, small and cheap: on tiles and
hover cards, and in the strips of the lab. A stack of plots is what one zooms and points into.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QTransform
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.axes import TimeTick
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.reasons import Band
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.content import PlotField, Stretch
from gpuexplorer.gui.plots.curves import Curve, draw_curves
from gpuexplorer.gui.plots.graph import draw_columns, draw_rows
from gpuexplorer.gui.plots.labels import (
    Pill,
    draw_bands,
    draw_edges,
    draw_gap,
    draw_pills,
    draw_upright,
)
from gpuexplorer.gui.theme.palette import Tone, faded, mixed
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.trace import Trace

LABELS, _TIMES = 56, 20  # beside a plot that has a scale, and below
_EDGE = 1.0  # half a line at either end of the scale is drawn whole
_PILL = 14.0  # below the top of the plot


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


class Wear(NamedTuple):
    """A card's own colour on its tile."""

    colour: int | None = None
    strength: float = 1.0
    raised: bool = False


class Strip(Painted):
    """Keeps neither mouse nor keyboard. `scaled`: with words at its scale and times below."""

    above = 13  # so much stays free above the scale

    def __init__(self, parent: QWidget | None = None, *, scaled: bool = False) -> None:
        super().__init__(parent)
        self._scaled = scaled
        self._shown: tuple[StripShown | None, Wear] = (None, Wear())
        self._pointed: tuple[float, str, str] | None = None
        # All of it is painted, and so nothing below it is.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_past(self, shown: StripShown, wear: Wear) -> None:
        if self._shown != (shown, wear):
            self._shown = (shown, wear)
            self.update()

    def point_at(self, at: float | None, value: str = "", moment: str = "") -> None:
        """`value` stands at the crosshair, `moment` on the axis of time."""
        self._pointed = None if at is None else (at, value, moment)
        self.update()

    def plot(self) -> QRectF:
        """Where the trace is."""
        place, shown = QRectF(self.rect()), self._shown[0]
        if not self._scaled:
            return place
        below = _TIMES if shown is not None and shown.ticks else 0
        return place.adjusted(LABELS, self.above, 0, -below)

    def draw(self, drawing: Drawing) -> None:
        theme, plot, (shown, wear) = drawing.theme, self.plot(), self._shown
        ground = theme.raised if wear.raised else theme.surface
        ink = mixed(ground, theme.card(wear.colour), wear.strength)
        drawing.painter.fillRect(self.rect(), ground)
        if shown is None or plot.isEmpty():
            return
        stretch = Stretch(shown.start, shown.end, following=False, offset=0.0)
        field, floor = PlotField(plot, stretch), plot.bottom() - _EDGE
        wide = plot.width() / (shown.end - shown.start)
        tall = max(1.0, plot.height() - 2 * _EDGE) / shown.highest
        words = {shown.highest: "", 0.0: ""} | (dict(shown.scale) if self._scaled else {})
        rows = [(floor - value * tall, word) for value, word in words.items()]
        draw_rows(drawing, plot.left(), plot.right(), rows)
        # At its power limit a busy card is as it should be: told, not held against it.
        warned = [band for band in shown.bands if band.tone is Tone.WARN]
        draw_bands(drawing, field, warned)
        bare = [(band.start, band.end) for band in warned]
        to = QTransform(wide, 0, 0, -tall, plot.left() - shown.start * wide, floor)
        curve = Curve(shown.trace, ink, fill=True, bare=bare)
        draw_curves(drawing.painter, plot, to, [curve])
        draw_edges(drawing, field, shown.bands)
        if shown.playhead is not None:
            draw_upright(drawing, field, shown.playhead, theme.accent)
        if shown.began > shown.start:
            draw_gap(drawing, field, shown.start, shown.began, tr("nothing read yet"))
        if shown.unread:
            trace, read = shown.trace, np.flatnonzero(shown.trace.counts > 0)
            last = (
                float(trace.times[read[-1]]) + trace.column_seconds
                if read.size
                else shown.start
            )
            # Nobody knows what it did, and a line at zero would be a figure.
            draw_gap(drawing, field, last, shown.end, shown.unread)
        elif shown.ended is not None:
            # The moment a card was lost: its past stands to the left of it.
            draw_upright(drawing, field, shown.ended, theme.bad)
            lost = Run(shown.ended_word, drawing.letters.caption, theme.bad)
            draw_pills(drawing, field, shown.ended, [Pill(plot.top() + _PILL, [lost])])
        times = [(field.x(each.at), each.text) for each in shown.ticks]
        pointed = self._pointed is not None and stretch.holds(self._pointed[0])
        if self._pointed is not None and pointed:
            at, value, moment = self._pointed
            draw_upright(drawing, field, at, faded(theme.text, 0.5))
            run = Run(value, drawing.letters.caption, theme.text)
            draw_pills(drawing, field, at, [Pill(plot.top() + _PILL, [run])])
            times.insert(0, (field.x(at), moment))
        if shown.ticks:
            ends, top = (plot.left(), plot.right()), self.height() - _TIMES - 2
            draw_columns(drawing, top, times, ends, pointed=pointed)
