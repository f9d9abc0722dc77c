"""What NVIDIA's driver says of itself and its cards, asked once for all topics.

A sleeping card is not woken for it, and a driver that hangs is given up.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.looked_for import NVIDIA, DisplayController, display_controllers


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
    answers: list[Answer] = []
    # A wedged driver never returns: its thread is left behind and must not hold the program.
    asking = threading.Thread(
        target=lambda: answers.append(_answer(probe, on_the_bus)),
        name="doctor-asks-the-driver",
        daemon=True,
    )
    asking.start()
    asking.join(probe.patience)
    if answers:
        return answers[0]
    if asking.is_alive():
        trouble = Trouble(
            f"NVIDIA's driver did not answer within {probe.patience:g} s.",
            hint="Restart the computer if it stays so.",
        )
    else:
        trouble = Trouble(
            "Asking the driver failed because of a fault in GPU Explorer.",
            hint="Report the lines above to the makers of GPU Explorer.",
        )
    return Answer(trouble=trouble, on_the_bus=on_the_bus)


def _answer(probe: Probe, on_the_bus: Sequence[DisplayController] | None) -> Answer:
    backend = probe.open_backend()
    try:
        backend.open()
        cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
        return Answer(backend.source, cards, backend.notes(), on_the_bus=on_the_bus)
    except Trouble as trouble:
        return Answer(trouble=trouble, on_the_bus=on_the_bus)
    finally:
        backend.close()
