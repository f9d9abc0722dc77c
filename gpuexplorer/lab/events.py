"""What the worker says: one dataclass per kind, as it travels in a line of JSON."""

from dataclasses import dataclass, field
from enum import Enum

from gpuexplorer.core.words import NOTHING, Message, told

# Causes of a failure after which nothing on a card works before the process is another.
BROKEN = ("device broken", "device assert")


@dataclass(frozen=True)
class Event:
    """Whatever a worker says, and the number of the command that it is about; 0: of none."""

    id: int


@dataclass(frozen=True)
class Worth:
    """What one expression gave."""

    truth: "bool | None" = None  # whether Python counts it as true
    number: "float | None" = None  # None: it is none
    text: str = ""
    error: Message = NOTHING  # why it gave nothing
    found: Message = NOTHING  # what the left side of a comparison was that is not true
    fault: bool = False  # Python raised it: the expression is wrong, and no figure missing


@dataclass(frozen=True)
class Evaluated(Event):
    """What each expression gave, in their order; fewer where one was stopped."""

    worths: "tuple[Worth, ...]"


@dataclass(frozen=True)
class Sampled(Event):
    """A measurement got on: how many of how many samples are taken."""

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
class Measured(Event):
    """A copy was measured. Times are of one copy of all the bytes of the job."""

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
class Multiplied(Event):
    """Products of matrices were measured. Times are of one product."""

    samples_s: "tuple[float, ...]"  # the device's, or the host's where no card takes part
    host_s: "float | None" = None  # of one call, as Python saw it, with the wait for its end
    loops: int = 1  # products in a sample
    gated: "bool | None" = None  # the queue was full before the first began; None: no gate
    right: "bool | None" = None  # a product that is known came out so; None: not checked
    wrong_values: int = 0  # of the known product's values, so many were not as they must be
    loaded_s: float = 0.0  # at work without a pause, before the samples
    modelled: bool = False
    notes: "tuple[Message, ...]" = ()  # sentences


class Why(str, Enum):  # noqa: UP042 - Python 3.10
    """Why a card had nothing to do."""

    READ = "read"  # the host waited for the card there, and had asked it for nothing further
    LOADER = "loader"  # the host waited there for the next batch
    HOST = "host"  # the host computed, read or slept there
    START = "start"  # before the first step: imports, the model, the first batch


@dataclass(frozen=True)
class Idle:
    """One card had nothing to do because of one line of code: sums since the beginning."""

    row: int
    device: str
    why: Why
    seconds: float
    times: int
    longest: float
    file: str = ""
    cell: int = 0
    line: int = 0
    what: str = ""  # the expression, such as "loss.item()"
    # The row of a READ, of whose seconds these are a part, in which the host was here; 0: none.
    part_of: int = 0


@dataclass(frozen=True)
class Loader:
    """Batches that one line of code took from a DataLoader: sums since the beginning."""

    row: int
    batches: int
    seconds: float  # for which the host waited for them
    workers: int  # processes of the loader; 0: the program's own
    pins: bool  # it was asked for pinned memory
    file: str = ""
    cell: int = 0
    line: int = 0
    what: str = ""


@dataclass(frozen=True)
class Trip:
    """What left a card at one line came back to it from another, itself or computed from it
    on the host: sums since the beginning.
    """

    row: int  # the Transferred that brought it back
    out: int  # the row of the Transferred by which it had left
    device: str
    times: int
    bytes: int  # that came back
    changed: bool  # the host computed with it in between


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
class Hello(Event):
    """The first line."""

    id: int = 0
    python: str = ""
    torch: str = ""
    build: str = ""  # "CPU", "CUDA 13.0", "ROCm 6.4"
    simulated: bool = False
    devices: "tuple[Device, ...]" = ()
    seed: int = 0  # with which its random numbers begin
    pid: int = 0  # where it runs; 0: it was not told


@dataclass(frozen=True)
class Began(Event):
    """The command of that number is being carried out."""

    id: int


@dataclass(frozen=True)
class Frame:
    """One call of the person's own code on the way to an error, or to a copy."""

    cell: int  # its number, as it stands before the cell; 0: the imports every session has
    line: int  # in that cell, from 1
    name: str = ""  # of the function; empty: the cell itself
    begin: int = 0  # the very expression, in letters of its first line; 0, 0: not known
    end: int = 0
    file: str = ""  # its whole path, where it is not a cell but a file of the person's


@dataclass(frozen=True)
class Transferred(Event):
    """Bytes went from one device to another, and how long the device needed. Where both are the
    same device, a copy was asked for and nothing had to be copied. Moments count from the
    cell's beginning. Copies alike of one line of code are told as one.
    """

    source: str
    target: str
    bytes: int
    seconds: "float | None"
    modelled: bool = False
    copies: int = 1
    what: str = ""  # the expression that caused it, as it stands in the cell
    asked: bool = True  # the code was written for it; False: it came with something else
    cell: int = 0  # the number of the cell whose code caused it, and the line in it
    line: int = 0  # 0: not known, such as in a thread of PyTorch's own
    file: str = ""  # its whole path, where the code is not a cell's but stands in a file
    within: str = ""  # the library's module that copied, such as "torch.nn.parallel.comm"
    deep: int = 0  # calls of libraries between the cell's code and the copy
    thread: str = ""  # which, where it was not the cell's own; "autograd" is PyTorch's
    how: str = ""  # the word that caused it, such as "to", "item", "print", "load"
    pinned: "bool | None" = None  # the host's memory; None where none takes part
    blocking: "bool | None" = None  # the host was kept until it was done
    direct: "bool | None" = None  # card to card: without the host's memory
    host_seconds: "float | None" = None  # for which all of them kept the host
    asked_at: "float | None" = None  # when the host asked for the first
    begin: "float | None" = None  # when the device began the first
    end: "float | None" = None  # when the last had arrived
    intact: "bool | None" = None  # None: it was not checked
    row: int = 0  # of a Watched: what comes later under the same number takes its place
    bursts: int = 1  # copies with nothing computed on a card between them count as one

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
class Spans(Event):
    """What a line's devices did beside its copies, the shortest stretches joined."""

    spans: "tuple[Span, ...]"
    modelled: bool = False


