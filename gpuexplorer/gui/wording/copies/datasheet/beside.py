"""Beside: the figures of one card and of some others, kind by kind, on one scale each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.datasheet.figure import Figure, What
from gpuexplorer.copies.datasheet.sheet import OtherCard, Sheet
from gpuexplorer.core.units import GIB
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.wording.copies.datasheet.faces import (
    TITLES,
    Bar,
    Group,
    Other,
    number_of,
    said_of,
    short,
    unit_of,
)
from gpuexplorer.gui.wording.copies.datasheet.rows import NOT_OF_HOST

MOST_OTHERS = 3
LETTERS = "ABC"
_MEMORY = mark("Memory")
_COMPARED = (
    What.MEMORY,
    What.FP32,
    What.TF32,
    What.BF16,
    What.TO_CARD,
    What.PEER,
    What.POWER,
)
_ALWAYS = frozenset(_COMPARED) - {What.TF32}
_UNKNOWN = Message("this card does not say")


@dataclass(frozen=True, slots=True)
class ThisCard:
    """What the sheet is about, as it is called on all pages."""

    chip: str
    colour: int | None
    memory_bytes: float | None


@dataclass(frozen=True, slots=True)
class _Told:
    chip: str
    promised: Figure
    reached: float | None = None
    colour: int | None = None
    here: bool = False


def others_of(chosen: Sequence[OtherCard]) -> tuple[Other, ...]:
    """The names that stand over the bars."""
    return tuple(
        Other(LETTERS[at], each.name, _without_maker(each)) for at, each in enumerate(chosen)
    )


def groups_of(sheet: Sheet, this: ThisCard, chosen: Sequence[OtherCard]) -> tuple[Group, ...]:
    groups = [_memory(this, chosen)]
    for what in _COMPARED:
        told = _told(what, sheet, this, chosen)
        always = what in _ALWAYS and (sheet.device != HOST or what not in NOT_OF_HOST)
        if always or any(each.promised.value is not None for each in told[1:]):
            groups.append(_group(what, told))
    return tuple(groups)


def _without_maker(card: OtherCard) -> str:
    return card.name.removeprefix(f"{card.vendor} ").removeprefix("GeForce ")


def _told(what: What, sheet: Sheet, this: ThisCard, chosen: Sequence[OtherCard]) -> list[_Told]:
    row = sheet.row(what)
    promised = Figure.missing(_UNKNOWN) if row is None else row.promised
    reached = None if row is None else row.reached.value
    others = [_Told(LETTERS[at], each.figure(what)) for at, each in enumerate(chosen)]
    return [_Told(this.chip, promised, reached, this.colour, here=True), *others]


def _group(what: What, told: Sequence[_Told]) -> Group:
    promised = [each.promised.value for each in told]
    known = [each for each in (*promised, *(t.reached for t in told)) if each is not None]
    unit = unit_of(what, *known)
    # Without any promise there is no scale.
    whole = max(known) if any(each is not None for each in promised) else 0.0
    bars = []
    for each in told:
        value, reached = each.promised.value, each.reached
        number = number_of(what, value, unit)
        of = ""
        if reached is not None:
            number, of = number_of(what, reached, unit), number
        why = each.promised.short or each.promised.reason
        bars.append(
            Bar(
                each.chip,
                number,
                of,
                "" if number else tr(why),
                value / whole if value is not None and whole else None,
                reached / whole if reached is not None and whole else None,
                each.colour,
                each.here,
                _hint(what, each),
            )
        )
    return Group(tr(TITLES[what]), unit, tuple(bars))


def _memory(this: ThisCard, chosen: Sequence[OtherCard]) -> Group:
    sizes = [(this.chip, this.memory_bytes, this.colour, True)]
    sizes += [(LETTERS[at], e.memory_bytes, None, False) for at, e in enumerate(chosen)]
    whole = max((size for _, size, _, _ in sizes if size), default=0.0)
    bars = [
        Bar(
            chip,
            "" if size is None else short(size / GIB),
            "",
            "" if size is not None else tr(_UNKNOWN),
            size / whole if size and whole else None,
            None,
            colour,
            here,
            "" if size is None else f"{short(size / GIB)} GiB",
        )
        for chip, size, colour, here in sizes
    ]
    return Group(tr(_MEMORY), "GiB", tuple(bars))


def _hint(what: What, told: _Told) -> str:
    promised = told.promised
    if promised.value is None:
        return tr("{chip}: {why}", chip=told.chip, why=promised.reason)
    return tr(
        "{chip}: {figure} promised ({source})",
        chip=told.chip,
        figure=said_of(what, promised),
        source=promised.source,
    )


def looked_for(cards: Sequence[OtherCard], words: str) -> list[OtherCard]:
    """Those that have all of the words somewhere."""
    wanted = words.casefold().split()
    return [card for card in cards if all(each in _text(card) for each in wanted)]


def short_size(size: float) -> str:
    """In GiB: "24", "1.5"."""
    gib = size / GIB
    return f"{gib:.0f}" if abs(gib - round(gib)) < 0.05 else short(gib)


def source_of(card: OtherCard) -> str:
    """What all its figures share, or each of them."""
    return "; ".join(sources_of(card))


def sources_of(card: OtherCard) -> Sequence[str]:
    """Without repeats."""
    return list(dict.fromkeys(each.detail for each in card.figures.values() if each.detail))


def marked(cards: Collection[OtherCard], names: Collection[str]) -> list[OtherCard]:
    """In the order in which their names were chosen."""
    known = {card.name: card for card in cards}
    return [known[name] for name in names if name in known]


def _text(card: OtherCard) -> str:
    parts = (card.name, card.vendor, card.architecture, str(card.year or ""))
    return " ".join(parts).casefold()
