"""CommandList: everything the window can be told to do, with its key; and how to find it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from gpuexplorer.core.words import mark


class Group(StrEnum):
    """What a command is about, in the order of the list; translated where it is shown."""

    SCREENS = mark("Screens")
    HERE = mark("On this screen")
    TIME = mark("Time")
    VIEW = mark("View")
    PROGRAM = mark("Program")
    CARDS = mark("Cards")


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the palette."""

    words: str
    group: Group
    run: Callable[[], object]
    keys: str = ""
    holds: bool = False  # it is so already: a theme that is chosen, say


@dataclass(frozen=True, slots=True)
class Match:
    """A command that was found, and which of its letters were typed."""

    command: Command
    letters: tuple[int, ...]


class CommandList(QObject):
    """The window's own actions by group. Commands are made of them when somebody looks."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions: dict[Group, list[QAction]] = {group: [] for group in Group}

    def add(self, group: Group, action: QAction) -> QAction:
        self._actions[group].append(action)
        return action

    def of(self, group: Group) -> Sequence[QAction]:
        return self._actions[group]

    def commands(self) -> Sequence[Command]:
        """Those that can be used now."""
        return [
            command_of(action, group)
            for group, actions in self._actions.items()
            for action in actions
            if action.isEnabled() and action.isVisible()
        ]


def command_of(action: QAction, group: Group) -> Command:
    return Command(
        words=action.text().replace("&", "").rstrip("…."),
        group=group,
        run=action.trigger,
        keys=keys_of(action),
        holds=action.isCheckable() and action.isChecked(),
    )


def keys_of(action: QAction) -> str:
    """As people call them: Enter is what stands on the key that Qt calls Return."""
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return keys.replace("Return", "Enter")


def find(commands: Sequence[Command], text: str) -> Sequence[Match]:
    """Those that have the typed letters in this order, the best first; all, where none are.

    Whole words and beginnings of words count more than letters picked here and there.
    """
    wanted = text.split()
    if not wanted:
        return [Match(command, ()) for command in commands]
    found = []
    for position, command in enumerate(commands):
        letters: set[int] = set()
        cost = 0.0
        for part in wanted:
            hit = _find_part(command.words, part)
            if hit is None:
                break
            cost += hit[0]
            letters.update(hit[1])
        else:
            found.append((cost, position, Match(command, tuple(sorted(letters)))))
    found.sort(key=lambda each: each[:2])
    return [match for _, _, match in found]


def _find_part(words: str, part: str) -> tuple[float, Sequence[int]] | None:
    """What it costs to find the letters there, and where they are."""
    low, part = words.casefold(), part.casefold()
    if len(low) != len(words):
        low = words.lower()
    at = low.find(part)
    best: tuple[float, Sequence[int]] | None = None
    while at >= 0:
        begins = at == 0 or not low[at - 1].isalnum()
        cost = (0.0 if begins else 4.0) + at * 0.01
        if best is None or cost < best[0]:
            best = cost, range(at, at + len(part))
        at = low.find(part, at + 1)
    return best or _find_letters(low, part, by_words=True) or _find_letters(low, part)


def _find_letters(
    low: str, part: str, *, by_words: bool = False
) -> tuple[float, Sequence[int]] | None:
    """Letters apart from each other; by words, each begins one or follows the one before."""
    places: list[int] = []
    at = -1
    cost = 10.0
    for letter in part:
        there = low.find(letter, at + 1)
        if by_words and there != at + 1:
            begins = (
                i
                for i in range(at + 1, len(low))
                if low[i] == letter and not low[i - 1].isalnum()
            )
            there = next(begins, -1)
        if there < 0:
            return None
        cost += (there - at) * (0.05 if by_words else 0.5)
        places.append(there)
        at = there
    return cost, places
