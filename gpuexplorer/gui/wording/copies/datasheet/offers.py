"""Offers: the cards one could buy as a table: columns, order, and what is looked for."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.copies.datasheet.figure import What
from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.core.units import GIB
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cell import Cell, Chip
from gpuexplorer.gui.wording.copies.datasheet.figures import number_of, short, unit_of


class Column(StrEnum):
    """Of the table of cards."""

    BESIDE = "beside"
    NAME = "name"
    HERE = "here"
    YEAR = "year"
    MEMORY = "memory"
    BANDWIDTH = "bandwidth"
    FP32 = "fp32"
    BF16 = "bf16"
    LINK = "link"
    PEERS = "peers"
    POWER = "power"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Spec:
    """One column. `what` is the figure that it shows."""

    column: Column
    caption: str
    width: int
    meaning: str
    what: What | None = None
    right: bool = True


SPECS = (
    Spec(
        Column.BESIDE, "", 34, mark("Lies beside the card above; space changes it"), right=False
    ),
    Spec(
        Column.NAME, mark("Card"), 188, mark("The model, as its driver calls it"), right=False
    ),
    Spec(Column.HERE, mark("Here"), 60, mark("Cards of this machine"), right=False),
    Spec(Column.YEAR, mark("Year"), 60, mark("When it came out")),
    Spec(Column.MEMORY, "GiB", 54, mark("Memory")),
    Spec(Column.BANDWIDTH, mark("Memory GB/s"), 104, mark("Memory bandwidth"), What.MEMORY),
    Spec(Column.FP32, mark("FP32 TFLOP/s"), 104, mark("Matrix products in FP32"), What.FP32),
    Spec(
        Column.BF16,
        mark("BF16 TFLOP/s"),
        104,
        mark("Matrix products in BF16, dense"),
        What.BF16,
    ),
    Spec(
        Column.LINK, mark("Host GB/s"), 90, mark("Its link to the host, one way"), What.TO_CARD
    ),
    Spec(
        Column.PEERS,
        mark("Peer GB/s"),
        90,
        mark("Its links to other cards, one way"),
        What.PEER,
    ),
    Spec(Column.POWER, mark("Watts"), 64, mark("What the whole board may draw"), What.POWER),
    Spec(
        Column.SOURCE, mark("Source"), 160, mark("Where these figures come from"), right=False
    ),
)
INDEX = {spec.column: at for at, spec in enumerate(SPECS)}
# Where there is too little room, these go, the last first.
_SPARE = (Column.POWER, Column.PEERS, Column.LINK, Column.YEAR, Column.SOURCE)
NAME_AT_LEAST = 168


def fitting(room: int) -> frozenset[Column]:
    """As many columns as there is room for."""
    shown = [spec.column for spec in SPECS]
    spare = list(_SPARE)
    while spare and sum(_least(each) for each in shown) > room:
        shown.remove(spare.pop())
    return frozenset(shown)


def looked_for(cards: Sequence[OtherCard], words: str) -> list[OtherCard]:
    """Those that have all of the words somewhere."""
    wanted = words.casefold().split()
    return [card for card in cards if all(each in _text(card) for each in wanted)]


def in_order(
    cards: Sequence[OtherCard],
    column: Column,
    *,
    falling: bool,
    first: Collection[str] = (),
) -> list[OtherCard]:
    """What is not known comes last, whichever way. Columns that only mark cards bring those
    that are marked to the top: `first` are their names.
    """
    if column in (Column.BESIDE, Column.HERE):
        return sorted(cards, key=lambda card: (card.name not in first, _name(card)))
    key = _KEYS.get(column, _name)
    known = [card for card in cards if key(card) is not None]
    unknown = [card for card in cards if key(card) is None]
    known.sort(key=lambda card: (key(card), _name(card)), reverse=falling)
    return known + sorted(unknown, key=_name)


def cell(
    card: OtherCard,
    spec: Spec,
    letter: str,
    here: Mapping[str, Sequence[Chip]],
) -> Cell:
    """`letter` is under which it lies beside the sheet's card; `here` this machine's cards."""
    match spec.column:
        case Column.BESIDE if letter:
            return Cell(
                letter, flag="solid", hint=tr("Lies beside it as {letter}", letter=letter)
            )
        case Column.BESIDE:
            return Cell(flag="dashed", hint=tr("Lay it beside the card above"))
        case Column.NAME:
            return Cell(card.name, hint=_described(card))
        case Column.HERE:
            chips = tuple(here.get(card.name, ()))
            return Cell(chips=chips, hint=tr("This machine has it") if chips else "")
        case Column.YEAR:
            return _number("" if card.year is None else str(card.year), tr("not known"))
        case Column.MEMORY:
            size = card.memory_bytes
            return _number("" if size is None else short_size(size), tr("not known"))
        case Column.SOURCE:
            source = source_of(card)
            return Cell(source, tone=Tone.QUIET, hint="\n".join(_sources(card)))
    return _figure(card, spec)


def short_size(size: float) -> str:
    """In GiB: "24", "1.5"."""
    gib = size / GIB
    return f"{gib:.0f}" if abs(gib - round(gib)) < 0.05 else short(gib)


def source_of(card: OtherCard) -> str:
    """What all its figures share, or each of them."""
    return "; ".join(_sources(card))


def _sources(card: OtherCard) -> Sequence[str]:
    return list(dict.fromkeys(each.detail for each in card.figures.values() if each.detail))


def marked(cards: Collection[OtherCard], names: Collection[str]) -> list[OtherCard]:
    """In the order in which their names were chosen."""
    known = {card.name: card for card in cards}
    return [known[name] for name in names if name in known]


def _figure(card: OtherCard, spec: Spec) -> Cell:
    assert spec.what is not None
    figure = card.figure(spec.what)
    if figure.value is None:
        return Cell(absent=("–",), hint=tr(figure.reason))
    unit = unit_of(spec.what, 1e12)
    return Cell(number_of(spec.what, figure.value, unit), hint=tr(figure.source))


def _number(text: str, why: str) -> Cell:
    return Cell(text) if text else Cell(absent=("–",), hint=why)


def _described(card: OtherCard) -> str:
    parts = (card.name, card.architecture, "" if card.year is None else str(card.year))
    return ", ".join(part for part in parts if part)


def _text(card: OtherCard) -> str:
    parts = (card.name, card.vendor, card.architecture, str(card.year or ""))
    return " ".join(parts).casefold()


def _least(column: Column) -> int:
    return NAME_AT_LEAST if column is Column.NAME else SPECS[INDEX[column]].width


def _name(card: OtherCard) -> str:
    return card.name.casefold()


def _value_of(what: What) -> Callable[[OtherCard], float | None]:
    return lambda card: card.figure(what).value


def _source(card: OtherCard) -> str | None:
    return source_of(card) or None


_KEYS: dict[Column, Callable[[OtherCard], float | str | None]] = {
    Column.NAME: _name,
    Column.YEAR: lambda card: card.year,
    Column.MEMORY: lambda card: card.memory_bytes,
    Column.SOURCE: _source,
    **{spec.column: _value_of(spec.what) for spec in SPECS if spec.what is not None},
}
