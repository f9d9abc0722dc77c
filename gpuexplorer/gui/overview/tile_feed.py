"""TileFeed: brings tiles what went before, asked for only when it has moved by a pixel."""

import numpy as np

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED
from gpuexplorer.core.units import ratio
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.reasons import NOTHING_THEN, NOTHING_YET, Then, moment_words
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.overview.strip_content import ticks_of
from gpuexplorer.gui.overview.tiles.card_tile import CardTile, TilePast
from gpuexplorer.gui.plots.content import Band
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, columns_for, steady_stretch
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.strip import StripShown

_SHARES = ((1.0, "100 %"), (0.5, "50"))
_GONE = (CardState.LOST, CardState.UNLISTED, CardState.NO_DRIVER)
_UNREAD = {
    CardState.ASLEEP: mark("not read"),
    CardState.NO_ANSWER: mark("no answer"),
    CardState.NO_CONNECTION: mark("no connection"),
    CardState.REFUSED: mark("no access"),
}


class TileFeed:
    """One for all tiles, and for the card that floats above them."""

    def __init__(self, machine: MachineState, time_window: TimeWindow) -> None:
        self._machine, self._time_window = machine, time_window

    def feed(self, tile: CardTile, slowed: SlowedBook) -> None:
        face, width, window = tile.face, tile.past_width(), self._time_window
        if width < 8:
            return
        # Within one column nothing new would be seen.
        start, end = steady_stretch(*window.stretch(), width / COLUMN_PIXELS)
        playhead, pixel = window.playhead, (end - start) / width
        if playhead is not None:
            playhead = round(playhead / pixel) * pixel if start <= playhead <= end else None
        then, large, fills = window.then(), tile.large, tile.shows_memory_past
        following, total = then.following, face.memory.total_bytes
        asked = (face.id, start, end, width, large, fills, face.state, following, playhead)
        if asked == tile.asked:
            return
        tile.asked = asked
        stretch, columns = (start, end), columns_for(width)
        busy = self._machine.past.trace(face.id, GPU_UTILIZATION, *stretch, columns)
        count = int(busy.counts.sum())
        gone, gone_at = face.state in _GONE, slowed.gone_at(face.id)
        ended = gone_at if gone and count and start <= (gone_at or 0.0) <= end else None
        spans = slowed.stretches(face.id, start, end)
        mean = float(np.nansum(busy.means * busy.counts)) / max(1, count)
        average = tr("average {share}", share=ratio(mean))
        memory = None
        if fills and total and face.memory.used is not None:
            used = self._machine.past.trace(face.id, MEMORY_USED, *stretch, columns)
            scale = ((total, face.memory.scale),)
            memory = StripShown(used, *stretch, total, scale=scale, playhead=playhead)
        shown = StripShown(
            busy,
            *stretch,
            highest=1.0,
            bands=[Band(each.start, each.end, each.word, each.tone) for each in spans],
            ended=ended,
            # With the day where it is not that of the end.
            ended_word=moment_words(window.wall(ended), window.wall(end)) if ended else "",
            unread="" if ended else _unread(face.state, then, read=count > 0),
            scale=_SHARES,
            ticks=ticks_of(window, start, end, width) if large else (),
            playhead=playhead,
        )
        tile.show_past(TilePast(shown, memory, average if count else ""))


def _unread(state: CardState, then: Then, *, read: bool) -> str:
    """Why nothing is there now, or nothing at all; `read`: some of it was."""
    if then.nothing_yet:
        return tr(NOTHING_YET)
    if not read and (state in _GONE or not then.following):
        return tr(NOTHING_THEN)
    return tr(_UNREAD.get(state, "")) if then.following else ""
