"""MainWindow: the frame around the screens, and which session they show."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QMainWindow, QWidget

from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.desktop.desktop import ask_for_stillness
from gpuexplorer.gui.explanation import Explanation
from gpuexplorer.gui.frame_clock import SHORTEST_PERIOD, FrameClock
from gpuexplorer.gui.lesson_place import LessonPlace
from gpuexplorer.gui.live_frame import LiveFrame, window_title
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.rail.rail import NARROW_BELOW, Rail
from gpuexplorer.gui.recordings import WindowComparing, WindowRecordings
from gpuexplorer.gui.screens import Screens
from gpuexplorer.gui.small_window import Companions
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.places import Places
from gpuexplorer.gui.state.recording_state import AlwaysOn
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.widgets.bars.notices import Notices
from gpuexplorer.gui.widgets.bars.status_line import StatusLine
from gpuexplorer.gui.widgets.bars.top_bar import TopBar
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.window_alerts import WindowAlerts
from gpuexplorer.gui.window_commands import CopyKey, Do, WindowCommands
from gpuexplorer.gui.window_machines import WindowMachines
from gpuexplorer.gui.window_ways import WindowWays, recording_in
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.looked_for import Looked
from gpuexplorer.telemetry.session import Session

_WORTH_AN_ALERT = frozenset(
    {Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE, Kind.XID, Kind.MEMORY_ERROR}
)


class MainWindow(QMainWindow):
    """Shows one session, or why it reads no card. Owns neither the session nor its threads."""

    def __init__(
        self,
        session: Session,
        attempts: Sequence[Attempt],
        looked_for: Sequence[Looked],
        or_simulated: bool,
        simulate: Callable[[str], None],
        bridge: Bridge | None = None,
        settings: Settings | None = None,
        look_again: Callable[[], None] | None = None,
        open_recording: Callable[[Path], None] = lambda _: None,
        close_recording: Callable[[], None] = lambda: None,
        always_on: AlwaysOn | None = None,
        machines: MachinesState | None = None,
    ) -> None:
        """`simulate` starts the cards named; `look_again` ends them and looks for real ones;
        `open_recording` reads a file and shows it, `close_recording` what was shown before.
        """
        look()  # before the first widget, so that all have its letters
        super().__init__()
        self._session = session
        self._machine: MachineState | None = None
        self._lab: Lab | None = None
        self._quitting = False
        self.close_recording = close_recording
        self.setAcceptDrops(True)
        self.settings = settings or Settings(parent=self)
        self.look = look()
        self.look.changed.connect(self._on_look_changed)
        self._stillness = ask_for_stillness(self.look.follow_stillness, self)
        self.settings.changed.connect(self._on_settings_changed)
        self.frame_clock = FrameClock(self)
        self.time_window = TimeWindow(parent=self)
        self.frame_clock.ticked.connect(self.time_window.follow_clock)
        self.navigation = Navigation(self)
        self._places = Places(self, self.navigation, self.time_window, self.settings)
        self.commands = WindowCommands(self, self.time_window, self.navigation, self.settings)
        small, leaving = self.commands[Do.SMALL_WINDOW], self.commands[Do.QUIT]
        shared = (self.settings, self.navigation)
        self.companions = Companions(*shared, small, leaving, self)
        tray = self.companions.tray
        self._notices = notices = Notices()
        self._alerts = WindowAlerts(*shared, self.frame_clock, notices, self, bridge, tray)
        screens = [(each.name, each.title, each.icon) for each in VIEWS]
        self._rail = Rail(screens, self.navigation)
        self.machines = WindowMachines(
            *(self.settings, self.commands, self.navigation, self.frame_clock),
            machines or MachinesState(self.settings, session, parent=self),
            *(notices, close_recording, self),
        )
        self._rail.show_machines(self.machines.state)
        self._top = TopBar(self.time_window)
        self._always_on = always_on or AlwaysOn(self.settings)
        self._recordings = WindowRecordings(
            *(self.settings, self.commands, self._top.record, self.time_window),
            *(self._always_on, notices, self),
        )
        self._comparing = WindowComparing(
            self.commands, self.time_window, self._recordings, notices, self
        )
        self._screens = Screens(self.navigation)
        self._screens.rested.connect(self.machines.pythons.find)
        self._lessons = LessonPlace(
            self.settings, self.navigation, self._screens, self.commands
        )
        CopyKey(self)
        self.status = StatusLine()
        self._live = LiveFrame(
            self._rail, self._top, self.status, self.frame_clock, parent=self
        )
        self._lay_out()
        self.diagnostics = Diagnostics(self, self.frame_clock, self.navigation)
        self.explanation = Explanation(
            self.settings,
            self._screens,
            self.navigation,
            self._live,
            *(session.host, look_again is not None, attempts, looked_for, self),
        )
        self._ways = WindowWays(
            *(self.commands, self.navigation, self._screens, self.explanation),
            self._top,
            notices,
            self,
            simulate,
            look_again,
            open_recording,
            nothing_real=or_simulated or session.bare,
        )
        self.open_recording = self._ways.open_recording
        self.say = self._recordings.say
        self._connect()
        if bridge is not None:
            bridge.happened.connect(self._on_happened)
        self._on_look_changed()
        self._on_settings_changed()
        self._places.restore([entry.name for entry in VIEWS])
        self.show_session(session)

    def show_nothing(
        self,
        attempts: Sequence[Attempt],
        looked_for: Sequence[Looked],
        bare: Session,
        *,
        quietly: bool = False,
    ) -> None:
        """The simulated cards were left, and there are no real ones."""
        self._ways.nothing_real = True
        self.explanation.show_search(attempts, looked_for)
        self.show_session(bare, quietly=quietly)
        if self._session is bare:
            self.navigation.open_screen("overview")  # which says why

    @property
    def _replayed(self) -> bool:
        return self._session.past.ended is not None

    def stop(self) -> None:
        """Nothing is pulled or asked for after this. Harmless when called twice."""
        self.frame_clock.stop()
        self._places.remember()
        self._screens.stop()
        self._lessons.stop()
        self.machines.stop()
        self._live.stop()
        self._recordings.stop()
        self._comparing.stop()
        self._alerts.stop()
        self._stillness.stop()
        self.companions.stop()

    def open_settings(self) -> None:
        """Or close them again."""
        self._alerts.open_settings(self._machine, self._always_on, self._lab)

    def show_session(self, session: Session, *, quietly: bool = False) -> None:
        """From now on a recording, or this session of this computer: a real driver came, or the
        simulated cards were asked for. `quietly`: not to whoever looks at another machine.
        """
        machines = self.machines.state
        if session.past.ended is None:
            machines.change_here(session, quietly=quietly)
            session = machines.session
        self._show(session)

    def _show(self, session: Session) -> None:
        self._session = session
        self.diagnostics.session = session
        self._live.stop()
        self._lab = lab = self.machines.lab(session)
        self._machine = machine = lab.machine
        kept = self.machines.kept(session)
        self.setWindowTitle(window_title(machine))
        self.explanation.show_way_on(back=not session.bare)
        self._live.show_machine(machine)
        self._keep_up()
        self._comparing.follow(machine)
        self._recordings.follow(session, self.machines.state.sessions())
        self.time_window.show_past(machine.past, session.clock)
        self._recordings.making.follow_lab(lab)
        self._rail.show_lab(lab)
        self._lessons.show_lab(lab)
        self._alerts.follow(self.machines.heard(session))
        self.companions.follow(machine)
        desk = Desk(
            *(machine, self.time_window, self.navigation, self.settings),
            *(self.frame_clock, lab, self._lessons.lessons, self.machines.state),
        )
        self._screens.show_desk(desk, kept)
        self.machines.let_go(kept)
        self.machines.show_for(recording=self._replayed)
        far = self.machines.is_far(session)
        self._ways.follow(session, self.machines.lab_here, far=far)

    def _lay_out(self) -> None:
        beside = column(self._top, self._recordings.strips, self._lessons, GROWS, gap=0)
        upper = row(self._rail, beside, GROWS, gap=0)
        bottom = row(self.status, GROWS, self._notices, gap=0)
        central = QWidget()
        column(upper, GROWS, bottom, within=central, gap=0)
        self.setCentralWidget(central)
        self._rail.show_menu(self.commands.menu_of_program)

    def _connect(self) -> None:
        commands = self.commands
        self._notices.left.connect(self._screens.take_keyboard)
        for do, slot in (
            (Do.SEARCH, self._on_palette_asked),
            (Do.KEYS, self._on_keys_asked),
            (Do.FIND, self._on_find_asked),
            (Do.FULL_SCREEN, self._on_full_screen_asked),
            (Do.FOLD, self._on_fold_asked),
            (Do.SETTINGS, self.open_settings),
            (Do.MENU, self._rail.open_menu),
            (Do.DIAGNOSTICS, self._on_diagnostics_asked),
            (Do.ABOUT, self._on_about_asked),
            (Do.NEXT_SCREEN, self._screens.show_next),
            (Do.SCREEN_BEFORE, self._screens.show_before),
            (Do.QUIT, self._on_quit_asked),
        ):
            commands[do].triggered.connect(slot)
        self._lessons.arranged.connect(self._fold)
        self._rail.fold_asked.connect(self._on_fold_asked)
        self._top.search_asked.connect(self._on_palette_asked)
        self.time_window.changed.connect(self._on_time_changed)
        self.machines.state.shown_changed.connect(self._on_machine_chosen)
        self.machines.state.changed.connect(self._on_machines_changed)
        self._recordings.open_asked.connect(self.open_recording)
        self._recordings.close_asked.connect(self.close_recording)

    def _fold(self) -> None:
        roomy = self.width() - self._lessons.taken >= NARROW_BELOW
        narrow = not roomy or self._places.rail_is_narrow
        self._rail.show_narrow(narrow=narrow, may_be_wide=roomy)

    def _on_look_changed(self) -> None:
        self.setPalette(self.look.palette())
        self.setStyleSheet(self.look.style_sheet())

    def _on_settings_changed(self) -> None:
        choices = self.settings.choices
        self.look.dress(choices.scheme, choices.palette, choices.motion)
        self._keep_up()

    def _keep_up(self) -> None:
        """Who moves a playhead waits for nothing."""
        played = SHORTEST_PERIOD if self._replayed else self.settings.choices.interval
        self.frame_clock.keep_up_with(played)

    def _on_time_changed(self) -> None:
        self._rail.devices.show_past(self.time_window.looking_back)

    def _on_machine_chosen(self) -> None:
        self._show(self.machines.state.session)

    def _on_machines_changed(self) -> None:
        self._alerts.follow(self.machines.heard(self._session))

    def _on_happened(self, happening: Happening) -> None:
        if happening.kind in _WORTH_AN_ALERT and not self.isActiveWindow():
            QApplication.alert(self)

    def _on_palette_asked(self) -> None:
        from gpuexplorer.gui.widgets.command_palette import CommandPalette  # noqa: PLC0415

        commands = self.commands.with_cards(self._machine, self._screens.commands_here())
        commands = [*commands, *self.machines.more_commands()]
        CommandPalette(commands, self.commands[Do.SEARCH].shortcuts(), self).open()

    def _on_keys_asked(self) -> None:
        from gpuexplorer.gui.widgets.sheets.small_sheets import keys_sheet  # noqa: PLC0415

        here, parts = self._screens.commands_here(), self._screens.key_groups_here()
        groups = self.commands.all_keys(here, parts)
        keys_sheet(groups, self.commands[Do.KEYS].shortcuts(), self).open()

    def _on_about_asked(self) -> None:
        from gpuexplorer.gui.widgets.sheets.small_sheets import about_sheet  # noqa: PLC0415

        about_sheet(self).open()

    def _on_diagnostics_asked(self) -> None:
        from gpuexplorer.gui.diagnostics_sheet import DiagnosticsSheet  # noqa: PLC0415

        DiagnosticsSheet(self.diagnostics, self.frame_clock, self).open()

    def _on_quit_asked(self) -> None:
        self._quitting = True
        hidden = self.isHidden()
        self.close()
        if hidden:
            # Of a window that nobody saw Qt does not notice that it was the last.
            QApplication.quit()

    def _on_find_asked(self) -> None:
        view = self._screens.view
        if view is None or not view.start_search():
            # Nothing to search on this screen: then among everything there is.
            self._on_palette_asked()

    def _on_fold_asked(self) -> None:
        self._places.fold_rail(not self._places.rail_is_narrow)
        self._fold()

    def _on_full_screen_asked(self) -> None:
        # Toggled alone, so that a maximised window is maximised again afterwards.
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            # The space bar presses the button that has the keyboard, before it holds the time.
            pressed = QApplication.focusWidget()
            if event.key() == Qt.Key.Key_Space and isinstance(
                pressed, QAbstractButton | QComboBox
            ):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.time_window.marked is not None:
            self.time_window.unmark()
        elif event.key() == Qt.Key.Key_Escape and self.isFullScreen():
            self._on_full_screen_asked()
        elif not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if recording_in(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = recording_in(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.open_recording(path)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.focusWidget() in (None, self):
            self._screens.show_screen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.companions.keep_running and not self._quitting:
            self.hide()
            event.ignore()
            return
        for over in self.children():
            if isinstance(over, QWidget) and over.isWindow():
                over.close()
        self.stop()
        super().closeEvent(event)
