"""The one place that knows everybody: builds the parts, connects them, ends them in order."""

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QSize, QTimer
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.gui.crash_dialog import CrashReports
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.start import create_application
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.choices import WithoutCards
from gpuexplorer.gui.state.far_machines import Wanted, reach
from gpuexplorer.gui.state.machine import READ_ALWAYS
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.places import within_screen
from gpuexplorer.gui.state.settings import Settings, open_store
from gpuexplorer.gui.sweeping import Sweeping
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.remote.host_name import Launch
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.looked_for import looked_for
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.place import Place
from gpuexplorer.telemetry.remembering import RememberingSession
from gpuexplorer.telemetry.session import Attempt
from gpuexplorer.telemetry.simulated_past import PastClock, live_through
from gpuexplorer.telemetry.sources import MAKE_BELIEVE, first_that_answers, simulated
from gpuexplorer.telemetry.wants import Want

if TYPE_CHECKING:
    from gpuexplorer.fleet.watching import Watching

# Whichever of them comes, a recording ends as it should.
_ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")
Opened = tuple[Backend | None, list[Attempt]]

READ_ONLY = Message("This window was started with --read-only: nothing can be ended from it.")
# A driver that takes longer than this is waited for with the window open.
_OPENING_PATIENCE = 1.0
# A look for real cards takes a thread and a millisecond; one that takes longer than _CHEAP is
# left to whoever asks for it.
_LOOK_EVERY, _CHEAP = 5.0, 2.0
_STILL_WAITING = Attempt(
    "NVIDIA",
    Message("The driver has not answered yet."),
    Message("As soon as it does, its cards appear here."),
)


