"""Cargo: random bytes on their source, room on their target, and what should arrive."""

import ctypes
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from gpuexplorer.lab.events import Wrong
from gpuexplorer.worker.engines.measuring.plan import HOST, READ_AT_ONCE, pieces_of
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_WIPED = 0xA5  # neither nothing nor what was sent
_BLOCK = 8 << 20  # bytes


# Any throughout: tensors are PyTorch's.
class Cargo:
    """`pairs` are its pieces, target first."""

    def __init__(
        self,
        cards: TorchCards,
        source: str,
        target: str,
        size: int,
        *,
        pinned: bool = False,
        pieces: int = 1,
        near: "Callable[[], AbstractContextManager[bool | None]]" = nullcontext,
    ) -> None:
        self.ends = source, target  # by name
        self._cards = cards
        self.target = self._memory(target, size, near, pinned=pinned)
        self.source = self._memory(source, size, near, pinned=pinned)
        # What the source holds, as the host knows it.
        self._sent = random_bytes(size, into=self.source if source == HOST else None)
        if source != HOST:
            cards.copy(self.source, self._sent, wait=True)
        self.pairs = [
            (self.target[begin:end], self.source[begin:end])
            for begin, end in pieces_of(size, pieces)
        ]

    def wipe(self) -> None:
        """So that what is found afterwards was brought by the copies."""
        blank = torch.full((min(len(self.target), READ_AT_ONCE),), _WIPED, dtype=torch.uint8)
        for part in self.target.split(READ_AT_ONCE):
            self._cards.copy(part, blank[: len(part)], wait=True)

    def check(self) -> "Wrong | None":
        """Reads what arrived by way of the host, whatever way the copies took."""
        return self._compared(self.target, self.ends[1])

    def is_source_as_sent(self) -> bool:
        """Whether the bytes had already been lost before the copies began."""
        return self._compared(self.source, self.ends[0]) is None

    def _memory(
        self,
        device: str,
        size: int,
        near: "Callable[[], AbstractContextManager[bool | None]]",
        *,
        pinned: bool,
    ) -> Any:
        if device != HOST:
            return self._cards.take(device, size)
        with near() as is_near:
            memory = self._cards.take(device, size, pinned=pinned)
            if is_near and not pinned:  # it lies where it is touched first
                ctypes.memset(memory.data_ptr(), 0, size)
        return memory

    def _compared(self, where: Any, device: str) -> "Wrong | None":
        read = (
            None
            if device == HOST
            else torch.empty(min(len(where), READ_AT_ONCE), dtype=torch.uint8)
        )
        count, first, zeros, begin = 0, -1, True, 0
        for came, sent in zip(
            where.split(READ_AT_ONCE), self._sent.split(READ_AT_ONCE), strict=True
        ):
            if read is not None:
                self._cards.copy(read[: len(came)], came, wait=True)
                came = read[: len(came)]  # noqa: PLW2901 - by way of the host
            if not _is_same(sent, came):
                places = (sent != came).nonzero().flatten()
                first = first if count else begin + int(places[0])
                count += len(places)
                zeros = zeros and not bool(came[places].any())
            begin += len(came)
        return Wrong(1, 1, count, first, zeros) if count else None


def _is_same(one: Any, other: Any) -> bool:
    """Eight bytes at a time, where they are as many."""
    if len(one) % 8 == 0 and one.storage_offset() % 8 == other.storage_offset() % 8 == 0:
        one, other = one.view(torch.int64), other.view(torch.int64)
    return bool(torch.equal(one, other))


def random_bytes(size: int, into: Any = None) -> Any:
    """Anew each time. A block that lands a block too far is not what should be there."""
    found = torch.empty(size, dtype=torch.uint8) if into is None else into
    # A generator of its own: the lab's random numbers go on as if nothing had been drawn.
    chance = torch.Generator().manual_seed(int.from_bytes(os.urandom(7), "big"))
    block = torch.randint(0, 256, (min(size, _BLOCK),), dtype=torch.uint8, generator=chance)
    for number, part in enumerate(found.split(_BLOCK)):
        torch.add(block[: len(part)], number % 256, out=part)
    return found
