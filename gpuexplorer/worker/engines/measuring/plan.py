"""The numbers of a measurement: how many copies a sample has, how wide its gate is."""

import itertools
import math
import statistics
from collections.abc import Sequence

SAMPLE_SECONDS = 0.05
MOST_LOOPS = 100
MOST_HOST_LOOPS = 20_000
LATENCY_LOOPS = 100

WARM_SECONDS = 0.2  # a link that slept is awake by then
MOST_WARM_SECONDS = 1.5
_STEADY = 3  # copies in a row that must be alike
_ALIKE = 0.1

SHORTEST_GATE = 2e-3
LONGEST_GATE = 0.2  # Windows ends what holds a card for two seconds
_GATE_PER_OPERATION = 30e-6
QUEUE_HOLDS = 1000  # operations, before whoever asks for one more has to wait
BETWEEN_CARDS = 5  # operations that PyTorch makes of one copy from card to card

_SMALLEST_CHUNK = 1 << 18
_USUAL_CHUNK = 4 << 20
_MOST_CHUNKS = 64

READ_AT_ONCE = 16 << 20  # where targets are wiped and read back
_ALL_ROUNDS_BELOW = 64 << 20
_LEAST_ONE_BY_ONE = 4  # copies
_ONE_BY_ONE_SECONDS, _MOST_ONE_BY_ONE_SECONDS = 0.5, 5.0
PRODUCT = 1024  # rows and columns of the matrices that are multiplied beside a copy
MOST_PRODUCTS = 500
_TALLEST = 8
PRODUCT_BYTES = (2 * _TALLEST + 1) * PRODUCT * PRODUCT * 4  # at most


def loops_for(seconds: float, operations: int = 1) -> int:
    """Copies of a sample, for a copy that takes so long and so many places in the queue."""
    most = max(1, min(MOST_LOOPS, QUEUE_HOLDS // max(1, operations)))
    return _between(1, SAMPLE_SECONDS / max(seconds, 1e-9), most)


def host_loops_for(seconds: float) -> int:
    """Where no queue has to hold them."""
    return _between(1, SAMPLE_SECONDS / max(seconds, 1e-9), MOST_HOST_LOOPS)


def is_awake(durations: Sequence[float], spent: float) -> bool:
    """The link is up: it ran for a while, and the last copies took alike."""
    if spent < WARM_SECONDS:
        return False
    if spent >= MOST_WARM_SECONDS:
        return True
    last = durations[-_STEADY:]
    return len(last) == _STEADY and max(last) <= min(last) * (1 + _ALIKE)


def usual(durations: Sequence[float]) -> float:
    """What one copy takes now, by those that warmed the link up."""
    return statistics.median(durations[-_STEADY:])


def gate_for(operations: int) -> float:
    """Seconds for which the queue is held shut while so many operations are put into it."""
    return min(LONGEST_GATE, max(SHORTEST_GATE, operations * _GATE_PER_OPERATION))


def balanced(loops: Sequence[int], seconds: Sequence[float], most: int) -> "tuple[int, ...]":
    """So many copies each that all end at about the same time; `most` each, if that can be."""
    each = [max(taken, 1e-9) / count for count, taken in zip(loops, seconds, strict=True)]
    until = max(*each, min(max(seconds), most * min(each)))
    return tuple(max(1, round(until / one)) for one in each)


def alone_share(seconds: Sequence[float]) -> float:
    """For which part of its time the longest had the way to itself."""
    return 1 - min(seconds) / max(seconds)


def overlap_of(spans: "Sequence[tuple[float, float]]") -> float:
    """The share of the shortest in which all of them were under way."""
    common = min(end for _, end in spans) - max(begin for begin, _ in spans)
    return max(0.0, common) / max(min(end - begin for begin, end in spans), 1e-9)


def chunk_for(size: int) -> int:
    """For a copy that is staged through pinned memory of the host."""
    few = -(-size // _MOST_CHUNKS)
    return min(size, max(few, min(_USUAL_CHUNK, max(size // 8, _SMALLEST_CHUNK))))


def pieces_of(size: int, count: int) -> "tuple[tuple[int, int], ...]":
    """Begin and end of each; they differ by one byte at most."""
    edges = [size * number // count for number in range(count + 1)]
    return tuple(itertools.pairwise(edges))


def taller_for(copies: float, product: float) -> int:
    """Times as many rows of the left matrix, where the most products are over too soon."""
    return _between(1, math.ceil(copies / (MOST_PRODUCTS * max(product, 1e-9))), _TALLEST)


def products_for(copies: float, product: float) -> int:
    """Matrix products that last as long as the copies beside them."""
    return _between(1, copies / max(product, 1e-9), MOST_PRODUCTS)


def is_checked(sample: int, samples: int, size: int) -> bool:
    """Reading back takes longer than copying, so of large copies only some are looked at."""
    return size <= _ALL_ROUNDS_BELOW or sample in (0, samples // 2, samples - 1)


def goes_on_comparing(compared: int, spent: float) -> bool:
    """One copy after the other; of large ones, only some in a row."""
    enough = compared >= _LEAST_ONE_BY_ONE
    return spent < (_ONE_BY_ONE_SECONDS if enough else _MOST_ONE_BY_ONE_SECONDS)


def row_for(size: int) -> int:
    """The length of a row, of bytes that are taken from every other row."""
    return min(1024, size & -size)


def power_of_two(size: int) -> int:
    """What the pinned memory's allocator really takes."""
    return 1 << max(0, size - 1).bit_length()


def _between(least: int, value: float, most: int) -> int:
    return max(least, min(most, round(value)))
