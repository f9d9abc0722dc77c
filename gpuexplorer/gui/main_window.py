"""MainWindow: the frame around the screens, which session they show, and the ways between."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QWidget

from gpuexplorer.core.metrics import (
    CLOCK_SM,
    FAN_SPEED,
    GPU_UTILIZATION,
    MEMORY_USED,
    POWER_DRAW,
    TEMPERATURE,
)
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import figure
from gpuexplorer.gui.desk import PLOTS, VIEWS, Desk
from gpuexplorer.gui.desktop.desktop import ask_for_stillness
from gpuexplorer.gui.diagnostics_sheet import DiagnosticsSheet
from gpuexplorer.gui.event_loop import SHORTEST_PERIOD, Bridge, News
from gpuexplorer.gui.leaving import leave
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.nothing_found import NothingFoundView
from gpuexplorer.gui.rail import NARROW_BELOW, Rail
from gpuexplorer.gui.recordings import SUFFIX, WindowComparing, WindowRecordings
from gpuexplorer.gui.screens import LessonPlace, Screens
from gpuexplorer.gui.small_window import Companions
from gpuexplorer.gui.state import navigation as places
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.recording_state import AlwaysOn
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.bars.notices import WARNS, About, Notice, NoticeWay
from gpuexplorer.gui.widgets.bars.status_line import StatusLine, StatusPart
from gpuexplorer.gui.widgets.bars.top_bar import (
    STOP_SIMULATING,
    TopBar,
    host_name,
    window_title,
)
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.sheets.small_sheets import about_sheet, keys_sheet
from gpuexplorer.gui.window_alerts import WindowAlerts
from gpuexplorer.gui.window_commands import CommandGroup, CopyKey, Do, command
from gpuexplorer.gui.window_frame import WindowFrame
from gpuexplorer.gui.window_machines import WindowMachines
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.session import Session, Want
from gpuexplorer.telemetry.sources import IDLE, MAKE_BELIEVE

_WORTH_AN_ALERT = frozenset(
    {Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE, Kind.XID, Kind.MEMORY_ERROR}
)
_WATCHED = GPU_UTILIZATION, MEMORY_USED, POWER_DRAW, TEMPERATURE, FAN_SPEED, CLOCK_SM
_MOST_NAMED = 4
_RAIL, _NARROW = "window/rail", "narrow"


class MainWindow(WindowFrame):
    """Shows one session, or why it reads no card. Owns neither the session nor its threads."""

    def __init__(
        self,
        session: Session,
        attempts: Sequence[Attempt],
        simulate: Callable[[str], None],
        look_again: Callable[[], None],
        open_recording: Callable[[Path], None],
        close_recording: Callable[[], None],
        bridge: Bridge,
        settings: Settings,
        always_on: AlwaysOn,
        machines: MachinesState,
    ) -> None:
        """`attempts`: why the session is not of real cards, where nobody asked for others."""
        self.look = look()  # before the first widget, so that all have its letters
        super().__init__(bridge, settings, open_recording, close_recording)
        self.setAcceptDrops(True)
        self._simulate, self._look_again = simulate, look_again
        self._nothing_real, self._quitting = bool(attempts), False
        self._news, self._wants = News(), list[tuple[Session, Want]]()
        self._stillness = ask_for_stillness(self.look.follow_stillness, self)
        clock, time_window = self.frame_clock, self.time_window
        navigation, commands = self.navigation, self.commands
        self.companions = Companions(self)
        self._alerts = WindowAlerts(self, self.companions.tray)
        self.machines = WindowMachines(self, machines, session)
        self._rail = Rail(navigation, machines, time_window, commands)
        self._top, self.status = TopBar(time_window, commands), StatusLine()
        self._recordings = WindowRecordings(self, self._top.record, always_on)
        self._comparing = WindowComparing(self, self.machines.lab_seen.machine)
        self.explanation = NothingFoundView(session.host, settings, navigation, commands)
        self.explanation.show_search(attempts)
        self.screens = Screens(navigation, self.explanation, clock)
        self._lessons = LessonPlace(
            *(settings, navigation, self.screens, commands, self.machines.lab_seen)
        )
        CopyKey(self)
        beside = column(self._top, self._recordings.strips, self._lessons, GROWS, gap=0)
        upper = row(self._rail, beside, GROWS, gap=0)
        lower = row(self.status, GROWS, self.notices, gap=0)
        self.setCentralWidget(QWidget())
        column(upper, GROWS, lower, within=self.centralWidget(), gap=0)
        self.diagnostics = Diagnostics(self, clock, navigation)
        simulated = partial(self._leave_for, MAKE_BELIEVE)
        commands.carry_out(
            {
                Do.SEARCH: self._on_palette_asked,
                Do.KEYS: self._on_keys_asked,
                Do.FIND: self._on_find_asked,
                Do.FULL_SCREEN: self._on_full_screen_asked,
                Do.FOLD: self._on_fold_asked,
                Do.SETTINGS: self.open_settings,
                Do.MENU: self._rail.open_menu,
                Do.DIAGNOSTICS: lambda: DiagnosticsSheet(self.diagnostics, clock, self).open(),
                Do.ABOUT: lambda: about_sheet(self).open(),
                Do.NEXT_SCREEN: partial(self.screens.step, 1),
                Do.SCREEN_BEFORE: partial(self.screens.step, -1),
                Do.QUIT: self._on_quit_asked,
                Do.STOP_SIMULATING: self._on_real_cards_asked,
                Do.LOOK_AGAIN: self._on_real_cards_asked,
                Do.SIMULATE: simulated,
                Do.PRACTISE: partial(self._leave_for, IDLE, "lab"),
                Do.REASONS: self.screens.show_reasons,
            }
        )
        clock.ticked.connect(time_window.follow_clock)
        clock.ticked.connect(self._on_ticked)
        clock.paused.connect(self._on_clock_paused)
        self.notices.left.connect(self.screens.take_keyboard)
        self.screens.rested.connect(self.machines.pythons.find)
        self.screens.currentChanged.connect(self._on_screen_changed)
        self._lessons.arranged.connect(self._fold)
        navigation.simulated_cards_asked.connect(simulated)
        navigation.idle_cards_asked.connect(partial(self._leave_for, IDLE))
        machines.shown_changed.connect(lambda: self._show(machines.session))
        machines.changed.connect(self._follow_alerts)
        self.look.changed.connect(self._on_look_changed)
        bridge.happened.connect(self._on_happened)
        self._on_look_changed()
        screens = [each.name for each in VIEWS]
        places.begin_where_left(self, navigation, time_window, settings, screens)
        settings.changed.connect(self._on_settings_changed)
        # On some systems Qt opens such a menu by its own key alone, which many keyboards lack.
        QShortcut(QKeySequence("Shift+F10"), self, self._on_menu_of_focus_asked)
        self.show_session(session)

    def show_session(self, session: Session, *, quietly: bool = False) -> None:
        """From now on a recording, or this session of this computer: a real driver came, or the
        simulated cards were asked for. `quietly`: not to whoever looks at another machine.
        """
        if session.past.ended is None:
            self.machines.state.change_here(session, quietly=quietly)
            session = self.machines.state.session
        self._show(session)

    def open_settings(self) -> None:
        """Where they stand open already, they are closed: the same key opens and closes."""
        from gpuexplorer.gui.settings.alerts import AlertsSection  # noqa: PLC0415
        from gpuexplorer.gui.settings.dialog import SettingsDialog  # noqa: PLC0415

        if (before := self.findChild(SettingsDialog)) is not None and before.isVisible():
            before.reject()
            return
        lab, settings, kept = self.machines.lab_seen, self.settings, self._recordings.always_on
        alerts = AlertsSection(settings, lab.machine, self._alerts.watch, self._alerts.desktop)
        SettingsDialog(settings, self, alerts, kept, lab).open()

    def pull(self) -> None:
        """Bring rail, top bar and status line up to date now."""
        machine = self.machines.lab_seen.machine
        session, faces = machine.session, [machine.face(each) for each in machine.cards()]
        self._rail.show_faces(machine, faces, self.explanation.plugged_in)
        # The driver may have gone or come back since.
        self._top.host.show_text(machine.name or host_name(session))
        self._top.show_source(session.source)
        self.status.show_session(session)
        self.status.say(StatusPart.MISSING, *missing_figures(faces))

    def stop(self) -> None:
        """Nothing is pulled or asked for after this. Harmless when called twice."""
        self.frame_clock.stop()
        places.remember_place(self, self.settings)
        while self._wants:
            session, want = self._wants.pop()
            session.release(want)
        for part in (
            *(self.screens, self._lessons, self.machines, self._recordings, self._comparing),
            *(self._alerts, self._stillness, self.companions),
        ):
            part.stop()

    def _show(self, session: Session) -> None:
        machines, live = self.machines, session.past.ended is None
        machines.seen = self.diagnostics.session = session
        lab, all_read = machines.lab_seen, machines.state.sessions()
        machine = lab.machine
        self._nothing_real |= session.bare
        self.setWindowTitle(window_title(session, machine.name))
        self.explanation.show_way_on(back=not session.bare)
        self._on_clock_paused(not self.frame_clock.running)
        self._on_settings_changed()
        self._rail.python.show_lab(lab)
        self.pull()
        self._comparing.follow(machine)
        self._recordings.follow(session, all_read)
        self.time_window.show_past(machine.past, session.clock)
        self._recordings.making.follow_lab(lab)
        self._lessons.show_lab(lab)
        self._follow_alerts()
        self.companions.follow(machine)
        desk = Desk(
            *(machine, self.time_window, self.navigation, self.settings),
            *(self.frame_clock, lab, self._lessons.lessons, machines.state),
        )
        self.screens.show_desk(desk, machines.kept())
        machines.let_go()
        here = live and session not in all_read[1:]
        made_up = here and session.simulated
        self.commands.offer(
            {
                Do.SIMULATE: here and session.bare,
                Do.STOP_SIMULATING: made_up,
                Do.LOOK_AGAIN: here and session.bare,
                Do.REASONS: made_up and self._nothing_real,
            }
        )
        self._on_screen_changed()

    def _fold(self) -> None:
        roomy = self.width() - self._lessons.taken >= NARROW_BELOW
        narrow = not roomy or self.settings.remembered(_RAIL) == _NARROW
        self._rail.show_narrow(narrow=narrow, may_be_wide=roomy)

    def _leave_for(self, cards: str, screen: str = "") -> None:
        """What lies in this computer's lab goes with its cards."""

        def go() -> None:
            self._simulate(cards)
            if screen:
                self.navigation.open_screen(screen)

        leave(self, tr("Simulate cards"), go, lab=self.machines.lab_here)

    def _on_real_cards_asked(self) -> None:
        seen, lab = self.machines.seen, self.machines.lab_here
        if seen.bare:
            self._look_for_cards()
        else:
            leave(self, tr(STOP_SIMULATING), self._look_for_cards, lab=lab, simulated=seen)

    def _look_for_cards(self) -> None:
        self.explanation.show_looking()
        self._look_again()

    def _on_ticked(self) -> None:
        if self._news.came(self.machines.seen):
            self.pull()

    def _on_clock_paused(self, paused: bool) -> None:
        """A past to be looked at later is kept in any case; nobody counts the processes in a
        minimised window.
        """
        before, session = self._wants, self.machines.seen
        processes = [] if paused else [session.want((), processes=True)]
        self._wants = [(session, each) for each in (session.want_always(), *processes)]
        for there, want in before:
            there.release(want)

    def _on_look_changed(self) -> None:
        self.setPalette(self.look.palette())
        self.setStyleSheet(self.look.style_sheet())

    def _on_settings_changed(self) -> None:
        """Who moves a playhead waits for nothing."""
        choices, live = self.settings.choices, self.machines.seen.past.ended is None
        self.look.dress(choices.scheme, choices.palette, choices.motion)
        self.frame_clock.keep_up_with(choices.interval if live else SHORTEST_PERIOD)

    def _on_screen_changed(self) -> None:
        """Time is chosen for plots. On every screen it is said why all cards are simulated."""
        view = self.screens.view
        self._top.offer_time(offered=view is not None and view.objectName() in PLOTS)
        if view is None or not self.commands[Do.REASONS].isVisible():
            self.notices.end(About.SIMULATED)
            return
        said = trn(
            "No graphics card answers on this computer, so this is one simulated card.",
            "No graphics card answers on this computer, so these are {count} simulated cards.",
            len(self.machines.seen.cards()),
        )
        ways = [NoticeWay(tr("What was looked for"), self.screens.show_reasons)]
        self.notices.say(About.SIMULATED, Notice(said, ways, WARNS))

    def _follow_alerts(self) -> None:
        self._alerts.watch.follow(*self.machines.heard())

    def _on_happened(self, happening: Happening) -> None:
        if happening.kind in _WORTH_AN_ALERT and not self.isActiveWindow():
            QApplication.alert(self)

    def _on_palette_asked(self) -> None:
        machine = self.machines.lab_seen.machine
        groups = self.commands.by_group(self.screens.commands_here()).values()
        more = self.machines.more_commands(), self.commands.recent.actions()
        found = [*chain(*groups, *more)]
        for shown in (*machine.cards(), machine.host):
            form = mark("Open the host, {name}" if shown.host else "Open card {number}, {name}")
            words = tr(form, number=shown.number, name=shown.card.name)
            go = partial(self.navigation.open_card, shown.card.id)
            found.append(command(CommandGroup.CARDS, words, go))
        CommandPalette(found, self.commands[Do.SEARCH].shortcuts(), self).open()

    def _on_menu_of_focus_asked(self) -> None:
        by, nowhere = QContextMenuEvent.Reason.Keyboard, QPoint()
        QApplication.sendEvent(self.windowHandle(), QContextMenuEvent(by, nowhere, nowhere))

    def _on_keys_asked(self) -> None:
        view = self.screens.view
        parts = () if view is None else view.key_groups
        groups = self.commands.all_keys(self.screens.commands_here(), parts)
        keys_sheet(groups, self.commands[Do.KEYS].shortcuts(), self).open()

    def _on_quit_asked(self) -> None:
        self._quitting, hidden = True, self.isHidden()
        self.close()
        if hidden:
            # Of a window that nobody saw Qt does not notice that it was the last.
            QApplication.quit()

    def _on_find_asked(self) -> None:
        view = self.screens.view
        if view is None or not view.start_search():
            # Nothing to search on this screen: then among everything there is.
            self._on_palette_asked()

    def _on_fold_asked(self) -> None:
        narrow = self.settings.remembered(_RAIL) == _NARROW
        self.settings.remember(_RAIL, "wide" if narrow else _NARROW)
        self._fold()

    def _on_full_screen_asked(self) -> None:
        # Toggled alone, so that a maximised window is maximised again afterwards.
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            # The space bar presses the button that has the keyboard, before it holds the time.
            pressed = isinstance(QApplication.focusWidget(), QAbstractButton | QComboBox)
            if event.key() == Qt.Key.Key_Space and pressed:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        escape = event.key() == Qt.Key.Key_Escape
        if escape and self.time_window.marked is not None:
            self.time_window.unmark()
        elif escape and self.isFullScreen():
            self._on_full_screen_asked()
        elif not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.setAccepted(recording_in(event.mimeData()) is not None)

    def dropEvent(self, event: QDropEvent) -> None:
        if (path := recording_in(event.mimeData())) is not None:
            event.acceptProposedAction()
            self.open_recording(path)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.focusWidget() in (None, self):
            self.screens.show_screen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def closeEvent(self, event: QCloseEvent) -> None:
        beside_the_clock = self.companions.tray.there and self.settings.choices.keep_running
        if beside_the_clock and not self._quitting:
            self.hide()
            event.ignore()
            return
        for over in self.children():
            if isinstance(over, QWidget) and over.isWindow():
                over.close()
        self.stop()
        super().closeEvent(event)


