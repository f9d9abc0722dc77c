"""CardPast: what a card's history says besides its lines: when it was slowed, its energy."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.card.plot_contents import VisibleStretch
from gpuexplorer.gui.card.words import energy_fact, energy_in, slowed_fact
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.facts import Fact
from gpuexplorer.gui.cards.reasons import HARMFUL, ORDINARY, midnight
from gpuexplorer.gui.cards.throttling import (
    REASONS,
    EnergyUsed,
    SlowedSpan,
    energy_used,
    ever_held,
    slowed_stretches,
    slowed_time,
)
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import DAY, TimeWindow
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.trace import Trace

# What a whole day says does not change at a glance, and takes long to add up.
_FAR_BACK_EVERY = 5.0
# Whoever began within the first minute of the day knows all of it.
_WHOLE_DAY = 60.0
# The first that a card reports; most report the first.
_USUAL = (*ORDINARY, *HARMFUL)


class CardPast:
    """Read once for each picture, and asked for by all its parts."""

    def __init__(self, machine: MachineState, time_window: TimeWindow) -> None:
        self._machine = machine
        self._time_window = time_window
        self._card: CardId | None = None
        self.stretch = VisibleStretch(0.0, 1.0, 2)
        self.slowed: Sequence[SlowedSpan] = ()
        self._traces: Mapping[MetricId, Trace] = {}
        self._looked_far_back_at = float("-inf")
        self._held: set[MetricId] = set()
        self._today: EnergyUsed | None = None

    def forget(self) -> None:
        """Another card is looked at."""
        self._looked_far_back_at = float("-inf")

    def read(self, shown: Shown, reading: Reading, columns: int) -> None:
        """When it was slowed, within the visible stretch."""
        past, card = self._machine.past, shown.card.id
        if card != self._card:
            self._card = card
            self.forget()
        self._look_far_back(card)
        self._held |= {reason for reason in REASONS if reading.values.get(reason)}
        start, end = self._time_window.stretch()
        self.stretch = VisibleStretch(start, end, columns)
        # One is asked for in any case: it says how much was recorded.
        told = next((reason for reason in _USUAL if reason in reading.values), _USUAL[0])
        self._traces = {
            reason: past.trace(card, reason, start, end, columns)
            for reason in REASONS
            if reason in self._held or reason == told
        }
        self.slowed = slowed_stretches(self._traces, end - start)

    def facts(self) -> Sequence[Fact]:
        """Slower than the rest: not for every step of a pan."""
        start, end = self.stretch.start, self.stretch.end
        span = end - start
        slowed = slowed_fact(slowed_time(self._traces), span)
        used = None
        if self._card is not None:
            used = energy_used(self._machine.past, self._card, start, end)
        today = tr("Energy today")
        if self._today is not None and self._today.since > self._midnight() + _WHOLE_DAY:
            wall = self._time_window.wall(self._today.since)
            since = datetime.fromtimestamp(wall).astimezone()
            today = tr("Energy since {time}", time=f"{since:%H:%M}")
        return slowed, energy_in(span, used), energy_fact("energy_today", today, self._today)

    def _look_far_back(self, card: CardId) -> None:
        now = self._time_window.now()
        if abs(now - self._looked_far_back_at) < _FAR_BACK_EVERY:
            return
        self._looked_far_back_at = now
        self._today = energy_used(self._machine.past, card, self._midnight(), now)
        self._held = ever_held(self._machine.past, card, now - DAY, now)

    def _midnight(self) -> float:
        """On the steady clock."""
        now = self._time_window.now()
        wall = self._time_window.wall(now)
        return now - (wall - midnight(wall))
