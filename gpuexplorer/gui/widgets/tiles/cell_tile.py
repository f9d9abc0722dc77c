"""The tile of one card among very many: index, one number, one line for the memory."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPen, QTransform

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.curves import Curve, Frame
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.tiles.figure_drawing import absent_run, figure_runs
from gpuexplorer.gui.widgets.tiles.tile_curve import Spark
from gpuexplorer.gui.wording.cards.card_face import CardFace

CELL_HEIGHT = 54.0
MOST_CELL_HEIGHT = 196.0
# From this height on there is room for a second line and for what went before.
_WITH_LINE, _WITH_PAST = 76.0, 100.0
_RADIUS = 6.0
_SIDE, _TOP, _BOTTOM = 8.0, 6.0, 7.0
_ICON = 14.0
_MEMORY = 3.0
_PAST_OPACITY, _TRACK_OPACITY, _USED_OPACITY = 0.55, 0.16, 0.7


def draw_cell_tile(drawing: Drawing, place: QRectF, face: CardFace, past: Spark | None) -> None:
    """Filled by how busy the card is; only outlined where that is not known."""
    theme, letters = drawing.theme, drawing.letters
    known = _known(face)
    _draw_ground(drawing, place, face)
    inner = _inner(place)
    index = Run(face.number, letters.caption, theme.text if known else theme.quiet)
    drawing.text(inner.left(), inner.top() + letters.caption.ascent - 1, index)
    mark = face.mark
    if mark is not None and mark.icon is not None:
        corner = QRectF(inner.right() - _ICON, inner.top() - 1, _ICON, _ICON)
        drawing.icon(mark.icon, corner, theme.tone(mark.tone))
    baseline = _baseline(drawing.look, inner)
    if face.sentence:
        word = face.word
        tone = theme.tone(mark.tone) if mark is not None else theme.faint
        drawing.elided(inner.left(), baseline, Run(word, letters.body, tone), inner.width())
    elif not face.busy.known:
        run = absent_run(drawing, face.busy, letters.caption, inner.width())
        drawing.text(inner.left(), baseline, run)
    else:
        # Their unit stands once, above all of them.
        drawing.text(inner.left(), baseline, Run(face.busy.number, letters.number, theme.text))
    if not face.sentence:
        _draw_below(drawing, inner, baseline, face)
    plot = cell_past_place(drawing.look, place, face)
    if past is not None and not plot.isEmpty():
        # What it did before it fell silent is kept.
        ink = theme.faint if face.sentence else faded(theme.text, _PAST_OPACITY)
        _draw_past(drawing, plot, past, ink)


def cell_past_place(look: Look, place: QRectF, face: CardFace) -> QRectF:
    """Where its trace is drawn; empty where there is no room for it."""
    if place.height() < _WITH_PAST:
        return QRectF()
    inner, letters = _inner(place), look.letters.caption
    below = 2 * letters.height if face.sentence else letters.height + 11
    top = _baseline(look, inner) + below
    return QRectF(inner.left(), top, inner.width(), inner.bottom() - _MEMORY - 6 - top)


def _draw_past(drawing: Drawing, plot: QRectF, past: Spark, ink: QColor) -> None:
    """A view for each of 64 cells would take four times as long as all else on them."""
    wide, tall = plot.width() / (past.end - past.start), plot.height() / past.highest
    left = plot.left() - past.start * wide
    to = QTransform(wide, 0, 0, -tall, left, plot.bottom())
    Frame(plot, to, [Curve(past.trace, ink)]).draw(drawing.painter, plot.left(), plot.right())


def _inner(place: QRectF) -> QRectF:
    return place.adjusted(_SIDE, _TOP, -_SIDE, -_BOTTOM)


def _baseline(look: Look, inner: QRectF) -> float:
    """Of its one number."""
    letters = look.letters
    return inner.top() + letters.caption.height + letters.number.cap_height + 3


def _known(face: CardFace) -> bool:
    return face.busy_share is not None and not face.sentence


def _draw_ground(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    theme, painter = drawing.theme, drawing.painter
    known = _known(face)
    fill: QColor = theme.heat(face.busy_share or 0.0) if known else theme.ground
    bad = face.mark is not None and face.mark.tone is Tone.BAD
    edge = fill if known else theme.bad if bad else theme.line
    painter.setPen(QPen(edge, 1))
    painter.setBrush(fill)
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)


def _draw_below(drawing: Drawing, inner: QRectF, baseline: float, face: CardFace) -> None:
    theme, letters = drawing.theme, drawing.letters.caption
    line = QRectF(inner.left(), inner.bottom() - _MEMORY, inner.width(), _MEMORY)
    if face.memory.used is None:
        drawing.no_bar(line)
    else:
        drawing.painter.fillRect(line, faded(theme.text, _TRACK_OPACITY))
        used = QRectF(line)
        used.setWidth(min(line.width(), max(2.0, face.memory.used * line.width())))
        if face.memory.used > 0:
            drawing.painter.fillRect(used, faded(theme.text, _USED_OPACITY))
    height = inner.height() + _TOP + _BOTTOM
    if height < _WITH_LINE:
        return
    below = baseline + letters.height + 3
    x = inner.left()
    for figure in face.figures[:2]:
        if not figure.known:
            continue
        runs = figure_runs(drawing, figure.shorter, letters, letters)
        if x + sum(run.width for run in runs) <= inner.right():
            x = drawing.runs(x, below, runs) + 8
