"""WindowCommands: all that the window can be told to do, with its keys, and how it is found."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum, StrEnum
from functools import partial

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPlainTextEdit, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.theme.palette import Scheme

# A heading, and below it keys with what they do.
Keys = tuple[str, Sequence[tuple[str, str]]]
_SCHEMES = {
    Scheme.SYSTEM: mark("Theme: as the system has it"),
    Scheme.DARK: mark("Theme: dark"),
    Scheme.LIGHT: mark("Theme: light"),
}
_EVERYWHERE: Keys = (
    mark("Everywhere"),
    (
        ("Tab", mark("To the next part of the window")),
        ("Arrows", mark("Between screens, devices, tiles, rows")),
        ("Enter", mark("Open or press what is marked")),
        ("Esc", mark("Close a menu or a sheet, unmark the event, leave full screen")),
    ),
)


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


SCREENS, HERE, LESSON, RECORDING, MACHINES, TIME, VIEW, PROGRAM, CARDS = CommandGroup


class Do(Enum):
    """The group, the words, the keys, and other words by which somebody searches for it."""

    def __init__(self, group: CommandGroup, words: str, keys: str = "", also: str = "") -> None:
        self.group, self.words, self.keys, self.also = group, words, keys.split(), also

    NEXT_SCREEN = SCREENS, mark("Next screen"), "Ctrl+Tab"
    SCREEN_BEFORE = SCREENS, mark("Previous screen"), "Ctrl+Shift+Tab"
    BACK = SCREENS, mark("Back"), "Alt+Left"
    FORWARD = SCREENS, mark("Forward"), "Alt+Right"
    FIND = VIEW, mark("Find on this screen"), "Ctrl+F", mark("search, filter")
    FULL_SCREEN = VIEW, mark("Full screen"), "F11", mark("maximise")
    SMALL_WINDOW = VIEW, mark("Small window above all others"), "Ctrl+Shift+M", mark("mini")
    FOLD = VIEW, mark("Narrow or wide rail"), "Ctrl+B", mark("sidebar, collapse, hide")
    LESSON_DO = (
        *(LESSON, mark("Lesson: do what comes next: predict, run the cell, go on")),
        "Ctrl+Shift+Return",
    )
    LESSON_NEXT = LESSON, mark("Lesson: next step"), "Alt+PgDown"
    LESSON_BEFORE = LESSON, mark("Lesson: previous step"), "Alt+PgUp"
    LESSON_KEYBOARD = LESSON, mark("Lesson: keyboard to its text, or back"), "F6"
    LESSON_FOLD = LESSON, mark("Lesson: fold or unfold it"), "Ctrl+Shift+B"
    LESSON_STEPS = LESSON, mark("Lesson: list of its steps")
    LESSON_PRESENT = LESSON, mark("Lesson: present it"), "Shift+F11", mark("beamer, slides")
    LESSON_EXPORT = LESSON, mark("Lesson: export as a page…")
    LESSON_ANEW = LESSON, mark("Lesson: begin anew"), "", mark("restart")
    LESSON_LEAVE = LESSON, mark("Lesson: leave it"), "", mark("close, quit")
    RECORD = RECORDING, mark("Record…"), "Ctrl+R", mark("save, capture, log to a file")
    RECORD_ANONYMOUSLY = (
        *(RECORDING, mark("Record without names, command lines and users…")),
        *("", mark("anonymous, private")),
    )
    OPEN_RECORDING = RECORDING, mark("Open a recording…"), "Ctrl+Shift+R", mark("load, file")
    REPLAY = RECORDING, mark("Play or pause the recording"), "Space F8"
    EVENT_BEFORE = RECORDING, mark("Recording: to the previous event"), "F7"
    NEXT_EVENT = RECORDING, mark("Recording: to the next event"), "F9"
    REPORT = RECORDING, mark("Save a report of this recording…"), "", mark("HTML, web page")
    EXPORT_RECORDING = RECORDING, mark("Export this recording…"), "", mark("CSV, JSON")
    COMPARE_FILE = TIME, mark("Compare with another recording…"), "Ctrl+Shift+D"
    COMPARE_HOUR = TIME, mark("Compare with an hour earlier")
    COMPARE_DAY = TIME, mark("Compare with the same time the day before")
    COMPARE_MARK = TIME, mark("Compare with the time from the mark on")
    COMPARE_END = TIME, mark("End the comparison")
    CLOSE_RECORDING = RECORDING, mark("Back to the live cards"), "", mark("close, end")
    ADD_MACHINE = MACHINES, mark("Add a machine…"), "Ctrl+Shift+N", mark("ssh, server")
    NEXT_MACHINE = MACHINES, mark("Next machine"), "Ctrl+Shift+PgDown"
    MACHINE_BEFORE = MACHINES, mark("Previous machine"), "Ctrl+Shift+PgUp"
    TRY_MACHINE = MACHINES, mark("Connect to this machine now"), "", mark("retry, reconnect")
    DISCONNECT = MACHINES, mark("Disconnect this machine")
    REMOVE_MACHINE = MACHINES, mark("Remove this machine…"), "", mark("delete, forget")
    SEARCH = PROGRAM, mark("Search all commands"), "Ctrl+K Ctrl+Shift+P", mark("find")
    SETTINGS = PROGRAM, mark("Settings…"), "Ctrl+,", mark("preferences, options, alerts")
    READ_ONLY = PROGRAM, mark("Read-only: nothing can be ended from here"), "", mark("safe")
    KEYS = PROGRAM, mark("Keys"), "F1 ?", mark("help, shortcuts, keyboard")
    MENU = PROGRAM, mark("Menu"), "F10"
    SIMULATE = PROGRAM, mark("Look around on simulated cards"), "", mark("demo, try, fake")
    PRACTISE = PROGRAM, mark("Open the lab on two idle simulated cards"), "", mark("demo")
    STOP_SIMULATING = PROGRAM, mark("Stop simulating, look for real cards")
    LOOK_AGAIN = PROGRAM, mark("Look for real cards again"), "", mark("driver, detect")
    REASONS = PROGRAM, mark("What was looked for"), "", mark("why is there no card, driver")
    DIAGNOSTICS = PROGRAM, mark("Diagnostics"), "", mark("frame times, cost, performance")
    ABOUT = PROGRAM, mark("About GPU Explorer"), "", mark("version, licence, help")
    QUIT = PROGRAM, mark("Quit"), "Ctrl+Q", mark("exit, close the program")


# The parts of the program's menu.
_MENU = (
    (Do.SMALL_WINDOW, Do.SETTINGS, Do.KEYS),
    (Do.ADD_MACHINE, Do.TRY_MACHINE, Do.DISCONNECT, Do.REMOVE_MACHINE),
    (Do.RECORD, Do.RECORD_ANONYMOUSLY, Do.OPEN_RECORDING),
    (Do.REPORT, Do.EXPORT_RECORDING, Do.CLOSE_RECORDING),
    (Do.SIMULATE, Do.PRACTISE, Do.STOP_SIMULATING, Do.LOOK_AGAIN, Do.REASONS),
    (Do.DIAGNOSTICS, Do.ABOUT, Do.QUIT),
)


class CommandList(QObject):
    """The actions of one window, those of time first."""

    def __init__(self, window: QWidget, time_window: TimeWindow) -> None:
        super().__init__(window)
        self._window, self._time_window = window, time_window
        self._spans: dict[float, QAction] = {}
        for position, (seconds, name) in enumerate(SPANS, 1):
            words, choose = (
                tr("Show {span}", span=name),
                partial(time_window.choose_span, seconds),
            )
            self._spans[seconds] = self.make(TIME, words, f"Alt+{position}", run=choose)
            self._spans[seconds].setCheckable(True)
        words, toggle = tr("Pause or resume the plots"), time_window.toggle_pause
        self.hold = self.make(TIME, words, "Space", run=toggle)
        self.hold.setAutoRepeat(False)
        words, back = tr("Back to now"), time_window.back_to_now
        self._now = self.make(TIME, words, "Ctrl+End", run=back)
        time_window.changed.connect(self._on_time_changed)
        self._on_time_changed()

    def make(
        self,
        group: CommandGroup,
        words: str,
        *keys: str,
        run: Callable[[], object] | None = None,
        also: str = "",
    ) -> QAction:
        """Without `run` whoever has it connects what it does."""
        action = command(group, words, run, also, self._window)
        action.setShortcuts([QKeySequence(each) for each in keys])
        self._window.addAction(action)
        return action

    def by_group(self, here: Sequence[QAction] = ()) -> Mapping[str, list[QAction]]:
        """Those that are seen now; `here` are those of the screen."""
        found: dict[str, list[QAction]] = {group: [] for group in CommandGroup}
        for each in (*self._window.actions(), *here):
            if each.isVisible():
                found[group_of(each)].append(each)
        return found

    def _on_time_changed(self) -> None:
        self._now.setEnabled(not self._time_window.following)
        for seconds, action in self._spans.items():
            action.setChecked(seconds == self._time_window.span)


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
        self._navigation, self._settings = navigation, settings
        for position, entry in enumerate(VIEWS, 1):
            go = partial(navigation.open_screen, entry.name)
            # With Ctrl also where digits are typed.
            keys = (str(position), f"Ctrl+{position}")
            self.make(SCREENS, tr(entry.title), *keys, run=go, also=tr(entry.also))
        self._by_name = {
            do: self.make(do.group, tr(do.words), *do.keys, also=do.also and tr(do.also))
            for do in Do
        }
        self._schemes = {
            scheme: self.make(VIEW, tr(words), run=partial(self._choose, scheme=scheme))
            for scheme, words in _SCHEMES.items()
        }
        for action in (*self._schemes.values(), self[Do.READ_ONLY]):
            action.setCheckable(True)
        self.menu_of_program = QMenu(window)
        for part in _MENU:
            self.menu_of_program.addSeparator()
            self.menu_of_program.addActions([self[do] for do in part])
            if Do.OPEN_RECORDING in part:
                self.recent = self.menu_of_program.addMenu(tr("Open recent"))
        self.carry_out(
            {Do.BACK: partial(navigation.step, -1), Do.FORWARD: partial(navigation.step, 1)}
        )
        self[Do.READ_ONLY].triggered.connect(lambda on: self._choose(read_only=on))
        for changed in (navigation.screen_changed, navigation.card_changed, settings.changed):
            changed.connect(self._on_changed)
        self._on_changed()

    def __getitem__(self, do: Do) -> QAction:
        return self._by_name[do]

    def carry_out(self, slots: Mapping[Do, Callable[[], object]]) -> None:
        """Who does what."""
        for do, slot in slots.items():
            self[do].triggered.connect(lambda _=False, run=slot: run())

    def offer(self, offered: Mapping[Do, bool]) -> None:
        """What is possible just now; the rest is not seen."""
        for do, possible in offered.items():
            self[do].setVisible(possible)

    def all_keys(self, here: Sequence[QAction], parts: Sequence[Keys] = ()) -> Sequence[Keys]:
        """For the sheet of keys. `parts` are keys that parts of this screen take."""
        groups = [_translated(_EVERYWHERE)]
        for group, actions in self.by_group(here).items():
            named = [(keys_of(each), each.text().rstrip("…")) for each in actions]
            groups.append((tr(group), [each for each in named if each[0]]))
            groups += map(_translated, parts if group == HERE else ())
        return [each for each in groups if each[1]]

    def _choose(self, **changes: object) -> None:
        choices = replace(self._settings.choices, **changes)  # type: ignore[arg-type]  # by name
        self._settings.choose(choices)
        self._on_changed()

    def _on_changed(self) -> None:
        choices = self._settings.choices
        self[Do.BACK].setEnabled(self._navigation.can_step(-1))
        self[Do.FORWARD].setEnabled(self._navigation.can_step(1))
        self[Do.READ_ONLY].setChecked(choices.read_only)
        self[Do.READ_ONLY].setEnabled(not self._settings.read_only_because)
        for scheme, action in self._schemes.items():
            action.setChecked(scheme is choices.scheme)


class CopyKey(QObject):
    """Ctrl+C belongs to the screen that is shown, unless something is selected: Qt's fields
    take the key for themselves even where they have nothing to copy.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        QApplication.instance().focusChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]  # QApplication's

    def _on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None:
            before.removeEventFilter(self)
        if isinstance(now, QLineEdit | QPlainTextEdit | QLabel):
            now.installEventFilter(self)

    @guarded
    def eventFilter(self, field: QObject, event: QEvent) -> bool:
        copies = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if event.type() is not QEvent.Type.ShortcutOverride or not copies:
            return False
        if isinstance(field, QPlainTextEdit):
            selected = field.textCursor().hasSelection()
        else:
            selected = isinstance(field, QLineEdit | QLabel) and field.hasSelectedText()
        event.setAccepted(selected)
        return not selected


def _translated(group: Keys) -> Keys:
    heading, keys = group
    return tr(heading), [(each, tr(words)) for each, words in keys]


def command(
    group: CommandGroup,
    words: str,
    run: Callable[[], object] | None = None,
    also: str = "",
    parent: QObject | None = None,
) -> QAction:
    """`also` are other words by which somebody searches for it."""
    action = QAction(words, parent)
    action.setProperty("group", group.value)
    action.setProperty("also", also)
    if run is not None:
        # Qt would tell `run` whether the action is checked.
        action.triggered.connect(lambda: run())  # noqa: PLW0108
    return action


def group_of(action: QAction) -> str:
    """Those of a screen belong to none."""
    return str(action.property("group") or CommandGroup.HERE)


def keys_of(action: QAction) -> str:
    """As people call them: Enter is what stands on the key that Qt calls Return."""
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return keys.replace("Return", "Enter")
