"""What the worker says: one dataclass per kind, as it travels in a line of JSON."""

from dataclasses import dataclass, field
from typing import Union

VERSION = 1


@dataclass(frozen=True)
class Device:
    """One device that this PyTorch offers, and whether it can be used."""

    name: str  # "cpu", "cuda:0"
    label: str
    uuid: str = ""
    total_bytes: "int | None" = None
    capability: "tuple[int, int] | None" = None
    usable: bool = True
    reason: str = ""  # why it cannot be used, or only in part


@dataclass(frozen=True)
class Memory:
    """What one device holds, as PyTorch and the device count it. None: it cannot be told."""

    device: str
    tensors_bytes: "int | None" = None
    reserved_bytes: "int | None" = None
    free_bytes: "int | None" = None
    total_bytes: "int | None" = None


@dataclass(frozen=True)
class Hello:
    """The first line. Who speaks another version is refused in a sentence."""

    version: int
    python: str
    torch: str
    build: str  # "CPU", "CUDA 13.0", "ROCm 6.4"
    simulated: bool
    devices: "tuple[Device, ...]" = ()


@dataclass(frozen=True)
class Began:
    """The command of that number is being carried out."""

    id: int


@dataclass(frozen=True)
class Transferred:
    """Bytes went from one device to another, and how long the device needed."""

    id: int
    source: str
    target: str
    bytes: int
    seconds: "float | None"
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


@dataclass(frozen=True)
class Finished:
    """The command is done. The host's time and the device's differ."""

    id: int
    host_seconds: float
    device_seconds: "float | None" = None
    modelled: bool = False
    memory: "tuple[Memory, ...]" = ()


@dataclass(frozen=True)
class Failed:
    """The command ended without its result, and why."""

    id: int
    cause: str  # one of CAUSES
    error: str  # the type, such as RuntimeError
    message: str  # PyTorch's own words
    sentence: str = ""
    hint: str = ""
    memory: "tuple[Memory, ...]" = field(default=())


CAUSES = frozenset(
    "cancelled, out of memory, devices differ, bad request, refused by PyTorch, "
    "device broken, worker lost".split(", ")
)

Event = Union[  # noqa: UP007 - the worker may be Python 3.10, where this reads the same
    Hello, Began, Transferred, Placed, Freed, Printed, Finished, Failed
]
