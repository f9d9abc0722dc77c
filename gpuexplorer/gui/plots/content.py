"""What plots show: lines over time and what is marked on them; what a line says in figures,
how far a plot reaches, and where all of it stands. Times are steady seconds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from PySide6.QtCore import QRectF

from gpuexplorer.core.axes import round_steps
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import Metric, Unit
from gpuexplorer.core.units import Measure, Units, measure, quantity
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, on_columns, runs, steady_stretch
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.trace import Trace, TraceSource

HEADROOM = 16.0  # for the topmost label and the words of bands
CHIP = 16.0
FLAGS, AXIS = 18.0, 26.0
NOW = mark("now")
_HEADINGS = (NOW, mark("min"), mark("avg"), mark("max"))
_BELOW = 2.0  # a line along the floor is as thick as any other
_LABEL_ROOM = 36.0
_TITLE, _HEADS, _BETWEEN = 22.0, 20.0, 10.0
_LEADER, _COLUMN = 22.0, 46.0
_WORDS = 104.0  # for the label of a line
_LEAST_AREA = 36.0
_FOUR_LINES_FROM, _THREE_LINES_FROM = 150.0, 66.0
# A reading speaks for its moment and a little around it, and not for a gap.
_REACH = 1.5
# A column that is wider holds its last reading anywhere, and the next one comes later still.
_REACH_AT_THE_END = 2.5
_COUNTED = frozenset({Unit.COUNT, Unit.LANES, Unit.GENERATION, Unit.FLAG, Unit.STATE})
# How far a plot reaches that has seen nothing but zero.
_LEAST_REACH = {
    Unit.RATIO: 1.0,
    Unit.BYTES: 2.0**30,
    Unit.WATTS: 100.0,
    Unit.HERTZ: 1e9,
    Unit.BYTES_PER_SECOND: 1e9,
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is seen of time: from `start` to `end` on the steady clock."""

    start: float
    end: float
    following: bool  # it ends now, and goes on
    offset: float  # makes seconds since 1970 out of steady ones
    began: float = -math.inf  # nothing is known of the time before

    def share(self, at: float) -> float:
        """How far into it a moment is, from 0 to 1."""
        return (at - self.start) / (self.end - self.start)


@dataclass(frozen=True, slots=True, eq=False)
class PlotLine:
    """One metric of one card. Without a reading its reason stands where its figure would."""

    label: str  # at the line's end: "GPU", "memory ctrl"; empty where a chip says who it is
    metric: Metric
    trace: Trace
    reason: str = ""  # why nothing is there now, as a sentence
    chip: str = ""  # the card's number, in a plot of several cards
    colour: int | None = None  # which of the card colours; None: the quiet one
    dash: int = 0  # which of the dash patterns; 0 is a whole line
    card: CardId | None = None  # for files, and to ask the history for all of it
    now: float | None = None  # the newest reading; None: the trace's last column
    tone: Tone = Tone.TEXT  # of what it says now
    beside: Trace | None = None  # of what it is compared with, on the same axis

    @property
    def who(self) -> str:
        return self.label or tr("Card {number}", number=self.chip)


