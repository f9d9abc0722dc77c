"""What is said at the crosshair: the values of that moment on each plot, and the moment."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.core.axes import moment_word, spread
from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.plots.content import Line, Stretch
from gpuexplorer.gui.plots.layout import Layout, PlotPlace
from gpuexplorer.gui.plots.summary import value_at

_PILL = 20.0
_DOT = 3.5
TENTHS_UP_TO = 120.0  # seconds


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """One line at that moment."""

    line: Line
    y: float
    runs: list[Run]
    beside: float | None  # where what it is compared with is

    @property
    def width(self) -> float:
        return sum(run.width for run in self.runs) + 30


def draw_values(drawing: Drawing, layout: Layout, at: float, units: Units) -> None:
    for plot in layout.plots:
        _draw_values(drawing, plot, layout.stretch, at, units)


def words_at(layout: Layout, at: float, units: Units) -> str:
    """The same for whoever does not see it."""
    stretch = layout.stretch
    said = [moment(stretch, at)]
    for plot in layout.plots:
        for line in plot.content.lines:
            value = value_at(line.trace, at)
            absent = _absent(stretch, at)
            read = absent if value is None else str(quantity(line.metric, value, units))
            _, compared = compared_words(plot, line, value, at, units)
            if compared:
                read = tr("{now}, compared: {other}", now=read, other=compared)
            said.append(f"{name_of(plot, line)} {read}")
    return ", ".join(said)


def compared_words(
    plot: PlotPlace, line: Line, value: float | None, at: float, units: Units
) -> tuple[float | None, str]:
    """What it is compared with at that moment, and how far from that it is: "48 %, +14 %"."""
    if line.beside is None:
        return None, ""
    other = value_at(line.beside, at)
    if other is None:
        return None, tr("not read")
    words = str(quantity(line.metric, other, units))
    if value is None or line.metric.text_of(value) is not None:
        return other, words
    scale = plot.scale
    apart = f"{(value - other) / scale.measure.size:+.{scale.decimals}f}".replace(
        "-", "\N{MINUS SIGN}"
    )
    return other, f"{words}, {apart} {scale.measure.name}".rstrip()


def name_of(plot: PlotPlace, line: Line) -> str:
    """Which line it is, in words."""
    label = line.label or tr("card {number}", number=line.chip)
    return f"{plot.content.title} {label}".strip()


def _absent(stretch: Stretch, at: float) -> str:
    return tr("nothing read yet") if at < stretch.began else tr("not read")


def moment(stretch: Stretch, at: float) -> str:
    """As finely as a person can point."""
    tenths = stretch.end - stretch.start <= TENTHS_UP_TO
    return moment_word(at + stretch.offset, stretch.end + stretch.offset, tenths=tenths)


def _draw_values(
    drawing: Drawing, plot: PlotPlace, stretch: Stretch, at: float, units: Units
) -> None:
    x = plot.x(at, stretch)
    marks = _marks(drawing, plot, at, units)
    if not marks:
        if any(len(line.trace) for line in plot.content.lines):
            _draw_nothing(drawing, plot, x, _absent(stretch, at))
        return
    lowest, highest = plot.top + _PILL / 2, plot.area.bottom() - _PILL / 2 + 4
    places = spread([mark.y for mark in marks], _PILL + 1, lowest, highest)
    widest = max(mark.width for mark in marks)
    left = x + 9 if x + 9 + widest <= plot.area.right() else x - 9 - widest
    for mark, y in zip(marks, places, strict=True):
        _draw_pill(drawing, mark, left, y)
    for mark in marks:
        drawing.painter.setPen(QPen(drawing.theme.surface, 1.5))
        drawing.painter.setBrush(drawing.theme.card(mark.line.colour))
        drawing.painter.drawEllipse(QPointF(int(x) + 0.5, mark.y), _DOT, _DOT)
        if mark.beside is not None:
            drawing.painter.setPen(QPen(drawing.theme.card(mark.line.colour), 1))
            drawing.painter.setBrush(drawing.theme.surface)
            drawing.painter.drawEllipse(QPointF(int(x) + 0.5, mark.beside), _DOT - 1, _DOT - 1)


def _marks(drawing: Drawing, plot: PlotPlace, at: float, units: Units) -> list[_Mark]:
    theme, letters = drawing.theme, drawing.letters
    marks = []
    for line in plot.content.lines:
        value = value_at(line.trace, at)
        other, compared = compared_words(plot, line, value, at, units)
        beside = None if other is None else plot.y(other)
        if value is None:
            continue
        read = quantity(line.metric, value, units)
        runs = [Run(read.number, letters.badge, theme.text)]
        if read.unit:
            runs.append(Run(f"{THIN_SPACE}{read.unit}", letters.caption, theme.quiet))
        if compared:
            words = tr("vs {other}", other=compared)
            runs.append(Run(f"   {words}", letters.caption, theme.quiet))
        marks.append(_Mark(line, plot.y(value), runs, beside))
    return marks


def _draw_pill(drawing: Drawing, mark: _Mark, left: float, y: float) -> None:
    theme, letters = drawing.theme, drawing.letters.caption
    place = QRectF(round(left) + 0.5, round(y - _PILL / 2) + 0.5, mark.width, _PILL - 1)
    drawing.painter.setPen(QPen(theme.line, 1))
    drawing.painter.setBrush(theme.raised)
    drawing.painter.drawRoundedRect(place, 4, 4)
    middle = place.center().y()
    if mark.line.chip:
        fill = None if mark.line.colour is None else theme.card(mark.line.colour)
        drawing.chip(
            QRectF(place.left() + 4, middle - 7, 14, 14), mark.line.chip, letters, fill
        )
    else:
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(theme.card(mark.line.colour))
        drawing.painter.drawEllipse(QPointF(place.left() + 11, middle), 3, 3)
    drawing.runs(place.left() + 22, middle + letters.cap_height / 2, mark.runs)


def _draw_nothing(drawing: Drawing, plot: PlotPlace, x: float, said: str) -> None:
    """A gap has no value, which is another thing than zero."""
    letters = drawing.letters.caption
    word = Run(said, letters, drawing.theme.faint)
    left = x + 9 if x + 9 + word.width <= plot.area.right() else x - 9 - word.width
    # Between two grid lines, of which one is in the middle.
    y = plot.area.top() + 0.375 * plot.area.height()
    # A curve that begins right behind the moment does not cross it out.
    back = QRectF(left - 2, y - 7, word.width + 4, 14)
    drawing.painter.fillRect(back, drawing.theme.surface)
    drawing.text(left, y + letters.cap_height / 2, word)
