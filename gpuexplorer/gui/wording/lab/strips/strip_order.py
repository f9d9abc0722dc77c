"""Which cards the lab's strips show, and in which order."""

from collections.abc import Mapping, Sequence

from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import Memory


def strip_order(
    devices: Sequence[BenchDevice], memory: Mapping[str, Memory], room: int
) -> Sequence[BenchDevice]:
    """In PyTorch's order; where not all have room, those that hold something come first."""
    cards = [each for each in devices if each.is_card and each.name]
    if len(cards) <= room:
        return cards
    return sorted(cards, key=lambda each: not _holds(memory.get(each.name)))


def _holds(memory: Memory | None) -> bool:
    return memory is not None and bool(memory.reserved_bytes or memory.context_bytes)
