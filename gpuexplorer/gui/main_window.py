"""MainWindow: the frame around the screens, and which of them is shown."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction, QCloseEvent, QIcon, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from gpuexplorer.core.metrics import Cadence
from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.resources import resource
from gpuexplorer.gui.views.nothing_found.nothing_found_view import NothingFoundView
from gpuexplorer.gui.views.overview.overview_view import OverviewView
from gpuexplorer.gui.widgets.source_badge import SIMULATED
from gpuexplorer.gui.widgets.status_line import StatusLine
from gpuexplorer.gui.widgets.top_bar import TopBar, host_name
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.looked_for import Looked
from gpuexplorer.telemetry.sampler import Want
from gpuexplorer.telemetry.session import Attempt, Session

_WORTH_AN_ALERT = frozenset({Kind.CARD_LOST, Kind.DRIVER_GONE, Kind.XID, Kind.MEMORY_ERROR})
# Dear questions are asked only by a view that shows their answers.
_READ_ALWAYS = (Cadence.FAST, Cadence.SLOW)


class MainWindow(QMainWindow):
    """Shows one session, or that there is none. Owns neither the session nor its threads."""

    def __init__(
        self,
        session: Session | None,
        attempts: Sequence[Attempt],
        looked_for: Sequence[Looked],
        or_simulated: bool,
        simulate: Callable[[], None],
        bridge: Bridge | None = None,
    ) -> None:
        super().__init__()
        self._session: Session | None = None
        self._want: Want | None = None
        self._simulate = simulate
        self._nothing_real = or_simulated or session is None
        self.look = Look(parent=self)
        self.look.changed.connect(self._on_look_changed)
        self.frame_clock = FrameClock(self)
        self.frame_clock.ticked.connect(self._on_ticked)
        if bridge is not None:
            bridge.happened.connect(self._on_happened)

        self._top = TopBar(self.look)
        self._status = StatusLine(self.look)
        self._looked_for = looked_for
        self._screens = QStackedWidget()
        self._nothing_found = self._add_nothing_found(attempts)
        self._overview: OverviewView | None = None
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._top)
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

    def show_session(self, session: Session) -> None:
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

    def _show(self, session: Session | None) -> None:
        self._release()
        self._session = session
        source = None if session is None else session.source
        self._top.show_source(source)
        self._status.show_source(source)
        self.setWindowTitle(_title(session))
        if self._overview is not None:
            self._screens.removeWidget(self._overview)
            self._overview.deleteLater()
            self._overview = None
        self._nothing_found.show_way_on(back=session is not None)
        if session is None:
            self._screens.setCurrentWidget(self._nothing_found)
            return
        self._want = session.want(_READ_ALWAYS)
        self._overview = OverviewView(self.look, session, self.frame_clock)
        self._overview.reasons_asked_for.connect(self._on_reasons_asked_for)
        self._overview.show_banner(session.simulated and self._nothing_real)
        self._screens.addWidget(self._overview)
        self._screens.setCurrentWidget(self._overview)
        self._on_ticked()

    def _add_nothing_found(self, attempts: Sequence[Attempt]) -> NothingFoundView:
        view = NothingFoundView(self.look, attempts, self._looked_for)
        view.way_on_chosen.connect(self._on_way_on_chosen)
        self._screens.addWidget(view)
        return view

    def _release(self) -> None:
        if self._session is not None and self._want is not None:
            self._session.sampler.release(self._want)
        self._want = None

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
        self._screens.setCurrentWidget(self._nothing_found)

    def _on_way_on_chosen(self) -> None:
        if self._overview is not None:
            self._screens.setCurrentWidget(self._overview)
        else:
            self._simulate()

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
