"""A card's memory, as PyTorch's caching allocator would divide it."""

import os
from bisect import bisect_left, insort
from dataclasses import dataclass
from typing import Any

import torch

KIB, MIB, GIB = 1024, 1024**2, 1024**3

# The sizes of PyTorch's own allocator.
_SMALLEST = 512  # every block is a multiple
_SMALL = MIB  # up to here a block comes out of a small segment
_SMALL_SEGMENT = 2 * MIB
_LARGE_SEGMENT = 20 * MIB
_LARGE_FROM = 10 * MIB  # from here a block gets a segment of its own
_ROUND_LARGE = 2 * MIB


@dataclass(eq=False)
class Block:
    """A stretch of a segment, which was taken from the card in one piece."""

    pool: str  # by the segment
    bytes: int
    segment: "list[Block]"  # all of it, in their order there
    asked: int = 0
    free: bool = True


_POOLS = "small_pool", "large_pool"
_BLOCKS = "allocation", "allocated_bytes", "requested_bytes"
_SEGMENTS = "segment", "reserved_bytes"
_SPLIT = "inactive_split", "inactive_split_bytes"


class Allocator:
    """The context takes its part when the card is first used."""

    def __init__(
        self, index: int, total_bytes: int, context_bytes: int, elsewhere: int
    ) -> None:
        self.index, self.total_bytes, self.context_bytes = index, total_bytes, context_bytes
        self.elsewhere_bytes = elsewhere  # taken by other programs
        self.fraction = 1.0
        self.awake = False
        self._retries = self._refused = 0
        # Current, peak, and all that was ever added.
        self._stats = {
            name: {pool: [0, 0, 0] for pool in ("all", *_POOLS)}
            for name in (*_BLOCKS, *_SEGMENTS, *_SPLIT)
        }
        self._free: dict[str, list[tuple[int, int, Block]]] = {pool: [] for pool in _POOLS}

    @property
    def allocated(self) -> int:
        return self._stats["allocated_bytes"]["all"][0]

    @property
    def reserved(self) -> int:
        return self._stats["reserved_bytes"]["all"][0]

    @property
    def free_bytes(self) -> int:
        """As cudaMemGetInfo tells it."""
        context = self.context_bytes if self.awake else 0
        return max(0, self.total_bytes - self.elsewhere_bytes - context - self.reserved)

    def allocate(self, asked: int) -> Block:
        """A block of at least so many bytes. Where it raises, nothing was changed."""
        size = max(_SMALLEST, -(-asked // _SMALLEST) * _SMALLEST)
        pool = "small_pool" if size <= _SMALL else "large_pool"
        free = self._free[pool]
        best = bisect_left(free, (size, 0))
        if best < len(free):
            block = free[best][2]
            self._take(block)
        else:
            block = self._segment(pool, size, asked)
        rest = block.bytes - size
        if rest >= (_SMALLEST if pool == "small_pool" else _SMALL + 1):
            tail = Block(pool, rest, block.segment)
            block.segment.insert(block.segment.index(block) + 1, tail)
            block.bytes = size
            self._put(tail)
        block.free, block.asked = False, asked
        self._count(pool, _BLOCKS, 1, block.bytes, asked)
        return block

    def _segment(self, pool: str, size: int, asked: int) -> Block:
        length = -(-size // _ROUND_LARGE) * _ROUND_LARGE
        if size < _LARGE_FROM:
            length = _SMALL_SEGMENT if size <= _SMALL else _LARGE_SEGMENT
        if not self._has_room(length):
            self._retries += 1
            self.empty_cache()
            if not self._has_room(length):
                self._refused += 1
                raise torch.OutOfMemoryError(self._text(asked, length))
        self._count(pool, _SEGMENTS, 1, length)
        block = Block(pool, length, [])
        block.segment.append(block)
        return block

    def release(self, block: Block) -> None:
        """Stays reserved, and is merged with free neighbours."""
        self._count(block.pool, _BLOCKS, -1, -block.bytes, -block.asked)
        block.free = True
        segment = block.segment
        at = segment.index(block)
        for other in [*segment[max(0, at - 1) : at], *segment[at + 1 : at + 2]]:
            if other.free:
                self._take(other)
                segment.remove(other)
                block.bytes += other.bytes
        self._put(block)

    def empty_cache(self) -> None:
        """Segments of which nothing is in use go back to the card."""
        for pool, free in self._free.items():
            for entry in [each for each in free if len(each[2].segment) == 1]:
                free.remove(entry)
                self._count(pool, _SEGMENTS, -1, -entry[2].bytes)

    def reset_peaks(self) -> None:
        for pools in self._stats.values():
            for stat in pools.values():
                stat[1] = stat[0]

    def stats(self) -> "dict[str, Any]":  # Any: a table of tables, as torch._C gives it
        def row(current: int = 0, peak: int = 0, added: int = 0) -> "dict[str, int]":
            freed = added - current
            return {"current": current, "peak": peak, "allocated": added, "freed": freed}

        told: dict[str, Any] = {
            name: {pool: row(*stat) for pool, stat in pools.items()}
            for name, pools in self._stats.items()
        }
        # A block is given back as soon as nobody holds it: what is allocated is active.
        told |= {"active": told["allocation"], "active_bytes": told["allocated_bytes"]}
        told |= dict.fromkeys(("oversize_allocations", "oversize_segments"), row())
        counts = {"num_alloc_retries": self._retries, "num_ooms": self._refused}
        return {**told, **counts, "max_split_size": -1}

    def _count(self, pool: str, names: "tuple[str, ...]", *amounts: int) -> None:
        """Added where it is more than 0, else taken away. Called often."""
        for name, amount in zip(names, amounts, strict=True):
            pools = self._stats[name]
            for stat in (pools["all"], pools[pool]):
                stat[0] += amount
                if amount > 0:
                    stat[2] += amount
                    if stat[0] > stat[1]:  # noqa: PLR1730 - twice as fast
                        stat[1] = stat[0]

    def _put(self, block: Block) -> None:
        insort(self._free[block.pool], (block.bytes, id(block), block))
        if len(block.segment) > 1:
            self._count(block.pool, _SPLIT, 1, block.bytes)

    def _take(self, block: Block) -> None:
        pool = self._free[block.pool]
        del pool[bisect_left(pool, (block.bytes, id(block)))]
        if len(block.segment) > 1:
            self._count(block.pool, _SPLIT, -1, -block.bytes)

    def _has_room(self, length: int) -> bool:
        allowed = self.reserved + length <= self.fraction * self.total_bytes
        return allowed and length <= self.free_bytes

    def _text(self, asked: int, length: int) -> str:
        """PyTorch's own words, with figures that add up."""
        mine = self.reserved + (self.context_bytes if self.awake else 0)
        limit = int(self.fraction * self.total_bytes)
        capped = self.fraction < 1.0 and self.reserved + length > limit
        allowed = f"{_size(limit)} allowed; " if capped else ""
        others = (
            f"Process {os.getpid() + 1} has {_size(self.elsewhere_bytes)} memory in use. "
            if self.elsewhere_bytes
            else ""
        )
        return (
            f"CUDA out of memory. Tried to allocate {_size(asked)}. "
            f"GPU {self.index} has a total capacity of {_size(self.total_bytes)} "
            f"of which {_size(self.free_bytes)} is free. {others}"
            f"Including non-PyTorch memory, this process has {_size(mine)} memory in use. "
            f"{allowed}Of the allocated memory {_size(self.allocated)} is allocated by "
            f"PyTorch, and {_size(self.reserved - self.allocated)} is reserved by PyTorch "
            "but unallocated. If reserved but unallocated memory is large try setting "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
            "documentation for Memory Management  "
            "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
        )


def _size(value: int) -> str:
    """As PyTorch writes sizes."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if value >= unit:
            return f"{value / unit:.2f} {name}"
    return f"{value} bytes"
