"""How a drawn machine looks at this moment: its wiring, and the newest reading of each card."""

from gpuexplorer.core.cards import CardKind
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.wiring import Wiring
from gpuexplorer.gui.wording.machine.machine_face import MachineNow


def machine_now(machine: MachineState, wiring: Wiring) -> MachineNow | None:
    """None while nothing is known of how the cards that are listed are wired."""
    shape, topology = wiring.shape, wiring.topology
    cards = {
        shown.card.id: shown for shown in machine.cards() if shown.card.kind is CardKind.GPU
    }
    if shape is None or topology is None:
        return None
    if not set(cards) >= {*shape.home, *shape.loose} or not shape.home:
        return None
    return MachineNow(
        shape,
        topology,
        machine.cards(),
        cards,
        {card: machine.known(card) for card in cards},
        {card: machine.face(shown) for card, shown in cards.items()},
        machine.host_face(),
        machine.settings.choices.units,
    )
