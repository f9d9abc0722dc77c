"""Plots of a report as the window draws them, as inline SVG: a line for each card, with a band
from the least to the most; from nine cards on a strip of colours.

Words stand over a drawing as HTML: they keep their size however wide the page is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise

from gpuexplorer.core.catalogue import clocks, links
from gpuexplorer.core.catalogue.heat_and_power import (
    POWER_DRAW,
    POWER_LIMIT,
    TEMPERATURE,
    TEMPERATURE_MAX,
)
from gpuexplorer.core.catalogue.memory import MEMORY_TOTAL, MEMORY_USED
from gpuexplorer.core.catalogue.utilization import GPU_UTILIZATION
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.round_steps import round_steps
from gpuexplorer.core.spread import spread
from gpuexplorer.core.time_axis import time_ticks
from gpuexplorer.core.units import measure
from gpuexplorer.core.words import mark, tr
from gpuexplorer.recording.report.card_sums import HARMFUL, PCIE, CardSums
from gpuexplorer.recording.report.courses import COLUMNS, Courses, Step
from gpuexplorer.recording.report.strips import Lines, strip

MOST_LINES = 8  # cards that have a colour of their own
_WIDE, _HIGH = COLUMNS * 2, 400  # units of a drawing, which is stretched to its place
_PIXELS, _LABEL = 160, 15  # how high a plot and a label are
_TICKS, _TIMES = 4, 8
_LEAST = {GPU_UTILIZATION: 1.0}  # how far its scale reaches at least


@dataclass(frozen=True, slots=True)
class _Plot:
    title: str
    metrics: tuple[MetricId, ...]
    limit: MetricId | None = None
    marked: bool = False  # whether the limit is a line; else the scale ends there


_PLOTS = (
    _Plot(mark("Utilisation"), (GPU_UTILIZATION,)),
    _Plot(mark("Memory"), (MEMORY_USED,), MEMORY_TOTAL),
    _Plot(mark("Power"), (POWER_DRAW,), POWER_LIMIT),
    _Plot(mark("Temperature"), (TEMPERATURE,), TEMPERATURE_MAX, marked=True),
    _Plot(mark("SM clock"), (clocks.CLOCK_SM,)),
    _Plot(mark("PCIe, both ways"), PCIE),
    _Plot(mark("NVLink, both ways"), (links.NVLINK_RECEIVE, links.NVLINK_TRANSMIT)),
)


def plots(courses: Courses, cards: Sequence[CardSums], flags: Sequence[float]) -> Iterator[str]:
    """`flags`: moments that are marked on the time axis. What no card told has no plot."""
    tops = [each for each in cards if each.card.parent is None]
    for each in _PLOTS:
        drawn = {
            card.number: (card, steps)
            for card in tops
            if (steps := courses.drawn(card.card.id, *each.metrics))
        }
        if drawn:
            yield _figure(each, courses, list(drawn.values()), tops, flags)


def _figure(
    plot: _Plot,
    courses: Courses,
    lines: Lines,
    tops: Sequence[CardSums],
    flags: Sequence[float],
) -> str:
    metric = METRICS[plot.metrics[0]]
    most = max(step.most for _, steps in lines for step in steps)
    limits = _limits(plot, [card for card, _ in lines])
    highest = max(most, _LEAST.get(metric.id, 0.0), *limits) or 1.0
    gauge = measure(metric.unit, highest)
    _, ceiling, size = round_steps(0.0, gauge.shown(highest), _TICKS)
    top = gauge.value(size * ceiling)
    if len(tops) > MOST_LINES:
        field = strip(courses, lines, tops, top, f"{size * ceiling:g} {gauge.name}")
    else:
        ticks = [size * each for each in range(1, ceiling + 1)]
        field = _field(courses, lines, top, [each / (size * ceiling) for each in ticks], flags)
        for each in ticks:
            unit = f" {gauge.name}" if each == ticks[-1] else ""
            field += _word(f"{each:g}{unit}", "tick", each / ticks[-1])
        if plot.marked and len(limits) == 1:
            at = next(iter(limits)) / top
            field += f'<i style="bottom:{at * 100:.2f}%"></i>{_word(tr("limit"), "limit", at)}'
        field += _ends(lines, top)
    silent = len(tops) - len(lines)
    beside = f" <small>{escape(_silent(silent, len(tops)))}</small>" if silent else ""
    chip = ""
    if any(card.card.simulated for card, _ in lines):
        chip = f" <small>{escape(tr('simulated'))}</small>"
    return (
        f'<figure class="plot"><figcaption>{escape(tr(plot.title))}{chip}{beside}</figcaption>'
        f'<div class="field">{field}</div>{_times(courses)}</figure>\n'
    )


def _silent(silent: int, cards: int) -> str:
    return tr("{silent} of {cards} cards did not tell it", silent=silent, cards=cards)


def _limits(plot: _Plot, cards: Sequence[CardSums]) -> set[float]:
    if plot.limit == MEMORY_TOTAL:
        return {each.memory_bytes for each in cards if each.memory_bytes}
    return {e.of[plot.limit].most for e in cards if plot.limit and plot.limit in e.of}


def _field(
    courses: Courses, lines: Lines, top: float, grid: Sequence[float], flags: Sequence[float]
) -> str:
    drawn = "".join(f"M0 {_HIGH - each * _HIGH:.0f}h{_WIDE}" for each in (0, *grid))
    parts = [f'<path class="grid" d="{drawn}"/>', *_slowed(courses, lines)]
    for card, steps in reversed(lines):
        number = card.card.index % MOST_LINES
        dash = lines.index((card, steps))
        pieces = [_points(courses, piece, top) for piece in _pieces(steps)]
        band = "".join(_closed(piece) for piece in pieces if any(y < z for _, y, z, _ in piece))
        if band:
            parts.append(f'<path class="band c{number}" d="{band}"/>')
        means = [[(x, y) for x, _, _, y in piece] for piece in pieces]
        if len(lines) == 1:
            under = "".join(_path([(e[0][0], _HIGH), *e, (e[-1][0], _HIGH)]) for e in means)
            parts.append(f'<path class="area c{number}" d="{under}"/>')
        # A lone step between two gaps is a dash.
        line = "".join(_path(e if len(e) > 1 else [*e, (e[0][0] + 2, e[0][1])]) for e in means)
        parts.append(f'<path class="line c{number} d{dash}" d="{line}"/>')
    if flags:
        marks = "".join(f"M{_x(courses, at)} {_HIGH}v-20" for at in flags)
        parts.append(f'<path class="flags" d="{marks}"/>')
    return (
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none" aria-hidden="true"'
        f' style="height:{_PIXELS}px">{"".join(parts)}</svg>'
    )


def _slowed(courses: Courses, lines: Lines) -> Iterator[str]:
    """Bands behind the lines, in the columns in which something harmful slowed a card."""
    places = {
        _x(courses, step.begin) // 2
        for card, _ in lines
        for reason in HARMFUL
        for step in courses.drawn(card.card.id, reason)
        if step.most >= 1
    }
    runs = [
        [place for _, place in run]
        for _, run in groupby(enumerate(sorted(places)), lambda each: each[1] - each[0])
    ]
    if runs:
        drawn = "".join(
            f"M{run[0] * 2} 0h{len(run) * 2}v{_HIGH}h-{len(run) * 2}z" for run in runs
        )
        yield f'<path class="slowed" d="{drawn}"/>'


def _pieces(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """Without the gaps between them."""
    begin = 0
    for at, (a, b) in enumerate(pairwise(steps), 1):
        if b.begin - a.end > 1e-3:
            yield steps[begin:at]
            begin = at
    yield steps[begin:]


def _points(
    courses: Courses, steps: Sequence[Step], top: float
) -> Sequence[tuple[int, int, int, int]]:
    """From left to right: the most, the least and the mean of each."""

    def y(value: float) -> int:
        return round(_HIGH - min(1.0, max(0.0, value / top)) * _HIGH)

    return [
        (_x(courses, (e.begin + e.end) / 2), y(e.most), y(e.least), y(e.mean)) for e in steps
    ]


def _closed(points: Sequence[tuple[int, int, int, int]]) -> str:
    upper = [(x, most) for x, most, _, _ in points]
    return _path(upper + [(x, least) for x, _, least, _ in reversed(points)]) + "z"


def _path(points: Sequence[tuple[int, int]]) -> str:
    """In steps from point to point, which are short to write."""
    (x, y), *_ = points
    steps = " ".join(
        f"{b[0] - a[0]}{'' if b[1] < a[1] else ' '}{b[1] - a[1]}" for a, b in pairwise(points)
    )
    return f"M{x} {y}l{steps}"


def _ends(lines: Lines, top: float) -> str:
    """Each card's number where its line ends; of those alike one above the other."""
    wanted = [(1 - steps[-1].mean / top) * _PIXELS for _, steps in lines]
    places = spread(wanted, _LABEL, _LABEL / 2, _PIXELS - _LABEL / 2)
    return "".join(
        _word(card.number, f"end e{card.card.index % MOST_LINES}", 1 - place / _PIXELS)
        for (card, _), place in zip(lines, places, strict=True)
    )


def _times(courses: Courses) -> str:
    """By the clock of that computer, which may have been set meanwhile."""
    recording = courses.recording
    began, ended = recording.wall(courses.start), recording.wall(courses.end)
    words = []
    for tick in time_ticks(began, ended, 0.0, _TIMES):
        at = recording.at(tick.at)
        if courses.start <= at <= courses.end:
            left = courses.share(at) * 100
            words.append(f'<span style="left:{left:.2f}%">{escape(tick.text)}</span>')
    return f'<div class="times">{"".join(words)}</div>'


def _word(text: str, kind: str, bottom: float) -> str:
    return f'<span class="{kind}" style="bottom:{bottom * 100:.2f}%">{escape(text)}</span>'


def _x(courses: Courses, at: float) -> int:
    return round(courses.share(at) * _WIDE)
