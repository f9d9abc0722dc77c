"""The one place that knows everybody: builds the parts, connects them, ends them in order."""

import argparse
import json
import locale
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QLibraryInfo,
    QMessageLogContext,
    QSize,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from gpuexplorer import __version__
from gpuexplorer.core.resources import resource
from gpuexplorer.core.words import Message
from gpuexplorer.gui.crash_dialog import CrashReports
from gpuexplorer.gui.event_loop import Bridge, Sweeping
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.state.card_search import STILL_WAITING, CardSearch, Opened
from gpuexplorer.gui.state.choices import WithoutCards
from gpuexplorer.gui.state.machines import machines_at_start
from gpuexplorer.gui.state.navigation import within_screen
from gpuexplorer.gui.state.recording_state import AlwaysOn
from gpuexplorer.gui.state.settings import Settings, open_store
from gpuexplorer.gui.theme.look import Motion
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.saving import in_a_thread
from gpuexplorer.lab import packaged
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.remote.ssh import Launch
from gpuexplorer.telemetry.backend import Backend, NoCards
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, Want, remembering, session_on
from gpuexplorer.telemetry.simulated_past import PastClock, live_through
from gpuexplorer.telemetry.sources import MAKE_BELIEVE, first_that_answers, simulated
from gpuexplorer.telemetry.whole_file import write_whole

# Whichever of them comes, a recording ends as it should.
_ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")
_READ_ONLY = Message("This window was started with --read-only: nothing can be ended from it.")
# A driver that takes longer than this is waited for with the window open.
_OPENING_PATIENCE = 1.0
# Pictures of an empty plot teach nobody: a little more than the plots show at first.
_PAST = 330.0
_PICTURE_SIZE = (1600, 1000)
# Seconds for which a thread may keep Python from the one that draws. That one asks for it again
# many times a frame: with Python's own 5 ms a frame took 80 while a day was written to a file.
_TURN = 0.001


