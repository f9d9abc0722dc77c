"""Layout: where everything of a stack of plots stands, for one size and one content."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF

from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import mark
from gpuexplorer.gui.paint.curve import COLUMN_PIXELS, steady_stretch
from gpuexplorer.gui.paint.drawing import THIN_SPACE
from gpuexplorer.gui.plots.content import Flag, PlotContent
from gpuexplorer.gui.plots.scale import Scale, scale_of
from gpuexplorer.gui.plots.summary import Summary, summarise
from gpuexplorer.gui.theme.letters import Letterings

HEADROOM = 16.0  # for the topmost label and the words of bands
CHIP = 16.0
AXIS = 26.0
_LABEL_ROOM = 36.0
_TITLE, _HEADS, _FLAGS, _BETWEEN = 22.0, 20.0, 18.0, 10.0
_LEADER = 22.0
_COLUMN = 46.0
_WORDS = (64.0, 124.0)  # the least and the most that a line's label takes
_LEAST_AREA = 36.0
_FOUR_LINES_FROM = 150.0
_THREE_LINES_FROM = 66.0
NOW = mark("now")
_HEADINGS = (NOW, mark("min"), mark("avg"), mark("max"))


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is seen of time: from `start` to `end` on the steady clock."""

    start: float
    end: float
    following: bool  # it ends now, and goes on
    offset: float  # makes seconds since 1970 out of steady ones


@dataclass(frozen=True, slots=True, eq=False)
class PlotPlace:
    """One plot with all that is worked out for drawing it."""

    content: PlotContent
    place: QRectF  # all of it, with its title
    area: QRectF  # from the topmost grid line to the floor
    scale: Scale
    summaries: tuple[Summary, ...]

    @property
    def top(self) -> float:
        return self.area.top() - HEADROOM

    @property
    def empty(self) -> bool:
        """No line has anything to show in this stretch."""
        return all(one.mean is None for one in self.summaries)

    def x(self, at: float, stretch: Stretch) -> float:
        seconds = stretch.end - stretch.start
        return self.area.left() + (at - stretch.start) / seconds * self.area.width()

    def y(self, value: float) -> float:
        reach = self.scale.highest - self.scale.lowest
        share = min(1.0, max(0.0, (value - self.scale.lowest) / reach))
        return self.area.bottom() - share * self.area.height()


@dataclass(frozen=True, slots=True, eq=False)
class Gutter:
    """What stands at the right of the plots."""

    labels: QRectF  # of any height
    columns: tuple[tuple[str, float], ...]  # heading and right edge of each

    @property
    def right(self) -> float:
        return self.columns[-1][1] if self.columns else self.labels.right()


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """`compact`: a chip and a figure at each line's end, and neither titles nor columns."""

    compact: bool
    stretch: Stretch  # as it is drawn: it moves by whole pixels
    plots: tuple[PlotPlace, ...]
    left: float  # where labels of grid lines begin
    heads: float  # the baseline of the columns' headings
    flags: QRectF
    axis: QRectF
    gutter: Gutter

    @property
    def across(self) -> QRectF:
        """Where time runs, from the top of the first plot down to the axis."""
        first = self.plots[0]
        bottom = self.axis.top()
        return QRectF(first.area.left(), first.top, first.area.width(), bottom - first.top)

    def plot_at(self, y: float) -> int | None:
        for at, plot in enumerate(self.plots):
            if plot.place.top() <= y < plot.place.bottom():
                return at
        return None


def is_compact(contents: Sequence[PlotContent]) -> bool:
    """A single plot of several cards: chips tell who is who, and its title stands above."""
    return len(contents) == 1 and all(line.chip for line in contents[0].lines)


def least_height(contents: Sequence[PlotContent], flags: bool) -> float:
    each, around = _heights(is_compact(contents), flags)
    return max(1, len(contents)) * (each + _LEAST_AREA) + around


