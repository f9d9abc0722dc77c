"""Switches: what the courses talk about, as a person set it for the lab."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Switches:
    """`visible` and `growing` are told to a worker when it starts; the others hold at once."""

    fall_back: bool = True  # forms write try_gpu(1) and not "cuda:1"
    placement: bool = False  # each operation prints where it ran
    memory_share: float | None = None  # of each card, at most; None: all of it
    visible: tuple[int, ...] | None = None  # the cards' indices, in order; None: all
    growing: bool = False  # expandable segments
    # From card to card, as PyTorch names them: forms and drags go through the host's memory.
    by_host: frozenset[tuple[str, str]] = frozenset()
