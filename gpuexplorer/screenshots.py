"""Pictures of every screen, in both themes, of a window that nobody sees: `--screenshot`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer

from gpuexplorer.app import READ_ONLY, App, delete
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.pictures import Pictures, Shot, shot_of
from gpuexplorer.gui.settings.dialog import SettingsDialog
from gpuexplorer.gui.start import create_application
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.sweeping import Sweeping
from gpuexplorer.gui.theme.look import Motion
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.looked_for import looked_for
from gpuexplorer.telemetry.place import Place
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import first_that_answers

# Pictures of an empty plot teach nobody: a little more than the plots show at first.
_PAST = 330.0
# Real cards answer every question within that time; the computer is told by differences.
_REAL_READINGS, _HOST_READINGS = 4.0, 1.5
_PICTURE_SIZE = (1600, 1000)
_LOOK_EVERY = 200  # milliseconds


def run(arguments: argparse.Namespace) -> int:
    """With the usual settings and not the person's, so that the same words give the same. The
    arguments were checked before.
    """
    application = create_application(sys.argv[:1])
    Sweeping(application)
    past = _PAST if arguments.after is None else arguments.after
    settings = Settings(read_only_because=READ_ONLY if arguments.read_only else "")
    settings.choose(replace(settings.choices, motion=Motion.REDUCED))
    app = App(arguments, settings=settings, past=past)
    windows = {"": app.window}
    bare = remembering(session_on(NoCards()))
    empty = _empty_window(app, arguments, bare)
    if empty is not None:
        windows["empty"] = empty
    chosen = Scheme(arguments.theme) if arguments.theme in tuple(Scheme) else None
    pictures = Pictures(
        Path(arguments.screenshot),
        list(windows.values()),
        _shots(app, empty, arguments.view, far=bool(arguments.host)),
        (Scheme.DARK, Scheme.LIGHT) if chosen is None else (chosen,),
    )
    pictures.finished.connect(application.quit)
    # What was recorded is there at once.
    here = app.session.bare or app.session.simulated
    lived = (here and not arguments.host) or arguments.open is not None
    wait = _HOST_READINGS if lived else arguments.after or _REAL_READINGS
    begin = partial(QTimer.singleShot, round(wait * 1000), pictures.start)
    if arguments.host:
        _show_first(app.window, arguments.host[0], begin)
    else:
        begin()
    if arguments.diagnostics is not None:
        app.window.diagnostics.heartbeat.start()
    try:
        bare.start()
        for window in windows.values():
            window.resize(*(arguments.size or _PICTURE_SIZE))
            window.show()
        status = application.exec()
        if arguments.diagnostics is not None:
            app.window.diagnostics.write(arguments.diagnostics)
    finally:
        app.stop()
        bare.stop()
        delete(windows.values())
    if pictures.trouble is not None:
        raise pictures.trouble
    sys.stdout.writelines(f"{path}\n" for path in pictures.written)
    return 1 if app.crash_reports.any else status


def _show_first(window: MainWindow, host: str, then: Callable[[], object]) -> None:
    """The first machine that was named, once all have answered or will not."""
    machines = window.machines.state
    machines.show(host)
    timer = QTimer(window, interval=_LOOK_EVERY)

    def look() -> None:
        rows = machines.rows()
        if not any(each.standing is Standing.CONNECTING for each in rows):
            timer.stop()
            then()

    timer.timeout.connect(look)
    timer.start()


def _shots(
    app: App, empty: MainWindow | None, view: str | None, *, far: bool
) -> Sequence[Shot]:
    window = app.window
    everything = view in (None, "all")
    shots = []
    if far or not app.session.bare:
        shots = [
            shot_of(window, entry.name) for entry in VIEWS if everything or entry.name == view
        ]
    elif not everything:
        raise Trouble(
            "No graphics card answers, so there is nothing to show on the screen {screen!r}.",
            "Take pictures of simulated cards: --simulate 2xTitanRTX.",
            screen=view,
        )
    if everything:
        shots.append(
            Shot(
                "settings",
                partial(_open_settings, window),
                partial(_settings_of, window),
                lambda: _settings_of(window).reject(),
            )
        )
        if empty is not None:
            shots.append(Shot("empty", empty.update, lambda: empty))
    return shots


def _open_settings(window: MainWindow) -> None:
    window.navigation.open_screen(VIEWS[0].name)
    window.open_settings()


def _settings_of(window: MainWindow) -> SettingsDialog:
    return next(each for each in window.findChildren(SettingsDialog) if each.isVisible())


def _empty_window(app: App, arguments: argparse.Namespace, bare: Session) -> MainWindow | None:
    """What this computer shows where no card answers; None where one does, or nobody asked."""
    if arguments.host:
        return None
    if app.session.bare:
        return app.window
    if arguments.view not in (None, "all") or arguments.open is not None:
        return None
    attempts: Sequence[Attempt] = app.session.attempts
    if arguments.simulate is not None:
        backend, attempts = first_that_answers()
        if backend is not None:
            backend.close()
    if not attempts:
        why = tr("A card answers here, so there is no picture of a machine without one.")
        sys.stderr.write(f"{why}\n")
        return None
    return MainWindow(
        bare,
        attempts,
        looked_for(Place()),
        or_simulated=False,
        simulate=lambda _: None,
        settings=Settings(),
        look_again=lambda: None,
    )
