"""Random bytes and floats that differ from place to place, made as fast as copied."""

import os
from typing import Any

import torch

_BLOCK = 8 << 20  # bytes
_FLOATS = 2 << 20
_MOST_FACTOR = 251  # float16 can still hold what comes of it


def random_bytes(size: int, into: Any = None) -> Any:
    """Anew each time. A block that lands a block too far is not what should be there."""
    found = torch.empty(size, dtype=torch.uint8) if into is None else into
    block = torch.randint(0, 256, (min(size, _BLOCK),), dtype=torch.uint8, generator=_anew())
    for number, begin in enumerate(range(0, size, _BLOCK)):
        part = found[begin : begin + _BLOCK]
        torch.add(block[: len(part)], number % 256, out=part)
    return found


def random_floats(count: int) -> Any:
    found = torch.empty(count, dtype=torch.float32)
    block = torch.rand(min(count, _FLOATS), generator=_anew())
    for number, begin in enumerate(range(0, count, _FLOATS)):
        part = found[begin : begin + _FLOATS]
        torch.mul(block[: len(part)], 1 + number % _MOST_FACTOR, out=part)
    return found


def _anew() -> "torch.Generator":
    """Of its own: the lab's random numbers go on as if nothing had been drawn."""
    return torch.Generator().manual_seed(int.from_bytes(os.urandom(7), "big"))
