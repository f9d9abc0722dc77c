"""CardList: the cards by UUID, while connections to the driver come and go."""

from collections.abc import Collection
from dataclasses import replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backends.nvml.resting import SLEEPER


class CardList:
    """A card that the driver does not list any more keeps its place, so that nothing vanishes
    without a word. Its number may have passed to another card: then it gets the next free one.
    """

    def __init__(self) -> None:
        self.cards: list[Card] = []  # in the order in which people list them; replaced whole
        self.listed: list[Card] = []  # those the driver lists now, and those that sleep
        self._by_id: dict[CardId, Card] = {}
        self._unlisted: dict[CardId, Card] = {}  # as they were when they were listed

    def get(self, card: CardId) -> Card | None:
        return self._by_id.get(card)

    def unlisted(self) -> Collection[Card]:
        return list(self._unlisted.values())

    def take(self, listed: list[Card]) -> None:
        """The driver lists these now. Of the others, those that are whole and known stay."""
        now = {card.id for card in listed}
        for card in self.listed:
            known = card.kind is CardKind.GPU and not card.nameless
            if known and card.id not in now and not card.id.startswith(SLEEPER):
                self._unlisted[card.id] = card
        for back in now & self._unlisted.keys():
            del self._unlisted[back]
        cards = [*listed, *self._with_free_numbers(listed)]
        whole = {card.id: card.index for card in cards if card.parent is None}
        self._by_id = {card.id: card for card in cards}
        self.cards = sorted(
            cards,
            key=lambda card: (
                whole.get(card.parent, card.index) if card.parent else card.index,
                card.parent is not None,
                card.index,
            ),
        )
        self.listed = [card for card in self.cards if card.denied is not Absence.UNLISTED]

    def _with_free_numbers(self, listed: list[Card]) -> list[Card]:
        taken = {card.index for card in listed if card.kind is CardKind.GPU}
        free = max((*taken, *(card.index for card in self._unlisted.values())), default=0) + 1
        cards = []
        for card in sorted(self._unlisted.values(), key=lambda card: card.index):
            reason = Message("the driver no longer lists it")
            index = card.index
            if index in taken:
                reason = Message(
                    "the driver no longer lists it; it was card {number}", number=index
                )
                index, free = free, free + 1
            taken.add(index)
            cards.append(
                replace(
                    card,
                    index=index,
                    cuda_index=None,
                    cuda_reason=reason,
                    denied=Absence.UNLISTED,
                )
            )
        return cards
