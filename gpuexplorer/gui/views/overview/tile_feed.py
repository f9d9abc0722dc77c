"""TileFeed: brings tiles what went before, asked for only when it has moved by a pixel."""

from dataclasses import dataclass, replace

import numpy as np

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.catalogue.memory import MEMORY_USED
from gpuexplorer.core.catalogue.utilization import GPU_UTILIZATION
from gpuexplorer.core.units import ratio
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS
from gpuexplorer.gui.plots.time_axis import TimeTick, time_ticks
from gpuexplorer.gui.plots.trace_item import columns_for, steady_stretch
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.tiles.card_tile import CardTile, TileSize
from gpuexplorer.gui.widgets.tiles.tile_curve import Spark, SparkBand
from gpuexplorer.gui.widgets.tiles.tile_past import NO_PAST, TilePast
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.gui.wording.cards.then import NOTHING_THEN, NOTHING_YET, Then
from gpuexplorer.gui.wording.cards.throttling import SlowedBook
from gpuexplorer.gui.wording.moments import moment_words
from gpuexplorer.telemetry.trace import Trace

_TICK_EVERY = 84.0  # pixels
# Not all tiles move on in the same picture, which would then take much longer than others.
_EACH_TIME, _MOST_BEHIND = 3, 4
_SHARES = ((1.0, "100 %"), (0.5, "50"))
_UNREAD = {
    CardState.ASLEEP: mark("not read"),
    CardState.NO_ANSWER: mark("no answer"),
    CardState.REFUSED: mark("no access"),
}


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

    def feed(self, tile: CardTile, shown: Shown, known: Known, slowed: SlowedBook) -> None:
        width = tile.past_width()
        if width < 8:
            tile.show_past(NO_PAST)
            return
        memory = tile.shows_memory_past()
        scaled = tile.tile_size is TileSize.FULL
        past = self.past(shown, known, tile.face, width, slowed, memory=memory, scaled=scaled)
        tile.show_past(past)

    def past(
        self,
        shown: Shown,
        known: Known,
        face: CardFace,
        width: float,
        slowed: SlowedBook,
        *,
        memory: bool,
        scaled: bool,
    ) -> TilePast:
        card = shown.card.id
        # Within one column nothing new would be seen.
        start, end = steady_stretch(*self._time_window.stretch(), width / COLUMN_PIXELS)
        then = self._time_window.then()
        asked = _Asked(start, end, width, memory, scaled, known.state, then.following)
        before = self._pasts.get(card)
        if before is not None and (before[0] == asked or self._can_wait(before[0], asked)):
            return before[1]
        self._drawn += 1
        busy = self._machine.past.trace(card, GPU_UTILIZATION, start, end, columns_for(width))
        ended, unread = _absent(busy, asked, slowed.gone_at(card), then)
        past = TilePast(
            busy=Spark(
                busy,
                start,
                end,
                highest=1.0,
                bands=tuple(
                    SparkBand(each.start, each.end, each.tone)
                    for each in slowed.stretches(card, start, end)
                ),
                ended=ended,
                ended_word="" if ended is None else self._moment_words(ended),
                unread=unread,
                scale=_SHARES if scaled else (),
                ticks=self.ticks(start, end, width) if scaled else (),
            ),
            memory=self._memory(card, face, asked) if memory else None,
            average=_average(busy),
        )
        self._pasts[card] = (asked, past)
        return past

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

    def _memory(self, card: CardId, face: CardFace, asked: _Asked) -> Spark | None:
        total = face.memory.total_bytes
        if not total:
            return None
        stretch, columns = (asked.start, asked.end), columns_for(asked.width)
        trace = self._machine.past.trace(card, MEMORY_USED, *stretch, columns)
        scale = ((total, face.memory.scale),) if asked.scaled else ()
        return Spark(trace, *stretch, highest=total, scale=scale)

    def _moment_words(self, at: float) -> str:
        window = self._time_window
        return moment_words(window.wall(at), window.wall(window.now()))


def _absent(
    busy: Trace, asked: _Asked, gone_at: float | None, then: Then
) -> tuple[float | None, str]:
    """When the card went, if that is in sight, and else why nothing is there."""
    gone = asked.state in (CardState.LOST, CardState.UNLISTED, CardState.NO_DRIVER)
    read = bool(busy.counts.any())
    if gone and read and gone_at is not None and asked.start <= gone_at <= asked.end:
        return gone_at, ""
    if then.nothing_yet:
        return None, tr(NOTHING_YET)
    if not read and (gone or not then.following):
        return None, tr(NOTHING_THEN)
    return None, tr(_UNREAD.get(asked.state, "")) if then.following else ""


def _average(trace: Trace) -> str:
    count = int(trace.counts.sum())
    if count == 0:
        return ""
    mean = float(np.nansum(trace.means * trace.counts)) / count
    return tr("average {share}", share=ratio(mean))
