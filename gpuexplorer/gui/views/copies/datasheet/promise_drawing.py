"""Promise drawing: a bar whose outline is what was promised and whose fill what was reached."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.palette import faded

_RADIUS = 3.0
_LEAST = 2.0  # a hair stays visible, so that little looks different from nothing
_PROMISED = 0.13
_SAMPLE, _SAMPLE_HEIGHT, _GAP, _BETWEEN = 16.0, 7.0, 5.0, 12.0
_KEY = ((mark("promised"), 1.0, None), (mark("reached"), None, 1.0))


def draw_promise(
    drawing: Drawing, place: QRectF, limit: float | None, fill: float | None, ink: QColor
) -> None:
    """Both as shares of the place. Without either there is only a dotted line."""
    painter = drawing.painter
    if limit is None and fill is None:
        drawing.no_bar(place)
        return
    radius = min(place.height() / 2, _RADIUS)
    if limit is not None:
        promised = _part(place, limit).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(drawing.theme.faint, 1))
        painter.setBrush(faded(ink, _PROMISED))
        painter.drawRoundedRect(promised, radius, radius)
    if fill is not None:
        reached = _part(place, fill)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        if limit is None:
            painter.drawRoundedRect(reached, radius, radius)
        else:
            painter.drawRoundedRect(reached.adjusted(1, 1, -1, -1), radius - 1, radius - 1)
    if limit is not None and fill is not None and fill > limit:
        # Where more was reached than promised, the promise is a stroke across it.
        x = place.left() + limit * place.width()
        painter.fillRect(
            QRectF(x - 1, place.top() - 3, 1.5, place.height() + 6), drawing.theme.text
        )


def draw_key(drawing: Drawing, left: float, right: float, baseline: float) -> None:
    """What outline and fill mean, where there is room for it."""
    letters, theme = drawing.letters.caption, drawing.theme
    whole = sum(_SAMPLE + _GAP + letters.width(tr(words)) for words, _, _ in _KEY) + _BETWEEN
    if whole > right - left:
        return
    middle = baseline - letters.cap_height / 2
    for words, limit, fill in _KEY:
        place = QRectF(left, middle - _SAMPLE_HEIGHT / 2, _SAMPLE, _SAMPLE_HEIGHT)
        draw_promise(drawing, place, limit, fill, theme.quiet)
        run = Run(tr(words), letters, theme.faint)
        left = drawing.text(place.right() + _GAP, baseline, run) + _BETWEEN


def _part(place: QRectF, share: float) -> QRectF:
    part = QRectF(place)
    part.setWidth(max(_LEAST, min(1.0, share) * place.width()))
    return part
