"""EnergyFeed: what all cards used in the time that is shown, a few cards at a time."""

from collections import deque
from collections.abc import Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.wording.cards.energy_used import EnergyTogether, EnergyUsed, energy_used
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.telemetry.trace import TraceSource

# Adding up a card's energy takes as long as to draw its tile, and changes slowly.
_MOST_EACH_TIME, _PASSES = 8, 12
_EVERY = 3  # pictures


class EnergyFeed:
    """After the stretch has changed, all are asked one after the other, and then again and
    again, each now and then.
    """

    def __init__(self, past: TraceSource) -> None:
        self._past = past
        self._used: dict[CardId, EnergyUsed | None] = {}
        self._asked: tuple[float, tuple[CardId, ...]] = (0.0, ())
        self._end = 0.0
        self._due: deque[CardId] = deque()
        self._pictures = 0

    def bring_up(self, cards: Sequence[Shown], start: float, end: float) -> None:
        ids = tuple(each.card.id for each in cards)
        span = end - start
        jumped = not 0 <= end - self._end < max(2.0, span / 60)
        if (round(span, 3), ids) != self._asked or jumped:
            self._asked = (round(span, 3), ids)
            self._used = {}
            self._due = deque(ids)
        self._end = end
        self._pictures += 1
        whole = len(self._used) == len(ids)
        if whole and self._pictures % _EVERY:
            return
        count = -(-len(ids) // _PASSES) if whole else _MOST_EACH_TIME
        for _ in range(min(count, len(ids))):
            if not self._due:
                self._due.extend(ids)
            card = self._due.popleft()
            self._used[card] = energy_used(self._past, card, start, end)

    def total(self) -> EnergyTogether | None:
        """None before all were asked, or where none of them told."""
        told = [used for used in self._used.values() if used is not None]
        if not told or len(self._used) < len(self._asked[1]):
            return None
        joules = sum(used.joules for used in told)
        return EnergyTogether(joules, max(used.seconds for used in told), len(told))
