"""How a device's memory is divided, from the bottom of its gauge to the top."""

from collections.abc import Sequence
from enum import Enum

from PySide6.QtGui import QColor

from gpuexplorer.core.metrics import Unit
from gpuexplorer.core.units import (
    USUAL,
    Quantity,
    Units,
    measure,
    memory,
    part_of_memory,
    plain,
)
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.palette import Theme

_STEPS = [each * 10.0**power for power in range(-1, 4) for each in (1, 2, 4, 5, 6, 8)]
_LEAST_TICKS, _MOST_TICKS = 2, 4.5
_LEAST = 0.1  # of the unit of the whole


class Level(Enum):
    """One stretch of a gauge, and how it is filled."""

    TENSORS = "tensors"
    CACHE = "cache"
    CONTEXT = "context"
    OTHERS = "others"


def levels(device: BenchDevice) -> Sequence[tuple[Level, int]]:
    """In bytes, the lowest first."""
    tensors = device.tensor_bytes or 0
    rest = max(0, (device.cache_bytes or 0) - tensors)
    found = (
        (Level.OTHERS, device.others_bytes or 0),
        (Level.CONTEXT, device.context_bytes or 0),
        (Level.CACHE, rest),
        (Level.TENSORS, tensors),
    )
    return [(level, size) for level, size in found if size and device.total_bytes]


def amount(size: int, device: BenchDevice, units: Units = USUAL) -> Quantity:
    """In the unit of the whole, so that all on one device can be compared, as long as enough of
    it is left for that: 24 B of 24 GiB are 24 B.
    """
    whole = device.total_bytes or 0
    scale = measure(Unit.BYTES, whole, units)
    if not whole or 0 < scale.shown(size) < _LEAST:
        return memory(size, units)
    return part_of_memory(size, whole, units)


def ticks(total: int, units: Units) -> Sequence[tuple[float, str]]:
    """Shares of the whole, from 0 in even steps that are easy to read, and none above it."""
    scale = measure(Unit.BYTES, total, units)
    most = scale.shown(total)
    steps = [each for each in _STEPS if _LEAST_TICKS <= most / each <= _MOST_TICKS]
    # Where one of them ends where the scale does, that one is easiest to read.
    even = [each for each in steps if abs(most / each - round(most / each)) < 0.001]
    step = min(even or steps, default=most)
    count = int(most / step + 0.001) + 1
    return [(scale.value(at * step) / total, plain(at * step)) for at in range(count)]


def hue(theme: Theme, device: BenchDevice) -> QColor:
    """The card's colour; the host and cards that cannot be used have none."""
    return theme.card(device.colour if device.usable else None)
