"""The tile of one card among very many: index, one number, one line for the memory."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPen, QTransform

from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.curves import Curve, draw_curves
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.line import fitting, spell, width_of, wordings
from gpuexplorer.gui.widgets.strip import StripShown

CELL_RADIUS = 6.0
_ICON, _MEMORY = 14.0, 3.0
_WITH_LINE, _WITH_PAST = 76.0, 100.0  # from these heights on there is room for them
_PAST_OPACITY, _TRACK_OPACITY, _USED_OPACITY = 0.55, 0.16, 0.7


def cell_past_place(place: QRectF, face: CardFace) -> QRectF:
    """Where a cell's trace is drawn; empty where there is no room for it."""
    if place.height() < _WITH_PAST:
        return QRectF()
    inner, letters = _inner(place), look().letters.caption
    top = _baseline(inner)
    top += 2 * letters.height if face.sentence else letters.height + 11
    return QRectF(inner.left(), top, inner.width(), inner.bottom() - 9 - top)


def _inner(place: QRectF) -> QRectF:
    return place.adjusted(8, 6, -8, -7)


def _baseline(inner: QRectF) -> float:
    """Of its one number."""
    return inner.top() + look().letters.caption.height + look().letters.number.cap_height + 3


def draw_cell(drawing: Drawing, place: QRectF, face: CardFace, past: StripShown | None) -> None:
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
    baseline = _baseline(inner)
    if face.sentence:
        word = face.word
        tone = theme.tone(mark.tone) if mark is not None else theme.faint
        drawing.elided(inner.left(), baseline, Run(word, letters.body, tone), inner.width())
    elif not face.busy.known:
        why = wordings(face.busy, letters.caption, letters.caption)
        spell(drawing, fitting(why, inner.width()), inner.left(), baseline, inner.right())
    else:
        # Their unit stands once, above all of them.
        drawing.text(inner.left(), baseline, Run(face.busy.number, letters.number, theme.text))
    if not face.sentence:
        _draw_below(drawing, inner, baseline, face)
    plot = cell_past_place(place, face)
    if past is not None and not plot.isEmpty():
        # What it did before it fell silent is kept.
        ink = theme.faint if face.sentence else faded(theme.text, _PAST_OPACITY)
        _draw_past(drawing, plot, past, ink)


def _draw_past(drawing: Drawing, plot: QRectF, past: StripShown, ink: QColor) -> None:
    """A view for each of 64 cells would take four times as long as all else on them."""
    wide, tall = plot.width() / (past.end - past.start), plot.height() / past.highest
    left = plot.left() - past.start * wide
    to = QTransform(wide, 0, 0, -tall, left, plot.bottom())
    draw_curves(drawing.painter, plot, to, [Curve(past.trace, ink)])


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
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), CELL_RADIUS, CELL_RADIUS)


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
    if inner.height() < _WITH_LINE - 13:
        return
    below = baseline + letters.height + 3
    x = inner.left()
    for figure in face.figures[:2]:
        if not figure.known:
            continue
        shown = wordings(figure, letters, letters)[-1]
        if x + width_of(shown) <= inner.right():
            x = spell(drawing, shown, x, below) + 8