class App:
    """Owns the session and the window. Everything here runs in the GUI thread.

    `past`: simulated cards have lived through so many seconds when the window opens.
    """

    def __init__(
        self,
        arguments: argparse.Namespace,
        open_real: Callable[[], Opened] = first_that_answers,
        patience: float = _OPENING_PATIENCE,
        settings: Settings | None = None,
        past: float | None = None,
        launch: Launch | None = None,
    ) -> None:
        """`launch` runs commands on other machines, where not ssh does."""
        self._open_real = open_real
        self._patience = patience
        self._past = past
        self._settings = settings or Settings()
        self._bridge = Bridge()
        self._bridge.source_answered.connect(self._on_source_answered)
        without_cards = self._settings.choices.without_cards
        self._or_simulate = arguments.or_simulate or without_cards is WithoutCards.SIMULATE
        self._openings: list[Asked[Opened]] = []
        self._first_opening: Asked[Opened] | None = None
        self._looking_again = False
        self._looked_at = time.monotonic()
        self._bridge.recording_read.connect(self._on_recording_read)
        self._reading: Asked[RecordedSession] | None = None
        # What goes on being read while a recording is shown, so that its past goes on.
        self._aside: tuple[RememberingSession, Want] | None = None
        self._always_on = AlwaysOn(self._settings)
        attempts: Sequence[Attempt] = ()
        hosts = getattr(arguments, "host", [])
        if arguments.simulate is not None and not hosts:
            self._session = self._simulated(arguments.simulate, arguments.fault, arguments.seed)
        else:
            self._session, attempts = self._look_for_real_cards()
        connect = partial(reach, self._settings, self._bridge, launch)
        self._machines = MachinesState(self._settings, self._session, connect)
        self._watching = self._watch_fleet(arguments)
        self.window = MainWindow(
            self._session,
            attempts,
            looked_for(Place()),
            or_simulated=bool(attempts) and not self._session.bare,
            simulate=self._simulate,
            bridge=self._bridge,
            settings=self._settings,
            look_again=self._look_again,
            open_recording=self._open_recording,
            close_recording=self._close_recording,
            always_on=self._always_on,
            machines=self._machines,
        )
        self._starting = QTimer(self.window, singleShot=True, interval=1)
        self._starting.timeout.connect(self._on_start_due)
        self.crash_reports = CrashReports(self.window)
        self._dress(arguments)
        self._lookout = QTimer(self.window)
        self._lookout.setInterval(round(_LOOK_EVERY * 1000))
        self._lookout.timeout.connect(self._on_lookout)
        self._look_out(until_found=self._session.bare)
        self._on_start_due()
        self._machines.begin(
            [
                Wanted(host, "", arguments.simulate, arguments.fault, arguments.seed + number)
                for number, host in enumerate(hosts)  # simulated ones differ
            ],
            remembered=arguments.screenshot is None,
        )
        if (hosts or self._watching is not None) and arguments.view is None:
            self.window.navigation.open_screen("machines")
        if arguments.open is not None:
            self._open_recording(Path(arguments.open), self._patience)

    @property
    def session(self) -> RememberingSession:
        return self._session

    def stop(self) -> None:
        self._lookout.stop()
        self._starting.stop()
        self.window.stop()
        if self._watching is not None:
            self._watching.stop()
        self._session.stop()
        if self._aside is not None:
            self._aside[0].stop()
        self._settings.flush()
        self.crash_reports.stop()

    def _dress(self, arguments: argparse.Namespace) -> None:
        """As it was asked for at the start, over what the settings and the last time say."""
        if arguments.size is not None:
            self.window.resize(within_screen(QSize(*arguments.size), self.window))
        if arguments.view is not None and arguments.screenshot is None:
            self.window.navigation.open_screen(arguments.view)
        if arguments.theme is not None and arguments.screenshot is None:
            self._settings.hold_scheme(Scheme(arguments.theme))

    def _watch_fleet(self, arguments: argparse.Namespace) -> "Watching | None":
        """The screen of all machines then shows what a Prometheus tells."""
        fleet = getattr(arguments, "fleet", None)
        if fleet is None:
            return None
        from gpuexplorer.fleet.watching import Watching  # noqa: PLC0415 - rarely needed
        from gpuexplorer.gui.state.fleet_hosts import FleetHosts  # noqa: PLC0415 - as above

        watching = Watching(fleet)
        self._machines.fleet = FleetHosts(watching)
        watching.start()
        return watching

    def _look_for_real_cards(self) -> tuple[RememberingSession, Sequence[Attempt]]:
        """Look for real cards. Whatever a driver does, the window opens soon."""
        opening = Asked(self._open_real, when_late=self._bridge.post_source_answered)
        if not opening.answered_within(self._patience):
            self._openings.append(opening)
            self._first_opening = opening
            return self._bare(), [_STILL_WAITING]
        backend, attempts = opening.result()
        if backend is not None:
            return self._make(backend, attempts), ()
        if self._or_simulate:
            return self._simulated(MAKE_BELIEVE, attempts=attempts), attempts
        return self._bare(), attempts

    def _look_again(self) -> None:
        """While somebody looks at simulated cards, or at the reasons why there are none."""
        self._looking_again = True
        self._ask_for_real_cards()

    def _look_out(self, *, until_found: bool) -> None:
        """Look again and again by itself, so that a driver that is loaded needs no click."""
        if until_found:
            self._lookout.start()
        else:
            self._lookout.stop()
        self.window.explanation.show_rhythm(_LOOK_EVERY if until_found else None)

    def _ask_for_real_cards(self) -> None:
        self._looked_at = time.monotonic()
        opening = Asked(self._open_real, when_late=self._bridge.post_source_answered)
        self._openings.append(opening)
        if opening.answered_within(0.0):
            self._on_source_answered()

    def _simulated(
        self, spec: str, faults: str = "", seed: int = 0, attempts: Sequence[Attempt] = ()
    ) -> RememberingSession:
        if self._past is None:
            return self._make(simulated(spec, faults, seed), attempts)
        clock = PastClock(self._past)
        session = self._make(simulated(spec, faults, seed, clock), attempts, clock)
        live_through(session, clock)
        return session

    def _bare(self) -> RememberingSession:
        """Reads the computer alone, where no card answers."""
        return self._make(NoCards(), ())

    def _make(
        self, backend: Backend, attempts: Sequence[Attempt], clock: PastClock | None = None
    ) -> RememberingSession:
        choices = self._settings.choices
        session = RememberingSession(
            backend,
            attempts,
            choices.interval,
            clock,
            # What happened in a past that was not waited for is no news.
            on_happening=self._bridge.post_happening if clock is None else None,
            full_seconds=choices.full_seconds,
            day_seconds=choices.day_seconds,
        )
        self._always_on.join(session)
        return session

    def _simulate(self, spec: str) -> None:
        self._change_to(self._simulated(spec))

    def _change_to(
        self,
        session: RememberingSession,
        attempts: Sequence[Attempt] = (),
        *,
        quietly: bool = False,
    ) -> None:
        """`attempts` say why no card is read any more. `quietly`: nobody asked for it, and who
        looks at another machine goes on doing so.
        """
        before, aside = self._session, self._aside
        self._session, self._aside = session, None
        self._look_out(until_found=session.bare)
        # The window says what it wants first, and so gets all of it with the first beat.
        if session.bare:
            self.window.show_nothing(attempts, looked_for(Place()), session, quietly=quietly)
        else:
            self.window.show_session(session, quietly=quietly)
        self._starting.start()
        _end(before)
        if aside is not None:
            _end(aside[0])

    def _open_recording(self, path: Path, patience: float = 0.0) -> None:
        """In a thread, since disks hang too; the one asked for last is shown."""
        self._reading = Asked(partial(_recorded, path), self._bridge.post_recording_read)
        if self._reading.answered_within(patience):
            self._on_recording_read()

    def _on_recording_read(self) -> None:
        reading = self._reading
        if reading is None or not reading.answered:
            return
        self._reading = None
        try:
            recorded = reading.result()
        except Trouble as trouble:
            self.window.say(trouble.told)
            return
        if self._starting.isActive():
            self._starting.stop()
            self._session.start()
        before, self._session = self._session, recorded
        if self._aside is None:
            self._aside = before, before.want(READ_ALWAYS, processes=False)
        else:
            _end(before)
        self._look_out(until_found=False)
        self.window.show_session(recorded)
        if not recorded.recording.cards():
            self.window.navigation.open_screen("card")  # where the computer itself is
        recorded.start()

    def _close_recording(self) -> None:
        """Back to what was shown before."""
        if self._aside is None:
            return
        recorded, (self._session, want) = self._session, self._aside
        self._aside = None
        self._look_out(until_found=self._session.bare)
        self.window.show_session(self._session)
        self._session.sampler.release(want)
        self._session.sampler.set_interval(self._settings.choices.interval)
        _end(recorded)

    def _on_start_due(self) -> None:
        self._session.start()

    def _on_source_answered(self) -> None:
        """A driver answered that was not waited for."""
        for opening in [each for each in self._openings if each.answered]:
            self._openings.remove(opening)
            self._take(*opening.result(), first=opening is self._first_opening)
        if time.monotonic() - self._looked_at > _CHEAP:
            # Each look may leave a thread behind with a driver that hangs.
            self._look_out(until_found=False)

    def _on_lookout(self) -> None:
        if not self._openings and not self.window.isMinimized():
            self._ask_for_real_cards()

    def _take(
        self, backend: Backend | None, attempts: Sequence[Attempt], *, first: bool
    ) -> None:
        asked, self._looking_again = self._looking_again, False
        bare = self._session.bare
        if self._aside is not None:
            asked = False  # a recording is shown, and is no simulation that one leaves
        if not bare and not (asked and self._session.simulated):
            # Whoever looks at cards, simulated or not, is left in peace.
            if backend is not None:
                backend.close()
        elif backend is not None and self.window.machines.lab_works and not asked:
            backend.close()  # for now: what lies in the lab would go with the change
        elif backend is not None:
            self._change_to(self._make(backend, attempts), quietly=not asked)
        elif not bare:
            self._change_to(self._bare(), attempts, quietly=not asked)
        else:
            self.window.explanation.show_search(attempts, looked_for(Place()))
            if first and self._or_simulate and not asked:
                self._change_to(self._simulated(MAKE_BELIEVE), quietly=True)


