"""What was measured: copies and products, as the worker says it."""

from dataclasses import dataclass

from gpuexplorer.core.words import Message


@dataclass(frozen=True)
class Sampled:
    """A measurement got on: how many of how many samples are taken."""

    id: int
    taken: int
    samples: int


@dataclass(frozen=True)
class Wrong:
    """What did not arrive as it was sent."""

    rounds: int  # of so many that were checked, this many were wrong
    checked: int
    bytes: int  # in the worst of them
    first: int  # the place of its first wrong byte
    zeros: bool  # all of them came as zeros


@dataclass(frozen=True)
class Measured:
    """A copy was measured. Times are of one copy of all the bytes of the job."""

    id: int
    samples_s: "tuple[float, ...]"  # the device's, or the host's where no card takes part
    host_s: "float | None" = None  # of one call, as Python saw it, with the wait for its end
    asked_s: "float | None" = None  # of one call, without
    back_samples_s: "tuple[float, ...]" = ()  # the other direction at the same time
    beside_samples_s: "tuple[tuple[float, ...], ...]" = ()  # each of the other copies
    alone_s: "float | None" = None  # the computation alone, where one ran beside
    copying_s: "float | None" = None  # the copies of a sample alone, where one ran beside
    together_s: "float | None" = None  # computation and copies until both were done
    loops: int = 1  # copies in a sample
    gated: "bool | None" = None  # the queue was full before the first began; None: no gate
    # Several copies that no gate held: the share of the shortest in which all were under way.
    overlap: "float | None" = None
    intact: "bool | None" = None  # None: it was not checked, and a note says why
    wrong: "tuple[Wrong, ...]" = ()  # empty or one
    compared_samples: int = 0  # of these the last copy was
    compared_copies: int = 0  # of one more sample, each by itself
    modelled: bool = False
    direct: "bool | None" = None  # card to card: peers in truth, as the driver said
    near: "bool | None" = None  # the host's memory lay close to the card; None: not known
    in_cache: bool = False  # a card's copy to itself: both ends fit into its L2 cache
    fewer_bytes: "int | None" = None  # than were asked for, since so many did not fit
    notes: "tuple[Message, ...]" = ()  # sentences


@dataclass(frozen=True)
class Multiplied:
    """Products of matrices were measured. Times are of one product."""

    id: int
    samples_s: "tuple[float, ...]"  # the device's, or the host's where no card takes part
    host_s: "float | None" = None  # of one call, as Python saw it, with the wait for its end
    loops: int = 1  # products in a sample
    gated: "bool | None" = None  # the queue was full before the first began; None: no gate
    right: "bool | None" = None  # a product that is known came out so; None: not checked
    wrong_values: int = 0  # of the known product's values, so many were not as they must be
    loaded_s: float = 0.0  # at work without a pause, before the samples
    modelled: bool = False
    notes: "tuple[Message, ...]" = ()  # sentences
