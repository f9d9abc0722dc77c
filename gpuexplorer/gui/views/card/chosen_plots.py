"""ChosenPlots: which metrics are plotted of which card, from one start to the next."""

import json
from collections.abc import Sequence

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.wording.facts.plot_families import offered, usual
from gpuexplorer.telemetry.latest import Reading


class ChosenPlots:
    """What cannot be read, or is in the catalogue no more, is as if it was never chosen."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._usual: dict[CardId, Sequence[MetricId]] = {}

    def of(self, card: Card, reading: Reading) -> Sequence[MetricId]:
        kept = self._kept(card)
        if kept is None:
            if reading.values:
                self._usual[card.id] = usual(card, reading)
            # Of a card that was lost the same is shown on.
            return self._usual.get(card.id) or usual(card, reading)
        return [metric for metric in offered(card) if metric in kept]

    def toggle(self, card: Card, reading: Reading, metric: MetricId) -> None:
        chosen = set(self.of(card, reading))
        chosen.symmetric_difference_update({metric})
        self._settings.remember(_key(card), json.dumps(sorted(chosen)))

    def back_to_usual(self, card: Card) -> None:
        self._settings.remember(_key(card), "")

    def _kept(self, card: Card) -> frozenset[str] | None:
        text = self._settings.remembered(_key(card))
        if not text:
            return None
        try:
            kept = json.loads(text)
        except json.JSONDecodeError:
            return None
        if not isinstance(kept, list):
            return None
        return frozenset(each for each in kept if isinstance(each, str))


def _key(card: Card) -> str:
    return f"card/plots/{card.id}"