def lay_out(
    place: QRectF,
    contents: Sequence[PlotContent],
    flags: Sequence[Flag],
    stretch: Stretch,
    letters: Letterings,
    units: Units,
) -> Layout:
    compact = is_compact(contents)
    each, around = _heights(compact, bool(flags))
    room = (place.height() - around) / max(1, len(contents))
    height = float(int(max(_LEAST_AREA, room - each)))
    lines = 4 if height >= _FOUR_LINES_FROM else 3 if height >= _THREE_LINES_FROM else 2
    summaries = [
        tuple(
            summarise(line, stretch.start, stretch.end, stretch.following) for line in c.lines
        )
        for c in contents
    ]
    scales = [
        scale_of(content, seen, lines, units)
        for content, seen in zip(contents, summaries, strict=True)
    ]
    gutter = _gutter(place, contents, scales, letters, units, compact=compact)
    left = float(int(place.left() + _label_room(scales, letters)))
    # The history's columns are whole pixels wide only if the area is.
    columns = max(1, int(gutter.labels.left() - left - _LEADER) // COLUMN_PIXELS)
    top = place.top() + (0.0 if compact else _HEADS)
    plots = []
    for content, scale, seen in zip(contents, scales, summaries, strict=True):
        above = HEADROOM + (0.0 if compact else _TITLE)
        area = QRectF(left, float(int(top + above)), columns * COLUMN_PIXELS, height)
        whole = QRectF(place.left(), top, place.width(), area.bottom() - top + _BETWEEN)
        plots.append(PlotPlace(content, whole, area, scale, seen))
        top = whole.bottom()
    bottom = plots[-1].area.bottom() if plots else top
    row = QRectF(left, bottom, columns * COLUMN_PIXELS, _FLAGS if flags else 4.0)
    axis = QRectF(left, row.bottom(), row.width(), AXIS)
    heads = place.top() + letters.caption.ascent + 2
    begin, end = steady_stretch(stretch.start, stretch.end, axis.width())
    drawn = replace(stretch, start=begin, end=end)
    return Layout(compact, drawn, tuple(plots), place.left(), heads, row, axis, gutter)


def _heights(compact: bool, flags: bool) -> tuple[float, float]:
    """Of one plot without its area, and of everything but the plots."""
    below = (_FLAGS if flags else 4.0) + AXIS - _BETWEEN
    if compact:
        return HEADROOM + _BETWEEN, below
    return _TITLE + HEADROOM + _BETWEEN, _HEADS + below


def _label_room(scales: Sequence[Scale], letters: Letterings) -> float:
    """The topmost label lies in the headroom, where no line runs; it may be longer."""
    lower = [tick.text for scale in scales for tick in scale.ticks[:-1]]
    return max([_LABEL_ROOM, *(letters.caption.width(text) + 8 for text in lower)])


def _gutter(
    place: QRectF,
    contents: Sequence[PlotContent],
    scales: Sequence[Scale],
    letters: Letterings,
    units: Units,
    *,
    compact: bool,
) -> Gutter:
    right = float(int(place.right()))
    if compact:
        width = CHIP + 8 + _figure_width(contents[0], scales[0], letters, units)
        return Gutter(QRectF(right - width, place.top(), width, place.height()), ())
    least, most = _WORDS
    words = [line.label for content in contents for line in content.lines]
    words += [limit.label for content in contents for limit in content.limits]
    chips = any(line.chip for content in contents for line in content.lines)
    wanted = max((letters.caption.width(word) for word in words), default=0.0) + 12
    label = min(max(wanted + (CHIP + 6 if chips else 0.0), least), most)
    column = max(_COLUMN, _number_width(scales, letters) + 10)
    count = len(_HEADINGS)
    if place.width() < 420 + label + count * column:
        count = 1
    columns = tuple(
        (heading, right - (count - 1 - at) * column)
        for at, heading in enumerate(_HEADINGS[:count])
    )
    left = right - count * column - label
    return Gutter(QRectF(left, place.top(), label, place.height()), columns)


def _figure_width(
    content: PlotContent, scale: Scale, letters: Letterings, units: Units
) -> float:
    """Of the widest figure there may be, so that the plot keeps its width."""
    widths = [letters.body.width("100") + letters.caption.width(f"{THIN_SPACE}%")]
    for line in content.lines[:1]:
        for value in (scale.highest, scale.highest * 0.99):
            most = quantity(line.metric, value, units)
            unit = letters.caption.width(f"{THIN_SPACE}{most.unit}")
            widths.append(letters.body.width(most.number) + unit)
    return float(int(max(widths))) + 2


def _number_width(scales: Sequence[Scale], letters: Letterings) -> float:
    return max(
        (letters.strong.width(scale.number(scale.highest)) for scale in scales), default=0
    )
