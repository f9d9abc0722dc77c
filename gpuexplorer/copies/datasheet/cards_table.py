"""What a datasheet counts, figures with their source or the reason why there is none, and the
table of what makers say of their cards.
"""

import csv
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.resources import resource
from gpuexplorer.core.units import gigabytes_per_second, short
from gpuexplorer.core.words import Message, mark
from gpuexplorer.telemetry.topology import pcie_rate

_ALIKE = 0.15  # of the memory: what the driver keeps for ECC is missing from what it tells
_LEFT_OUT = mark("the table of cards leaves it out: no document was found to check it with")


class What(StrEnum):
    """The rows of a datasheet, in their order, how each is called, and what exactly is promised
    and measured.
    """

    words: str
    sentence: str

    def __new__(cls, name: str, words: str, sentence: str) -> "What":
        made = str.__new__(cls, name)
        made._value_, made.words, made.sentence = name, words, sentence
        return made

    MEMORY = (
        "memory bandwidth",
        mark("Memory bandwidth"),
        mark("Bytes read and written in the card's own memory, by a copy within the card."),
    )
    TO_CARD = (
        "host to card",
        mark("Host link, to the card"),
        mark("From pinned memory of the host to the card, one way, alone."),
    )
    FROM_CARD = (
        "card to host",
        mark("Host link, from the card"),
        mark("From the card to pinned memory of the host, one way, alone."),
    )
    PEER = (
        "card to card",
        mark("Peer link, one way"),
        mark("From this card to another, one way, alone."),
    )
    FP32 = (
        "FP32 products",
        mark("FP32 products"),
        mark("Square matrices multiplied in single precision; the TF32 switch is off."),
    )
    TF32 = (
        "TF32 products",
        mark("TF32 products"),
        mark("Single precision, multiplied with ten bits behind the point on tensor cores."),
    )
    FP16 = (
        "FP16 products",
        mark("FP16 products"),
        mark("Half precision, summed up in single precision on tensor cores; dense."),
    )
    BF16 = (
        "BF16 products",
        mark("BF16 products"),
        mark("Numbers of 16 bits, summed up in single precision on tensor cores; dense."),
    )
    POWER = (
        "power",
        mark("Power"),
        mark("What the whole board may draw, and the most it drew while it was measured."),
    )

    @property
    def kind(self) -> str:
        """Of number that is multiplied; empty where nothing is."""
        return self.name.lower() if self.value.endswith("products") else ""

    @property
    def unit(self) -> str:
        return "TFLOP/s" if self.kind else "W" if self is What.POWER else "GB/s"

    @property
    def scale(self) -> float:
        """What its unit is in bytes or operations per second, or in watts."""
        return {"GB/s": 1e9, "TFLOP/s": 1e12, "W": 1.0}[self.unit]


# Columns of the table: the figure, in these units, and its source. Links follow from lanes.
_COLUMNS = {
    What.MEMORY: ("memory_gbs", "memory_source"),
    What.PEER: ("nvlink_gbs", "nvlink_source"),
    What.FP32: ("fp32_tflops", "fp32_source"),
    What.TF32: ("tf32_dense_tflops", "tensor_source"),
    What.FP16: ("fp16_dense_tflops", "tensor_source"),
    What.BF16: ("bf16_dense_tflops", "tensor_source"),
    What.POWER: ("board_watts", "power_source"),
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

    @property
    def source(self) -> str:
        """ "the device says: 5120 bit at 2619 MHz"; empty without a value."""
        if self.origin is Origin.DEVICE:
            return Message("the device says: {what}", what=self.detail)
        if self.origin is Origin.TABLE:
            return Message("table: {what}", what=self.detail)
        return self.detail

    @classmethod
    def missing(cls, reason: str, origin: Origin = Origin.NONE) -> "Figure":
        return cls(None, "", reason, origin)


def in_words(what: What, value: float) -> str:
    """ "3352 GB/s"."""
    unit = unit_of(what, value)
    return f"{number_of(what, value, unit)} {unit}"


def unit_of(what: What, *values: float | None) -> str:
    """The same for all of these, so that they can be compared at a glance."""
    most = max((value for value in values if value is not None), default=what.scale)
    return "GFLOP/s" if what.kind and most < what.scale else what.unit


def number_of(what: What, value: float | None, unit: str) -> str:
    """Empty where there is no value."""
    if value is None:
        return ""
    if what.kind:
        return short(value / (1e9 if unit == "GFLOP/s" else what.scale))
    if what is not What.POWER:
        return gigabytes_per_second(value)
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


@dataclass(frozen=True, slots=True)
class OtherCard:
    """A card of the table, for somebody who wants to buy one."""

    name: str
    vendor: str
    architecture: str
    year: int | None
    memory_bytes: int | None
    figures: Mapping[What, Figure]  # of each kind, with its source or the reason
    driver_name: str = ""  # as NVML says it; empty: the program cannot meet this card


def listed(name: str, memory_bytes: int | None) -> OtherCard | None:
    """What the table has of a card: of several of one name, the one with that memory."""
    wanted = name.lower().removeprefix("nvidia ")  # older drivers leave it out
    made = wanted, f"nvidia {wanted}"
    named = [card for card in cards_table() if card.driver_name.lower() in made]
    if memory_bytes is None:
        return named[0] if len(named) == 1 else None

    def off(card: OtherCard) -> float:
        whole = card.memory_bytes or memory_bytes
        return abs(memory_bytes - whole) / whole

    return min((card for card in named if off(card) <= _ALIKE), key=off, default=None)


@functools.cache
def cards_table() -> Sequence[OtherCard]:
    """What comes with the program. Read when it is first needed."""
    titles = {line["key"]: line["title"] for line in _lines("card-sources.csv")}
    return [_card(line, titles) for line in _lines("cards.csv")]


def _lines(name: str) -> list[dict[str, str]]:
    with resource(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _card(line: Mapping[str, str], titles: Mapping[str, str]) -> OtherCard:
    def sourced(value: float | None, column: str, before: str = "") -> Figure:
        if not value:
            return Figure.missing(Message(_LEFT_OUT))
        sources = "; ".join(titles[key] for key in line[column].split())
        return Figure(value, f"{before}{sources}", origin=Origin.TABLE)

    generation, lanes = (int(line[name] or 0) for name in ("pcie_generation", "pcie_lanes"))
    way = f"PCIe {generation}.0 x{lanes}, "
    figures = dict.fromkeys(What, sourced(pcie_rate(generation, lanes), "pcie_source", way))
    for what, (column, source) in _COLUMNS.items():
        if line[column] == "none":
            figures[what] = Figure.missing(Message("this card has none"))
        else:
            figures[what] = sourced(float(line[column] or 0) * what.scale, source)
    return OtherCard(
        line["name"],
        line["vendor"],
        line["architecture"],
        int(line["year"]) if line["year"] else None,
        int(float(line["memory_gib"]) * (1 << 30)) if line["memory_gib"] else None,
        figures,
        line["driver_name"],
    )
