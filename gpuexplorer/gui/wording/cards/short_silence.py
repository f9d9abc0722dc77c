"""ShortSilence: carries the last figures of a card over a silence that may end at once."""

from dataclasses import replace

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.gui.wording.cards.faces import Known
from gpuexplorer.telemetry.latest import Reading

_SHORT = 3.0


class ShortSilence:
    """Without it the tile of a slow card would change back and forth all the time."""

    def __init__(self) -> None:
        self._answered: dict[CardId, Reading] = {}
        self._began: dict[CardId, float] = {}
        self._carried_at: dict[CardId, float] = {}

    def carry_over(self, card: CardId, known: Known, now: float) -> Known:
        """The same, or with the figures of a moment ago and called slow."""
        if known.answers and known.reading is not None:
            self._answered[card] = known.reading
            self._began.pop(card, None)
            # Called slow a little longer, since the next silence may follow at once.
            slow = now - self._carried_at.get(card, float("-inf")) < _SHORT
            return replace(known, slow=True) if slow else known
        before = self._answered.get(card)
        began = self._began.setdefault(card, now - (known.silence or 0.0))
        if before is None or not _silent(known) or now - began >= _SHORT:
            self._answered.pop(card, None)
            self._carried_at.pop(card, None)
            return known
        self._carried_at[card] = now
        return replace(known, reading=before, silence=None, slow=True)


def _silent(known: Known) -> bool:
    reading = known.reading
    return known.silence is not None or (
        reading is not None and reading.state is CardState.NO_ANSWER
    )
