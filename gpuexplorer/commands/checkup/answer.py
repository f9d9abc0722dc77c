"""What NVIDIA's driver says of itself and its cards, asked once for all topics.

A sleeping card is not woken for it; a driver that hangs, and a card that hangs, is given up.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import Backend, Source
from gpuexplorer.telemetry.card_course import USABLE, why_no_figures
from gpuexplorer.telemetry.looked_for import NVIDIA, DisplayController, display_controllers
from gpuexplorer.telemetry.patience import Asked

_ANSWERING = (CardState.WORKING, CardState.ASLEEP)


@dataclass(frozen=True, slots=True)
class Answer:
    """Source and cards, or the trouble that stood in the way; and what the PCI bus shows."""

    source: Source | None = None
    cards: Sequence[Card] = ()  # all that the driver lists, even those that do not answer
    states: Mapping[CardId, CardState] = field(default_factory=dict)
    # Why a card that answers gives none of the figures that a person could use.
    no_figures: Mapping[CardId, Absence] = field(default_factory=dict)
    notes: Sequence[Message] = ()
    trouble: Trouble | None = None
    asleep: bool = False  # not asked, so that the cards can go on sleeping
    on_the_bus: Sequence[DisplayController] | None = None

    @property
    def answering(self) -> Sequence[Card]:
        """The cards that could be read, or that sleep and can be."""
        return [card for card in self.cards if self.states[card.id] in _ANSWERING]

    @property
    def nvidia_on_the_bus(self) -> Sequence[DisplayController] | None:
        if self.on_the_bus is None:
            return None
        return [one for one in self.on_the_bus if one.vendor_id == NVIDIA]


def ask(probe: Probe) -> Answer:
    on_the_bus = display_controllers(probe)
    ours = [one for one in on_the_bus or () if one.vendor_id == NVIDIA]
    if ours and all(one.asleep for one in ours):
        return Answer(asleep=True, on_the_bus=on_the_bus)
    opening = Asked(lambda: _opened(probe))
    if not opening.answered_within(probe.patience):
        trouble = Trouble(
            "NVIDIA's driver did not answer within {seconds:g} s.",
            "Restart the computer if this goes on; `sudo dmesg` may say what it waits for.",
            seconds=probe.patience,
        )
        return Answer(trouble=trouble, on_the_bus=on_the_bus)
    try:
        backend = opening.result()
    except Trouble as trouble:
        return Answer(trouble=trouble, on_the_bus=on_the_bus)
    cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
    readings = _readings(backend, cards, probe.patience)
    answer = Answer(
        backend.source,
        cards,
        {
            card.id: readings[card.id].state if card.id in readings else CardState.NO_ANSWER
            for card in cards
        },
        {
            card: why
            for card, reading in readings.items()
            if reading.state is CardState.WORKING
            and (why := why_no_figures(reading.values, reading.missing)) is not None
        },
        backend.notes(),
        on_the_bus=on_the_bus,
    )
    Asked(backend.close).answered_within(probe.patience)
    return answer


def _opened(probe: Probe) -> Backend:
    backend = probe.open_backend()
    backend.open()
    return backend


def _readings(
    backend: Backend, cards: Sequence[Card], patience: float
) -> Mapping[CardId, Sample]:
    """One of each card that answers in time, all of them asked at once."""
    asked = {
        card.id: Asked(partial(backend.read, card.id, frozenset(USABLE)))
        for card in cards
        if not card.nameless and card.denied is None
    }
    until = time.monotonic() + patience
    return {
        card: reading.result()
        for card, reading in asked.items()
        if reading.answered_within(max(0.0, until - time.monotonic()))
    }