@dataclass(frozen=True, slots=True)
class Limit:
    """A dotted line across, with its word in the gutter at the right."""

    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch behind the lines, such as the time a card was slowed by heat."""

    start: float
    end: float
    word: str
    tone: Tone = Tone.WARN


@dataclass(frozen=True, slots=True)
class Flag:
    """A moment on the time axis. Numbered ones that would touch become one: "3–7"."""

    at: float
    text: str
    tone: Tone = Tone.QUIET
    colour: int | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PlotContent:
    """One plot. Its lines have one unit."""

    name: str  # lasting, for what is remembered of it
    title: str
    unit: Unit
    lines: tuple[PlotLine, ...]
    limits: tuple[Limit, ...] = ()
    bands: tuple[Band, ...] = ()
    lowest: float | None = 0.0  # None: as the lines have it
    highest: float | None = None  # None: as the lines have it


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where figures come from, which every picture and file of them says. `past` knows every
    reading, of which plots show no more than fits.
    """

    source: str = ""  # as it stands in the top bar
    simulated: bool = False
    past: TraceSource | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What a line says in figures about the stretch that is seen. None: nothing was read."""

    least: float | None = None
    mean: float | None = None
    most: float | None = None
    last: float | None = None  # the newest within the stretch
    now: float | None = None  # the same where the line goes on to the end of the stretch


def summarise(line: PlotLine, stretch: Stretch) -> Summary:
    trace, following = line.trace, stretch.following
    first = int(trace.times.searchsorted(stretch.start - trace.column_seconds))
    view = slice(first, int(trace.times.searchsorted(stretch.end, side="right")))
    counts = trace.counts[view]
    there = counts > 0
    readings = int(counts.sum())
    if readings == 0:
        return Summary(now=line.now if following and not line.reason else None)
    means = trace.means[view][there]
    last = float(means[-1])
    now: float | None = last
    if following:
        ended = bool(line.reason) or not there[-1]
        now = None if ended else last if line.now is None else line.now
    elif trace.times[view][there][-1] < stretch.end - _REACH_AT_THE_END * trace.column_seconds:
        now = None
    return Summary(
        least=float(trace.minima[view][there].min()),
        mean=float((means * counts[there]).sum() / readings),
        most=float(trace.maxima[view][there].max()),
        last=last,
        now=now,
    )


def value_at(trace: Trace, at: float) -> float | None:
    """What was read at that moment, or around it; None in a gap."""
    column = int(trace.times.searchsorted(at, side="right")) - 1
    if not (trace.counts > 1).any():  # single readings: the nearest of them
        after = min(column + 1, len(trace) - 1)
        if column < 0 or trace.times[after] - at < at - trace.times[column]:
            column = after
    if column < 0 or not math.isfinite(trace.means[column]):
        return None
    if abs(at - trace.times[column]) > _reach(trace):
        return None
    return float(trace.means[column])


def unread(lines: Sequence[PlotLine], stretch: Stretch) -> Sequence[tuple[float, float]]:
    """Stretches of time in which none of the lines was read, as far as they are in view.

    What was before the program began is one by itself.
    """
    reads = sorted(each for line in lines for each in _read(line.trace, stretch))
    if not reads and (not lines or any(line.reason for line in lines)):
        return []  # it is said already
    gaps, at = [], stretch.start
    for start, end in reads:
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    if at < stretch.end and not (stretch.following and reads):
        gaps.append((at, stretch.end))  # a line that ends before now says why
    parts: list[tuple[float, float]] = []
    for start, end in gaps:
        edges = [start, stretch.began, end] if start < stretch.began < end else [start, end]
        parts += pairwise(edges)
    return parts


def _read(trace: Trace, stretch: Stretch) -> Sequence[tuple[float, float]]:
    """From when to when there were readings, one after another."""
    first, last = trace.times.searchsorted((stretch.start - 1e-9, stretch.end))
    first, reach = max(0, int(first) - 1), _reach(trace)
    return [
        (float(trace.times[first + begin]) - reach, float(trace.times[first + end - 1]) + reach)
        for begin, end in runs(trace.counts[first:last] > 0)
    ]


def _reach(trace: Trace) -> float:
    return max(trace.column_seconds * _REACH, 1e-3)


@dataclass(frozen=True, slots=True)
class Scale:
    """From which value to which a plot reaches, in the catalogue's units; `measure` is how
    people read them here.
    """

    lowest: float
    highest: float
    ticks: tuple[tuple[float, str], ...]  # grid lines from the lowest up, without the floor
    measure: Measure
    decimals: int

    def number(self, value: float) -> str:
        """Without its unit, which stands at the topmost grid line."""
        shown = self.measure.shown(value)
        # What rounds to nothing is not nothing.
        return "0" if shown == 0 else f"{shown:.{self.decimals}f}"


def scale_of(content: PlotContent, seen: Sequence[Summary], lines: int, units: Units) -> Scale:
    """At most `lines` grid lines, which hold all that is seen and every limit."""
    limits = [limit.value for limit in content.limits]
    lowest, highest = content.lowest, content.highest
    if highest is None:
        most = [one.most for one in seen if one.most is not None]
        highest = max((*most, *limits), default=0.0)
    if lowest is None:
        least = [one.least for one in seen if one.least is not None]
        lowest = min((*least, *limits), default=0.0)
    if content.lowest is not None and highest <= lowest:
        highest = lowest + _LEAST_REACH.get(content.unit, 1.0)
    gauge = measure(content.unit, max(abs(highest), abs(lowest)), units)
    low, high = gauge.shown(lowest), gauge.shown(highest)
    if high - low < 1e-9 * max(1.0, abs(high)):
        # One figure all the time: a little room on either side of it.
        low, high = low - 1.0, high + 1.0
    floor, ceiling, step = round_steps(low, high, lines, whole=content.unit in _COUNTED)
    ticks = []
    for at in range(floor + 1, ceiling + 1):
        value, shown = gauge.value(step * at), step * at
        word = content.lines[0].metric.text_of(value) if content.lines else None
        name = f"{shown:g}" if abs(shown) < 1e6 else f"{shown:.3g}"
        unit = f" {gauge.name}" if gauge.name and at == ceiling else ""
        ticks.append((value, (name if word is None else tr(word)) + unit))
    top = abs(step * ceiling)
    decimals = max(0, min(2, 2 - math.floor(math.log10(max(top, 1e-9)))))
    if gauge.whole:
        decimals = int(gauge.name == "W" and step * ceiling < 10)
    lowest, highest = gauge.value(step * floor), gauge.value(step * ceiling)
    return Scale(lowest, highest, tuple(ticks), gauge, decimals)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """One plot with all that is worked out for drawing it."""

    content: PlotContent
    area: QRectF  # from the topmost grid line to the floor
    scale: Scale
    summaries: tuple[Summary, ...]

    @property
    def top(self) -> float:
        return self.area.top() - HEADROOM

    @property
    def view(self) -> QRectF:
        """The area with room for lines along its edges."""
        return self.area.adjusted(0, -HEADROOM, 0, _BELOW)

    @property
    def reach(self) -> tuple[float, float]:
        """Of the view, in the metric's units."""
        pixel = (self.scale.highest - self.scale.lowest) / self.area.height()
        return self.scale.lowest - _BELOW * pixel, self.scale.highest + HEADROOM * pixel

    @property
    def empty(self) -> bool:
        """No line has anything to show in this stretch."""
        return all(one.mean is None for one in self.summaries)

    @property
    def limits(self) -> list[Limit]:
        """Those on its scale."""
        low, high = self.scale.lowest, self.scale.highest
        return [each for each in self.content.limits if low <= each.value <= high]

    def y(self, value: float) -> float:
        reach = self.scale.highest - self.scale.lowest
        share = min(1.0, max(0.0, (value - self.scale.lowest) / reach))
        return self.area.bottom() - share * self.area.height()


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where everything of a stack stands. `compact`: a single plot of several cards: a chip and
    a figure at each line's end, and neither titles nor columns.
    """

    compact: bool
    stretch: Stretch  # as it is drawn: it moves by whole pixels
    flags: tuple[Flag, ...]
    units: Units
    plots: tuple[Place, ...]
    left: float  # where titles begin
    heads: float  # the baseline of the columns' headings
    foot: QRectF  # the row of flags and the axis of time
    area: QRectF  # from the first plot's top to the foot, as wide as time is
    labels: QRectF  # beside the plots, at the right
    columns: tuple[tuple[str, float], ...]  # heading and right edge of each

    @property
    def right(self) -> float:
        return self.columns[-1][1]

    def x(self, at: float) -> float:
        return self.area.left() + self.stretch.share(at) * self.area.width()

    def plot_at(self, y: float) -> int | None:
        ends = [plot.area.bottom() + _BETWEEN for plot in self.plots]
        return next((at for at, end in enumerate(ends) if y < end), None)


def is_compact(contents: Sequence[PlotContent]) -> bool:
    return len(contents) == 1 and all(line.chip for line in contents[0].lines)


def least_height(contents: Sequence[PlotContent], flags: bool) -> float:
    each, around = _heights(is_compact(contents), flags)
    return max(1, len(contents)) * (each + _LEAST_AREA) + around


def lay_out(
    place: QRectF,
    contents: Sequence[PlotContent],
    flags: tuple[Flag, ...],
    stretch: Stretch,
    units: Units,
    letters: Letterings,
    scales: Sequence[Scale] = (),
) -> Layout:
    """`scales` are kept, where there are any: a scale stands while a hand drags."""
    compact = is_compact(contents)
    each, around = _heights(compact, bool(flags))
    room = (place.height() - around) / max(1, len(contents))
    height = float(int(max(_LEAST_AREA, room - each)))
    lines = 4 if height >= _FOUR_LINES_FROM else 3 if height >= _THREE_LINES_FROM else 2
    summaries = [tuple(summarise(line, stretch) for line in c.lines) for c in contents]
    scales = scales or [
        scale_of(content, (*seen, *_beside(content, stretch)), lines, units)
        for content, seen in zip(contents, summaries, strict=True)
    ]
    labels, columns = _gutter(place, contents, scales, letters, units)
    ticks = [letters.caption.width(word) for scale in scales for _, word in scale.ticks]
    left = float(int(place.left() + max([_LABEL_ROOM, *(width + 8 for width in ticks)])))
    # The history's columns are whole pixels wide only if the area is.
    count = max(1, int(labels.left() - left - _LEADER) // COLUMN_PIXELS)
    width = float(count * COLUMN_PIXELS)
    begin, end = steady_stretch(stretch.start, stretch.end, width)
    above = HEADROOM + (0.0 if compact else _TITLE)
    first = bottom = place.top() + above + (0.0 if compact else _HEADS)
    plots = []
    for at, (content, scale, seen) in enumerate(zip(contents, scales, summaries, strict=True)):
        area = QRectF(left, float(int(first + at * (height + each))), width, height)
        bottom = area.bottom()
        plots.append(Place(_on_columns(content, (end - begin) / count), area, scale, seen))
    return Layout(
        compact,
        replace(stretch, start=begin, end=end),
        flags,
        units,
        tuple(plots),
        place.left(),
        place.top() + letters.caption.ascent + 2,
        QRectF(place.left(), bottom, place.width(), AXIS + (FLAGS if flags else 4.0)),
        QRectF(left, first - HEADROOM, width, bottom - first + HEADROOM),
        labels,
        columns,
    )


def _heights(compact: bool, flags: bool) -> tuple[float, float]:
    """Of one plot without its area, and of everything but the plots."""
    below = (FLAGS if flags else 4.0) + AXIS - _BETWEEN
    if compact:
        return HEADROOM + _BETWEEN, below
    return _TITLE + HEADROOM + _BETWEEN, _HEADS + below


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


def _gutter(
    place: QRectF,
    contents: Sequence[PlotContent],
    scales: Sequence[Scale],
    letters: Letterings,
    units: Units,
) -> tuple[QRectF, tuple[tuple[str, float], ...]]:
    """Where labels stand, and the columns of figures beside them."""
    right = float(int(place.right()))
    if is_compact(contents):
        # The widest figure there may be, so that the plot keeps its width.
        wide = letters.body.width("100 %")
        for line in contents[0].lines[:1]:
            for value in (scales[0].highest, scales[0].highest * 0.99):
                wide = max(wide, letters.body.width(str(quantity(line.metric, value, units))))
        left = right - CHIP - 10 - int(wide)
        return QRectF(left, place.top(), right - left, place.height()), (("", right),)
    chips = any(line.chip for content in contents for line in content.lines)
    label = _WORDS + (CHIP + 6 if chips else 0.0)
    numbers = [letters.strong.width(scale.number(scale.highest)) for scale in scales]
    column = max(_COLUMN, max(numbers, default=0.0) + 10)
    count = len(_HEADINGS) if place.width() >= 420 + label + len(_HEADINGS) * column else 1
    columns = tuple(
        (heading, right - (count - 1 - at) * column)
        for at, heading in enumerate(_HEADINGS[:count])
    )
    left = right - count * column - label
    return QRectF(left, place.top(), label, place.height()), columns