@dataclass(frozen=True)
class Element:
    """A tensor, a model or an optimiser inside a container, by its path from the name."""

    path: str  # "nets[0]", "trainer.model"
    kind: str
    device: str
    text: str
    bytes: int = 0


@dataclass(frozen=True)
class Placed(Event):
    """A name of the shelf stands for this now."""

    name: str
    kind: str  # "tensor", "model", "optimiser", "container", "value"
    device: str
    text: str  # a short description, or the values themselves where they are few
    shape: "tuple[int, ...] | None" = None
    dtype: str = ""
    bytes: int = 0
    requires_grad: bool = False
    same_as: str = ""  # another name for the very same object
    holds: "tuple[Held, ...]" = ()
    elements: "tuple[Element, ...]" = ()  # of a container, the first so many
    more: int = 0  # elements beyond these


@dataclass(frozen=True)
class Freed(Event):
    """A name is gone from the shelf."""

    name: str


@dataclass(frozen=True)
class Printed(Event):
    """What a cell printed, as it came; or the value of its last expression."""

    text: str
    stream: str = (
        "out"  # "out", "err", "value", "warning", or "placement": where operations ran
    )
    cell: int = 0  # of a warning: where it arose
    line: int = 0


@dataclass(frozen=True)
class Pictured(Event):
    """A figure that a cell drew, as a PNG in base64."""

    png: str


@dataclass(frozen=True)
class Asked(Event):
    """The cell waits for an Answer: for what a person types or allows, or a machine is like."""

    what: str  # "input", "password", "install" (yes or no), "nvidia-smi"
    text: str  # the prompt, the command that would install, nvidia-smi's arguments
    memory: "tuple[Memory, ...]" = ()  # of nvidia-smi: what the cell has taken so far


@dataclass(frozen=True)
class Completed(Event):
    """How what is being typed may go on, and what is called there."""

    begin: int  # the words take the place of the letters from here to the cursor
    words: "tuple[str, ...]"
    signature: str = ""  # of the call the cursor is in
    doc: str = ""  # its first sentence


@dataclass(frozen=True)
class Peeked(Event):
    """What a look into a tensor saw, and how many bytes the look itself copied."""

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
class Opened(Event):
    """A model's layers, in order."""

    what: str
    layers: "tuple[Layer, ...]"


@dataclass(frozen=True)
class Watched(Event):
    """What was seen of a program, or of a cell, so far. Rows that are as they were last said
    are left out.
    """

    seconds: float  # since it began
    seen_seconds: float  # for so long of these it was watched
    steps: int = 0
    seen_steps: int = 0
    step: str = ""  # what counts as one: "optimizer", "batch"; empty: slices of time
    cost_seconds: "float | None" = None  # what watching took of these seconds; estimated
    modelled: bool = False  # the seconds
    copies: "tuple[Transferred, ...]" = ()
    idle: "tuple[Idle, ...]" = ()
    loaders: "tuple[Loader, ...]" = ()
    trips: "tuple[Trip, ...]" = ()
    busy: "tuple[tuple[str, float], ...]" = ()  # seconds of work by card, in seen_seconds
    children: "tuple[tuple[str, int], ...]" = ()  # processes that were not watched, by kind
    memory: "tuple[Memory, ...]" = ()
    over: bool = False  # the last of the program
    devices: "tuple[Device, ...]" = ()  # said once, when the program began to use cards
    pauses: "tuple[tuple[str, float], ...]" = ()
    # Seconds by card between two operations, each too short for `idle`; of simulated cards.
    started: float = 0.0  # seconds before the first step, or the first batch; 0: there is none


@dataclass(frozen=True)
class Traced(Event):
    """Single stretches of what a program did, for a trace; in the order of their ends."""

    # Kind ("copy", "compute", "idle", "loader", "wait", "step"), device, begin and end in
    # seconds since it began, row (of copies, idle, loaders; else 0), bytes.
    stretches: "tuple[tuple[str, str, float, float, int, int], ...]" = ()
    left_out: int = 0


@dataclass(frozen=True)
class Finished(Event):
    """The command is done. The host's time and the device's differ."""

    host_seconds: float
    device_seconds: "float | None" = None
    modelled: bool = False
    memory: "tuple[Memory, ...]" = ()
    watched: bool = True
    watch_seconds: "float | None" = None  # of the host's time, what watching took; estimated
    busy: "tuple[tuple[str, float], ...]" = ()  # seconds of work by device


@dataclass(frozen=True)
class Failed(Event):
    """The command ended without its result, and why."""

    cause: str  # such as "out of memory"
    error: str  # the type, such as RuntimeError
    message: str  # PyTorch's own words
    sentence: Message = NOTHING
    hint: Message = NOTHING
    memory: "tuple[Memory, ...]" = field(default=())
    lost: "tuple[str, ...]" = ()  # the cards that do not answer any more, where it is that
    frames: "tuple[Frame, ...]" = ()  # of the person's code alone, the outermost first
    host_seconds: "float | None" = None
    modelled: bool = False  # the host's time
    missing: str = ""  # the module that was not found, where pip may install it
    waited: bool = False  # for each kernel: the line is the one that failed

    @property
    def told(self) -> Message:
        """What happened, and what to do."""
        return told(self.sentence, self.hint)
