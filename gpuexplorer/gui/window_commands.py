"""WindowCommands: everything the window can be told to do, each with its keys."""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from functools import partial

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPlainTextEdit, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.state.command_list import (
    Command,
    CommandGroup,
    CommandList,
    keys_of,
)
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.state.trail import Trail
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.widgets.live_view import KeyGroup

# Of recordings that were opened or made.
MOST_RECENT = 5
_SCHEMES = (
    (Scheme.SYSTEM, mark("Theme: as the system has it")),
    (Scheme.DARK, mark("Theme: dark")),
    (Scheme.LIGHT, mark("Theme: light")),
)
# What no single command does.
_EVERYWHERE = (
    ("Tab", mark("To the next part of the window")),
    ("Arrows", mark("Between screens, devices, tiles, rows")),
    ("Enter", mark("Open or press what is marked")),
    ("Esc", mark("Close a menu or a sheet, unmark the event, leave full screen")),
)


class Do(Enum):
    """What the window can be told to do: the group, the words and the keys of each."""

    NEXT_SCREEN = CommandGroup.SCREENS, mark("Next screen"), "Ctrl+Tab"
    SCREEN_BEFORE = CommandGroup.SCREENS, mark("Screen before"), "Ctrl+Shift+Tab"
    BACK = CommandGroup.SCREENS, mark("Back"), "Alt+Left"
    FORWARD = CommandGroup.SCREENS, mark("Forward"), "Alt+Right"
    FIND = CommandGroup.VIEW, mark("Find on this screen"), "Ctrl+F"
    FULL_SCREEN = CommandGroup.VIEW, mark("Full screen"), "F11"
    SMALL_WINDOW = CommandGroup.VIEW, mark("Small window above all others"), "Ctrl+Shift+M"
    FOLD = CommandGroup.VIEW, mark("Narrow or wide rail"), "Ctrl+B"
    LESSON_DO = (
        CommandGroup.LESSON,
        mark("Lesson: do what comes next: predict, run the cell, go on"),
        "Ctrl+Shift+Return",
    )
    LESSON_NEXT = CommandGroup.LESSON, mark("Lesson: next step"), "Alt+PgDown"
    LESSON_BEFORE = CommandGroup.LESSON, mark("Lesson: step before"), "Alt+PgUp"
    LESSON_KEYBOARD = CommandGroup.LESSON, mark("Lesson: keyboard to its text, or back"), "F6"
    LESSON_FOLD = CommandGroup.LESSON, mark("Lesson: fold or unfold it"), "Ctrl+Shift+B"
    LESSON_STEPS = CommandGroup.LESSON, mark("Lesson: list of its steps")
    LESSON_PRESENT = CommandGroup.LESSON, mark("Lesson: present it"), "Shift+F11"
    LESSON_EXPORT = CommandGroup.LESSON, mark("Lesson: export as a page…")
    LESSON_ANEW = CommandGroup.LESSON, mark("Lesson: begin anew")
    LESSON_LEAVE = CommandGroup.LESSON, mark("Lesson: leave it")
    RECORD = CommandGroup.RECORDING, mark("Record…"), "Ctrl+R"
    RECORD_ANONYMOUSLY = (
        CommandGroup.RECORDING,
        mark("Record without names, command lines and users…"),
    )
    OPEN_RECORDING = CommandGroup.RECORDING, mark("Open a recording…"), "Ctrl+Shift+R"
    REPLAY = CommandGroup.RECORDING, mark("Play or pause the recording"), "Space", "F8"
    EVENT_BEFORE = CommandGroup.RECORDING, mark("Recording: to the event before"), "F7"
    NEXT_EVENT = CommandGroup.RECORDING, mark("Recording: to the next event"), "F9"
    REPORT = CommandGroup.RECORDING, mark("Save a report of this recording…")
    EXPORT_RECORDING = CommandGroup.RECORDING, mark("Export this recording…")
    COMPARE_FILE = CommandGroup.TIME, mark("Compare with another recording…"), "Ctrl+Shift+D"
    COMPARE_HOUR = CommandGroup.TIME, mark("Compare with an hour earlier")
    COMPARE_DAY = CommandGroup.TIME, mark("Compare with the same time the day before")
    COMPARE_MARK = CommandGroup.TIME, mark("Compare with the time from the mark on")
    COMPARE_END = CommandGroup.TIME, mark("End the comparison")
    CLOSE_RECORDING = CommandGroup.RECORDING, mark("Back to the live cards")
    ADD_MACHINE = CommandGroup.MACHINES, mark("Add a machine…"), "Ctrl+Shift+N"
    NEXT_MACHINE = CommandGroup.MACHINES, mark("Next machine"), "Ctrl+Shift+PgDown"
    MACHINE_BEFORE = CommandGroup.MACHINES, mark("Machine before"), "Ctrl+Shift+PgUp"
    TRY_MACHINE = CommandGroup.MACHINES, mark("Connect to this machine now")
    DISCONNECT = CommandGroup.MACHINES, mark("Disconnect this machine")
    REMOVE_MACHINE = CommandGroup.MACHINES, mark("Remove this machine…")
    SEARCH = CommandGroup.PROGRAM, mark("Search all commands"), "Ctrl+K", "Ctrl+Shift+P"
    SETTINGS = CommandGroup.PROGRAM, mark("Settings…"), "Ctrl+,"
    READ_ONLY = CommandGroup.PROGRAM, mark("Read-only: nothing can be ended from here")
    KEYS = CommandGroup.PROGRAM, mark("Keys"), "F1", "?"
    MENU = CommandGroup.PROGRAM, mark("Menu"), "F10"
    SIMULATE = CommandGroup.PROGRAM, mark("Look around on simulated cards")
    PRACTISE = CommandGroup.PROGRAM, mark("Open the lab on two idle simulated cards")
    STOP_SIMULATING = CommandGroup.PROGRAM, mark("Stop simulating, look for real cards")
    LOOK_AGAIN = CommandGroup.PROGRAM, mark("Look for real cards again")
    REASONS = CommandGroup.PROGRAM, mark("What was looked for")
    DIAGNOSTICS = CommandGroup.PROGRAM, mark("Diagnostics")
    ABOUT = CommandGroup.PROGRAM, mark("About GPU Explorer")
    QUIT = CommandGroup.PROGRAM, mark("Quit"), "Ctrl+Q"


