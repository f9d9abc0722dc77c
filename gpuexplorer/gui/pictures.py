"""Pictures: a PNG of each screen in each theme, one after another as the window shows them."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.settings.dialog import SettingsDialog
from gpuexplorer.gui.start import grab
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.telemetry.session import Session

# A tick of the frame clock, so that what is new is drawn. Nothing moves in pictures.
SETTLED = 0.3
# Real cards answer every question within that time; the computer is told by differences.
_REAL_READINGS, _HOST_READINGS = 4.0, 1.5
_LOOK_EVERY = 200  # milliseconds


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: what to open, and of what it is."""

    name: str
    prepare: Callable[[], object]
    widget: Callable[[], QWidget]  # asked when it was opened
    clear_up: Callable[[], object] = lambda: None
    ready: Callable[[], bool] = lambda: True  # asked again and again until it is


def shot_of(window: MainWindow, screen: str) -> Shot:
    """Opened, and brought to where there is something to see."""

    def seen() -> LiveView | None:
        found = (each for each in window.findChildren(LiveView) if each.isVisible())
        return next(found, None)

    def pose() -> None:
        window.navigation.open_screen(screen)
        view = seen()
        if view is not None:
            view.pose()

    def posed() -> bool:
        view = seen()
        return view is None or view.posed()

    return Shot(screen, pose, lambda: window, ready=posed)


class Pictures(QObject):
    """Of the screens that were asked for, in one theme or both, once there is something to see.
    Where no card answers, what this computer shows then is the one screen. Ends with
    `finished`; what went wrong is then in `trouble`.
    """

    finished = Signal()

    def __init__(
        self, window: MainWindow, session: Session, arguments: argparse.Namespace
    ) -> None:
        super().__init__()
        view, self._hosts = arguments.view, arguments.host
        everything, bare = view in (None, "all"), session.bare and not arguments.host
        if bare and not everything:
            raise Trouble(
                "No graphics card answers, so there is nothing to show on the screen"
                " {screen!r}.",
                "Take pictures of simulated cards: --simulate 2xTitanRTX.",
                screen=view,
            )
        named = (each.name for each in VIEWS if not bare and (everything or each.name == view))
        shots = [shot_of(window, name) for name in named]

        def opened() -> SettingsDialog:
            return next(e for e in window.findChildren(SettingsDialog) if e.isVisible())

        if everything:
            shots.append(
                Shot("settings", window.open_settings, opened, lambda: opened().reject())
            )
        if bare:
            shots.append(Shot("empty", window.update, lambda: window))
        one_theme = arguments.theme in tuple(Scheme)
        schemes = (Scheme(arguments.theme),) if one_theme else (Scheme.DARK, Scheme.LIGHT)
        self._folder, self._window = Path(arguments.screenshot), window
        self._waited = False
        self._left = [(scheme, shot) for scheme in schemes for shot in shots]
        self.trouble: Trouble | None = None
        self.written: list[Path] = []
        settled = round(SETTLED * 1000)
        self._timer = QTimer(self, interval=settled, singleShot=True)
        self._timer.timeout.connect(self._on_settled)
        # What was recorded is there at once.
        lived = arguments.open is not None or (
            not arguments.host and (session.bare or session.simulated)
        )
        self._wait = _HOST_READINGS if lived else arguments.after or _REAL_READINGS
        self._looks = QTimer(self, interval=_LOOK_EVERY)
        self._looks.timeout.connect(self._on_looked)
        if self._hosts:
            window.machines.state.show(self._hosts[0])
        self._looks.start()

    def _prepare(self) -> None:
        if not self._left:
            self.finished.emit()
            return
        scheme, shot = self._left[0]
        self._window.look.choose(scheme)
        shot.prepare()
        self._timer.start()

    def _on_looked(self) -> None:
        """The first machine that was named is shown, once all have answered or will not."""
        rows = self._window.machines.state.rows()
        if not self._hosts or not any(e.standing is Standing.CONNECTING for e in rows):
            self._looks.stop()
            QTimer.singleShot(round(self._wait * 1000), self._prepare)

    def _on_settled(self) -> None:
        ready = self._left[0][1].ready()
        if self._waited or not ready:
            # Then once more, so that what came last is drawn.
            self._waited = not ready
            self._timer.start()
            return
        scheme, shot = self._left.pop(0)
        path = self._folder / f"{shot.name}-{scheme}.png"
        try:
            grab(shot.widget(), path)
        except Trouble as trouble:
            self.trouble = trouble
            self.finished.emit()
            return
        self.written.append(path)
        shot.clear_up()
        self._prepare()
