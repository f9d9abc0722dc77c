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
    FP16 = "FP16 products"
    BF16 = "BF16 products"
    POWER = "power"

    @property
    def unit(self) -> Unit:
        if self in PRODUCTS:
            return Unit.COMPUTE
        return Unit.POWER if self is What.POWER else Unit.RATE

    @property
    def sentence(self) -> Message:
        """What exactly is promised and measured."""
        return Message(_SENTENCES[self])


# The rows of products, with the kind of number that is multiplied.
PRODUCTS = {What.FP32: "fp32", What.TF32: "tf32", What.FP16: "fp16", What.BF16: "bf16"}
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
    What.FP16: mark(
        "Half precision: 16 bits, ten behind the point, summed up in single precision on "
        "tensor cores; dense."
    ),
    What.BF16: mark(
        "Numbers of 16 bits, summed up in single precision on tensor cores; dense."
    ),
    What.POWER: mark(
        "What the whole board may draw, and the most it drew while it was measured."
    ),
}
# Columns of the table: the figure, its source, and in what it counts.
_COLUMNS = {
    What.MEMORY: ("memory_gbs", "memory_source", 1e9),
    What.PEER: ("nvlink_gbs", "nvlink_source", 1e9),
    What.FP32: ("fp32_tflops", "fp32_source", _TERA),
    What.TF32: ("tf32_dense_tflops", "tensor_source", _TERA),
    What.FP16: ("fp16_dense_tflops", "tensor_source", _TERA),
    What.BF16: ("bf16_dense_tflops", "tensor_source", _TERA),
    What.POWER: ("board_watts", "power_source", 1.0),
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
    if what.unit is Unit.COMPUTE:
        known = [value for value in values if value is not None]
        return "GFLOP/s" if known and max(known) < _TERA else "TFLOP/s"
    return "W" if what.unit is Unit.POWER else "GB/s"


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
            return short(value / (1e9 if unit == "GFLOP/s" else _TERA))


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

    def figure(column: str, source: str, factor: float) -> Figure:
        if line[column] == "none":
            return Figure.missing(_NOT_THERE)
        if (value := _number(line[column])) is None:
            return Figure.missing(_NOT_CHECKED, _LEFT_OUT)
        return Figure(value * factor, sourced(source), origin=Origin.TABLE)

    def sourced(column: str) -> str:
        return "; ".join(titles[key] for key in line[column].split() or [""])

    link = Figure.missing(_NOT_CHECKED, _LEFT_OUT)
    generation, lanes = _number(line["pcie_generation"]), _number(line["pcie_lanes"])
    if generation is not None and lanes is not None:
        detail = f"PCIe {generation:.0f}.0 x{lanes:.0f}, {sourced('pcie_source')}"
        link = Figure(pcie_rate(int(generation), int(lanes)), detail, origin=Origin.TABLE)
    figures = {what: figure(*columns) for what, columns in _COLUMNS.items()}
    memory, year = _number(line["memory_gib"]), _number(line["year"])
    return OtherCard(
        line["name"],
        line["vendor"],
        line["architecture"],
        None if year is None else int(year),
        None if memory is None else int(memory * (1 << 30)),
        {**figures, What.TO_CARD: link, What.FROM_CARD: link},
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
