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
    settings = Settings(read_only_because=READ_ONLY if arguments.read_only else "")
    settings.choose(replace(settings.choices, motion=Motion.REDUCED))
    past = _PAST if arguments.after is None else arguments.after
    app = App(arguments, settings=settings, past=past)
    window = app.window
    one_theme = arguments.theme in tuple(Scheme)
    pictures = Pictures(
        Path(arguments.screenshot),
        [window],
        _shots(app, arguments.view, far=bool(arguments.host)),
        (Scheme(arguments.theme),) if one_theme else (Scheme.DARK, Scheme.LIGHT),
    )
    pictures.finished.connect(application.quit)
    # What was recorded is there at once.
    here = app.session.bare or app.session.simulated
    lived = (here and not arguments.host) or arguments.open is not None
    wait = _HOST_READINGS if lived else arguments.after or _REAL_READINGS
    begin = partial(QTimer.singleShot, round(wait * 1000), pictures.start)
    if arguments.host:
        _show_first(window, arguments.host[0], begin)
    else:
        begin()
    if arguments.diagnostics is not None:
        window.diagnostics.heartbeat.start()
    try:
        window.resize(*(arguments.size or _PICTURE_SIZE))
        window.show()
        status = application.exec()
        if arguments.diagnostics is not None:
            window.diagnostics.write(arguments.diagnostics)
    finally:
        app.stop()
        delete([window])
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
        if not any(each.standing is Standing.CONNECTING for each in machines.rows()):
            timer.stop()
            then()

    timer.timeout.connect(look)
    timer.start()


def _shots(app: App, view: str | None, *, far: bool) -> Sequence[Shot]:
    """Where no card answers, what this computer shows then is the one screen."""
    window, everything = app.window, view in (None, "all")
    bare = app.session.bare and not far
    if bare and not everything:
        raise Trouble(
            "No graphics card answers, so there is nothing to show on the screen {screen!r}.",
            "Take pictures of simulated cards: --simulate 2xTitanRTX.",
            screen=view,
        )
    names = [each.name for each in VIEWS if everything or each.name == view]
    shots = [] if bare else [shot_of(window, name) for name in names]

    def open_settings() -> None:
        window.navigation.open_screen(VIEWS[0].name)
        window.open_settings()

    def opened() -> SettingsDialog:
        return next(each for each in window.findChildren(SettingsDialog) if each.isVisible())

    if everything:
        shots.append(Shot("settings", open_settings, opened, lambda: opened().reject()))
    if bare:
        shots.append(Shot("empty", window.update, lambda: window))
    return shots
