"""SlowedBook: when each card was slowed and why, and when it went, out of what was told."""

from collections import deque
from collections.abc import Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.wording.cards.throttling import REASONS, Slowed
from gpuexplorer.telemetry.happenings import Happening, Kind

_KEPT = 400
_BY_NAME = {str(reason): reason for reason in REASONS}


_GOING = frozenset({Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE})
_COMING = frozenset({Kind.CARD_BACK, Kind.CARD_LISTED, Kind.DRIVER_BACK})


class SlowedBook:
    """Takes the log in as it grows: among many cards the flags of each would cost too much."""

    def __init__(self) -> None:
        self._newest: Happening | None = None
        self._over: dict[CardId, deque[Slowed]] = {}
        self._open: dict[CardId, dict[str, float]] = {}
        self._gone: dict[CardId | None, float] = {}

    def take(self, log: Sequence[Happening]) -> None:
        new = len(log)
        while new and log[new - 1] is not self._newest:
            new -= 1
        for happening in log[new:]:
            self._note(happening)
        if log:
            self._newest = log[-1]

    def stretches(self, card: CardId, start: float, end: float) -> Sequence[Slowed]:
        """Those that reach into the time from `start` to `end`; what goes on ends there."""
        found = [
            slowed
            for slowed in self._over.get(card, ())
            if slowed.end > start and slowed.start < end
        ]
        found += [
            Slowed(began, end, _BY_NAME[about])
            for about, began in self._open.get(card, {}).items()
            if began < end
        ]
        found.sort(key=lambda slowed: REASONS.index(slowed.reason))
        return found

    def gone_at(self, card: CardId) -> float | None:
        """When it was lost, or the driver of all went, in steady seconds."""
        return self._gone.get(card, self._gone.get(None))

    def _note(self, happening: Happening) -> None:
        card = happening.card
        if happening.kind in _GOING:
            self._gone[card] = happening.at
        elif happening.kind in _COMING:
            self._gone.pop(card, None)
        if card is None:
            return
        there = self._open.setdefault(card, {})
        match happening.kind:
            case Kind.THROTTLING_BEGAN if happening.about in _BY_NAME:
                there[happening.about] = happening.at
            case Kind.THROTTLING_ENDED | Kind.THROTTLING_UNKNOWN:
                began = there.pop(happening.about, None)
                if began is not None:
                    end = began + (happening.lasted or 0.0)
                    self._keep(card, Slowed(began, end, _BY_NAME[happening.about]))
            case _:
                pass

    def _keep(self, card: CardId, slowed: Slowed) -> None:
        self._over.setdefault(card, deque(maxlen=_KEPT)).append(slowed)
