"""What NVIDIA's driver says of itself and its cards, asked once for all topics.

A sleeping card is not woken for it, and a driver that hangs is given up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.looked_for import NVIDIA, DisplayController, display_controllers
from gpuexplorer.telemetry.patience import Asked


@dataclass(frozen=True, slots=True)
class Answer:
    """Source and cards, or the trouble that stood in the way; and what the PCI bus shows."""

    source: Source | None = None
    cards: Sequence[Card] = ()
    notes: Sequence[str] = ()
    trouble: Trouble | None = None
    asleep: bool = False  # not asked, so that the cards can go on sleeping
    on_the_bus: Sequence[DisplayController] | None = None

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
    asking = Asked(lambda: _answer(probe, on_the_bus))
    if asking.answered_within(probe.patience):
        return asking.result()
    trouble = Trouble(
        f"NVIDIA's driver did not answer within {probe.patience:g} s.",
        hint="Restart the computer if it stays so; `sudo dmesg` may say what it waits for.",
    )
    return Answer(trouble=trouble, on_the_bus=on_the_bus)


def _answer(probe: Probe, on_the_bus: Sequence[DisplayController] | None) -> Answer:
    try:
        backend = probe.open_backend()
        backend.open()
    except Trouble as trouble:
        return Answer(trouble=trouble, on_the_bus=on_the_bus)
    try:
        cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
        return Answer(backend.source, cards, backend.notes(), on_the_bus=on_the_bus)
    finally:
        backend.close()
