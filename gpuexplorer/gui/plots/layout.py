"""Layout: where everything of a stack of plots stands, for one size and one content."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF

from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import mark
from gpuexplorer.gui.paint.drawing import THIN_SPACE
from gpuexplorer.gui.plots.content import Flag, PlotContent, Stretch
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, on_columns
from gpuexplorer.gui.plots.scale import Scale, scale_of
from gpuexplorer.gui.plots.summary import Summary, summarise
from gpuexplorer.gui.plots.trace_item import steady_stretch
from gpuexplorer.gui.theme.letters import Letterings

HEADROOM = 16.0  # for the topmost label and the words of bands
BELOW = 2.0  # a line along the floor is as thick as any other
CHIP = 16.0
FLAGS, AXIS = 18.0, 26.0
_LABEL_ROOM = 36.0
_TITLE, _HEADS, _BETWEEN = 22.0, 20.0, 10.0
_LEADER = 22.0
_COLUMN = 46.0
_WORDS = (64.0, 124.0)  # the least and the most that a line's label takes
_LEAST_AREA = 36.0
_FOUR_LINES_FROM, _THREE_LINES_FROM = 150.0, 66.0
NOW = mark("now")
_HEADINGS = (NOW, mark("min"), mark("avg"), mark("max"))


@dataclass(frozen=True, slots=True, eq=False)
class StackShown:
    """All that a stack shows."""

    contents: tuple[PlotContent, ...]
    flags: tuple[Flag, ...]
    stretch: Stretch
    units: Units


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
    def view(self) -> QRectF:
        """The area with room for lines along its edges."""
        return self.area.adjusted(0, -HEADROOM, 0, BELOW)

    @property
    def reach(self) -> tuple[float, float]:
        """Of the view, in the metric's units."""
        pixel = (self.scale.highest - self.scale.lowest) / self.area.height()
        return self.scale.lowest - BELOW * pixel, self.scale.highest + HEADROOM * pixel

    @property
    def empty(self) -> bool:
        """No line has anything to show in this stretch."""
        return all(one.mean is None for one in self.summaries)

    def x(self, at: float, stretch: Stretch) -> float:
        return self.area.left() + stretch.share(at) * self.area.width()

    def y(self, value: float) -> float:
        reach = self.scale.highest - self.scale.lowest
        share = min(1.0, max(0.0, (value - self.scale.lowest) / reach))
        return self.area.bottom() - share * self.area.height()


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """`compact`: a chip and a figure at each line's end, and neither titles nor columns."""

    compact: bool
    stretch: Stretch  # as it is drawn: it moves by whole pixels
    plots: tuple[PlotPlace, ...]
    left: float  # where titles begin
    heads: float  # the baseline of the columns' headings
    foot: QRectF  # the row of flags and the axis of time
    area: QRectF  # from the first plot's top to the foot, as wide as time is
    labels: QRectF  # beside the plots, at the right
    columns: tuple[tuple[str, float], ...]  # heading and right edge of each

    @property
    def flagged(self) -> bool:
        """There is a row of flags below the last plot."""
        return self.foot.height() >= AXIS + FLAGS

    @property
    def flags_end(self) -> float:
        """What a flag says ends here."""
        return self.labels.left() if self.compact else self.right

    @property
    def right(self) -> float:
        return self.columns[-1][1] if self.columns else self.labels.right()

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
    shown: StackShown,
    letters: Letterings,
    scales_before: Sequence[Scale] | None = None,
) -> Layout:
    """`scales_before` are kept, where there are any: a scale stands while a hand drags."""
    contents, stretch, units = shown.contents, shown.stretch, shown.units
    compact = is_compact(contents)
    each, around = _heights(compact, bool(shown.flags))
    room = (place.height() - around) / max(1, len(contents))
    height = float(int(max(_LEAST_AREA, room - each)))
    lines = 4 if height >= _FOUR_LINES_FROM else 3 if height >= _THREE_LINES_FROM else 2
    summaries = [tuple(summarise(line, stretch) for line in c.lines) for c in contents]
    scales = scales_before or [
        scale_of(content, (*seen, *_beside(content, stretch)), lines, units)
        for content, seen in zip(contents, summaries, strict=True)
    ]
    labels, columns = _gutter(place, contents, scales, letters, units, compact=compact)
    ticks = [letters.caption.width(tick.text) for scale in scales for tick in scale.ticks]
    left = float(int(place.left() + max([_LABEL_ROOM, *(width + 8 for width in ticks)])))
    # The history's columns are whole pixels wide only if the area is.
    count = max(1, int(labels.left() - left - _LEADER) // COLUMN_PIXELS)
    width = float(count * COLUMN_PIXELS)
    top = place.top() + (0.0 if compact else _HEADS)
    first = top + HEADROOM + (0.0 if compact else _TITLE)
    plots = []
    for content, scale, seen in zip(contents, scales, summaries, strict=True):
        above = HEADROOM + (0.0 if compact else _TITLE)
        area = QRectF(left, float(int(top + above)), width, height)
        whole = QRectF(place.left(), top, place.width(), area.bottom() - top + _BETWEEN)
        plots.append(PlotPlace(content, whole, area, scale, seen))
        top = whole.bottom()
    bottom = plots[-1].area.bottom() if plots else top
    foot = QRectF(place.left(), bottom, place.width(), AXIS + (FLAGS if shown.flags else 4.0))
    begin, end = steady_stretch(stretch.start, stretch.end, width)
    column = (end - begin) / count
    plots = [replace(plot, content=_on_columns(plot.content, column)) for plot in plots]
    return Layout(
        compact,
        replace(stretch, start=begin, end=end),
        tuple(plots),
        place.left(),
        place.top() + letters.caption.ascent + 2,
        foot,
        QRectF(left, first - HEADROOM, width, bottom - first + HEADROOM),
        labels,
        columns,
    )


def _beside(content: PlotContent, stretch: Stretch) -> list[Summary]:
    """What its lines are compared with finds room as well."""
    return [
        summarise(replace(line, trace=line.beside, now=None), stretch)
        for line in content.lines
        if line.beside is not None
    ]


def _on_columns(content: PlotContent, column: float) -> PlotContent:
    """Bands begin and end where columns do, and so does what is drawn beside them."""
    bands = []
    for band in content.bands:
        start, end = on_columns(band.start, band.end, column)
        bands.append(replace(band, start=start, end=end))
    return replace(content, bands=tuple(bands))


def _heights(compact: bool, flags: bool) -> tuple[float, float]:
    """Of one plot without its area, and of everything but the plots."""
    below = (FLAGS if flags else 4.0) + AXIS - _BETWEEN
    if compact:
        return HEADROOM + _BETWEEN, below
    return _TITLE + HEADROOM + _BETWEEN, _HEADS + below


def _gutter(
    place: QRectF,
    contents: Sequence[PlotContent],
    scales: Sequence[Scale],
    letters: Letterings,
    units: Units,
    *,
    compact: bool,
) -> tuple[QRectF, tuple[tuple[str, float], ...]]:
    """Where labels stand, and the columns of figures beside them."""
    right = float(int(place.right()))
    if compact:
        width = CHIP + 8 + _figure_width(contents[0], scales[0], letters, units)
        return QRectF(right - width, place.top(), width, place.height()), ()
    least, most = _WORDS
    words = [line.label for content in contents for line in content.lines]
    words += [limit.label for content in contents for limit in content.limits]
    chips = any(line.chip for content in contents for line in content.lines)
    wanted = max((letters.caption.width(word) for word in words), default=0.0) + 12
    label = min(max(wanted + (CHIP + 6 if chips else 0.0), least), most)
    numbers = [letters.strong.width(scale.number(scale.highest)) for scale in scales]
    column = max(_COLUMN, max(numbers, default=0.0) + 10)
    count = len(_HEADINGS) if place.width() >= 420 + label + len(_HEADINGS) * column else 1
    columns = tuple(
        (heading, right - (count - 1 - at) * column)
        for at, heading in enumerate(_HEADINGS[:count])
    )
    left = right - count * column - label
    return QRectF(left, place.top(), label, place.height()), columns


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
