"""WindowCommands: everything the window can be told to do, each with its keys."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.command_list import Command, CommandList, Group, command_of, keys_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.state.trail import Trail
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.wording.key_words import KeyGroup

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
    ("Esc", mark("Close what floats, unmark the event, leave full screen")),
)


class WindowCommands(QObject):
    """Does by itself what needs no widget; the rest the window carries out."""

    screen_asked = Signal(str)
    card_asked = Signal(str)

    def __init__(
        self, window: QWidget, time_window: TimeWindow, trail: Trail, settings: Settings
    ) -> None:
        super().__init__(window)
        self._window = window
        self._time_window = time_window
        self._trail = trail
        self._settings = settings
        self._list = CommandList(self)
        self._screens = self._choices(self._on_screen_triggered)
        for position, entry in enumerate(VIEWS):
            keys = str(position + 1) if position < 9 else ""
            self._add(Group.SCREENS, tr(entry.title), keys, self._screens).setData(entry.name)
        add = self._add
        self.next_screen = add(Group.SCREENS, tr("Next screen"), "Ctrl+Tab")
        self.screen_before = add(Group.SCREENS, tr("Screen before"), "Ctrl+Shift+Tab")
        self._back = add(Group.SCREENS, tr("Back"), "Alt+Left")
        self._forward = add(Group.SCREENS, tr("Forward"), "Alt+Right")
        self._back.triggered.connect(trail.go_back)
        self._forward.triggered.connect(trail.go_forward)
        self._spans = self._choices(self._on_span_triggered)
        for position, (seconds, words) in enumerate(SPANS):
            span = add(
                Group.TIME, tr("Show {span}", span=words), f"Alt+{position + 1}", self._spans
            )
            span.setData(seconds)
            span.setCheckable(True)
        self._pause = add(Group.TIME, tr("Pause or resume the plots"), "Space")
        self._pause.setAutoRepeat(False)
        self._pause.triggered.connect(time_window.toggle_pause)
        self._now = add(Group.TIME, tr("Back to now"), "Ctrl+End")
        self._now.triggered.connect(time_window.back_to_now)
        self.find = add(Group.VIEW, tr("Find on this screen"), "Ctrl+F")
        self.full_screen = add(Group.VIEW, tr("Full screen"), "F11")
        self.fold = add(Group.VIEW, tr("Narrow or wide rail"), "Ctrl+B")
        self._schemes = self._choices(self._on_scheme_triggered)
        for scheme, words in _SCHEMES:
            theme = add(Group.VIEW, tr(words), "", self._schemes)
            theme.setData(scheme)
            theme.setCheckable(True)
        self.palette = add(
            Group.PROGRAM, tr("Search all commands"), "Ctrl+K", more="Ctrl+Shift+P"
        )
        self.settings = add(Group.PROGRAM, tr("Settings…"), "Ctrl+,")
        self._read_only = add(Group.PROGRAM, tr("Read-only: nothing can be ended from here"))
        self._read_only.setCheckable(True)
        self._read_only.triggered.connect(self._on_read_only_triggered)
        self.keys = add(Group.PROGRAM, tr("Keys"), "F1", more="?")
        self.menu = add(Group.PROGRAM, tr("Menu"), "F10")
        self.simulate = add(Group.PROGRAM, tr("Look around on simulated cards"))
        self.stop_simulating = add(Group.PROGRAM, tr("Stop simulating, look for real cards"))
        self.look_again = add(Group.PROGRAM, tr("Look for real cards again"))
        self.reasons = add(Group.PROGRAM, tr("What was looked for"))
        self.about = add(Group.PROGRAM, tr("About GPU Explorer"))
        self.quit = add(Group.PROGRAM, tr("Quit"), "Ctrl+Q")
        for none_yet in (self.simulate, self.stop_simulating, self.look_again, self.reasons):
            none_yet.setVisible(False)
        self.menu_of_program = self._make_menu(window)
        trail.changed.connect(self._on_trail_changed)
        time_window.changed.connect(self._on_time_changed)
        settings.changed.connect(self._on_settings_changed)
        self._on_trail_changed()
        self._on_time_changed()
        self._on_settings_changed()

    def offer(self, actions: Sequence[QAction]) -> None:
        """Actions that others bring along, of the program as a whole."""
        for action in actions:
            self._list.add(Group.PROGRAM, action)
            self._window.addAction(action)
        self.menu_of_program.insertActions(self.about, list(actions))

    def commands(
        self, machine: MachineState | None, here: Sequence[QAction]
    ) -> Sequence[Command]:
        """All of them; `here` are those of the screen that is seen."""
        found = [*self._list.commands()]
        found += [
            command_of(action, Group.HERE)
            for action in here
            if action.isEnabled() and action.isVisible() and action.text()
        ]
        if machine is not None:
            for shown in (*machine.cards(), machine.host):
                words = tr(
                    "Open card {number}, {name}", number=shown.number, name=shown.card.name
                )
                if shown.host:
                    words = tr("Open the host, {name}", name=shown.card.name)
                run = _Open(self, shown.card.id)
                found.append(Command(words, Group.CARDS, run))
        order = list(Group)
        return sorted(found, key=lambda command: order.index(command.group))

    def all_keys(
        self, here: Sequence[QAction], parts: Sequence[KeyGroup] = ()
    ) -> Sequence[KeyGroup]:
        """For the sheet of keys. `parts` are keys that parts of this screen take."""
        groups: list[KeyGroup] = [_translated((mark("Everywhere"), _EVERYWHERE))]
        for group in Group:
            actions = here if group is Group.HERE else self._list.of(group)
            keys = [
                (keys_of(action), action.text().rstrip("…"))
                for action in actions
                if keys_of(action) and action.isVisible()
            ]
            if keys:
                groups.append((tr(group.value), keys))
            if group is Group.HERE:
                groups += [_translated(each) for each in parts]
        return groups

    def _make_menu(self, window: QWidget) -> QMenu:
        menu = QMenu(window)
        menu.addActions([self.settings, self.keys])
        menu.addSeparator()
        menu.addActions([self.simulate, self.stop_simulating, self.look_again, self.reasons])
        menu.addSeparator()
        menu.addActions([self.about, self.quit])
        return menu

    def _add(
        self,
        group: Group,
        words: str,
        keys: str = "",
        choices: QActionGroup | None = None,
        more: str = "",
    ) -> QAction:
        action = QAction(words, self._window)
        action.setShortcuts([QKeySequence(each) for each in (keys, more) if each])
        self._window.addAction(action)
        if choices is not None:
            choices.addAction(action)
        return self._list.add(group, action)

    def _choices(self, triggered: Callable[[QAction], None]) -> QActionGroup:
        choices = QActionGroup(self)
        # Which of them holds is for others to say.
        choices.setExclusionPolicy(QActionGroup.ExclusionPolicy.None_)
        choices.triggered.connect(triggered)
        return choices

    def _on_screen_triggered(self, action: QAction) -> None:
        self.screen_asked.emit(action.data())

    def _on_span_triggered(self, action: QAction) -> None:
        self._time_window.choose_span(action.data())
        self._on_time_changed()

    def _on_scheme_triggered(self, action: QAction) -> None:
        self._settings.choose(replace(self._settings.choices, scheme=Scheme(action.data())))
        self._on_settings_changed()

    def _on_read_only_triggered(self, checked: bool) -> None:
        self._settings.choose(replace(self._settings.choices, read_only=checked))
        self._on_settings_changed()

    def _on_trail_changed(self) -> None:
        self._back.setEnabled(self._trail.can_go_back)
        self._forward.setEnabled(self._trail.can_go_forward)

    def _on_time_changed(self) -> None:
        self._now.setEnabled(not self._time_window.following)
        for action in self._spans.actions():
            action.setChecked(action.data() == self._time_window.span)

    def _on_settings_changed(self) -> None:
        choices = self._settings.choices
        self._read_only.setChecked(choices.read_only)
        self._read_only.setEnabled(not self._settings.read_only_because)
        for action in self._schemes.actions():
            action.setChecked(action.data() == choices.scheme)


def _translated(group: KeyGroup) -> KeyGroup:
    heading, keys = group
    return tr(heading), [(each, tr(words)) for each, words in keys]


class _Open:
    """Opens one card when the palette says so."""

    def __init__(self, commands: WindowCommands, card: CardId) -> None:
        self._commands = commands
        self._card = card

    def __call__(self) -> None:
        self._commands.card_asked.emit(self._card)
