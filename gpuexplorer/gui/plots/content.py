"""What plots show: lines over time and what is marked on them; what a line says in figures,
how far a plot reaches, and where all of it stands. Times are steady seconds.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeGuard

from PySide6.QtCore import QRectF

from gpuexplorer.core.axes import round_steps
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import Metric, Unit
from gpuexplorer.core.units import Measure, Units, measure
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.reasons import Band
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, runs, steady_stretch
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.trace import Trace, TraceSource

HEADROOM = 16.0  # for the topmost label and the words of bands
CHIP = 16.0
FLAGS, AXIS = 18.0, 26.0
NOW = mark("now")
_HEADINGS = (NOW, mark("min"), mark("avg"), mark("max"))
_LABEL_ROOM = 36.0
_TITLE, _BETWEEN = 22.0, 10.0
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


class Stretch(NamedTuple):
    """What is seen of time: from `start` to `end` on the steady clock."""

    start: float
    end: float
    following: bool  # it ends now, and goes on
    offset: float  # makes seconds since 1970 out of steady ones
    began: float = -math.inf  # nothing is known of the time before

    def share(self, at: float) -> float:
        """How far into it a moment is, from 0 to 1."""
        return (at - self.start) / (self.end - self.start)

    def holds(self, at: float | None) -> TypeGuard[float]:
        return at is not None and self.start <= at <= self.end


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


class Limit(NamedTuple):
    """A dotted line across, with its word in the gutter at the right."""

    label: str
    value: float


class Flag(NamedTuple):
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

    @property
    def titled(self) -> bool:
        """Where each line is a card, what is plotted stands elsewhere."""
        return not all(line.chip for line in self.lines)


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where figures come from, which every picture and file of them says. `past` knows every
    reading, of which plots show no more than fits.
    """

    source: str = ""  # as it stands in the top bar
    simulated: bool = False
    past: TraceSource | None = None


