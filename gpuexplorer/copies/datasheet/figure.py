"""Figure: a number of a datasheet with its source, or the reason why there is none."""

from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.units import gigabytes_per_second, short
from gpuexplorer.core.words import Message, mark

_TERA, _GIGA = 1e12, 1e9


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
    def sentence(self) -> Message:
        """What exactly is promised and measured."""
        return Message(_SENTENCES[self])


_PRODUCTS = (What.FP32, What.TF32, What.BF16)
_SENTENCES = {
    What.MEMORY: mark(
        "Bytes read and written in the card's own memory, by a copy within the card."
    ),
    What.TO_CARD: mark("From pinned memory of the host to the card, one way, alone."),
    What.FROM_CARD: mark("From the card to pinned memory of the host, one way, alone."),
    What.PEER: mark("From this card to another, one way, alone."),
    What.FP32: mark("Square matrices multiplied in single precision; the TF32 switch is off."),
    What.TF32: mark(
        "Single precision, multiplied with ten bits behind the point on tensor cores."
    ),
    What.BF16: mark(
        "Numbers of 16 bits, summed up in single precision on tensor cores; dense."
    ),
    What.POWER: mark(
        "What the whole board may draw, and the most it drew while it was measured."
    ),
}


class Origin(StrEnum):
    """Who says a figure, or why there is none."""

    DEVICE = "device"
    TABLE = "table"
    MEASURED = "measured"
    MODELLED = "modelled"
    NOT_YET = "not yet"  # nothing was measured until now
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Figure:
    """Bytes or operations per second, or watts. Without a value there is a reason."""

    value: float | None
    detail: str = ""  # "5120 bit at 2619 MHz", "NVIDIA H100 datasheet"
    reason: str = ""  # why there is none, to stand behind a colon
    origin: Origin = Origin.MEASURED
    short: str = ""  # the reason in a narrow place; empty: there is no shorter one

    @property
    def source(self) -> str:
        """ "the device says: 5120 bit at 2619 MHz"; empty without a value."""
        match self.origin:
            case Origin.DEVICE:
                return Message("the device says: {what}", what=self.detail)
            case Origin.TABLE:
                return Message("table: {what}", what=self.detail)
        return self.detail

    @classmethod
    def missing(cls, reason: str, short: str = "", origin: Origin = Origin.NONE) -> "Figure":
        return cls(None, "", reason, origin, short)


def in_words(what: What, value: float) -> str:
    """ "3352 GB/s"."""
    unit = unit_of(what, value)
    return f"{number_of(what, value, unit)} {unit}"


def unit_of(what: What, *values: float | None) -> str:
    """The same for all of these, so that they can be compared at a glance."""
    match what.unit:
        case Unit.RATE:
            return "GB/s"
        case Unit.POWER:
            return "W"
        case Unit.COMPUTE:
            known = [value for value in values if value is not None]
            return "GFLOP/s" if known and max(known) < _TERA else "TFLOP/s"


def number_of(what: What, value: float | None, unit: str) -> str:
    """Empty where there is no value."""
    if value is None:
        return ""
    match what.unit:
        case Unit.RATE:
            return gigabytes_per_second(value)
        case Unit.POWER:
            return f"{value:.0f}" if value >= 10 else f"{value:.1f}"
        case Unit.COMPUTE:
            return short(value / (_GIGA if unit == "GFLOP/s" else _TERA))