class App:
    """Owns the session and the window, in the GUI thread. Simulated cards lived through `past`
    seconds when it opens; `launch` runs commands on other machines, where not ssh does.
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
        self._settings = settings = settings or Settings()
        bridge, hosts = Bridge(), getattr(arguments, "host", ())
        self._search = search = CardSearch(open_real, bridge)
        search.answered.connect(self._on_search_answered)
        without_cards = settings.choices.without_cards
        self._or_simulate = arguments.or_simulate or without_cards is WithoutCards.SIMULATE
        self._looking_again = False
        self._bridge, self._always_on, self._past = bridge, AlwaysOn(settings), past
        attempts: Sequence[Attempt] = ()
        if arguments.simulate is not None and not hosts:
            session = self._simulated(arguments.simulate, arguments.fault, arguments.seed)
        else:
            # Whatever a driver does, the window opens soon.
            opened = search.first(patience)
            backend, attempts = opened or (None, [STILL_WAITING])
            if backend is not None:
                session, attempts = self._reading(backend, attempts), ()
            elif opened is not None and self._or_simulate:
                session = self._simulated(MAKE_BELIEVE, attempts=attempts)
            else:
                session = self._reading(NoCards())
        # What is shown; and what is read, which goes on while a recording is shown.
        self._session = self._here = session
        self._want = Want()
        machines = machines_at_start(arguments, settings, bridge, session, launch)
        self.window = window = MainWindow(
            session,
            attempts,
            lambda spec: self._change_to(self._simulated(spec)),
            self._look_again,
            self._open_recording,
            self._close_recording,
            *(bridge, settings, self._always_on, machines),
        )
        self.crash_reports = CrashReports(window)
        search.setParent(window)
        search.rhythm_changed.connect(window.explanation.show_rhythm)
        search.go_on(until_found=session.bare)
        # As it was asked for, over what the settings and the last time say.
        if arguments.size is not None:
            window.resize(within_screen(QSize(*arguments.size), window))
        view = "machines" if hosts or machines.fleet is not None else None
        if arguments.screenshot is None:
            view = arguments.view or view
            if arguments.theme is not None:
                settings.hold_scheme(Scheme(arguments.theme))
        if view is not None:
            window.navigation.open_screen(view)
        session.start()
        python = getattr(arguments, "host_python", None) or ""
        machines.begin(hosts, python, remembered=arguments.screenshot is None)
        if arguments.open is not None:
            self._open_recording(Path(arguments.open), patience)

    @property
    def session(self) -> Session:
        return self._session

    def stop(self) -> None:
        self._search.stop()
        self.window.stop()
        for session in {self._session, self._here}:
            session.stop()
        self._settings.flush()
        self.crash_reports.stop()

    def _simulated(
        self, spec: str, faults: str = "", seed: int = 0, attempts: Sequence[Attempt] = ()
    ) -> Session:
        clock = None if self._past is None else PastClock(self._past)
        session = self._reading(simulated(spec, faults, seed, clock), attempts, clock)
        if clock is not None:
            assert isinstance(session.stream, Local)
            live_through(session.stream, clock)
        return session

    def _reading(
        self, backend: Backend, attempts: Sequence[Attempt] = (), clock: PastClock | None = None
    ) -> Session:
        """As the settings want it."""
        choices = self._settings.choices
        session = session_on(backend, attempts, choices.interval, clock)
        if clock is None:  # what happened in a past that was not waited for is no news
            session.attach(self._bridge.post_happening)
        remembering(session, choices.full_seconds, choices.day_seconds)
        self._always_on.join(session)
        return session

    def _look_again(self) -> None:
        """While somebody looks at simulated cards, or at the reasons why there are none."""
        self._looking_again = True
        self._search.look()

    def _change_to(
        self, session: Session, attempts: Sequence[Attempt] = (), *, quietly: bool = False
    ) -> None:
        """`attempts`: why no card is read any more. `quietly`: another machine stays shown."""
        left = {self._session, self._here}
        self._session = self._here = session
        self._search.go_on(until_found=session.bare)
        # The window says what it wants first, and so gets all of it with the first beat.
        window = self.window
        if session.bare:
            window.explanation.show_search(attempts)
        window.show_session(session, quietly=quietly)
        if session.bare and window.machines.state.session is session:
            window.navigation.open_screen("overview")  # which says why
        session.start()
        for each in left:
            _end(each)

    def _open_recording(self, path: Path, patience: float = 0.0) -> None:
        window, show = self.window, self._on_recording_read
        in_a_thread(partial(_recorded, path), window, show, window.say, patience)

    def _on_recording_read(self, recorded: RecordedSession) -> None:
        before, self._session = self._session, recorded
        if before is self._here:
            self._want = before.want_always()
        else:
            _end(before)
        self._search.go_on(until_found=False)
        self.window.show_session(recorded)
        if not recorded.recording.cards():
            self.window.navigation.open_screen("card")  # where the computer itself is
        recorded.start()

    def _close_recording(self) -> None:
        """Back to what was shown before."""
        recorded, self._session = self._session, self._here
        if recorded is self._here:
            return
        self._search.go_on(until_found=self._session.bare)
        self.window.show_session(self._session)
        self._session.release(self._want)
        self._session.set_interval(self._settings.choices.interval)
        _end(recorded)

    def _on_search_answered(
        self, backend: Backend | None, attempts: Sequence[Attempt], first: bool
    ) -> None:
        """A driver that was not waited for."""
        session, window = self._session, self.window
        # A recording that is shown is no simulation that one leaves.
        asked, self._looking_again = self._looking_again and session is self._here, False
        in_peace = not session.bare and not (asked and session.simulated)
        if backend is not None:
            # What lies in the lab would go with the change.
            lab = window.machines.lab_here
            works = lab is not None and (lab.stage.runs or lab.program.phase.runs)
            if in_peace or (works and not asked):
                backend.close()
            else:
                self._change_to(self._reading(backend, attempts), quietly=not asked)
        elif session.bare:
            window.explanation.show_search(attempts)
            if first and self._or_simulate and not asked:
                self._change_to(self._simulated(MAKE_BELIEVE), quietly=True)
        elif not in_peace:
            self._change_to(self._reading(NoCards()), attempts, quietly=not asked)


def create_application(argv: Sequence[str]) -> QApplication:
    """The one application object of this process."""
    # In the C locale Qt takes UTF-8 all the same, but complains to the terminal about it.
    if locale.setlocale(locale.LC_CTYPE) in ("C", "POSIX"):
        # LC_ALL hides every other variable.
        os.environ["LC_ALL" if os.environ.get("LC_ALL") else "LC_CTYPE"] = "C.UTF-8"
    sys.setswitchinterval(_TURN)
    QGuiApplication.setDesktopFileName("gpuexplorer")
    if packaged.folder() is not None:
        # QT_PLUGIN_PATH names those of the desktop's Qt, which is another.
        own = QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)
        QApplication.setLibraryPaths([own])
    QApplication.setStyle("fusion")
    application = QApplication(list(argv))
    application.setApplicationName("GPU Explorer")
    application.setApplicationVersion(__version__)
    application.setOrganizationName("gpuexplorer")
    application.setWindowIcon(QIcon(str(resource("icons", "gpuexplorer.svg"))))
    if application.platformName() == "offscreen":
        qInstallMessageHandler(_say_all_but_size_hints)
    return application


def _say_all_but_size_hints(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Where nobody looks there is nobody who could be told a size, and that is no news."""
    del kind, context
    if "propagateSizeHints" not in message:
        sys.stderr.write(f"{message}\n")