def recording_in(dropped: QMimeData) -> Path | None:
    """The file that is dropped, where it is one recording and nothing else."""
    urls = dropped.urls()
    path = Path(urls[0].toLocalFile()) if len(urls) == 1 else Path()
    return path if path.suffix.lower() == f".{SUFFIX}" else None


def missing_figures(cards: Sequence[CardFace]) -> tuple[str, str]:
    """What no card, or not every card, reports: in a line, and each on its own."""
    lacking: dict[str, list[str]] = {}
    for each in cards:
        reading = each.reading
        gone = [figure(reading, m, each.units) for m in _WATCHED if m in reading.missing]
        state = each.word if each.mark is None else each.mark.word
        for why in [e.spoken for e in gone] if each.answers else [state]:
            lacking.setdefault(why, []).append(each.number)
    lines = []
    for what, numbers in lacking.items():
        which = trn(
            "card {numbers}", "cards {numbers}", len(numbers), numbers=", ".join(numbers)
        )
        if len(numbers) > _MOST_NAMED:
            which = trn("{count} card", "{count} cards", len(numbers))
        lines.append(tr("{what} ({cards})", what=what, cards=which))
    if cards and not lines:
        return tr("Nothing missing"), tr("Every card answers with every figure shown.")
    return "; ".join(lines), "\n".join(lines)
