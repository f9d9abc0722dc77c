"""What a datasheet counts, figures with their source or the reason why there is none, and the
table of what makers say of their cards.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import gigabytes_per_second, short
from gpuexplorer.core.words import Message, mark
from gpuexplorer.telemetry.topology import pcie_rate

_TERA = 1e12
_ALIKE = 0.15  # of the memory: what the driver keeps for ECC is missing from what it tells
_LEFT_OUT = Message("the table of cards leaves it out")
_NOT_CHECKED = Message(
    "the table of cards leaves it out: no document was found to check it with"
)
_NOT_THERE = Message("this card has none")


class What(StrEnum):
    """The rows of a datasheet, in their order."""

    MEMORY = "memory bandwidth"
    TO_CARD = "host to card"
    FROM_CARD = "card to host"
    PEER = "card to card"
    FP32 = "FP32 products"
    TF32 = "TF32 products"
    FP16 = "FP16 products"
    BF16 = "BF16 products"
    POWER = "power"

    @property
    def words(self) -> Message:
        return Message(_ABOUT[self][0])

    @property
    def sentence(self) -> Message:
        """What exactly is promised and measured."""
        return Message(_ABOUT[self][1])

    @property
    def unit(self) -> str:
        if self in PRODUCTS:
            return "TFLOP/s"
        return "W" if self is What.POWER else "GB/s"

    @property
    def scale(self) -> float:
        """What such a unit is in bytes or operations per second, or in watts."""
        return {"GB/s": 1e9, "TFLOP/s": _TERA, "W": 1.0}[self.unit]


# The rows of products, with the kind of number that is multiplied.
PRODUCTS = {What.FP32: "fp32", What.TF32: "tf32", What.FP16: "fp16", What.BF16: "bf16"}
# Columns of the table: the figure, which is in these units, and its source.
_COLUMNS = {
    What.MEMORY: ("memory_gbs", "memory_source"),
    What.PEER: ("nvlink_gbs", "nvlink_source"),
    What.FP32: ("fp32_tflops", "fp32_source"),
    What.TF32: ("tf32_dense_tflops", "tensor_source"),
    What.FP16: ("fp16_dense_tflops", "tensor_source"),
    What.BF16: ("bf16_dense_tflops", "tensor_source"),
    What.POWER: ("board_watts", "power_source"),
}
_ABOUT = {
    What.MEMORY: (
        mark("Memory bandwidth"),
        mark("Bytes read and written in the card's own memory, by a copy within the card."),
    ),
    What.TO_CARD: (
        mark("Host link, to the card"),
        mark("From pinned memory of the host to the card, one way, alone."),
    ),
    What.FROM_CARD: (
        mark("Host link, from the card"),
        mark("From the card to pinned memory of the host, one way, alone."),
    ),
    What.PEER: (
        mark("Peer link, one way"),
        mark("From this card to another, one way, alone."),
    ),
    What.FP32: (
        mark("FP32 products"),
        mark("Square matrices multiplied in single precision; the TF32 switch is off."),
    ),
    What.TF32: (
        mark("TF32 products"),
        mark("Single precision, multiplied with ten bits behind the point on tensor cores."),
    ),
    What.FP16: (
        mark("FP16 products"),
        mark("Half precision, summed up in single precision on tensor cores; dense."),
    ),
    What.BF16: (
        mark("BF16 products"),
        mark("Numbers of 16 bits, summed up in single precision on tensor cores; dense."),
    ),
    What.POWER: (
        mark("Power"),
        mark("What the whole board may draw, and the most it drew while it was measured."),
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
        if self.origin is Origin.DEVICE:
            return Message("the device says: {what}", what=self.detail)
        if self.origin is Origin.TABLE:
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
    known = [value for value in values if value is not None]
    small = what in PRODUCTS and known and max(known) < _TERA
    return "GFLOP/s" if small else what.unit


def number_of(what: What, value: float | None, unit: str) -> str:
    """Empty where there is no value."""
    if value is None:
        return ""
    if what in PRODUCTS:
        return short(value / (1e9 if unit == "GFLOP/s" else _TERA))
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
    figures: Mapping[What, Figure] = field(default_factory=dict)
    is_this: bool = False  # the same model as the card of the sheet
    driver_name: str = ""  # as NVML says it; empty: the program cannot meet this card

    def figure(self, what: What) -> Figure:
        return self.figures.get(
            what, Figure.missing(Message("the table of cards does not say"))
        )


@dataclass(frozen=True, slots=True)
class CardsTable:
    """Without cards, where the table could not be read; then a sentence says so."""

    rows: Sequence[OtherCard] = ()
    troubles: Sequence[Message] = ()

    def match(self, name: str, memory_bytes: int | None) -> OtherCard | None:
        """Of several cards of one name, the one with that memory. None: it is not there."""
        named = [card for card in self.rows if _plain(card.driver_name) == _plain(name)]
        if memory_bytes is None:
            return named[0] if len(named) == 1 else None

        def off(card: OtherCard) -> float:
            whole = card.memory_bytes or memory_bytes
            return abs(memory_bytes - whole) / whole

        return min((card for card in named if off(card) <= _ALIKE), key=off, default=None)

    def cards(self, this: OtherCard | None = None) -> tuple[OtherCard, ...]:
        """In the order of the table."""
        same = None if this is None else this.name
        return tuple(replace(card, is_this=card.name == same) for card in self.rows)


def cards_table() -> CardsTable:
    """That comes with the program."""
    try:
        return read_table(resource("cards.csv"), resource("card-sources.csv"))
    except Trouble as trouble:
        return CardsTable((), (trouble.sentence,))


def read_table(cards: Path, sources: Path) -> CardsTable:
    """Raises Trouble where a file cannot be read, or says what cannot be."""
    number, path = 1, sources
    try:
        titles = {line["key"]: line["title"] for line in _lines(sources)}
        path, rows = cards, []
        for number, line in enumerate(_lines(cards), 2):  # noqa: B007 - told below
            rows.append(_card(line, titles))
    except (OSError, ValueError, LookupError, csv.Error) as error:
        raise Trouble(
            "{file} cannot be read: line {line}, {why}.",
            file=path.name,
            line=number,
            why=str(error),
        ) from error
    return CardsTable(tuple(rows))


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, restval=""))


def _card(line: Mapping[str, str], titles: Mapping[str, str]) -> OtherCard:
    """Raises ValueError or LookupError for what cannot be: a figure without a source, too."""

    def sourced(value: float | None, column: str, detail: str = "") -> Figure:
        if value is None:
            return Figure.missing(_NOT_CHECKED, _LEFT_OUT)
        sources = "; ".join(titles[key] for key in line[column].split() or [""])
        return Figure(value, f"{detail}{sources}", origin=Origin.TABLE)

    figures = {}
    for what, (column, source) in _COLUMNS.items():
        figures[what] = Figure.missing(_NOT_THERE)
        if line[column] != "none":
            value = _number(line[column])
            figures[what] = sourced(value and value * what.scale, source)
    generation, lanes = (int(line[name] or 0) for name in ("pcie_generation", "pcie_lanes"))
    detail = f"PCIe {generation}.0 x{lanes}, "
    link = sourced(pcie_rate(generation, lanes) or None, "pcie_source", detail)
    figures |= {What.TO_CARD: link, What.FROM_CARD: link}
    memory, year = _number(line["memory_gib"]), _number(line["year"])
    return OtherCard(
        line["name"],
        line["vendor"],
        line["architecture"],
        None if year is None else int(year),
        None if memory is None else int(memory * (1 << 30)),
        figures,
        driver_name=line["driver_name"],
    )


def _number(text: str) -> float | None:
    value = float(text) if text else None
    if value is not None and not 0 < value < 1e7:
        raise ValueError(text)
    return value


def _plain(name: str) -> str:
    """Older drivers leave the maker out."""
    return name.lower().removeprefix("nvidia ").strip()
