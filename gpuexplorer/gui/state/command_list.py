"""CommandList: everything a window can be told to do, with its key; and how to find it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow


class CommandGroup(StrEnum):
    """What a command is about, in the order of the list; translated where it is shown."""

    SCREENS = mark("Screens")
    HERE = mark("On this screen")
    LESSON = mark("Lesson")
    RECORDING = mark("Recording")
    MACHINES = mark("Machines")
    TIME = mark("Time")
    VIEW = mark("View")
    PROGRAM = mark("Program")
    CARDS = mark("Cards")


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the palette."""

    words: str
    group: CommandGroup
    run: Callable[[], object]
    keys: str = ""
    holds: bool = False  # it is so already: a theme that is chosen, say


class CommandList(QObject):
    """The actions of one window by group, those of time first. Commands are made of them when
    somebody looks.
    """

    def __init__(self, window: QWidget, time_window: TimeWindow) -> None:
        super().__init__(window)
        self._window = window
        self._time_window = time_window
        self._actions: dict[CommandGroup, list[QAction]] = {group: [] for group in CommandGroup}
        time, self._spans = CommandGroup.TIME, dict[float, QAction]()
        for position, (seconds, words) in enumerate(SPANS, 1):
            choose = partial(self._choose_span, seconds)
            span = self.make(time, tr("Show {span}", span=words), f"Alt+{position}", run=choose)
            span.setCheckable(True)
            self._spans[seconds] = span
        self.hold = self.make(time, tr("Pause or resume the plots"), "Space")
        self.hold.triggered.connect(time_window.toggle_pause)
        self.hold.setAutoRepeat(False)
        self._now = self.make(time, tr("Back to now"), "Ctrl+End")
        self._now.triggered.connect(time_window.back_to_now)
        time_window.changed.connect(self._on_time_changed)
        self._on_time_changed()

    def make(
        self,
        group: CommandGroup,
        words: str,
        *keys: str,
        run: Callable[[], object] | None = None,
    ) -> QAction:
        """Without `run` whoever has it connects what it does."""
        action = QAction(words, self._window)
        action.setShortcuts([QKeySequence(each) for each in keys])
        if run is not None:
            # Qt would tell `run` whether the action is checked.
            action.triggered.connect(lambda: run())  # noqa: PLW0108
        self._window.addAction(action)
        self._actions[group].append(action)
        return action

    def of(self, group: CommandGroup) -> Sequence[QAction]:
        return self._actions[group]

    def commands(self, here: Sequence[QAction] = ()) -> list[Command]:
        """Those that can be used now; `here` are those of what is seen."""
        return [
            command_of(action, group)
            for group, actions in (self._actions | {CommandGroup.HERE: here}).items()
            for action in actions
            if action.isEnabled() and action.isVisible() and action.text()
        ]

    def _choose_span(self, seconds: float) -> None:
        self._time_window.choose_span(seconds)
        self._on_time_changed()  # Qt has changed its mark, also where it held already

    def _on_time_changed(self) -> None:
        self._now.setEnabled(not self._time_window.following)
        for seconds, action in self._spans.items():
            action.setChecked(seconds == self._time_window.span)


def command_of(action: QAction, group: CommandGroup) -> Command:
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


def find(commands: Sequence[Command], text: str) -> Sequence[Command]:
    """Those that have the typed letters in this order, the best first; all, where none are.

    Whole words and beginnings of words count more than letters picked here and there.
    """
    found: list[tuple[float, Command]] = []
    for command in commands:
        costs = [_cost(command.words.casefold(), part.casefold()) for part in text.split()]
        known = [cost for cost in costs if cost is not None]
        if len(known) == len(costs):
            found.append((sum(known), command))
    return [command for _, command in sorted(found, key=lambda each: each[0])]


def _cost(words: str, part: str) -> float | None:
    """What it costs to find the letters there."""
    places = (at for at in range(len(words)) if words.startswith(part, at))
    whole = [(0.0 if _begins(words, at) else 4.0) + at * 0.01 for at in places]
    if whole:
        return min(whole)
    by_words = _apart(words, part, by_words=True)
    return _apart(words, part) if by_words is None else by_words


def _apart(words: str, part: str, *, by_words: bool = False) -> float | None:
    """Letters apart from each other; by words, each begins one or follows the one before."""
    at, cost = -1, 10.0
    for letter in part:
        there = words.find(letter, at + 1)
        while by_words and there > at + 1 and not _begins(words, there):
            there = words.find(letter, there + 1)
        if there < 0:
            return None
        cost += (there - at) * (0.05 if by_words else 0.5)
        at = there
    return cost


def _begins(words: str, at: int) -> bool:
    return at == 0 or not words[at - 1].isalnum()
