"""Draws one line of the session: number, code, times, what it printed and what it cost."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.units import Quantity, duration
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.small_curve import draw_small_curve
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.code.line_layout import (
    CHIP,
    CODE_STEP,
    COLUMN,
    COST_STEP,
    CURVE,
    LEFT,
    RELEASED,
    Frame,
    LineLayout,
)
from gpuexplorer.gui.wording.lab.code.line_face import Curve, LineFace

LEAST, MOST = 1e-6, 1.0  # seconds, the ends of the axis
_DECADES = math.log10(MOST / LEAST)
_DOT, _RING = 3.0, 3.0
# Where both times are nearly the same, the ring stands around the dot.
_TOUCHING, _RING_AROUND = 3.0, 5.0
_INSET = 8.0  # of what is selected, from the pane's edge
_RADIUS = 6.0
_NONE = "–"
_BAND, _COLUMN_WIDTH = 0.28, 2.0


@dataclass(frozen=True, slots=True)
class Lit:
    """How a line stands out, and which stretch of it is seen, down from its top."""

    selected: bool = False
    focused: bool = False
    seconds: float | None = None  # since it began, of the one that runs
    seen: tuple[float, float] = (0.0, math.inf)


def draw_line(
    drawing: Drawing,
    face: LineFace,
    layout: LineLayout,
    frame: Frame,
    top: float,
    lit: Lit,
    colours: Mapping[str, int | None],
) -> None:
    place = QRectF(_INSET, top, frame.width - 2 * _INSET, layout.height)
    if lit.selected:
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(drawing.theme.selection)
        drawing.painter.drawRoundedRect(place, _RADIUS, _RADIUS)
    if lit.focused:
        drawing.focus_ring(place, _RADIUS)
    _draw_number(drawing, face, frame, top + layout.code_top, selected=lit.selected)
    _draw_texts(drawing, face, layout, frame, top, lit.seen)
    if face.curve is not None:
        _draw_curve(drawing, face.curve, layout, frame, top, _colour(drawing, face, colours))
    if face.state == "done":
        _draw_times(drawing, face, layout, frame, top, colours)
    elif lit.seconds is not None:
        baseline = _baseline(drawing, top + layout.figures_top)
        _draw_time(drawing, frame.right, baseline, duration(lit.seconds), quiet=True)


def draw_released(drawing: Drawing, frame: Frame, top: float) -> None:
    """The end of an earlier shelf."""
    letters, y = drawing.letters.caption, top + RELEASED / 2
    run = Run(tr("Released: these lines are not in the script"), letters, drawing.theme.quiet)
    drawing.hairline(LEFT, frame.right, top + RELEASED - 3)
    drawing.text(LEFT, y + letters.cap_height / 2 - 1, run)


def share_of(seconds: float) -> float:
    """0 at a microsecond and before, 1 at a second and beyond."""
    if seconds <= LEAST:
        return 0.0
    return min(1.0, math.log10(seconds / LEAST) / _DECADES)


def _draw_number(
    drawing: Drawing, face: LineFace, frame: Frame, top: float, *, selected: bool
) -> None:
    theme, letters = drawing.theme, drawing.letters.caption
    place = QRectF(LEFT, top + (CODE_STEP - CHIP) / 2, frame.chip, CHIP)
    fill, ink = theme.track, theme.quiet
    if selected and not face.failed:
        fill, ink = theme.text, theme.ground
    elif face.failed:
        fill, ink = (
            (theme.bad, theme.inverse) if selected else (faded(theme.bad, 0.2), theme.bad)
        )
    elif face.released:
        ink = theme.faint
    drawing.painter.setPen(Qt.PenStyle.NoPen)
    drawing.painter.setBrush(fill)
    drawing.painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
    text = str(face.number)
    x = place.center().x() - letters.width(text) / 2
    drawing.text(x, place.center().y() + letters.cap_height / 2, Run(text, letters, ink))


def _draw_texts(
    drawing: Drawing,
    face: LineFace,
    layout: LineLayout,
    frame: Frame,
    top: float,
    seen: tuple[float, float],
) -> None:
    theme, mono, caption = drawing.theme, drawing.letters.mono, drawing.letters.caption
    left = frame.code_left
    pale = face.released or face.failed or face.state == "waiting"
    ink = theme.faint if face.released else theme.quiet if pale else theme.text
    y = _baseline(drawing, top + layout.code_top)
    for each in layout.code:
        drawing.text(left, y, Run(each, mono, ink))
        y += CODE_STEP
    first = max(0, int((seen[0] - layout.printed_top) / CODE_STEP))
    last = len(layout.printed)
    if math.isfinite(seen[1]):
        last = min(last, int((seen[1] - layout.printed_top) / CODE_STEP) + 1)
    printed = theme.faint if face.released else theme.quiet
    for at in range(first, last):
        y = _baseline(drawing, top + layout.printed_top + at * CODE_STEP)
        drawing.text(left, y, Run(layout.printed[at], mono, printed))
    if layout.more:
        y = top + layout.more_top + (COST_STEP + caption.cap_height) / 2
        drawing.text(left, y, Run(layout.more, caption, theme.accent))
    tone = theme.faint if face.released else theme.tone(face.tone)
    y = top + layout.cost_top + (COST_STEP + caption.cap_height) / 2
    for each in layout.cost:
        drawing.text(left, y, Run(each, caption, tone))
        y += COST_STEP


def _draw_times(
    drawing: Drawing,
    face: LineFace,
    layout: LineLayout,
    frame: Frame,
    top: float,
    colours: Mapping[str, int | None],
) -> None:
    baseline = _baseline(drawing, top + layout.figures_top)
    _draw_time(drawing, frame.right - COLUMN, baseline, face.device, quiet=face.released)
    _draw_time(drawing, frame.right, baseline, face.host, quiet=face.released)
    theme, painter = drawing.theme, drawing.painter
    left, right, y = frame.figures_left, frame.right, round(top + layout.axis_y) + 0.5
    painter.setPen(QPen(theme.line, 1))
    marks = [QLineF(left, y, right, y)]
    for share in (0.0, 0.5, 1.0):
        x = round(left + share * (right - left) - share) + 0.5
        marks.append(QLineF(x, y - 3, x, y + 3))
    painter.drawLines(marks)
    reach = right - left - 2 * _DOT
    at = {
        name: left + _DOT + share_of(seconds) * reach
        for name, seconds in (("device", face.device_seconds), ("host", face.host_seconds))
        if seconds is not None
    }
    if len(at) == 2:
        painter.setPen(QPen(theme.faint, 2))
        painter.drawLine(QPointF(at["device"], y), QPointF(at["host"], y))
    if "host" in at:
        painter.setPen(QPen(theme.faint if face.released else theme.text, 1.5))
        painter.setBrush(theme.surface)
        ring = _RING
        if abs(at["host"] - at.get("device", math.inf)) < _TOUCHING:
            ring = _RING_AROUND
        painter.drawEllipse(QPointF(at["host"], y), ring, ring)
    if "device" in at:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_colour(drawing, face, colours))
        near = abs(at["device"] - at.get("host", math.inf)) < _TOUCHING
        dot = _DOT - 0.5 if near else _DOT + 0.5
        painter.drawEllipse(QPointF(at["device"], y), dot, dot)


def _draw_time(
    drawing: Drawing, right: float, baseline: float, time: Quantity | None, *, quiet: bool
) -> None:
    theme, letters = drawing.theme, drawing.letters
    if time is None:
        drawing.runs_right(right, baseline, [Run(_NONE, letters.body, theme.faint)])
        return
    strong = theme.quiet if quiet else theme.text
    runs = [Run(time.number, letters.body, strong)]
    if time.unit:
        runs.append(Run(f"{THIN_SPACE}{time.unit}", letters.caption, theme.quiet))
    drawing.runs_right(right, baseline, runs)


def _draw_curve(
    drawing: Drawing,
    curve: Curve,
    layout: LineLayout,
    frame: Frame,
    top: float,
    colour: QColor,
) -> None:
    """The losses from the first step to the last there will be; its scale begins at 0."""
    theme, letters = drawing.theme, drawing.letters.caption
    place = QRectF(
        frame.code_left, top + layout.curve_top, frame.right - frame.code_left, CURVE
    )
    drawing.painter.fillRect(QRectF(place.left(), place.bottom(), place.width(), 1), theme.line)
    run = Run(curve.words, letters, theme.quiet)
    drawing.runs_right(place.right(), place.top() + letters.ascent, [run])
    losses = np.array(curve.losses, float)
    most = losses.max(where=np.isfinite(losses), initial=0.0)
    if most <= 0 or curve.steps < 2:
        return
    inner = place.adjusted(0, letters.height + 1, 0, -1)
    # Where steps share a column, all of them lie within the band and their mean on the line.
    per = max(1, math.ceil(curve.steps / max(1.0, inner.width() / _COLUMN_WIDTH)))
    losses = np.where(np.isfinite(losses), losses / most, np.nan)
    starts = np.arange(0, losses.size, per)
    known = np.maximum(1, np.add.reduceat(np.isfinite(losses), starts, dtype=int))
    band = (np.fmin.reduceat(losses, starts), np.fmax.reduceat(losses, starts))
    means = np.add.reduceat(np.nan_to_num(losses), starts) / known
    means[np.isnan(band[0])] = np.nan
    x = starts / (curve.steps - 1)
    draw_small_curve(drawing.painter, inner, x, means, colour, _BAND, band)


def _colour(drawing: Drawing, face: LineFace, colours: Mapping[str, int | None]) -> QColor:
    return drawing.theme.card(colours.get(face.worked_on))


def _baseline(drawing: Drawing, top: float) -> float:
    return top + (CODE_STEP + drawing.letters.mono.cap_height) / 2
