"""EventChoice: which of all that took place is listed: a group, a card, some words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.events.event_words import Group, group
from gpuexplorer.telemetry.happenings import Happening, Kind

_GROUPS = {kind: group(kind) for kind in Kind}


@dataclass(frozen=True, slots=True)
class EventChoice:
    """None and "" let everything through."""

    group: Group | None = None
    card: CardId | None = None
    words: str = ""

    @property
    def all(self) -> bool:
        return self == EventChoice()

    def takes(self, happening: Happening, numbers: Mapping[CardId, str]) -> bool:
        """`numbers` is what people call the cards that are listed."""
        if self.group is not None and _GROUPS[happening.kind] is not self.group:
            return False
        # What is about the driver is about each of its cards.
        if self.card is not None and happening.card not in (self.card, None):
            return False
        if not self.words:
            return True
        card = tr("Driver")
        if happening.card is not None:
            number = numbers.get(happening.card, happening.card)
            card = tr("Card {number}", number=number)
        said = f"{tr(happening.sentence)} {tr(happening.kind.value)} {card}".lower()
        return all(word in said for word in self.words.lower().split())


def counted(happenings: Sequence[Happening]) -> Counter[Group]:
    """How many there are of each group."""
    kinds = Counter(happening.kind for happening in happenings)
    groups: Counter[Group] = Counter()
    for kind, count in kinds.items():
        groups[_GROUPS[kind]] += count
    return groups
