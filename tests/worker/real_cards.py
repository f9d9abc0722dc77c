"""For tests marked `gpu`: the cards of this PyTorch, and what is known of their memory."""

import statistics
from typing import Any

import pytest
import torch

from gpuexplorer.lab.events import Measured


def skip_without_cards(count: int) -> None:
    """The first ones: a card may be there that this PyTorch has no kernels for."""
    here = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if here < count:
        pytest.skip("one card only" if here else "no card that PyTorch can use")
    for index in range(count):
        try:
            torch.zeros(1, device=f"cuda:{index}").add_(1)
        except RuntimeError as error:
            pytest.skip(f"cuda:{index} cannot be used: {str(error).splitlines()[0]}")


def usual(measured: Measured) -> float:
    return statistics.median(measured.samples_s)


def rate_of(measured: Measured, size: int) -> float:
    """Bytes per second."""
    return size / usual(measured)


def cache_bytes() -> int:
    """What the first card keeps of its memory in its L2; 0 where PyTorch does not say."""
    return int(getattr(_properties(), "L2_cache_size", 0))


def beyond_caches(least: int) -> int:
    """Bytes of which no more than a few could still be in the cache when they are read."""
    size = least
    while size < 8 * cache_bytes():
        size *= 2
    return size


def memory_rate() -> float:
    """Bytes per second, read and written, as the card itself tells it, where it does."""
    kilohertz = getattr(_properties(), "memory_clock_rate", 0)
    bits = getattr(_properties(), "memory_bus_width", 0)
    return 2 * kilohertz * 1e3 * bits / 8 or float("inf")


def _properties() -> Any:  # PyTorch's own
    return torch.cuda.get_device_properties(0)
