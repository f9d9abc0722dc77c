"""Cards one could buy: those that are looked for, and where their figures come from."""

from collections.abc import Collection, Sequence

from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.core.units import GIB
from gpuexplorer.gui.wording.copies.datasheet.figures import short


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