# The parts of the program's menu.
_MENU = (
    (Do.SMALL_WINDOW, Do.SETTINGS, Do.KEYS),
    (Do.ADD_MACHINE, Do.TRY_MACHINE, Do.DISCONNECT, Do.REMOVE_MACHINE),
    (Do.RECORD, Do.RECORD_ANONYMOUSLY, Do.OPEN_RECORDING),
    (Do.REPORT, Do.EXPORT_RECORDING, Do.CLOSE_RECORDING),
    (Do.SIMULATE, Do.PRACTISE, Do.STOP_SIMULATING, Do.LOOK_AGAIN, Do.REASONS),
    (Do.DIAGNOSTICS, Do.ABOUT, Do.QUIT),
)


class WindowCommands(CommandList):
    """Does by itself what needs no widget; the rest the window carries out."""

    def __init__(
        self,
        window: QWidget,
        time_window: TimeWindow,
        navigation: Navigation,
        settings: Settings,
    ) -> None:
        super().__init__(window, time_window)
        self._navigation = navigation
        self._trail = trail = Trail(navigation, self)
        self._settings = settings
        for position, entry in enumerate(VIEWS, 1):
            go = partial(navigation.open_screen, entry.name)
            # With Ctrl also where digits are typed.
            keys = (str(position), f"Ctrl+{position}")
            self.make(CommandGroup.SCREENS, tr(entry.title), *keys, run=go)
        self._by_name: dict[Do, QAction] = {}
        for do in Do:
            group, words, *keys = do.value
            self._by_name[do] = self.make(group, tr(words), *keys)
        recording = CommandGroup.RECORDING
        self.recent = [self.make(recording, "") for _ in range(MOST_RECENT)]
        for action in self.recent:
            action.setVisible(False)
        self._schemes: dict[Scheme, QAction] = {}
        for scheme, words in _SCHEMES:
            choose = partial(self._choose, scheme=scheme)
            self._schemes[scheme] = self.make(CommandGroup.VIEW, tr(words), run=choose)
        for none_yet in (Do.SIMULATE, Do.STOP_SIMULATING, Do.LOOK_AGAIN, Do.REASONS):
            self[none_yet].setVisible(False)
        for holds in (*self._schemes.values(), self[Do.READ_ONLY]):
            holds.setCheckable(True)
        self.menu_of_program = QMenu(window)
        for part in _MENU:
            self.menu_of_program.addSeparator()
            self.menu_of_program.addActions([self[do] for do in part])
            if Do.OPEN_RECORDING in part:
                self.menu_of_program.addActions(self.recent)
        self[Do.BACK].triggered.connect(trail.go_back)
        self[Do.FORWARD].triggered.connect(trail.go_forward)
        self[Do.READ_ONLY].triggered.connect(self._on_read_only_triggered)
        trail.changed.connect(self._on_trail_changed)
        settings.changed.connect(self._on_settings_changed)
        self._on_trail_changed()
        self._on_settings_changed()

    def __getitem__(self, do: Do) -> QAction:
        return self._by_name[do]

    def with_cards(
        self, machine: MachineState | None, here: Sequence[QAction]
    ) -> Sequence[Command]:
        """All of them; `here` are those of the screen that is seen."""
        found = self.commands(here)
        for shown in () if machine is None else (*machine.cards(), machine.host):
            name = shown.card.name
            words = tr("Open card {number}, {name}", number=shown.number, name=name)
            if shown.host:
                words = tr("Open the host, {name}", name=name)
            run = partial(self._navigation.open_card, shown.card.id)
            found.append(Command(words, CommandGroup.CARDS, run))
        return found

    def all_keys(
        self, here: Sequence[QAction], parts: Sequence[KeyGroup] = ()
    ) -> Sequence[KeyGroup]:
        """For the sheet of keys. `parts` are keys that parts of this screen take."""
        groups: list[KeyGroup] = [_translated((mark("Everywhere"), _EVERYWHERE))]
        for group in CommandGroup:
            actions = here if group is CommandGroup.HERE else self.of(group)
            keys = [
                (keys_of(action), action.text().rstrip("…"))
                for action in actions
                if keys_of(action) and action.isVisible()
            ]
            if keys:
                groups.append((tr(group.value), keys))
            if group is CommandGroup.HERE:
                groups += [_translated(each) for each in parts]
        return groups

    def _choose(self, **changes: object) -> None:
        choices = replace(self._settings.choices, **changes)  # type: ignore[arg-type]  # by name
        self._settings.choose(choices)
        self._on_settings_changed()

    def _on_read_only_triggered(self, checked: bool) -> None:
        self._choose(read_only=checked)

    def _on_trail_changed(self) -> None:
        self[Do.BACK].setEnabled(self._trail.can_go_back)
        self[Do.FORWARD].setEnabled(self._trail.can_go_forward)

    def _on_settings_changed(self) -> None:
        choices = self._settings.choices
        self[Do.READ_ONLY].setChecked(choices.read_only)
        self[Do.READ_ONLY].setEnabled(not self._settings.read_only_because)
        for scheme, action in self._schemes.items():
            action.setChecked(scheme is choices.scheme)


def _translated(group: KeyGroup) -> KeyGroup:
    heading, keys = group
    return tr(heading), [(each, tr(words)) for each, words in keys]


class CopyKey(QObject):
    """Ctrl+C belongs to the screen that is shown, unless something is selected: Qt's fields
    take the key for themselves even where they have nothing to copy.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None:
            before.removeEventFilter(self)
        if isinstance(now, QLineEdit | QPlainTextEdit | QLabel):
            now.installEventFilter(self)

    @guarded
    def eventFilter(self, field: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if not event.matches(QKeySequence.StandardKey.Copy) or _selected(field):
            return False
        event.ignore()
        return True


def _selected(field: QObject) -> bool:
    if isinstance(field, QPlainTextEdit):
        return field.textCursor().hasSelection()
    return not isinstance(field, QLineEdit | QLabel) or field.hasSelectedText()