def run(arguments: argparse.Namespace) -> int:
    """Open the window and stay until it is closed, or pictures of it are taken."""
    application = create_application(sys.argv[:1])
    Sweeping(application)
    for_pictures = arguments.screenshot is not None
    because, past, pictures = _READ_ONLY if arguments.read_only else "", None, None
    # Of pictures the same words give the same, whatever a person's settings are.
    settings = Settings(None if for_pictures else open_store(), read_only_because=because)
    if for_pictures:
        settings.choose(replace(settings.choices, motion=Motion.REDUCED))
        past = _PAST if arguments.after is None else arguments.after
    app = App(arguments, settings=settings, past=past)
    window = app.window
    if for_pictures:
        from gpuexplorer.gui.pictures import Pictures  # noqa: PLC0415 - nobody else needs it

        pictures = Pictures(window, app.session, arguments)
        pictures.finished.connect(application.quit)
        window.resize(*(arguments.size or _PICTURE_SIZE))
    # The ticks of the frame clock let Python notice the signal.
    for each in signal.Signals:
        if each.name in _ENDINGS:
            signal.signal(each, lambda got, _: application.exit(128 + got))
    if arguments.quit_after is not None:
        QTimer.singleShot(round(arguments.quit_after * 1000), application.quit)
    if arguments.diagnostics is not None:
        window.diagnostics.heartbeat.start()
    try:
        window.show()
        if pictures is None:
            window.companions.restore()
        status = application.exec()
        if arguments.diagnostics is not None:
            told = json.dumps(window.diagnostics.figures(), indent=2) + "\n"
            if arguments.diagnostics == "-":
                sys.stdout.write(told)
            else:
                write_whole(Path(arguments.diagnostics), [told.encode("utf-8")])
    finally:
        app.stop()
        # In Qt's order: left to Python, parts would still be told of events when half of what
        # they are made of is gone.
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    if pictures is None:
        return status
    if pictures.trouble is not None:
        raise pictures.trouble
    sys.stdout.writelines(f"{path}\n" for path in pictures.written)
    return 1 if app.crash_reports.any else status


def _recorded(path: Path) -> RecordedSession:
    """With its first readings, so that the screens have them when they open."""
    session = RecordedSession(open_recording(path))
    want = session.want()
    session.look()
    session.release(want)
    return session


def _end(session: Session) -> None:
    """A hung driver call may keep it for a moment, and the window waits for nobody."""
    threading.Thread(target=session.stop, name="end session", daemon=True).start()
