"""MainWindow: the frame around the screens, and which of them is shown."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction, QCloseEvent, QIcon, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from gpuexplorer.core.metrics import Cadence
from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.resources import resource
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.view_list import VIEWS, Desk
from gpuexplorer.gui.views.nothing_found.nothing_found_view import NothingFoundView
from gpuexplorer.gui.widgets.banner import Banner
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.source_badge import SIMULATED
from gpuexplorer.gui.widgets.status_line import StatusLine
from gpuexplorer.gui.widgets.top_bar import TopBar, host_name
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.looked_for import Looked
from gpuexplorer.telemetry.remembering import RememberingSession
from gpuexplorer.telemetry.sampler import Want
from gpuexplorer.telemetry.session import Attempt, Session

_WORTH_AN_ALERT = frozenset({Kind.CARD_LOST, Kind.DRIVER_GONE, Kind.XID, Kind.MEMORY_ERROR})
# Dear questions are asked only by a view that shows their answers.
_READ_ALWAYS = (Cadence.FAST, Cadence.SLOW)


class MainWindow(QMainWindow):
    """Shows one session, or that there is none. Owns neither the session nor its threads."""

    def __init__(
        self,
        session: RememberingSession | None,
        attempts: Sequence[Attempt],
        looked_for: Sequence[Looked],
        or_simulated: bool,
        simulate: Callable[[], None],
        bridge: Bridge | None = None,
        settings: Settings | None = None,
    ) -> None:
        super().__init__()
        self._session: RememberingSession | None = None
        self._want: Want | None = None
        self._simulate = simulate
        self._nothing_real = or_simulated or session is None
        self.look = Look(parent=self)
        self.look.changed.connect(self._on_look_changed)
        self.frame_clock = FrameClock(self)
        self.frame_clock.ticked.connect(self._on_ticked)
        self.settings = settings or Settings(parent=self)
        self.time_window = TimeWindow(parent=self)
        self.navigation = Navigation(self)
        self.navigation.screen_changed.connect(self._on_screen_changed)
        if bridge is not None:
            bridge.happened.connect(self._on_happened)

        self._top = TopBar(self.look)
        self._status = StatusLine(self.look)
        self._looked_for = looked_for
        self._banner = Banner(self.look)
        self._banner.hide()
        self._banner.reasons_asked_for.connect(self._on_reasons_asked_for)
        self._screens = QStackedWidget()
        self._nothing_found = self._add_nothing_found(attempts)
        self._views: dict[str, LiveView] = {}
        self._desk: Desk | None = None
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._top)
        column.addWidget(self._banner)
        column.addWidget(self._screens, 1)
        column.addWidget(self._status)
        self.setCentralWidget(central)

        self._add_action("Quit", QKeySequence("Ctrl+Q"), self.close)
        self._add_action("Full screen", QKeySequence("F11"), self._on_full_screen_asked)
        self.setWindowIcon(QIcon(str(resource("icons", "gpuexplorer.svg"))))
        self.setMinimumSize(560, 420)
        self.resize(1200, 800)
        self._on_look_changed()
        self._show(session)

    def show_session(self, session: RememberingSession) -> None:
        """From now on this one: a real driver came, or the simulated cards were asked for."""
        self._show(session)

    def show_attempts(self, attempts: Sequence[Attempt]) -> None:
        """What was tried came out otherwise than was known when the window opened."""
        before = self._nothing_found
        shown = self._screens.currentWidget() is before
        self._nothing_found = self._add_nothing_found(attempts)
        self._nothing_found.show_way_on(back=self._session is not None)
        if shown:
            self._screens.setCurrentWidget(self._nothing_found)
        self._screens.removeWidget(before)
        before.deleteLater()

    def stop(self) -> None:
        """Nothing is pulled or asked for after this. Harmless when called twice."""
        self.frame_clock.stop()
        self._release()

    def _show(self, session: RememberingSession | None) -> None:
        self._release()
        self._session = session
        source = None if session is None else session.source
        self._top.show_source(source)
        self._status.show_source(source)
        self.setWindowTitle(_title(session))
        for view in self._views.values():
            view.stop()
            self._screens.removeWidget(view)
            view.deleteLater()
        self._views = {}
        self._nothing_found.show_way_on(back=session is not None)
        if session is None:
            self._screens.setCurrentWidget(self._nothing_found)
            return
        self._want = session.want(_READ_ALWAYS, processes=False)
        self._desk = Desk(
            self.look,
            MachineState(session, self.settings, self),
            self.time_window,
            self.navigation,
            self.settings,
            self.frame_clock,
        )
        self._banner.show_count(len(self._desk.machine.cards()))
        self._open(self.navigation.screen or VIEWS[0].name)
        self._on_ticked()

    def _open(self, name: str) -> None:
        """Made when it is first opened: what nobody looks at costs nothing."""
        if self._desk is None:
            return
        view = self._views.get(name)
        if view is None:
            entry = next(entry for entry in VIEWS if entry.name == name)
            view = self._views[name] = entry.make(self._desk)
            view.setAccessibleName(entry.title)
            self._screens.addWidget(view)
        self._screens.setCurrentWidget(view)
        self._banner.setVisible(self._desk.machine.session.simulated and self._nothing_real)
        self.navigation.open_screen(name)

    def _add_nothing_found(self, attempts: Sequence[Attempt]) -> NothingFoundView:
        view = NothingFoundView(self.look, attempts, self._looked_for)
        view.way_on_chosen.connect(self._on_way_on_chosen)
        self._screens.addWidget(view)
        return view

    def _release(self) -> None:
        if self._session is not None and self._want is not None:
            self._session.sampler.release(self._want)
        self._want = None
        for view in self._views.values():
            view.stop()

    def _add_action(
        self, text: str, keys: QKeySequence, triggered: Callable[[], object]
    ) -> None:
        action = QAction(text, self)
        action.setShortcut(keys)
        action.triggered.connect(triggered)
        self.addAction(action)

    def _on_ticked(self) -> None:
        if self._session is not None:
            # The driver may have gone or come back since.
            self._top.show_source(self._session.source)
            self._status.show_source(self._session.source)
            self._status.show_beat(self._session.sampler.interval, self._session.beats())

    def _on_look_changed(self) -> None:
        self.setPalette(self.look.palette())
        self.setFont(self.look.letters.body.font)
        self.setStyleSheet(self.look.style_sheet())

    def _on_happened(self, happening: Happening) -> None:
        if happening.kind in _WORTH_AN_ALERT and not self.isActiveWindow():
            QApplication.alert(self)

    def _on_reasons_asked_for(self) -> None:
        self._banner.hide()
        self._screens.setCurrentWidget(self._nothing_found)

    def _on_way_on_chosen(self) -> None:
        if self._session is not None:
            self._open(self.navigation.screen)
        else:
            self._simulate()

    def _on_screen_changed(self, name: str) -> None:
        self._open(name)

    def _on_full_screen_asked(self) -> None:
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.stop()
        super().closeEvent(event)


def _title(session: Session | None) -> str:
    parts = [host_name(), "GPU Explorer"]
    if session is not None and session.simulated:
        parts.insert(0, SIMULATED)
    return " – ".join(parts)
