"""Sparkline: what a card did over the stretch of time that all plots show, on its tile."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.gui.paint.curve import draw_trace
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.palette import Tone, faded, mixed
from gpuexplorer.telemetry.trace import Trace

_BAND_EDGE = 2.0
_BAND_FILL = 0.13
_LABEL_ROOM = 36.0
_AXIS_ROOM = 20.0
_HEADROOM = 13.0


@dataclass(frozen=True, slots=True)
class Tick:
    """A clock time under a plot; `share` is 0 at its left end and 1 at its right."""

    share: float
    text: str


@dataclass(frozen=True, slots=True)
class SparkBand:
    """A stretch in which the card was slowed."""

    start: float
    end: float
    tone: Tone


@dataclass(frozen=True, slots=True, eq=False)
class Spark:
    """One trace from `start` to `end`, in steady seconds, on a scale from 0 to `highest`."""

    trace: Trace
    start: float
    end: float
    highest: float
    bands: tuple[SparkBand, ...] = ()
    ended: float | None = None  # when the card was lost
    ended_word: str = ""
    unread: str = ""  # "not read": why nothing is there now


def draw_spark(
    drawing: Drawing, place: QRectF, spark: Spark | None, colour: QColor, dim: bool = False
) -> None:
    """Its scale is the height of `place`. Without a past there are only the two lines of it."""
    theme, painter = drawing.theme, drawing.painter
    painter.fillRect(QRectF(place.left(), place.top(), place.width(), 1), theme.line)
    painter.fillRect(QRectF(place.left(), place.bottom() - 1, place.width(), 1), theme.line)
    if spark is None:
        return
    inner = place.adjusted(0, 1, 0, -1)
    ink = mixed(theme.surface, colour, 0.6) if dim else colour
    reach = (spark.start, spark.end, 0.0, spark.highest)
    draw_trace(painter, inner, spark.trace, *reach, ink, fill=True)
    for band in _merged(spark.bands):
        _draw_band(drawing, inner, spark, band, ink)
    if spark.unread:
        _draw_unread(drawing, inner, spark)
    elif spark.ended is not None:
        _draw_end(drawing, inner, spark)


def draw_scaled_spark(
    drawing: Drawing,
    place: QRectF,
    spark: Spark | None,
    colour: QColor,
    labels: tuple[str, str],
    ticks: Sequence[Tick],
    dim: bool = False,
) -> None:
    """With its scale at the left, top and middle, and clock times below."""
    theme, letters = drawing.theme, drawing.letters.caption
    plot = scaled_place(place, ticks)
    for share, label in zip((1.0, 0.5), labels, strict=True):
        y = plot.bottom() - share * plot.height()
        if label:
            line = QRectF(place.left(), y, plot.right() - place.left(), 1)
            drawing.painter.fillRect(line, faded(theme.line, 0.7))
            drawing.text(place.left(), y - 3, Run(label, letters, theme.faint))
    draw_spark(drawing, plot, spark, colour, dim)
    right = place.left()
    for tick in ticks:
        run = Run(tick.text, letters, theme.faint)
        x = plot.left() + tick.share * plot.width() - run.width / 2
        x = min(x, plot.right() - run.width)
        if x >= right:
            drawing.text(x, plot.bottom() + _AXIS_ROOM - 5, run)
            right = x + run.width + 12


def scaled_place(place: QRectF, ticks: Sequence[Tick]) -> QRectF:
    """Where the trace itself lies within a plot that has a scale."""
    below = _AXIS_ROOM if ticks else 0.0
    return place.adjusted(_LABEL_ROOM, _HEADROOM, 0, -below)


def _x(place: QRectF, spark: Spark, at: float) -> float:
    share = (at - spark.start) / (spark.end - spark.start)
    return place.left() + min(1.0, max(0.0, share)) * place.width()


def _merged(bands: Sequence[SparkBand]) -> Sequence[SparkBand]:
    """Where two reasons held at once only the graver is drawn: it comes first."""
    drawn: list[SparkBand] = []
    for band in bands:
        if not any(other.start < band.end and band.start < other.end for other in drawn):
            drawn.append(band)
    return drawn


def _draw_band(
    drawing: Drawing, place: QRectF, spark: Spark, band: SparkBand, ink: QColor
) -> None:
    left, right = _x(place, spark, band.start), _x(place, spark, band.end)
    if right - left < 1:
        return
    painter = drawing.painter
    colour = drawing.theme.tone(band.tone)
    painter.fillRect(QRectF(left, place.top(), right - left, _BAND_EDGE), colour)
    if band.tone is not Tone.WARN:
        # At its power limit a busy card is as it should be: told, and not held against it.
        return
    stretch = QRectF(left, place.top() + _BAND_EDGE, right - left, place.height() - _BAND_EDGE)
    # The fill of the trace is covered: two fills on each other read as a third thing.
    painter.fillRect(stretch, mixed(drawing.theme.surface, colour, _BAND_FILL))
    painter.save()
    painter.setClipRect(stretch, Qt.ClipOperation.IntersectClip)
    draw_trace(painter, place, spark.trace, spark.start, spark.end, 0.0, spark.highest, ink)
    painter.restore()


def _draw_end(drawing: Drawing, place: QRectF, spark: Spark) -> None:
    """The moment a card was lost: its past stands to the left of it."""
    if spark.ended is None or spark.ended < spark.start:
        _draw_words(drawing, place, spark.ended_word, Tone.FAINT, place.left())
        return
    x = _x(place, spark, spark.ended)
    bad = drawing.theme.bad
    drawing.painter.fillRect(QRectF(x, place.top(), 1.5, place.height()), bad)
    letters = drawing.letters.caption
    run = Run(spark.ended_word, letters, bad)
    baseline = place.top() + letters.ascent + 2
    if x + 6 + run.width <= place.right():
        drawing.text(x + 6, baseline, run)
    elif x - 6 - run.width >= place.left():
        drawing.text(x - 6 - run.width, baseline, run)


def _draw_unread(drawing: Drawing, place: QRectF, spark: Spark) -> None:
    """Dotted: nobody knows what it did, and a line at zero would be a figure."""
    read = np.flatnonzero(spark.trace.counts > 0)
    left = place.left()
    if read.size:
        last = float(spark.trace.times[read[-1]]) + spark.trace.column_seconds
        left = _x(place, spark, last) + 2
    y = round(place.bottom() - 2) + 0.5
    pen = QPen(drawing.theme.faint, 1)
    drawing.painter.setPen(pen)
    count = max(0, int((place.right() - left) / 4))
    marks = [QLineF(left + 4 * at, y, left + 4 * at + 1, y) for at in range(count)]
    drawing.painter.drawLines(marks)
    letters = drawing.letters.caption
    fits = letters.width(spark.unread) <= place.right() - left
    _draw_words(drawing, place, spark.unread, Tone.FAINT, left if fits else place.left())


def _draw_words(drawing: Drawing, place: QRectF, words: str, tone: Tone, left: float) -> None:
    letters = drawing.letters.caption
    run = Run(letters.elided(words, place.right() - left), letters, drawing.theme.tone(tone))
    drawing.text(left, place.bottom() - 8, run)
