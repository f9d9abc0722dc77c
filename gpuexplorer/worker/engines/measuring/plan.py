"""What is decided before a copy is measured: what makes no sense, what finds room, how many
copies a sample has. Needs no PyTorch.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.wire import CopyJob, Measure, fitted

HOST = "cpu"
SAMPLE_SECONDS = 0.05
MOST_LOOPS = 100
MOST_HOST_LOOPS = 20_000
LATENCY_LOOPS = 100

QUEUE_HOLDS = 1000  # operations, before whoever asks for one more has to wait
BETWEEN_CARDS = 5  # operations that PyTorch makes of one copy from card to card

_SMALLEST_CHUNK = 1 << 18
_USUAL_CHUNK = 4 << 20
_MOST_CHUNKS = 64

READ_AT_ONCE = 16 << 20  # where targets are wiped and read back
PRODUCT = 1024  # rows and columns of the matrices that are multiplied beside a copy
TALLEST = 8
PRODUCT_BYTES = (2 * TALLEST + 1) * PRODUCT * PRODUCT * 4  # at most

_SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_MOST_QUEUES = 32  # of one card: PyTorch hands out as many in turn, and CUDA runs no more


def size_in_words(size: int) -> str:
    for unit, name in _SIZES:
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} B"


def engine_of(source: str, target: str) -> str:
    """The device whose queue PyTorch takes: the card's, and of two cards the source's."""
    return target if source == HOST else source


def loops_for(seconds: float, operations: int = 1) -> int:
    """Copies of a sample, for a copy that takes so long and so many places in the queue."""
    return host_loops_for(seconds, max(1, min(MOST_LOOPS, QUEUE_HOLDS // operations)))


def host_loops_for(seconds: float, most: int = MOST_HOST_LOOPS) -> int:
    """Where no queue has to hold them."""
    return between(1, SAMPLE_SECONDS / max(seconds, 1e-9), most)


def between(least: int, value: float, most: int) -> int:
    return max(least, min(most, round(value)))


def chunk_for(size: int) -> int:
    """For a copy that is staged through pinned memory of the host."""
    few = -(-size // _MOST_CHUNKS)
    return min(size, max(few, min(_USUAL_CHUNK, max(size // 8, _SMALLEST_CHUNK))))


def pieces_of(size: int, count: int) -> "tuple[tuple[int, int], ...]":
    """Begin and end of each; they differ by one byte at most."""
    edges = [size * number // count for number in range(count + 1)]
    return tuple(itertools.pairwise(edges))


def _ways(job: CopyJob) -> "list[tuple[str, str]]":
    back = [(job.target, job.source)] if job.both_ways else []
    return [(job.source, job.target), *back, *job.beside]


def refuse_copy(command: Measure, names: "Sequence[str]") -> None:
    """Raises Trouble for what the window cannot know. `names`: the devices that are here."""
    ways = _ways(command)
    for device in dict.fromkeys(itertools.chain(*ways)):
        if device not in names:
            raise Trouble(
                "There is no {device} here.",
                "This PyTorch has: {names}.",
                device=device,
                names=", ".join(names),
            )
    # Copies in one queue would run one after the other and be called simultaneous.
    touched = Counter(end for way in ways for end in set(way) if end != HOST)
    for card, copies in touched.items():
        if copies > _MOST_QUEUES:
            raise Trouble(
                "{copies} copies from or to {card} cannot run at the same time: a card has "
                "{most} queues, and each copy needs its own.",
                "Take at most {most} copies of one card.",
                copies=copies,
                card=card,
                most=_MOST_QUEUES,
            )


def made_to_fit(
    command: Measure, free_bytes: "Callable[[str], int | None]"
) -> "tuple[Measure, Message]":
    """With fewer bytes where they have to be, and why. Raises Trouble where a side would have
    to give up more than its share.
    """
    why = _too_much(command, free_bytes)
    if not why:
        return command, NOTHING

    def fits(job: CopyJob) -> bool:
        return not _too_much(replace(command, bytes=job.bytes), free_bytes)

    made = replace(command, bytes=fitted(command, fits).bytes)
    if made.bytes == command.bytes:
        raise Trouble(why, "Measure fewer bytes, or end what holds the memory.")
    size = size_in_words(made.bytes)
    return made, told(Message("Only {size} were copied.", size=size), why)


def _too_much(command: Measure, free_bytes: "Callable[[str], int | None]") -> Message:
    """Empty where all sides have room."""
    for device, size in copy_needs(command).items():
        free = free_bytes(device)
        if free is not None and size > free * command.most_share:
            return Message(
                "Measuring {bytes} takes {need} on {device}, more than {share:.4g} % of the "
                "{free} that are free there.",
                bytes=size_in_words(command.bytes),
                need=size_in_words(size),
                device=device,
                share=command.most_share * 100,
                free=size_in_words(free),
            )
    return NOTHING


def copy_needs(job: CopyJob) -> "dict[str, int]":
    """Bytes by device, with what is held to check what arrived."""
    found: Counter[str] = Counter()

    def pinned(size: int) -> int:
        """What the pinned memory's allocator really takes: a power of two."""
        return 1 << max(0, size - 1).bit_length()

    for source, target in _ways(job):
        for device in (source, target):
            is_pinned = device == HOST and job.pinned
            found[device] += pinned(job.bytes) if is_pinned else job.bytes
        if source != HOST:
            found[HOST] += job.bytes  # what was sent, to compare
        if target != HOST:
            found[HOST] += 2 * min(job.bytes, READ_AT_ONCE)
    if job.mode == "staged":
        found[HOST] += 2 * pinned(chunk_for(job.bytes))
    if job.mode in ("blocking", "overlap"):
        found[engine_of(job.source, job.target)] += PRODUCT_BYTES
    return dict(found)
