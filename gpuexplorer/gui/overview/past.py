"""What was before: by what all cards are compared over time, and what a tile shows of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.axes import TimeTick, moment_word, time_ticks
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import ratio
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.reasons import NOTHING_THEN, NOTHING_YET, SlowedBook, Then
from gpuexplorer.gui.overview.card_tile import CardTile
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, columns_for, steady_stretch
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.strip import StripShown
from gpuexplorer.telemetry.trace import Trace, TraceSource

_TICK_EVERY = 84.0  # pixels
GONE = (CardState.LOST, CardState.UNLISTED, CardState.NO_DRIVER)


@dataclass(frozen=True, slots=True)
class Plotted:
    """One choice above the plot. Of several metrics the sum is shown."""

    name: str
    metrics: tuple[MetricId, ...]
    limits: tuple[MetricId, ...] = ()  # the highest there can be, in the order they are tried
    highest: float | None = None  # where the scale ends; None: it depends on the cards
    lowest: float = 0.0  # where a scale of colours begins
    end: str = "{high}"  # what the end of that scale is called

    @property
    def title(self) -> str:
        return tr(METRICS[self.metrics[0]].plot)

    @property
    def marked(self) -> bool:
        """Whether that limit is drawn as a line."""
        return len(self.limits) > 1

    def trace(
        self, past: TraceSource, card: CardId, start: float, end: float, columns: int
    ) -> Trace:
        """Metrics that are read together have their columns at the same times."""
        first, *rest = (past.trace(card, m, start, end, columns) for m in self.metrics)
        for other in rest:
            if np.array_equal(other.times, first.times):
                first = replace(
                    first,
                    minima=first.minima + other.minima,
                    maxima=first.maxima + other.maxima,
                    means=first.means + other.means,
                )
        return first

    def value(self, face: CardFace) -> float | None:
        told = [*map(face.reading.values.get, self.metrics)]
        return None if None in told else sum(filter(None, told))

    def limit(self, face: CardFace) -> float | None:
        """The highest figure this card could have."""
        if self.limits == (ids.MEMORY_TOTAL,):
            return face.memory.total_bytes
        told = map(face.reading.values.get, self.limits)
        return self.highest or next(filter(None, told), None)


PLOTTED = (
    Plotted("utilisation", (ids.GPU_UTILIZATION,), highest=1.0, end=mark("{high} busy")),
    Plotted("memory", (ids.MEMORY_USED,), (ids.MEMORY_TOTAL,), end=mark("{high} used")),
    Plotted("power", (ids.POWER_DRAW,), (ids.POWER_LIMIT,)),
    Plotted(
        "temperature",
        (ids.TEMPERATURE,),
        (ids.TEMPERATURE_MAX, ids.TEMPERATURE_SLOWDOWN),
        lowest=20.0,
    ),
    Plotted("pcie", (ids.PCIE_RECEIVE, ids.PCIE_TRANSMIT)),
    Plotted("nvlink", (ids.NVLINK_RECEIVE, ids.NVLINK_TRANSMIT)),
)


def ticks_of(window: TimeWindow, start: float, end: float, wide: float) -> Sequence[TimeTick]:
    """Clock times, and before all of them that this is now, where it is."""
    now = (TimeTick(end, tr("now")),) if window.following else ()
    return (*now, *time_ticks(start, end, window.wall(0.0), int(wide / _TICK_EVERY)))


def feed(tile: CardTile, past: TraceSource, window: TimeWindow, slowed: SlowedBook) -> None:
    """Brings it what went before, asked for only when that has moved by a pixel."""
    face, width = tile.face, tile.past_width()
    if width < 8:
        return
    # Within one column nothing new would be seen.
    stretch = start, end = steady_stretch(*window.stretch(), width / COLUMN_PIXELS)
    playhead, then = window.playhead, window.then()
    if playhead is not None and not start <= playhead <= end:
        playhead = None
    fills, total, columns = tile.shows_memory_past, face.memory.total_bytes, columns_for(width)
    asked = face.id, stretch, columns, fills, face.state, then.following, playhead
    if asked == tile.asked:
        return
    tile.asked, memory = asked, None
    busy = past.trace(face.id, ids.GPU_UTILIZATION, *stretch, columns)
    count, average, ended = int(busy.counts.sum()), "", None
    if count:
        mean = float(np.nansum(busy.means * busy.counts)) / count
        average = tr("average {share}", share=ratio(mean))
        gone_at = slowed.gone_at(face.id) if face.state in GONE else None
        ended = gone_at if gone_at is not None and start <= gone_at <= end else None
    if fills and total and face.memory.used is not None:
        used = past.trace(face.id, ids.MEMORY_USED, *stretch, columns)
        scale = ((total, face.memory.scale),)
        memory = StripShown(used, *stretch, total, scale=scale, playhead=playhead)
    shown = StripShown(
        busy,
        *stretch,
        highest=1.0,
        bands=slowed.stretches(face.id, *stretch),
        ended=ended,
        # With the day where it is not that of the end.
        ended_word=moment_word(window.wall(ended), window.wall(end)) if ended else "",
        unread="" if ended else _unread(face.state, then, read=count > 0),
        scale=((1.0, "100 %"), (0.5, "50")),
        ticks=ticks_of(window, *stretch, width) if tile.large else (),
        playhead=playhead,
    )
    tile.show_past(shown, memory, average)


def _unread(state: CardState, then: Then, *, read: bool) -> str:
    """Why nothing is there now, or nothing at all; `read`: some of it was."""
    if then.nothing_yet:
        return tr(NOTHING_YET)
    if not read and (state in GONE or not then.following):
        return tr(NOTHING_THEN)
    if not then.following or state in (*GONE, CardState.WORKING):
        return ""
    return tr("not read") if state is CardState.ASLEEP else tr(state.word)