def run(arguments: argparse.Namespace) -> int:
    """Open the window and stay until it is closed. The arguments were checked before."""
    application = create_application(sys.argv[:1])
    Sweeping(application)
    settings = Settings(
        open_store(), read_only_because=READ_ONLY if arguments.read_only else ""
    )
    app = App(arguments, settings=settings)
    app.window.diagnostics.cost_changed.connect(app.window.status.show_cost)
    # The ticks of the frame clock let Python notice the signal.
    for name in _ENDINGS:
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, lambda got, _: application.exit(128 + got))
    if arguments.quit_after is not None:
        QTimer.singleShot(round(arguments.quit_after * 1000), application.quit)
    if arguments.diagnostics is not None:
        app.window.diagnostics.heartbeat.start()
    try:
        app.window.show()
        app.window.companions.restore()
        status = application.exec()
        if arguments.diagnostics is not None:
            app.window.diagnostics.write(arguments.diagnostics)
    finally:
        app.stop()
        delete([app.window])
    return status


def _recorded(path: Path) -> RecordedSession:
    """With its first readings, so that the screens have them when they open."""
    session = RecordedSession(open_recording(path))
    want = session.want()
    session.look()
    session.sampler.release(want)
    return session


def _end(session: RememberingSession) -> None:
    """A hung driver call may keep it for a moment, and the window waits for nobody."""
    threading.Thread(target=session.stop, name="end session", daemon=True).start()


def delete(windows: Iterable[QWidget]) -> None:
    """Now, in Qt's order. Left to Python, parts would still be told of events when half of
    what they are made of is gone.
    """
    for window in windows:
        window.close()
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
