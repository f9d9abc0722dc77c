"""Arrangement: in which order the overview shows cards and which it hides, remembered."""

import json
from collections.abc import Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.state.settings import Settings


class Arrangement:
    """Cards are known by their id, so that one that was lost finds its place again. Simulated
    cards all have the same ids: for them each machine has an arrangement of its own.
    """

    def __init__(self, settings: Settings, machine: str) -> None:
        self._settings = settings
        self._keys = (f"overview/{machine}/order", f"overview/{machine}/hidden")
        self._order, self._hidden = (_ids(settings.remembered(key)) for key in self._keys)
        if not settings.choices.keep_hidden:
            self._hidden = []

    def shown(self, cards: Sequence[Shown]) -> list[Shown]:
        hidden = set(self._hidden)
        ordered = self._ordered(cards)
        seen = [each for each in ordered if each.card.id not in hidden]
        # To hide the last card of all would leave a screen that shows nothing.
        return seen or ordered

    def hide(self, card: CardId) -> None:
        self._keep(self._order, [*self._hidden, card])

    def show_all(self) -> None:
        self._keep(self._order, [])

    def move(self, card: CardId, place: CardId, cards: Sequence[Shown]) -> None:
        """To where the other one is, which makes room."""
        order = [each.card.id for each in self._ordered(cards)]
        if card == place or card not in order or place not in order:
            return
        to = order.index(place)
        order.remove(card)
        order.insert(to, card)
        # Who is not there just now keeps its place behind who stood before it.
        for at, absent in enumerate(self._order):
            if absent not in order:
                before = self._order[at - 1] if at else None
                order.insert(order.index(before) + 1 if before in order else 0, absent)
        self._keep(order, self._hidden)

    def _ordered(self, cards: Sequence[Shown]) -> list[Shown]:
        """A card nobody placed stands behind the one before it in the driver's order."""
        there = {each.card.id: each for each in cards}
        order = [card for card in self._order if card in there]
        for at, each in enumerate(cards):
            if each.card.id not in order:
                before = cards[at - 1].card.id if at else None
                order.insert(order.index(before) + 1 if before is not None else 0, each.card.id)
        return [there[card] for card in order]

    def _keep(self, order: Sequence[CardId], hidden: Sequence[CardId]) -> None:
        self._order, self._hidden = list(order), list(dict.fromkeys(hidden))
        for key, ids in zip(self._keys, (self._order, self._hidden), strict=True):
            self._settings.remember(key, json.dumps(ids))


def _ids(text: str | None) -> list[CardId]:
    """What cannot be read is as if nobody had arranged anything."""
    if text is None:
        return []
    try:
        found = json.loads(text)
    except ValueError:
        return []
    if not isinstance(found, list):
        return []
    return [CardId(each) for each in found if isinstance(each, str)]
