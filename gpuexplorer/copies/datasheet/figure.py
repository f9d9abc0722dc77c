"""Figure: a number of a datasheet with its source, or the reason why there is none."""

from dataclasses import dataclass
from enum import StrEnum


class Unit(StrEnum):
    """Of what a row counts."""

    RATE = "B/s"
    COMPUTE = "FLOP/s"
    POWER = "W"


class What(StrEnum):
    """The rows of a datasheet, in their order."""

    MEMORY = "memory bandwidth"
    TO_CARD = "host to card"
    FROM_CARD = "card to host"
    PEER = "card to card"
    FP32 = "FP32 products"
    TF32 = "TF32 products"
    BF16 = "BF16 products"
    POWER = "power"

    @property
    def unit(self) -> Unit:
        if self in _PRODUCTS:
            return Unit.COMPUTE
        return Unit.POWER if self is What.POWER else Unit.RATE

    @property
    def sentence(self) -> str:
        """What exactly is promised and measured."""
        return _SENTENCES[self]


_PRODUCTS = (What.FP32, What.TF32, What.BF16)
_SENTENCES = {
    What.MEMORY: "Bytes read and written in the card's own memory, by a copy within the card.",
    What.TO_CARD: "From pinned memory of the host to the card, one way, alone.",
    What.FROM_CARD: "From the card to pinned memory of the host, one way, alone.",
    What.PEER: "From this card to another, one way, alone.",
    What.FP32: "Square matrices multiplied in single precision; the TF32 switch is off.",
    What.TF32: "Single precision, multiplied with ten bits behind the point on tensor cores.",
    What.BF16: "Numbers of 16 bits, summed up in single precision on tensor cores; dense.",
    What.POWER: "What the whole board may draw, and the most it drew while it was measured.",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """Bytes or operations per second, or watts. Without a value there is a reason."""

    value: float | None
    source: str = ""  # "the device says: 5120 bit at 2619 MHz", "table: NVIDIA …"
    reason: str = ""  # why there is none, in words

    @classmethod
    def missing(cls, reason: str) -> "Figure":
        return cls(None, "", reason)
