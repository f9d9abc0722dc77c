"""What was watched: each row as it was last said, and whether cards worked at the same time."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from gpuexplorer.lab.events import Span, Transferred, Watched

Row = TypeVar("Row")
_WORTH_COMPARING = 1e-4  # seconds that a card worked
_WITHOUT_PAUSES = 0.9  # of a stretch: in the rest of it a card may have rested


def merged(before: Watched, new: Watched) -> Watched:
    """Rows by their number, in the order in which they were first said. What is no row counts
    from the beginning, and is as it was said last; devices are said once.
    """
    return replace(
        new,
        copies=replaced(before.copies, new.copies),
        idle=_newest(before.idle, new.idle, lambda each: each.row),
        loaders=_newest(before.loaders, new.loaders, lambda each: each.row),
        trips=_newest(
            before.trips,
            new.trips,
            lambda each: (each.out, each.row, each.device, each.changed),
        ),
        devices=new.devices or before.devices,
    )


def replaced(
    before: Iterable[Transferred], new: Iterable[Transferred]
) -> tuple[Transferred, ...]:
    return _newest(before, new, lambda each: each.row)


def _newest(
    before: Iterable[Row], new: Iterable[Row], number: Callable[[Row], Hashable]
) -> tuple[Row, ...]:
    return tuple({number(each): each for rows in (before, new) for each in rows}.values())


class AtOnce(NamedTuple):
    """Cards that worked in one cell, in seconds."""

    cards: "list[str]"
    together: float  # two or more of them; 0 where one worked after the other
    whole: float  # any of them


def at_once(spans: "Sequence[Span]") -> "AtOnce | None":
    """None where it cannot be told whether they worked at the same time."""
    worked: dict[str, list[Span]] = {}
    for each in spans:
        if not each.waits_for and each.device != "cpu":
            worked.setdefault(each.device, []).append(each)
    busy = {card: sum(each.busy for each in of) for card, of in worked.items()}
    cards = sorted(card for card, seconds in busy.items() if seconds >= _WORTH_COMPARING)
    stretches = [each for card in cards for each in worked[card]]
    length = sum(each.end - each.begin for each in stretches)
    if len(cards) < 2 or sum(each.busy for each in stretches) < _WITHOUT_PAUSES * length:
        return None
    edges = [(each.begin, 1) for each in stretches] + [(each.end, -1) for each in stretches]
    together = whole = last = 0.0
    working = 0
    for moment, change in sorted(edges):
        whole += (moment - last) if working else 0.0
        together += (moment - last) if working > 1 else 0.0
        working, last = working + change, moment
    return AtOnce(cards, together if together >= _WORTH_COMPARING / 10 else 0.0, whole)
