"""What is asked of all machines becomes what is shown: groups in order, and free cards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuexplorer.core.cards import CardState
from gpuexplorer.gui.machines.heat_layout import MOST_APART
from gpuexplorer.gui.state.groups.group import CardCell, HostGroup
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.theme.palette import Tone


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person looks for. An empty word is in every name; None stands for all users."""

    words: str = ""
    user: str | None = None

    @property
    def filters(self) -> bool:
        return bool(self.words) or self.user is not None


class FreeCard(NamedTuple):
    """A card that computes nothing, on its machine."""

    group: HostGroup
    cell: CardCell
    free_bytes: float | None


def of_now(groups: Sequence[HostGroup]) -> Sequence[HostGroup]:
    """What cards said before the connection broke is no figure of now."""
    return [
        each if each.standing.answers else replace(each, cards=tuple(map(_silent, each.cards)))
        for each in groups
    ]


def _silent(cell: CardCell) -> CardCell:
    return cell._replace(values={}, state=CardState.NO_ANSWER, users=None, processes=0)


def filtered(groups: Sequence[HostGroup], asked: Asked) -> Sequence[HostGroup]:
    """A machine whose name fits comes with all its cards; else those of its cards that fit. The
    very same groups where all of their cards are left.
    """
    if not asked.filters:
        return groups
    found = (_fitting(group, asked) for group in groups)
    return [group for group in found if group is not None]


def _fitting(group: HostGroup, asked: Asked) -> HostGroup | None:
    words, user = asked.words.casefold(), asked.user
    whole = words in group.name.casefold() or words in group.place.casefold()
    cards = [
        cell
        for cell in group.cards
        if (whole or words in cell.name.casefold())
        and (user is None or (cell.users is not None and user in cell.users))
    ]
    if not cards and not (whole and user is None):
        return None
    return group if len(cards) == len(group.cards) else replace(group, cards=tuple(cards))


def users_of(groups: Sequence[HostGroup]) -> Sequence[str]:
    users = frozenset[str]().union(*(group.together.users for group in groups))
    return sorted(users, key=str.casefold)


GRAVE, WORTH_A_LOOK = 4, 3


def gravity(group: HostGroup) -> int:
    """How much is wrong with it: 0 is nothing."""
    match group.standing:
        case Standing.REFUSED | Standing.BROKEN:
            return GRAVE
        case Standing.ASKING:
            return WORTH_A_LOOK
        case Standing.CONNECTING | Standing.ENDED:
            return 1
    tones = {cell.mark.tone for cell in group.cards if cell.mark is not None}
    if Tone.BAD in tones or group.urgent:
        return GRAVE
    if Tone.WARN in tones or group.alerts:
        return WORTH_A_LOOK
    return 2 if group.late is not None else 0


def in_order(groups: Sequence[HostGroup], *, worst_first: bool) -> Sequence[HostGroup]:
    """Without cards first; then this computer and the others by name, or what is wrong. Of
    many, each rack comes where the first of its machines stands.
    """
    if not worst_first:
        return sorted(groups, key=lambda each: (bool(each.cards), *_by_name(each)))
    ranked = sorted(
        groups,
        key=lambda each: (
            bool(each.cards),
            -gravity(each),
            *map(natural, (each.place, each.name)),
        ),
    )
    if len(groups) <= MOST_APART:
        return ranked
    places: dict[tuple[bool, str], list[HostGroup]] = {}
    for group in ranked:
        places.setdefault((bool(group.cards), group.place), []).append(group)
    return [group for place in places.values() for group in place]


def _by_name(group: HostGroup) -> tuple[bool, str]:
    return group.standing is not Standing.HERE, natural(group.name)


def natural(name: str) -> str:
    """To sort by: gpu-10 comes after gpu-9."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), name.casefold())


def free_cards(groups: Sequence[HostGroup]) -> Sequence[FreeCard]:
    """Idle cards: those that nobody holds, and of them those with most free memory first."""
    found = [
        FreeCard(group, cell, cell.memory_free)
        for group in groups
        for cell in group.cards
        if cell.idle
    ]
    return sorted(
        found, key=lambda each: (bool(each.cell.processes), -(each.free_bytes or 0.0))
    )
