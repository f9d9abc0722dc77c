"""Allocator: a card's memory as PyTorch's caching allocator would divide it. Needs no torch."""

from bisect import insort
from dataclasses import dataclass, field
from typing import Any

KIB, MIB, GIB = 1024, 1024**2, 1024**3

# The sizes of PyTorch's own allocator.
_SMALLEST = 512  # every block is a multiple
_SMALL = MIB  # up to here a block comes out of a small segment
_SMALL_SEGMENT = 2 * MIB
_LARGE_SEGMENT = 20 * MIB
_LARGE_FROM = 10 * MIB  # from here a block gets a segment of its own
_ROUND_LARGE = 2 * MIB
_EXABYTE = 1 << 60


class OutOfMemory(Exception):  # noqa: N818 - the engine makes PyTorch's own error of it
    """Carries what PyTorch would say."""


@dataclass(eq=False)
class _Segment:
    """What was taken from the card in one piece."""

    bytes: int
    small: bool


@dataclass(eq=False)
class Block:
    """A stretch of a segment, in use or free, between its neighbours."""

    segment: _Segment
    offset: int
    bytes: int
    free: bool = True
    before: "Block | None" = None
    after: "Block | None" = None


@dataclass
class Counts:
    """As torch.cuda's functions of these names tell them."""

    allocated: int = 0
    reserved: int = 0
    max_allocated: int = 0
    max_reserved: int = 0
    segments: int = 0
    out_of_memories: int = 0


@dataclass
class Allocator:
    """One card. The context takes its part when the card is first used."""

    index: int
    total_bytes: int
    context_bytes: int
    elsewhere_bytes: int = 0  # taken by other programs
    pid: int = 0
    fraction: float = 1.0
    counts: Counts = field(default_factory=Counts)
    awake: bool = False
    _free: "dict[bool, list[tuple[int, int, Block]]]" = field(
        default_factory=lambda: {True: [], False: []}
    )
    _serial: int = 0

    @property
    def free_bytes(self) -> int:
        """As cudaMemGetInfo tells it."""
        context = self.context_bytes if self.awake else 0
        return max(0, self.total_bytes - self.elsewhere_bytes - context - self.counts.reserved)

    def wake(self) -> None:
        """The first use makes a context, which stays until the process ends."""
        self.awake = True

    def allocate(self, asked_bytes: int) -> Block:
        """A block of at least so many bytes. Raises OutOfMemory, with nothing changed."""
        self.wake()
        size = _block_bytes(asked_bytes)
        small = size <= _SMALL
        block = self._best_fit(size, small) or self._new_segment(asked_bytes, size, small)
        self._split(block, size)
        block.free = False
        self.counts.allocated += block.bytes
        self.counts.max_allocated = max(self.counts.max_allocated, self.counts.allocated)
        return block

    def would_fit(self, asked_bytes: int) -> None:
        """Raises OutOfMemory as `allocate` would; takes nothing."""
        self.wake()
        size = _block_bytes(asked_bytes)
        small = size <= _SMALL
        if any(entry[0] >= size for entry in self._free[small]):
            return
        length = _segment_bytes(size, small)
        cached = sum(
            block.bytes
            for pool in self._free.values()
            for _, _, block in pool
            if block.bytes == block.segment.bytes
        )
        over = self.counts.reserved - cached + length > self.fraction * self.total_bytes
        if over or length > self.free_bytes + cached:
            raise OutOfMemory(self._text(asked_bytes, capped=over and self.fraction < 1.0))

    def release(self, block: Block) -> None:
        """Stays reserved, and is merged with free neighbours."""
        self.counts.allocated -= block.bytes
        block.free = True
        for neighbour in (block.before, block.after):
            if neighbour is not None and neighbour.free:
                self._take(neighbour)
                block = self._merged(neighbour, block)
        self._put(block)

    def empty_cache(self) -> None:
        """Segments of which nothing is in use go back to the card."""
        for small, blocks in self._free.items():
            kept = []
            for entry in blocks:
                block = entry[2]
                if block.bytes == block.segment.bytes:
                    self.counts.reserved -= block.bytes
                    self.counts.segments -= 1
                else:
                    kept.append(entry)
            self._free[small] = kept

    def reset_peaks(self) -> None:
        self.counts.max_allocated = self.counts.allocated
        self.counts.max_reserved = self.counts.reserved

    def _best_fit(self, size: int, small: bool) -> "Block | None":
        for entry in self._free[small]:
            block = entry[2]
            if block.bytes >= size:
                self._take(block)
                return block
        return None

    def _new_segment(self, asked: int, size: int, small: bool) -> Block:
        length = _segment_bytes(size, small)
        if self._over_fraction(length) or length > self.free_bytes:
            # As PyTorch does: give back what is only cached, and try once more.
            self.empty_cache()
        over = self._over_fraction(length)
        if over or length > self.free_bytes:
            raise OutOfMemory(self._text(asked, capped=over and self.fraction < 1.0))
        self.counts.reserved += length
        self.counts.segments += 1
        self.counts.max_reserved = max(self.counts.max_reserved, self.counts.reserved)
        return Block(_Segment(length, small), 0, length)

    def _over_fraction(self, length: int) -> bool:
        return self.counts.reserved + length > self.fraction * self.total_bytes

    def _split(self, block: Block, size: int) -> None:
        rest = block.bytes - size
        least = _SMALLEST if block.segment.small else _SMALL + 1
        if rest < least:
            return
        tail = Block(block.segment, block.offset + size, rest, before=block, after=block.after)
        if block.after is not None:
            block.after.before = tail
        block.after, block.bytes = tail, size
        self._put(tail)

    def _merged(self, one: Block, other: Block) -> Block:
        first, second = (one, other) if one.offset < other.offset else (other, one)
        first.bytes += second.bytes
        first.after = second.after
        if second.after is not None:
            second.after.before = first
        first.free = True
        return first

    def _put(self, block: Block) -> None:
        self._serial += 1
        insort(self._free[block.segment.small], (block.bytes, self._serial, block))

    def _take(self, block: Block) -> None:
        pool = self._free[block.segment.small]
        self._free[block.segment.small] = [each for each in pool if each[2] is not block]

    def _text(self, asked: int, *, capped: bool) -> str:
        """PyTorch's own words, with figures that add up."""
        self.counts.out_of_memories += 1
        counts = self.counts
        mine = counts.reserved + (self.context_bytes if self.awake else 0)
        allowed = f"{_size(int(self.fraction * self.total_bytes))} allowed; " if capped else ""
        others = (
            f"Process {self.pid + 1} has {_size(self.elsewhere_bytes)} memory in use. "
            if self.elsewhere_bytes
            else ""
        )
        return (
            f"CUDA out of memory. Tried to allocate {_size(asked)}. "
            f"GPU {self.index} has a total capacity of {_size(self.total_bytes)} "
            f"of which {_size(self.free_bytes)} is free. {others}"
            f"Including non-PyTorch memory, this process has {_size(mine)} memory in use. "
            f"{allowed}Of the allocated memory {_size(counts.allocated)} is allocated by "
            f"PyTorch, and {_size(counts.reserved - counts.allocated)} is reserved by PyTorch "
            "but unallocated. If reserved but unallocated memory is large try setting "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
            "documentation for Memory Management  "
            "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
        )


