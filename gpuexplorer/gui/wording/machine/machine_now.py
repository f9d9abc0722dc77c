"""MachineNow: all that is known at this moment of the cards and of what joins them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.machine_shape import MachineShape
from gpuexplorer.telemetry.topology import Topology


@dataclass(frozen=True, slots=True)
class MachineNow:
    """Every card of the shape is in each of the mappings."""

    shape: MachineShape
    topology: Topology
    listed: object  # the same as long as the same cards are listed
    cards: Mapping[CardId, Shown]
    known: Mapping[CardId, Known]
    faces: Mapping[CardId, CardFace]
    host: CardFace
    units: Units

    def number(self, card: CardId) -> str:
        return tr("host") if card == HOST_ID else self.cards[card].number

    def colour(self, card: CardId) -> int | None:
        return self.cards[card].colour

    def reading(self, card: CardId) -> Reading:
        found = self.known[card].reading
        return found or Reading(card, 0.0, CardState.WORKING, {}, {})

    def lost(self, card: CardId) -> bool:
        """Whether nothing comes from it any more: it fell off the bus, or is not listed."""
        return self.reading(card).state is CardState.LOST or self.unlisted(card)

    def unlisted(self, card: CardId) -> bool:
        return self.reading(card).state is CardState.UNLISTED

    def named(self, cards: Collection[CardId]) -> str:
        """ "card 3", "cards 0 to 7", "cards 0, 2 and 5 to 7"."""
        return _named(tuple(self.number(card) for card in cards))


@lru_cache(maxsize=512)
def _named(numbers: tuple[str, ...]) -> str:
    parts = [part for run in _runs(numbers) for part in _words(run)]
    return trn("card {numbers}", "cards {numbers}", len(numbers), numbers=listed(parts))


def _runs(numbers: Sequence[str]) -> list[list[str]]:
    """Numbers that follow each other stand together."""
    runs: list[list[str]] = []
    for number in sorted(numbers, key=lambda each: (len(each), each)):
        before = runs[-1][-1] if runs else ""
        both = before.isdigit() and number.isdigit()
        if both and int(number) == int(before) + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _words(run: Sequence[str]) -> Sequence[str]:
    return [tr("{first} to {last}", first=run[0], last=run[-1])] if len(run) > 2 else run
