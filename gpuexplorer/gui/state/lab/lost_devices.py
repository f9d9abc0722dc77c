"""Devices of PyTorch whose cards do not answer any more."""

from collections.abc import Callable, Sequence

from gpuexplorer.core.cards import CardState
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice


def lost_devices(
    machine: MachineState, devices: Callable[[], Sequence[BenchDevice]]
) -> tuple[str, ...]:
    """By PyTorch's names. `devices` is asked only where a card is lost."""
    readings = {each.card.id: machine.session.reading(each.card.id) for each in machine.cards()}
    lost = {
        card
        for card, reading in readings.items()
        if reading is not None and reading.state in (CardState.LOST, CardState.UNLISTED)
    }
    if not lost:
        return ()
    return tuple(each.name for each in devices() if each.card in lost and each.name)