class Summary(NamedTuple):
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
    there, counts, means = trace.counts[view] > 0, trace.counts[view], trace.means[view]
    if not there.any():
        return Summary(now=line.now if following and not line.reason else None)
    now: float | None
    last = now = float(means[there][-1])
    if following:
        ended = bool(line.reason) or not there[-1]
        now = None if ended else last if line.now is None else line.now
    elif trace.times[view][there][-1] < stretch.end - _REACH_AT_THE_END * trace.column_seconds:
        now = None
    return Summary(
        float(trace.minima[view][there].min()),
        float((means[there] * counts[there]).sum() / counts.sum()),
        float(trace.maxima[view][there].max()),
        last,
        now,
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
    reads = [each for line in lines for each in _read(line.trace, stretch)]
    if not reads and (not lines or any(line.reason for line in lines)):
        return []  # it is said already
    gaps, at = [], stretch.start
    for start, end in sorted([*reads, (stretch.began, stretch.began)]):
        if start > at:
            gaps.append((at, min(start, stretch.end)))
        at = max(at, end)
    if at < stretch.end and not (stretch.following and reads):
        gaps.append((at, stretch.end))  # a line that ends before now says why
    return gaps


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

    def word(self, metric: Metric, value: float | None) -> str:
        """The same of a state by its name, and of what was not read."""
        state = None if value is None else metric.text_of(value)
        return tr(state) if state is not None else "–" if value is None else self.number(value)


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
class PlotField:
    """A place in which time goes from left to right."""

    area: QRectF  # of a plot from the topmost grid line to the floor
    stretch: Stretch

    @property
    def top(self) -> float:
        return self.area.top()

    def x(self, at: float) -> float:
        return self.area.left() + self.stretch.share(at) * self.area.width()


@dataclass(frozen=True, slots=True, eq=False)
class Place(PlotField):
    """One plot with all that is worked out for drawing it."""

    content: PlotContent
    scale: Scale
    summaries: tuple[Summary, ...]

    @property
    def top(self) -> float:
        return self.area.top() - HEADROOM

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
class Layout(PlotField):
    """Where everything of a stack stands: as wide as time is, from the first plot's top to the
    last one's floor. The stretch moves by whole pixels.
    """

    plots: tuple[Place, ...]
    flags: tuple[Flag, ...]
    units: Units
    left: float  # where titles begin
    foot: QRectF  # the row of flags and the axis of time
    labels: float  # where they begin, beside the plots
    columns: tuple[tuple[str, float], ...]  # heading and right edge of each

    @property
    def right(self) -> float:
        return self.columns[-1][1]

    @property
    def titled(self) -> bool:
        return any(plot.content.titled for plot in self.plots)

    def plot_at(self, y: float) -> int:
        return sum(y >= plot.area.bottom() + _BETWEEN for plot in self.plots)


def least_height(contents: Sequence[PlotContent], *, flags: bool) -> float:
    around, foot = _heights(contents, flags=flags)
    return max(1, len(contents)) * (around + _LEAST_AREA) - _BETWEEN + foot


def lay_out(
    place: QRectF,
    contents: Sequence[PlotContent],
    flags: tuple[Flag, ...],
    window: TimeWindow,
    units: Units,
    letters: Letterings,
    kept: Mapping[str, Scale],
) -> Layout:
    """`kept`: scales of plots that stand while a hand drags, by their names."""
    marked = window.marked
    if marked is not None and all(flag.at != marked.at for flag in flags):
        # It has one too, whatever took place then.
        flags = (*flags, Flag(marked.at, marked.text, Tone.TEXT))
    stretch = Stretch(*window.stretch(), window.following, window.wall(0.0), window.began)
    around, foot = _heights(contents, flags=bool(flags))
    room = (place.height() + _BETWEEN - foot) / max(1, len(contents))
    height = float(int(max(_LEAST_AREA, room - around)))
    lines = 4 if height >= _FOUR_LINES_FROM else 3 if height >= _THREE_LINES_FROM else 2
    summaries = [tuple(summarise(line, stretch) for line in c.lines) for c in contents]
    scales = [
        kept.get(each.name) or scale_of(each, (*seen, *_beside(each, stretch)), lines, units)
        for each, seen in zip(contents, summaries, strict=True)
    ]
    chips = any(line.chip for content in contents for line in content.lines)
    titled = any(content.titled for content in contents)
    label = (CHIP + 6 if chips else 0.0) + (_WORDS if titled else 0.0)
    numbers = [letters.strong.width(scale.number(scale.highest)) for scale in scales]
    column = max(_COLUMN, max(numbers, default=0.0) + 10)
    wide = place.width() >= 400 + label + len(_HEADINGS) * column
    headings = _HEADINGS if titled and wide else _HEADINGS[:1]
    right = float(int(place.right())) - len(headings) * column
    columns = tuple((word, right + at * column) for at, word in enumerate(headings, 1))
    labels = right - label
    ticks = [letters.caption.width(word) for scale in scales for _, word in scale.ticks]
    left = float(int(place.left() + max([_LABEL_ROOM, *(width + 8 for width in ticks)])))
    # The history's columns are whole pixels wide only if the area is.
    width = float(max(1, int(labels - left - _LEADER) // COLUMN_PIXELS) * COLUMN_PIXELS)
    start, end = steady_stretch(stretch.start, stretch.end, width)
    drawn, bottom = stretch._replace(start=start, end=end), place.top() + around
    first, plots = place.top() + around - _BETWEEN, []
    for at, (content, scale, seen) in enumerate(zip(contents, scales, summaries, strict=True)):
        area = QRectF(left, float(int(first + at * (height + around))), width, height)
        bottom = area.bottom()
        plots.append(Place(area, drawn, content, scale, seen))
    return Layout(
        QRectF(left, first - HEADROOM, width, bottom - first + HEADROOM),
        drawn,
        tuple(plots),
        flags,
        units,
        place.left(),
        QRectF(place.left(), bottom, place.width(), foot),
        labels,
        columns,
    )


def _heights(contents: Sequence[PlotContent], *, flags: bool) -> tuple[float, float]:
    """What is above and below the area of each plot, and what is below all of them."""
    title = _TITLE if any(each.titled for each in contents) else 0.0
    return title + HEADROOM + _BETWEEN, (FLAGS if flags else 4.0) + AXIS


def _beside(content: PlotContent, stretch: Stretch) -> list[Summary]:
    """What its lines are compared with finds room as well."""
    return [
        summarise(replace(line, trace=line.beside, now=None), stretch)
        for line in content.lines
        if line.beside is not None
    ]
