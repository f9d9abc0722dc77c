"""Route: the way of the bytes between two devices, and what its narrowest wire could carry."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Wire(StrEnum):
    """What a leg of the way is made of."""

    NVLINK = "NVLink"
    PCIE = "PCIe"
    SOCKETS = "between sockets"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Leg:
    """From one place of the machine's drawing to the next."""

    wire: Wire
    words: str  # "PCIe 4 x16", "NVLink x4"
    rate: float | None  # theoretical bytes per second, this direction; None: nobody tells
    reason: str = ""  # what the rate follows from, or why there is none
    # Places: a device, "memory 0", "socket 0", "junction 2", "hub 0"; see machine_shape.
    begins: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """In the order in which the bytes travel."""

    source: str  # "cpu", "cuda:0"
    target: str
    legs: Sequence[Leg]
    words: str  # "NVLink x4", "direct over one PCIe switch", "staged through host memory"
    direct: bool | None  # card to card without host memory; None: it cannot be told
    limit: float | None  # of the narrowest leg
    limit_reason: str = ""
    note: str = ""  # such as "runs at x8: the slot could do x16"
    narrow: Sequence[str] = ()  # devices that run on fewer lanes than they could
