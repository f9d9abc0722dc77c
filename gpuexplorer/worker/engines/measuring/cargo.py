"""Cargo: random bytes on their source, room on their target, and what should arrive."""

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from gpuexplorer.lab.events import Wrong
from gpuexplorer.worker.engines.measuring.plan import READ_AT_ONCE, pieces_of, row_for
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_WIPED = 0xA5  # neither nothing nor what was sent
_BLOCK = 8 << 20  # bytes
_FLOATS = 2 << 20
_MOST_FACTOR = 251  # float16 can still hold what comes of it


# Any throughout: tensors are PyTorch's.
class Cargo:
    """Both ends have the shape in which it is copied; `pairs` are its pieces, target first."""

    def __init__(
        self,
        cards: TorchCards,
        source: str,
        target: str,
        size: int,
        *,
        mode: str = "copy",
        pinned: bool = False,
        pieces: int = 1,
        near: "Callable[[], AbstractContextManager[bool | None]]" = nullcontext,
    ) -> None:
        self.source: Any
        self.target: Any
        self._sent: Any
        self._cards = cards
        self._near = near
        self.ends = source, target  # by name
        self._size, self._mode, self._pinned, self._pieces = size, mode, pinned, pieces
        self.renew()

    def renew(self) -> None:
        """Other memory, on the host such as nobody has used, and other bytes."""
        self.source = self.target = self._sent = None
        self.target = self._room(self.ends[1])
        self.source, self._sent = self._load()
        self.pairs = [(self.target, self.source)]
        if self._pieces > 1:
            self.pairs = [
                (self.target[begin:end], self.source[begin:end])
                for begin, end in pieces_of(self._size, self._pieces)
            ]

    def wipe(self) -> None:
        """So that what is found afterwards was brought by the copies."""
        blank = None
        for begin, end in self._parts():
            part = self.target[begin:end]
            if blank is None:
                blank = torch.full((part.nbytes,), _WIPED, dtype=torch.uint8)
                blank = blank.view(part.dtype).view(part.shape)
            self._cards.copy(part, blank[: len(part)], wait=True)

    def check(self) -> "Wrong | None":
        """Reads what arrived by way of the host, whatever way the copies took."""
        return self._compared(self.target, self.ends[1], self.target.dtype)

    def is_source_as_sent(self) -> bool:
        """Whether the bytes had already been lost before the copies began."""
        return self._compared(self.source, self.ends[0], self.source.dtype) is None

    def _load(self) -> "tuple[Any, Any]":
        """The source, and what it holds as the host knows it."""
        if self._mode == "converted":
            sent = random_floats(self._size // 4)
            source = self._memory(self.ends[0], self._size).view(torch.float32)
        elif self._mode == "strided":
            row = row_for(self._size)
            sent = random_bytes(self._size).view(-1, row)
            source = self._memory(self.ends[0], 2 * self._size).view(-1, row)[::2]
        else:
            source = self._memory(self.ends[0], self._size)
            if self.ends[0] == "cpu":
                return random_bytes(self._size, into=source), source
            sent = random_bytes(self._size)
        self._cards.copy(source, sent, wait=True)
        return source, sent

    def _room(self, device: str) -> Any:
        if self._mode == "converted":
            return self._memory(device, self._size // 2).view(torch.float16)
        room = self._memory(device, self._size)
        return room.view(-1, row_for(self._size)) if self._mode == "strided" else room

    def _memory(self, device: str, size: int) -> Any:
        if device != "cpu":
            return self._cards.take(device, size)
        if self._mode == "fresh":
            return self._cards.untouched(size)
        with self._near() as near:
            memory = self._cards.take(device, size, pinned=self._pinned)
            if near and not self._pinned:  # it lies where it is touched first
                ctypes.memset(memory.data_ptr(), 0, size)
        return memory

    def _compared(self, where: Any, device: str, dtype: Any) -> "Wrong | None":
        read = None
        found_at: list[tuple[int, int]] = []
        zeros = True
        done = 0
        for begin, end in self._parts():
            part = where[begin:end]
            if device != "cpu":
                if read is None:
                    read = torch.empty(part.shape, dtype=part.dtype)
                self._cards.copy(read[: len(part)], part, wait=True)
                part = read[: len(part)]
            sent = _as_bytes(self._sent[begin:end].to(dtype))
            came = _as_bytes(part)
            if not _is_same(sent, came):
                places = (sent != came).nonzero().flatten()
                found_at.append((len(places), done + int(places[0])))
                zeros = zeros and not bool(came[places].any())
            done += len(came)
        if not found_at:
            return None
        return Wrong(1, 1, sum(count for count, _ in found_at), found_at[0][1], zeros)

    def _parts(self) -> "Iterator[tuple[int, int]]":
        """Of the first dimension, so much as is read at once."""
        length = len(self.target)
        step = max(1, READ_AT_ONCE * length // self._size)
        for begin in range(0, length, step):
            yield begin, min(begin + step, length)


def _as_bytes(tensor: Any) -> Any:
    return tensor.contiguous().view(torch.uint8).flatten()


def _is_same(one: Any, other: Any) -> bool:
    """Eight bytes at a time, where they are as many."""
    if len(one) % 8 == 0 and one.storage_offset() % 8 == other.storage_offset() % 8 == 0:
        one, other = one.view(torch.int64), other.view(torch.int64)
    return bool(torch.equal(one, other))


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
    """One of its own: the lab's random numbers go on as if nothing had been drawn."""
    return torch.Generator().manual_seed(int.from_bytes(os.urandom(7), "big"))
