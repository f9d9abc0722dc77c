"""FleetNow: what a Prometheus tells of all cards at one moment, as plain values."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.firing import Alert
from gpuexplorer.fleet.identity import FleetCard
from gpuexplorer.fleet.reasons import Reasons

Values = Mapping[CardId, float]


class FleetNow(NamedTuple):
    """All that is known at one moment. What is in `values` of nobody is missing: see `why`."""

    at: float  # wall clock of this computer
    cards: Mapping[CardId, FleetCard]
    values: Mapping[MetricId, Values]
    ages: Values  # seconds since the exporter was read; not there for cards of before
    states: Mapping[CardId, CardState]  # where somebody tells
    told: Mapping[str, frozenset[MetricId]]  # by exporter
    reasons: Reasons  # why a figure is missing, where more is known than that
    xids: Mapping[CardId, int]  # the newest Xid error, or the highest of them
    alerts: Sequence[Alert] = ()
    notes: Sequence[Message] = ()

    def why(self, card: FleetCard, metric: MetricId) -> Absence:
        """Why there is no figure of it."""
        if (told := self.reasons.get(card.id, {}).get(metric)) is not None:
            return told
        if any(metric in self.told.get(each, ()) for each in card.exporters):
            return Absence.NO_NEW_VALUE
        return Absence.NOT_TOLD

    def state(self, card: CardId) -> CardState:
        if card not in self.ages:
            return CardState.NO_ANSWER
        return self.states.get(card, CardState.WORKING)
