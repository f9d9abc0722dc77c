"""How the time axis is drawn: clock times along the bottom, and "now"."""

from PySide6.QtCore import QRectF, Qt

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.time_axis import moment_word, time_ticks
from gpuexplorer.gui.widgets.plots.layout import Layout

_PER_TICK = 92.0
_APART = 14.0


def draw_axis(drawing: Drawing, layout: Layout) -> None:
    baseline = _baseline(drawing, layout.axis)
    for left, word in _words(drawing, layout):
        drawing.text(left, baseline, word)


def draw_time_pill(drawing: Drawing, layout: Layout, x: float, word: str) -> None:
    """Which moment the crosshair stands at."""
    letters, theme, axis = drawing.letters.badge, drawing.theme, layout.axis
    width = letters.width(word) + 16
    left = max(layout.left, min(x - width / 2, layout.gutter.right - width))
    middle = _baseline(drawing, axis) - letters.cap_height / 2
    place = QRectF(round(left), round(middle - 9), width, 18)
    for begin, under in _words(drawing, layout):
        # Half a word beside it would read as another time.
        if begin < place.right() + 4 and begin + under.width > place.left() - 4:
            hidden = QRectF(begin - 1, place.top(), under.width + 2, place.height())
            drawing.painter.fillRect(hidden, theme.surface)
    drawing.painter.setPen(Qt.PenStyle.NoPen)
    drawing.painter.setBrush(theme.text)
    drawing.painter.drawRoundedRect(place, 4, 4)
    baseline = place.center().y() + letters.cap_height / 2
    drawing.text(place.left() + 8, baseline, Run(word, letters, theme.ground))


def _words(drawing: Drawing, layout: Layout) -> list[tuple[float, Run]]:
    """What stands along the axis, and where each begins; how it ends first."""
    letters, theme = drawing.letters.caption, drawing.theme
    axis, stretch = layout.axis, layout.stretch
    if stretch.following:
        last = Run(tr("now"), letters, theme.quiet)
    else:
        end = stretch.end + stretch.offset
        last = Run(moment_word(end, end), letters, theme.faint)
    words = [(axis.right() - last.width, last)]
    free = words[0][0] - _APART
    span = stretch.end - stretch.start
    most = max(1, int(axis.width() / _PER_TICK))
    for tick in time_ticks(stretch.start, stretch.end, stretch.offset, most):
        word = Run(tick.text, letters, theme.faint)
        middle = axis.left() + (tick.at - stretch.start) / span * axis.width()
        left = middle - word.width / 2
        if left >= layout.left and left + word.width <= free:
            words.append((left, word))
    return words


def _baseline(drawing: Drawing, axis: QRectF) -> float:
    return float(round(axis.top() + 8 + drawing.letters.caption.ascent))
