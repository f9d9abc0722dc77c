"""The one place that knows everybody: builds the parts, connects them, ends them in order."""

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Sequence

from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.gui.crash_dialog import CrashReports
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.start import create_application
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.looked_for import Place, looked_for
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.remembering import RememberingSession
from gpuexplorer.telemetry.session import Attempt
from gpuexplorer.telemetry.sources import MAKE_BELIEVE, first_that_answers, simulated

# A driver that takes longer than this is waited for with the window open.
_OPENING_PATIENCE = 1.0
_STILL_WAITING = Attempt(
    "NVIDIA",
    "The driver has not answered yet.",
    "As soon as it does, its cards appear here.",
)


class App:
    """Owns the session and the window. Everything here runs in the GUI thread."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        open_real: Callable[[], tuple[Backend | None, list[Attempt]]] = first_that_answers,
        patience: float = _OPENING_PATIENCE,
    ) -> None:
        self._open_real = open_real
        self._patience = patience
        self._bridge = Bridge()
        self._bridge.source_answered.connect(self._on_source_answered)
        self._or_simulate: bool = arguments.or_simulate
        self._session: RememberingSession | None = None
        self._opening: Asked[tuple[Backend | None, list[Attempt]]] | None = None
        attempts: Sequence[Attempt] = ()
        if arguments.simulate is not None:
            backend = simulated(arguments.simulate, arguments.fault, arguments.seed)
            self._session = self._make(backend, ())
        else:
            attempts = self._look_for_real_cards()
        self.window = MainWindow(
            self._session,
            attempts,
            looked_for(Place()),
            or_simulated=bool(attempts) and self._session is not None,
            simulate=self._simulate,
            bridge=self._bridge,
        )
        self._crash_reports = CrashReports(self.window)
        if self._session is not None:
            self._session.start()

    def stop(self) -> None:
        self.window.stop()
        if self._session is not None:
            self._session.stop()
        self._crash_reports.stop()

    def _look_for_real_cards(self) -> Sequence[Attempt]:
        """Look for real cards. Whatever a driver does, the window opens soon."""
        self._opening = Asked(self._open_real, when_late=self._bridge.post_source_answered)
        if not self._opening.answered_within(self._patience):
            return [_STILL_WAITING]
        backend, attempts = self._opening.result()
        if backend is not None:
            self._session = self._make(backend, attempts)
            return ()
        if self._or_simulate:
            self._session = self._make(simulated(MAKE_BELIEVE), attempts)
        return attempts

    def _make(self, backend: Backend, attempts: Sequence[Attempt]) -> RememberingSession:
        return RememberingSession(backend, attempts, on_happening=self._bridge.post_happening)

    def _simulate(self) -> None:
        self._change_to(self._make(simulated(MAKE_BELIEVE), ()))

    def _change_to(self, session: RememberingSession) -> None:
        before, self._session = self._session, session
        # The window says what it wants first, so that it gets all of it with the first beat.
        self.window.show_session(session)
        session.start()
        if before is not None:
            # A hung driver call may keep it for a moment, and the window waits for nobody.
            threading.Thread(target=before.stop, name="end session", daemon=True).start()

    def _on_source_answered(self) -> None:
        """A slow driver came at last. Whoever looks at simulated cards is left in peace."""
        if self._opening is None:
            return
        backend, attempts = self._opening.result()
        if self._session is not None:
            if backend is not None:
                backend.close()
            return
        if backend is not None:
            self._change_to(self._make(backend, attempts))
            return
        self.window.show_attempts(attempts)
        if self._or_simulate:
            self._simulate()


def run(arguments: argparse.Namespace) -> int:
    """Open the window and stay until it is closed. The arguments were checked before."""
    application = create_application(sys.argv[:1])
    app = App(arguments)
    # The ticks of the frame clock let Python notice the signal.
    signal.signal(signal.SIGINT, lambda *_: application.exit(130))
    app.window.show()
    try:
        return application.exec()
    finally:
        app.stop()
