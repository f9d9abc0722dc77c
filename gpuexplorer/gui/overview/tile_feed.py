"""TileFeed: brings tiles what went before, asked for only when it has moved by a pixel."""

from dataclasses import dataclass, replace

import numpy as np

from gpuexplorer.core.axes import TimeTick, time_ticks
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.reasons import Then, moment_words
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.overview.tiles.tile_drawing import NO_PAST, TilePast
from gpuexplorer.gui.overview.tiles.tile_plan import TileSize
from gpuexplorer.gui.overview.words import average_words, unread_words
from gpuexplorer.gui.plots.content import Band
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, columns_for, steady_stretch
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.strip import StripShown
from gpuexplorer.telemetry.trace import Trace

_TICK_EVERY = 84.0  # pixels
# Not all tiles move on in the same picture, which would then take much longer than others.
_EACH_TIME, _MOST_BEHIND = 3, 4
_SHARES = ((1.0, "100 %"), (0.5, "50"))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a past was asked for with: as long as it is the same, so is the answer."""

    start: float
    end: float
    width: float
    memory: bool
    scaled: bool
    state: CardState
    following: bool
    playhead: float | None  # to the pixel


class TileFeed:
    """One for all tiles, and for the card that floats above them."""

    def __init__(self, machine: MachineState, time_window: TimeWindow) -> None:
        self._machine = machine
        self._time_window = time_window
        self._pasts: dict[CardId, tuple[_Asked, TilePast]] = {}
        self._drawn = 0  # in this picture

    def begin(self, cards: set[CardId]) -> None:
        """Another picture, of these cards."""
        self._drawn = 0
        self._pasts = {card: past for card, past in self._pasts.items() if card in cards}

    def feed(self, tile: CardTile, slowed: SlowedBook) -> None:
        width = tile.past_width()
        if width < 8:
            tile.show_past(NO_PAST)
            return
        memory = tile.shows_memory_past()
        scaled = tile.tile_size is TileSize.FULL
        past = self.past(tile.face, width, slowed, memory=memory, scaled=scaled)
        tile.show_past(past)

    def past(
        self,
        face: CardFace,
        width: float,
        slowed: SlowedBook,
        *,
        memory: bool,
        scaled: bool,
    ) -> TilePast:
        card = face.id
        # Within one column nothing new would be seen.
        start, end = steady_stretch(*self._time_window.stretch(), width / COLUMN_PIXELS)
        then = self._time_window.then()
        asked = _Asked(
            start,
            end,
            width,
            memory,
            scaled,
            face.state,
            then.following,
            self._playhead(start, end, width),
        )
        before = self._pasts.get(card)
        if before is not None and (before[0] == asked or self._can_wait(before[0], asked)):
            return before[1]
        self._drawn += 1
        busy = self._machine.past.trace(card, GPU_UTILIZATION, start, end, columns_for(width))
        ended, unread = _absent(busy, asked, slowed.gone_at(card), then)
        past = TilePast(
            busy=StripShown(
                busy,
                start,
                end,
                highest=1.0,
                bands=tuple(
                    Band(each.start, each.end, each.word, each.tone)
                    for each in slowed.stretches(card, start, end)
                ),
                ended=ended,
                ended_word="" if ended is None else self._moment(ended, end),
                unread=unread,
                scale=_SHARES if scaled else (),
                ticks=self.ticks(start, end, width) if scaled else (),
                playhead=asked.playhead,
            ),
            memory=self._memory(face, asked) if memory else None,
            average=_average(busy),
        )
        self._pasts[card] = (asked, past)
        return past

    def _moment(self, at: float, end: float) -> str:
        """With the day where it is not that of the end: what it is drawn in is small."""
        return moment_words(self._time_window.wall(at), self._time_window.wall(end))

    def _can_wait(self, before: _Asked, asked: _Asked) -> bool:
        """Whether a picture has had its share, and this tile only moved on a little."""
        step = COLUMN_PIXELS * (asked.end - asked.start) / asked.width
        moved = 0 < asked.end - before.end < _MOST_BEHIND * step
        if not moved or self._drawn < _EACH_TIME:
            return False
        return replace(before, start=asked.start, end=asked.end) == asked

    def ticks(self, start: float, end: float, width: float) -> tuple[TimeTick, ...]:
        """Clock times, and before all of them that this is now, where it is."""
        window = self._time_window
        ticks = time_ticks(start, end, window.wall(0.0), int(width / _TICK_EVERY))
        now = (TimeTick(end, tr("now")),) if window.following else ()
        return (*now, *ticks)

    def _playhead(self, start: float, end: float, width: float) -> float | None:
        at, pixel = self._time_window.playhead, (end - start) / width
        return None if at is None or not start <= at <= end else round(at / pixel) * pixel

    def _memory(self, face: CardFace, asked: _Asked) -> StripShown | None:
        total = face.memory.total_bytes
        if not total or face.memory.used is None:
            return None
        stretch, columns = (asked.start, asked.end), columns_for(asked.width)
        trace = self._machine.past.trace(face.id, MEMORY_USED, *stretch, columns)
        scale = ((total, face.memory.scale),) if asked.scaled else ()
        return StripShown(trace, *stretch, highest=total, scale=scale, playhead=asked.playhead)


def _absent(
    busy: Trace, asked: _Asked, gone_at: float | None, then: Then
) -> tuple[float | None, str]:
    """When the card went, if that is in sight, and else why nothing is there."""
    gone = asked.state in (CardState.LOST, CardState.UNLISTED, CardState.NO_DRIVER)
    read = bool(busy.counts.any())
    if gone and read and gone_at is not None and asked.start <= gone_at <= asked.end:
        return gone_at, ""
    return None, unread_words(asked.state, gone=gone, read=read, then=then)


def _average(trace: Trace) -> str:
    count = int(trace.counts.sum())
    if count == 0:
        return ""
    mean = float(np.nansum(trace.means * trace.counts)) / count
    return average_words(mean)
