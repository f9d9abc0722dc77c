"""Card and Sample: what never changes about a card, and all it said at one instant."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, NewType

from gpuexplorer.core.absence import Absence, Told
from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import NOTHING, Message

CardId = NewType("CardId", str)

# Begins the id of a card that could not be asked for its UUID.
NAMELESS = "NAMELESS-"
HOST_ID = CardId("HOST")


class CardKind(StrEnum):
    """What stands behind a card's row."""

    GPU = "gpu"
    MIG = "mig"  # a slice of a card, listed under it
    HOST = "host"  # the processor and its memory: the device called cpu


class CardState(Told):
    """How a card is, briefly and in a sentence."""

    WORKING = Message("working"), Message("working")
    ASLEEP = Message("asleep"), Message("asleep, and not woken to be read")
    LOST = Message("lost"), Message("it no longer answers the driver")
    UNLISTED = Message("not listed"), Message("the driver no longer lists it; it is looked for")
    REFUSED = Message("no access"), Message("the driver gives no access; it is asked again")
    NO_ANSWER = Message("no answer"), Message("the driver has not answered for it yet")
    NO_DRIVER = Message("no driver"), Message("the driver is gone; it is looked for")
    # To the computer that it is in.
    NO_CONNECTION = Message("no connection"), Message("there is no connection to its computer")

    @property
    def word(self) -> Message:
        return Message(self.value)


def remedy(denied: Absence | None) -> Message:
    """What to do about a card that the driver gives no access to; empty where nothing helps."""
    return _REMEDIES.get(denied, _ASK_FOR_THE_CAUSE)


_ASK_FOR_THE_CAUSE = Message(
    "Why the driver gives no access to a card may stand in its log: `sudo dmesg`."
)
_REMEDIES = {
    Absence.NO_PERMISSION: Message(
        "A card without permission was not given to this user, container or job: look at the"
        " rights to /dev/nvidia* (groups `video` and `render`), at the container's `--gpus` and"
        " device cgroup, or at Slurm's ConstrainDevices."
    ),
    Absence.NOT_SUPPORTED: Message(
        "A card that is not supported may be too new or too old for this driver:"
        " `{doctor}` looks for the cause.",
        doctor=doctor(),
    ),
    Absence.UNLISTED: Message(
        "A card that is no longer listed was given to another driver or a virtual machine, or"
        " did not come up again: look for it with `lspci` and in `sudo dmesg`."
    ),
    Absence.LOST: Message(
        "A lost card often comes back only with a restart of the computer; look at its power"
        " and its seat."
    ),
    Absence.NO_ANSWER: NOTHING,  # it is waited for
    None: NOTHING,
}


# The compute capability says which family of chips it is.
_ARCHITECTURES = {3: "Kepler", 5: "Maxwell", 6: "Pascal", 7: "Volta", 8: "Ampere", 9: "Hopper"}
_ARCHITECTURES |= dict.fromkeys((10, 11, 12), "Blackwell")
_WITHIN = {(7, 5): "Turing", (8, 9): "Ada Lovelace"}


@dataclass(frozen=True, slots=True)
class Card:
    """What never changes about a card. Its `id` says who it is; its numbers may change."""

    id: CardId
    index: int  # the driver's number, which may change at the next boot
    name: str
    memory_bytes: int | None
    simulated: bool = False
    kind: CardKind = CardKind.GPU
    parent: CardId | None = None  # the card a MIG instance is a part of
    bus_id: str | None = None  # "0000:3b:00.0"
    cuda_index: int | None = None  # the number CUDA gives it here and now
    cuda_reason: Message = NOTHING  # why there is no such number
    denied: Absence | None = None  # why the driver gives no access to it
    compute_capability: tuple[int, int] | None = None
    fans: int = 0
    nvlinks: int = 0
    cores: int | None = None  # that compute in single precision; of the host, its processors
    memory_bus_bits: int | None = None  # so many wires lead to its memory
    memory_shared: bool = False  # it has no memory of its own and borrows the computer's

    @property
    def architecture(self) -> str:
        """The family of its chip; empty for one that nobody knew when this was written."""
        capability = self.compute_capability or (0, 0)
        return _WITHIN.get(capability) or _ARCHITECTURES.get(capability[0], "")

    @property
    def nameless(self) -> bool:
        """Whether the driver lists it and it never said who it is."""
        return self.id.startswith(NAMELESS)


_LESS_TELLING = re.compile(
    r"^(?:(?:NVIDIA|GeForce|Quadro|Tesla) )+"
    r"|(?:[ -]\d+ ?[GT]B|[ -](?:HBM\w*|PCIe|PCIE|SXM\d?|NVL|Edition|GPU))+$"
)


def short_name(name: str) -> str:
    """ "NVIDIA H100 80GB HBM3" becomes "H100": the model, without its maker and its memory."""
    return _LESS_TELLING.sub("", name.strip()) or name


class Sample(NamedTuple):
    """What one card said at one instant, in SI units, to one round of questions: each metric is
    in `values` or in `missing`, never in both.
    """

    card: CardId
    at: float  # seconds on the steady clock
    values: Mapping[MetricId, float]
    missing: Mapping[MetricId, Absence] = {}
    state: CardState = CardState.WORKING
