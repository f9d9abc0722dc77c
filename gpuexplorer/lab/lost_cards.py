"""Which of the lines that were carried out cannot be run again where cards are lost."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuexplorer.lab.ledger import Entry


def needing(entries: "Sequence[Entry]", cards: "Collection[str]") -> "list[Entry]":
    """Those that worked on one of the cards, and those that go on from what these made."""
    found = []
    gone: set[str] = set()
    for entry in entries:
        effects = entry.effects
        touched = effects.touched(entry.models)
        if _worked_on(entry, cards) or gone & (effects.uses | effects.deletes | touched):
            found.append(entry)
            gone |= effects.makes | touched
        else:
            gone -= effects.makes
    return found


def _worked_on(entry: "Entry", cards: "Collection[str]") -> bool:
    busy = entry.finished.busy if entry.finished is not None else ()
    worked = {device for device, _ in busy}
    for each in entry.transfers:
        worked |= {each.source, each.target}
    return any(each in worked or entry.allocated_bytes(each) > 0 for each in cards)
