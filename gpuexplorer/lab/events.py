"""What the worker says: one dataclass per kind, as it travels in a line of JSON."""

from dataclasses import dataclass, field
from typing import Union

from gpuexplorer.core.words import NOTHING, Message, told

VERSION = 2


@dataclass(frozen=True)
class Device:
    """One device that this PyTorch offers, and whether it can be used."""

    name: str  # "cpu", "cuda:0"
    label: str
    uuid: str = ""
    total_bytes: "int | None" = None
    capability: "tuple[int, int] | None" = None
    usable: bool = True
    reason: Message = NOTHING  # why it cannot be used, or only in part
    way_out: Message = NOTHING  # what to do about that, where the worker knows


@dataclass(frozen=True)
class Memory:
    """What one device holds, as PyTorch and the device count it. None: it cannot be told."""

    device: str
    tensors_bytes: "int | None" = None
    reserved_bytes: "int | None" = None
    free_bytes: "int | None" = None
    total_bytes: "int | None" = None
    context_bytes: "int | None" = None


@dataclass(frozen=True)
class Held:
    """What a thing on the shelf takes of one device's memory, and as what."""

    device: str
    what: str  # "values", "gradients", "state"
    bytes: int
    storage: int = 0  # the same number: the same stretch of memory, as of a view


@dataclass(frozen=True)
class Hello:
    """The first line. Who speaks another version is refused in a sentence."""

    version: int
    python: str
    torch: str
    build: str  # "CPU", "CUDA 13.0", "ROCm 6.4"
    simulated: bool
    devices: "tuple[Device, ...]" = ()
    seed: int = 0  # with which its random numbers begin


@dataclass(frozen=True)
class Began:
    """The command of that number is being carried out."""

    id: int


@dataclass(frozen=True)
class Transferred:
    """Bytes went from one device to another, and how long the device needed.

    Where both are the same device, a copy was asked for and nothing had to be copied. Moments
    count from the line's beginning.
    """

    id: int
    source: str
    target: str
    bytes: int
    seconds: "float | None"
    modelled: bool = False
    copies: int = 1  # a loop's many are told as one
    what: str = ""  # the name on the shelf, or the path from it; empty where there is none
    asked: bool = True  # the line was written for it; False: it came with something else
    how: str = ""  # the word that caused it, such as "to", "item", "print", "load"
    pinned: "bool | None" = None  # the host's memory; None where none takes part
    blocking: "bool | None" = None  # the host was kept until it was done
    direct: "bool | None" = None  # card to card: without the host's memory
    host_seconds: "float | None" = None  # for which all of them kept the host
    asked_at: "float | None" = None  # when the host asked for the first
    begin: "float | None" = None  # when the device began the first
    end: "float | None" = None  # when the last had arrived
    intact: "bool | None" = None  # None: it was not checked

    @property
    def already_there(self) -> bool:
        return self.source == self.target


@dataclass(frozen=True)
class Span:
    """A stretch of a line in which a device computed, or somebody waited."""

    device: str
    begin: float  # seconds since the line's beginning
    end: float
    busy: float  # seconds of it without the pauses that were too short to be told
    count: int = 1  # kernels, or waits
    waits_for: str = ""  # a device; empty: it computed
    why: str = ""  # of a wait


@dataclass(frozen=True)
class Spans:
    """What a line's devices did beside its copies, the shortest stretches joined."""

    id: int
    spans: "tuple[Span, ...]"
    modelled: bool = False


@dataclass(frozen=True)
class Placed:
    """A name of the shelf stands for this now."""

    id: int
    name: str
    kind: str  # "tensor", "model", "optimiser", "value"
    device: str
    text: str  # a short description, or the values themselves where they are few
    shape: "tuple[int, ...] | None" = None
    dtype: str = ""
    bytes: int = 0
    requires_grad: bool = False
    same_as: str = ""  # another name for the very same object
    holds: "tuple[Held, ...]" = ()


@dataclass(frozen=True)
class Freed:
    """A name is gone from the shelf."""

    id: int
    name: str


@dataclass(frozen=True)
class Printed:
    """Something a line printed, or the value of a line that was not assigned."""

    id: int
    text: str
    placement: bool = False  # where an operation ran, from the placement log


@dataclass(frozen=True)
class Peeked:
    """What a look into a tensor saw, and how many bytes the look itself copied."""

    id: int
    what: str
    device: str
    dtype: str
    shape: "tuple[int, ...]"
    at: "tuple[int, ...]"  # the leading indices, then row and column of the first value shown
    rows: "tuple[tuple[float | None, ...], ...]"  # None: not a number
    least: "float | None"  # of all values; None where there are none
    most: "float | None"
    mean: "float | None"
    deviation: "float | None"
    not_finite: int
    histogram: "tuple[int, ...]"  # even steps from least to most
    looked_at: int  # of how many values mean, deviation and histogram are
    moved_bytes: int


@dataclass(frozen=True)
class Part:
    """One parameter or buffer of a layer."""

    name: str
    shape: "tuple[int, ...]"
    dtype: str
    device: str
    bytes: int
    trained: bool


@dataclass(frozen=True)
class Layer:
    """One module of a model, by its path in it."""

    path: str
    kind: str
    text: str
    parts: "tuple[Part, ...]" = ()


@dataclass(frozen=True)
class Opened:
    """A model's layers, in order."""

    id: int
    what: str
    layers: "tuple[Layer, ...]"


@dataclass(frozen=True)
class Progressed:
    """A training run got on: the losses since the last time this was said."""

    id: int
    first_step: int
    losses: "tuple[float, ...]"
    steps: int
    seconds: float


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


@dataclass(frozen=True)
class Finished:
    """The command is done. The host's time and the device's differ."""

    id: int
    host_seconds: float
    device_seconds: "float | None" = None
    modelled: bool = False
    memory: "tuple[Memory, ...]" = ()
    drew: bool = False  # it drew random numbers
    worker_seconds: float = 0.0  # what it took in truth, where the rest is modelled
    busy: "tuple[tuple[str, float], ...]" = ()  # seconds of work by device


@dataclass(frozen=True)
class Failed:
    """The command ended without its result, and why."""

    id: int
    cause: str  # such as "out of memory"
    error: str  # the type, such as RuntimeError
    message: str  # PyTorch's own words
    sentence: Message = NOTHING
    hint: Message = NOTHING
    memory: "tuple[Memory, ...]" = field(default=())
    lost: "tuple[str, ...]" = ()  # the cards that do not answer any more, where it is that

    @property
    def told(self) -> Message:
        """What happened, and what to do."""
        return told(self.sentence, self.hint)


Event = Union[  # noqa: UP007 - the worker may be Python 3.10, where this reads the same
    Hello,
    Began,
    Transferred,
    Spans,
    Placed,
    Freed,
    Printed,
    Peeked,
    Opened,
    Progressed,
    Sampled,
    Measured,
    Multiplied,
    Finished,
    Failed,
]
