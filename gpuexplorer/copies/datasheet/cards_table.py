"""CardsTable: what makers say of their cards, for what no card tells of itself."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpuexplorer.copies.datasheet.figure import Figure, Origin, What
from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.topology import pcie_rate

_GIB = 1 << 30
_ALIKE = 0.15  # of the memory: what the driver keeps for ECC is missing from what it tells
_LEFT_OUT = Message("the table of cards leaves it out")
_NOT_CHECKED = Message(
    "the table of cards leaves it out: no document was found to check it with"
)
_NOT_THERE = Message("this card has none")
_NONE = "none"
_PCIE = "PCIe {generation:.0f}.0 x{lanes:.0f}"
_COLUMNS = (
    "name",
    "driver_name",
    "vendor",
    "architecture",
    "year",
    "memory_gib",
    "memory_bits",
    "memory_gbps",
    "memory_gbs",
    "memory_source",
    "cores",
    "boost_mhz",
    "fp32_tflops",
    "fp32_source",
    "tf32_dense_tflops",
    "bf16_dense_tflops",
    "tensor_source",
    "pcie_generation",
    "pcie_lanes",
    "pcie_source",
    "nvlink_gbs",
    "nvlink_source",
    "board_watts",
    "power_source",
)


@dataclass(frozen=True, slots=True)
class CardsTable:
    """Cards that could be read, and a sentence for each line that could not."""

    rows: Sequence[OtherCard] = ()
    troubles: Sequence[Message] = ()

    def match(self, name: str, memory_bytes: int | None) -> OtherCard | None:
        """Of several cards of one name, the one with that memory. None: it is not there."""
        named = [card for card in self.rows if _plain(card.driver_name) == _plain(name)]
        if memory_bytes is None:
            return named[0] if len(named) == 1 else None
        off = {card.name: _off(card, memory_bytes) for card in named}
        named = [card for card in named if off[card.name] <= _ALIKE]
        return min(named, key=lambda card: off[card.name], default=None)

    def cards(self, this: OtherCard | None = None) -> tuple[OtherCard, ...]:
        """In the order of the table."""
        same = None if this is None else this.name
        return tuple(replace(card, is_this=card.name == same) for card in self.rows)


def cards_table() -> CardsTable:
    """That comes with the program. One that cannot be read is empty, and says so."""
    try:
        return read_table(resource("cards.csv"), resource("card-sources.csv"))
    except Trouble as trouble:
        return CardsTable((), (trouble.sentence,))


def read_table(cards: Path, sources: Path) -> CardsTable:
    """Raises Trouble where a file cannot be read at all."""
    titles = {
        row.get("key") or "": row.get("title") or ""
        for row in _lines(sources, ("key", "title"))
    }
    rows: dict[str, OtherCard] = {}
    troubles: list[Message] = []
    for number, line in enumerate(_lines(cards, _COLUMNS), 2):
        try:
            card = _card(line, titles)
            if card.name in rows:
                raise _WrongLineError(Message("{card} is there already", card=card.name))
            rows[card.name] = card
        except _WrongLineError as error:
            troubles.append(
                Message(
                    "Line {number} of cards.csv was left out: {why}.",
                    number=number,
                    why=error.why,
                )
            )
    return CardsTable(tuple(rows.values()), tuple(troubles))


def _lines(path: Path, columns: Iterable[str]) -> list[Mapping[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, restkey="", restval="")
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise Trouble(
                    "{file} has no column {column!r}.", file=path.name, column=missing[0]
                )
            return [{key: str(value).strip() for key, value in row.items()} for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Trouble(
            "{file} cannot be read: {why}.", file=path.name, why=str(error)
        ) from error


def _card(line: Mapping[str, str], titles: Mapping[str, str]) -> OtherCard:
    """Raises _WrongLineError with what is wrong."""
    for column in ("name", "vendor", "architecture"):
        if not line[column]:
            raise _WrongLineError(Message("it has no {column}", column=column))
    memory = _number(line, "memory_gib")
    year = _number(line, "year")
    return OtherCard(
        line["name"],
        line["vendor"],
        line["architecture"],
        None if year is None else int(year),
        None if memory is None else int(memory * _GIB),
        _figures(line, titles),
        driver_name=line["driver_name"],
    )


def _figures(line: Mapping[str, str], titles: Mapping[str, str]) -> Mapping[What, Figure]:
    def figure(column: str, source: str, factor: float) -> Figure:
        if line[column].lower() == _NONE:
            return Figure.missing(_NOT_THERE)
        value = _number(line, column)
        if value is None:
            return Figure.missing(_NOT_CHECKED, _LEFT_OUT)
        return Figure(value * factor, _source(line, source, titles), origin=Origin.TABLE)

    link = _pcie(line, titles)
    return {
        What.MEMORY: figure("memory_gbs", "memory_source", 1e9),
        What.TO_CARD: link,
        What.FROM_CARD: link,
        What.PEER: figure("nvlink_gbs", "nvlink_source", 1e9),
        What.FP32: figure("fp32_tflops", "fp32_source", 1e12),
        What.TF32: figure("tf32_dense_tflops", "tensor_source", 1e12),
        What.BF16: figure("bf16_dense_tflops", "tensor_source", 1e12),
        What.POWER: figure("board_watts", "power_source", 1.0),
    }


def _pcie(line: Mapping[str, str], titles: Mapping[str, str]) -> Figure:
    generation = _number(line, "pcie_generation")
    lanes = _number(line, "pcie_lanes")
    if generation is None or lanes is None:
        return Figure.missing(_NOT_CHECKED, _LEFT_OUT)
    rate = pcie_rate(int(generation), int(lanes))
    if rate is None:
        raise _WrongLineError(
            Message("the rate of PCIe {generation:.0f} is not known", generation=generation)
        )
    words = _PCIE.format(generation=generation, lanes=lanes)
    detail = f"{words}, {_source(line, 'pcie_source', titles)}"
    return Figure(rate, detail, origin=Origin.TABLE)


def _source(line: Mapping[str, str], column: str, titles: Mapping[str, str]) -> str:
    """A figure without a source is not told."""
    keys = line[column].split()
    if not keys:
        raise _WrongLineError(
            Message("{column} is empty, and a figure there needs its source", column=column)
        )
    unknown = [key for key in keys if key not in titles]
    if unknown:
        raise _WrongLineError(
            Message(
                "{column} names {key!r}, which card-sources.csv does not know",
                column=column,
                key=unknown[0],
            )
        )
    return "; ".join(titles[key] for key in keys)


def _number(line: Mapping[str, str], column: str) -> float | None:
    text = line[column]
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise _WrongLineError(
            Message("{column} is {text!r}, which is no number", column=column, text=text)
        ) from None
    if not 0 < value < 1e7:
        raise _WrongLineError(
            Message("{column} is {text}, which cannot be", column=column, text=text)
        )
    return value


class _WrongLineError(Exception):
    """`why` stands behind a colon."""

    def __init__(self, why: Message) -> None:
        super().__init__(why)
        self.why = why


def _off(card: OtherCard, memory_bytes: int) -> float:
    if card.memory_bytes is None:
        return 0.0
    return abs(memory_bytes - card.memory_bytes) / card.memory_bytes


def _plain(name: str) -> str:
    """Older drivers leave the maker out."""
    words = name.lower().split()
    return " ".join(words[1:] if words[:1] == ["nvidia"] else words)
