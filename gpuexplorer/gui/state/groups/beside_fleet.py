"""BesideFleet: the hosts of a fleet, and the machines over ssh of the same window."""

from collections.abc import Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.hour import Hour
from gpuexplorer.gui.state.groups.group import GroupSource, HostGroup


class BesideFleet(GroupSource):
    """A host that is reached over ssh under the same name stands there once, as that."""

    worst_first = keeps_hour = True

    def __init__(self, fleet: GroupSource, others: GroupSource) -> None:
        self.adds = others.adds
        self._fleet, self._others = fleet, others
        self._keys: set[str] = set()

    def notes(self) -> Sequence[Message]:
        return self._fleet.notes()

    def groups(self) -> Sequence[HostGroup]:
        others, fleet = self._others.groups(), self._fleet.groups()
        self._keys = {each.key for each in others}
        if not others:
            return fleet
        return [*others, *(each for each in fleet if each.key not in self._keys)]

    def look(self, *, looking: bool) -> None:
        for each in (self._fleet, self._others):
            each.look(looking=looking)

    def hour(self, *, looking: bool) -> Hour | None:
        return self._fleet.hour(looking=looking)

    def open_machine(self, key: str) -> None:
        self._of(key).open_machine(key)

    def open_card(self, key: str, card: CardId) -> None:
        self._of(key).open_card(key, card)

    def ask_add(self) -> None:
        self._others.ask_add()

    def _of(self, key: str) -> GroupSource:
        return self._others if key in self._keys else self._fleet