def _block_bytes(asked: int) -> int:
    if asked >= _EXABYTE:
        raise OutOfMemory("CUDA out of memory. Tried to allocate more than 1EB memory.")
    return max(_SMALLEST, -(-asked // _SMALLEST) * _SMALLEST)


def _segment_bytes(size: int, small: bool) -> int:
    if small:
        return _SMALL_SEGMENT
    if size < _LARGE_FROM:
        return _LARGE_SEGMENT
    return -(-size // _ROUND_LARGE) * _ROUND_LARGE


def _size(value: int) -> str:
    """As PyTorch writes sizes."""
    if value < KIB:
        return f"{value} bytes"
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if value >= unit:
            return f"{value / unit:.2f} {name}"
    raise AssertionError(value)


_POOLS = ("all", "small_pool", "large_pool")
_NAMES = (
    "allocated_bytes",
    "reserved_bytes",
    "active_bytes",
    "requested_bytes",
    "inactive_split_bytes",
    "allocation",
    "segment",
    "active",
    "inactive_split",
)


# Any: a table of tables, as torch._C gives it.
def memory_stats(memory: Allocator) -> "dict[str, Any]":
    counts = memory.counts
    allocated, reserved = (
        (counts.allocated, counts.max_allocated),
        (counts.reserved, counts.max_reserved),
    )
    known = {
        "allocated_bytes": allocated,
        "active_bytes": allocated,
        "reserved_bytes": reserved,
        "segment": (counts.segments, counts.segments),
    }

    def row(name: str = "", pool: str = "all") -> "dict[str, int]":
        current, peak = known.get(name, (0, 0)) if pool == "all" else (0, 0)
        return {"current": current, "peak": peak, "allocated": current, "freed": 0}

    return {
        **{name: {pool: row(name, pool) for pool in _POOLS} for name in _NAMES},
        "oversize_allocations": row(),
        "oversize_segments": row(),
        "num_alloc_retries": 0,
        "num_ooms": counts.out_of_memories,
        "max_split_size": -1,
    }
