"""What the first use of a card will cost beside the tensor, as far as that is known."""

from collections.abc import Mapping, Sequence

from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.simulated_cards import context_bytes
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.session import Session


def expected_contexts(session: Session, devices: Sequence[BenchDevice]) -> Mapping[str, int]:
    """By device, of those not used yet. Simulated cards tell it; real ones learn it from an
    equal card that was used.
    """
    seen = {each.label: each.context_bytes for each in devices if each.context_bytes}
    expected = {
        each.name: seen[each.label] or 0
        for each in devices
        if each.name and not each.context_bytes and each.label in seen
    }
    backend = session.backend
    if isinstance(backend, SimulatedBackend):
        models = {
            card.id: backend.machine.spec.cards[card.index].model
            for card in session.cards()
            if card.index < len(backend.machine.spec.cards)
        }
        expected |= {
            each.name: context_bytes(models[each.card])
            for each in devices
            if each.name and each.card in models and not each.context_bytes
        }
    return expected
