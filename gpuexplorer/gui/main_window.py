"""MainWindow: the frame around the screens, which session they show, and the ways between."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QMainWindow, QWidget

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.reasons import short_reasons, state_mark
from gpuexplorer.gui.desk import PLOTS, VIEWS, Desk
from gpuexplorer.gui.desktop.desktop import ask_for_stillness
from gpuexplorer.gui.diagnostics_sheet import DiagnosticsSheet
from gpuexplorer.gui.event_loop import SHORTEST_PERIOD, Bridge, FrameClock
from gpuexplorer.gui.explanation import Explanation
from gpuexplorer.gui.leaving import leave
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.rail.rail import NARROW_BELOW, Rail
from gpuexplorer.gui.screens import LessonPlace, Screens
from gpuexplorer.gui.small_window import Companions
from gpuexplorer.gui.state import navigation as places
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.bars.notices import WARNS, About, Notice, Notices, NoticeWay
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
from gpuexplorer.gui.window_commands import CopyKey, Do, WindowCommands
from gpuexplorer.gui.window_comparing import WindowComparing
from gpuexplorer.gui.window_machines import WindowMachines
from gpuexplorer.gui.window_recordings import SUFFIX, WindowRecordings
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.looked_for import Looked
from gpuexplorer.telemetry.session import Session, Want
from gpuexplorer.telemetry.sources import IDLE, MAKE_BELIEVE

_WORTH_AN_ALERT = frozenset(
    {Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE, Kind.XID, Kind.MEMORY_ERROR}
)
# Seconds without an answer are counted even where no reading comes.
_AT_LEAST_EVERY = 1.5
_WATCHED = (
    *(m.GPU_UTILIZATION, m.MEMORY_USED, m.POWER_DRAW),
    *(m.TEMPERATURE, m.FAN_SPEED, m.CLOCK_SM),
)
_PASSING = frozenset({Absence.NOT_YET, Absence.NEEDS_TWO, Absence.TOO_SOON, Absence.NOT_ASKED})
_MOST_NAMED = 4
_RAIL, _NARROW = "window/rail", "narrow"


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
        self.look = look()  # before the first widget, so that all have its letters
        super().__init__()
        self._session, self._wants = session, list[tuple[Session, Want]]()
        self._nothing_real, self._quitting = or_simulated or session.bare, False
        self._drawn, self._pulled_at = (-1, -1), 0.0
        self._simulate, self._look_again = simulate, look_again
        self.open_recording, self.close_recording = open_recording, close_recording
        self.setAcceptDrops(True)
        self.settings = settings = settings or Settings(parent=self)
        self._stillness = ask_for_stillness(self.look.follow_stillness, self)
        self.frame_clock = clock = FrameClock(self)
        self.time_window = time_window = TimeWindow(parent=self)
        self.navigation = navigation = places.Navigation(self)
        self.commands = commands = WindowCommands(self, time_window, navigation, settings)
        small, leaving = commands[Do.SMALL_WINDOW], commands[Do.QUIT]
        self.companions = Companions(settings, navigation, small, leaving, self)
        self._notices, tray = Notices(), self.companions.tray
        shared = (self._notices, self)
        self._alerts = WindowAlerts(settings, navigation, clock, *shared, bridge, tray)
        machines = machines or MachinesState(settings, session, parent=self)
        self._rail = Rail(navigation, machines, commands.menu_of_program)
        self.machines = WindowMachines(
            *(settings, commands, navigation, clock, machines, self._notices),
            *(close_recording, self),
        )
        self._top, self.status = TopBar(time_window), StatusLine()
        self._always_on, record = always_on or AlwaysOn(settings), self._top.record
        self._recordings = WindowRecordings(
            settings, commands, record, time_window, self._always_on, *shared
        )
        self.say = self._recordings.say
        self._comparing = WindowComparing(commands, time_window, self._recordings, *shared)
        self.screens = Screens(navigation)
        self._lessons = LessonPlace(settings, navigation, self.screens, commands)
        CopyKey(self)
        beside = column(self._top, self._recordings.strips, self._lessons, GROWS, gap=0)
        upper = row(self._rail, beside, GROWS, gap=0)
        lower = row(self.status, GROWS, self._notices, gap=0)
        self.setCentralWidget(QWidget())
        column(upper, GROWS, lower, within=self.centralWidget(), gap=0)
        self.diagnostics = Diagnostics(self, clock, navigation)
        self.explanation = Explanation(
            *(settings, self.screens, navigation, self._rail, session.host),
            *(look_again is not None, attempts, looked_for, self),
        )
        simulated = partial(self._leave_for, MAKE_BELIEVE)
        practice = partial(self._leave_for, IDLE, "lab")
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
            (Do.NEXT_SCREEN, partial(self.screens.step, 1)),
            (Do.SCREEN_BEFORE, partial(self.screens.step, -1)),
            (Do.QUIT, self._on_quit_asked),
            (Do.STOP_SIMULATING, self._on_real_cards_asked),
            (Do.LOOK_AGAIN, self._on_real_cards_asked),
            (Do.SIMULATE, simulated),
            (Do.PRACTISE, practice),
            (Do.REASONS, self.explanation.open),
        ):
            commands[do].triggered.connect(slot)
        clock.ticked.connect(time_window.follow_clock)
        clock.ticked.connect(self._on_ticked)
        clock.paused.connect(self._on_clock_paused)
        self._notices.left.connect(self.screens.take_keyboard)
        self.screens.rested.connect(self.machines.pythons.find)
        self.screens.currentChanged.connect(self._on_screen_changed)
        self._lessons.arranged.connect(self._fold)
        self._rail.fold_asked.connect(self._on_fold_asked)
        self._top.search_asked.connect(self._on_palette_asked)
        self._top.real_cards_asked.connect(self._on_real_cards_asked)
        self.explanation.look_again_asked.connect(self._on_real_cards_asked)
        self.explanation.way_on_chosen.connect(self._on_way_on_chosen)
        self.explanation.practice_asked.connect(practice)
        navigation.simulated_cards_asked.connect(simulated)
        navigation.idle_cards_asked.connect(partial(self._leave_for, IDLE))
        machines.shown_changed.connect(self._on_machine_chosen)
        machines.changed.connect(self._on_machines_changed)
        self._recordings.open_asked.connect(open_recording)
        self._recordings.close_asked.connect(close_recording)
        self.look.changed.connect(self._on_look_changed)
        if bridge is not None:
            bridge.happened.connect(self._on_happened)
        self._on_look_changed()
        places.begin_where_left(
            self, navigation, time_window, settings, [each.name for each in VIEWS]
        )
        time_window.changed.connect(self._on_time_changed)
        settings.changed.connect(self._on_settings_changed)
        self._on_settings_changed()
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
        self._nothing_real = True
        self.explanation.show_search(attempts, looked_for)
        self.show_session(bare, quietly=quietly)
        if self._session is bare:
            self.navigation.open_screen("overview")  # which says why

    def show_session(self, session: Session, *, quietly: bool = False) -> None:
        """From now on a recording, or this session of this computer: a real driver came, or the
        simulated cards were asked for. `quietly`: not to whoever looks at another machine.
        """
        if session.past.ended is None:
            self.machines.state.change_here(session, quietly=quietly)
            session = self.machines.state.session
        self._show(session)

    def open_settings(self) -> None:
        """Or close them again."""
        lab = self.machines.lab(self._session)
        self._alerts.open_settings(lab.machine, self._always_on, lab)

    def pull(self) -> None:
        """Bring rail, top bar and status line up to date now."""
        session, machine = self._session, self.machines.lab(self._session).machine
        faces = [machine.face(each) for each in machine.cards()]
        self._rail.show_faces(machine, faces)
        # The driver may have gone or come back since.
        self._top.host.show_text(machine.name or host_name(session))
        self._top.show_source(session.source)
        self.status.show_source(session.source)
        where = tr("On {machine}", machine=machine.name) if machine.name else ""
        self.status.say(StatusPart.MACHINE, where)
        self.status.show_beat(session.interval, session.beats())
        if session.past.ended is not None:
            words = tr("Recorded every {seconds} s", seconds=plain(session.interval))
            self.status.say(StatusPart.BEAT, words)
        elif session.bare:
            every = plain(session.host_period)
            words = tr("Only the computer itself is read, every {seconds} s", seconds=every)
            self.status.say(StatusPart.BEAT, words)
        self.status.say(StatusPart.MISSING, *(missing_figures(faces) if faces else ("",)))

    def stop(self) -> None:
        """Nothing is pulled or asked for after this. Harmless when called twice."""
        self.frame_clock.stop()
        places.remember_place(self, self.settings)
        self._want()
        for part in (
            *(self.screens, self._lessons, self.machines, self._recordings, self._comparing),
            *(self._alerts, self._stillness, self.companions),
        ):
            part.stop()

    def _show(self, session: Session) -> None:
        self._session = self.diagnostics.session = session
        lab, live = self.machines.lab(session), session.past.ended is None
        machine, kept = lab.machine, self.machines.kept(session)
        self.setWindowTitle(window_title(session, machine.name))
        self.explanation.show_way_on(back=not session.bare)
        self._on_clock_paused(not self.frame_clock.running)
        self._on_settings_changed()
        self._rail.show_lab(lab)
        self.pull()
        self._comparing.follow(machine)
        self._recordings.follow(session, self.machines.state.sessions())
        self.time_window.show_past(machine.past, session.clock)
        self._recordings.making.follow_lab(lab)
        self._lessons.show_lab(lab)
        self._on_machines_changed()
        self.companions.follow(machine)
        desk = Desk(
            *(machine, self.time_window, self.navigation, self.settings),
            *(self.frame_clock, lab, self._lessons.lessons, self.machines.state),
        )
        self.screens.show_desk(desk, kept)
        self.machines.let_go(kept)
        self.machines.show_for(recording=not live)
        here, can_look = (
            session not in self.machines.state.sessions()[1:],
            self._look_again is not None,
        )
        self.commands[Do.SIMULATE].setVisible(session.bare and here)
        self.commands[Do.STOP_SIMULATING].setVisible(self._make_believe and can_look)
        self.commands[Do.LOOK_AGAIN].setVisible(session.bare and can_look and here)
        self.commands[Do.REASONS].setVisible(self._make_believe and self._nothing_real)
        self._top.offer_real_cards(offered=can_look and here)
        self._on_screen_changed()

    @property
    def _make_believe(self) -> bool:
        """The cards of this computer just now, and not when something was recorded."""
        session = self._session
        live = session.past.ended is None and session not in self.machines.state.sessions()[1:]
        return live and session.simulated

    def _want(self, *wants: Want) -> None:
        """These from now on, and none of those before."""
        before, self._wants = self._wants, [(self._session, each) for each in wants]
        for session, want in before:
            session.release(want)

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
        if self._look_again is None:
            return
        look_again = partial(self.explanation.look_again, self._look_again)
        if self._session.bare:
            look_again()
        elif self._make_believe:
            words, lab = tr(STOP_SIMULATING), self.machines.lab_here
            leave(self, words, look_again, lab=lab, simulated=self._session)

    def _on_way_on_chosen(self) -> None:
        if self._session.bare:
            self._leave_for(MAKE_BELIEVE)
        else:
            self.screens.show_screen()

    def _on_ticked(self) -> None:
        now, beats = self._session.desk.now(), self._session.beats()
        stamp = (beats.taken, beats.missed)
        if stamp != self._drawn or now - self._pulled_at >= _AT_LEAST_EVERY:
            self._drawn, self._pulled_at = stamp, now
            self.pull()

    def _on_clock_paused(self, paused: bool) -> None:
        """A past to be looked at later is kept in any case; nobody counts the processes in a
        minimised window.
        """
        session = self._session
        processes = [] if paused else [session.want((), processes=True)]
        self._want(session.want_always(), *processes)

    def _on_look_changed(self) -> None:
        self.setPalette(self.look.palette())
        self.setStyleSheet(self.look.style_sheet())

    def _on_settings_changed(self) -> None:
        """Who moves a playhead waits for nothing."""
        choices, live = self.settings.choices, self._session.past.ended is None
        self.look.dress(choices.scheme, choices.palette, choices.motion)
        self.frame_clock.keep_up_with(choices.interval if live else SHORTEST_PERIOD)

    def _on_time_changed(self) -> None:
        self._rail.show_past(self.time_window.looking_back)
        places.remember_span(self.time_window, self.settings)

    def _on_screen_changed(self) -> None:
        """Time is chosen for plots. On every screen it is said why all cards are simulated."""
        view, session = self.screens.view, self._session
        self._top.offer_time(offered=view is not None and view.objectName() in PLOTS)
        if view is None or not (self._make_believe and self._nothing_real):
            self._notices.end(About.SIMULATED)
            return
        said = trn(
            "No graphics card answers on this computer, so this is one simulated card.",
            "No graphics card answers on this computer, so these are {count} simulated cards.",
            len(session.cards()),
        )
        ways = [NoticeWay(tr("What was looked for"), self.explanation.open)]
        self._notices.say(About.SIMULATED, Notice(said, ways, WARNS))

    def _on_machine_chosen(self) -> None:
        self._show(self.machines.state.session)

    def _on_machines_changed(self) -> None:
        self._alerts.follow(self.machines.heard(self._session))

    def _on_happened(self, happening: Happening) -> None:
        if happening.kind in _WORTH_AN_ALERT and not self.isActiveWindow():
            QApplication.alert(self)

    def _on_palette_asked(self) -> None:
        machine = self.machines.lab(self._session).machine
        found = self.commands.with_cards(machine, self.screens.commands_here())
        found = [*found, *self.machines.more_commands()]
        CommandPalette(found, self.commands[Do.SEARCH].shortcuts(), self).open()

    def _on_keys_asked(self) -> None:
        view = self.screens.view
        parts = () if view is None else view.key_groups
        groups = self.commands.all_keys(self.screens.commands_here(), parts)
        keys_sheet(groups, self.commands[Do.KEYS].shortcuts(), self).open()

    def _on_about_asked(self) -> None:
        about_sheet(self).open()

    def _on_diagnostics_asked(self) -> None:
        DiagnosticsSheet(self.diagnostics, self.frame_clock, self).open()

    def _on_quit_asked(self) -> None:
        self._quitting = True
        hidden = self.isHidden()
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
        if event.key() == Qt.Key.Key_Escape and self.time_window.marked is not None:
            self.time_window.unmark()
        elif event.key() == Qt.Key.Key_Escape and self.isFullScreen():
            self._on_full_screen_asked()
        elif not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.setAccepted(recording_in(event.mimeData()) is not None)

    def dropEvent(self, event: QDropEvent) -> None:
        path = recording_in(event.mimeData())
        if path is not None:
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
        if self.companions.keep_running and not self._quitting:
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
    """What no card, or not every card, reports: in a few words, and in full."""
    lacking: dict[str, list[str]] = {}
    for each in cards:
        if not each.answers:
            mark = state_mark(each.state)
            word = tr("Not read yet") if mark is None else mark.word
            lacking.setdefault(word, []).append(each.number)
            continue
        for metric in _WATCHED:
            absence = each.reading.missing.get(metric, Absence.NOT_ASKED)
            if absence not in _PASSING:
                why = tr("none") if absence is Absence.NO_PART else short_reasons(absence)[0]
                what = tr("{label}: {reason}", label=tr(METRICS[metric].label), reason=why)
                lacking.setdefault(what, []).append(each.number)
    lines = []
    for what, numbers in lacking.items():
        named, many = ", ".join(numbers), len(numbers)
        which = trn("card {numbers}", "cards {numbers}", many, numbers=named)
        if many > _MOST_NAMED:
            which = trn("{count} card", "{count} cards", many)
        lines.append(tr("{what} ({cards})", what=what, cards=which))
    if not lines:
        return tr("Nothing missing"), tr("Every card answers with every figure shown.")
    few = trn("{count} thing missing", "{count} things missing", len(lines))
    return lines[0] if len(lines) == 1 else few, "\n".join(lines)
