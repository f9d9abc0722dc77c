"""Pictures: a PNG of each screen in each theme, one after another as the window shows them."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.settings.dialog import SettingsDialog
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.telemetry.session import Session

# Seconds in which real cards answer every question; the computer is told by differences.
_REAL_READINGS, _HOST_READINGS = 4.0, 1.5
_SETTLED = 0.3  # a tick of the frame clock, so that what is new is drawn
_EMPTY, _SETTINGS = "empty", "settings"


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
        view, hosts = arguments.view, arguments.host
        everything, bare = view in (None, "all"), session.bare and not hosts
        if bare and not everything:
            raise Trouble(
                "No graphics card answers, so there is nothing to show on the screen"
                " {screen!r}.",
                "Take pictures of simulated cards: --simulate 2xTitanRTX.",
                screen=view,
            )
        self._names = [e.name for e in VIEWS if not bare and (everything or e.name == view)]
        self._names += [_SETTINGS] * everything + [_EMPTY] * bare
        self._window, self._folder = window, Path(arguments.screenshot)
        one = arguments.theme in tuple(Scheme)
        self._schemes = [Scheme(arguments.theme)] if one else [Scheme.DARK, Scheme.LIGHT]
        # What was recorded is there at once.
        lived = not hosts and (session.bare or session.simulated)
        real = arguments.after or _REAL_READINGS
        self._wait = _HOST_READINGS if lived or arguments.open is not None else real
        self.trouble: Trouble | None = None
        self.written: list[Path] = []
        if hosts:
            window.machines.state.show(hosts[0])
        self._course = self._take_all()
        self._go_on()

    def _take_all(self) -> Iterator[float]:
        """Yields the seconds until it goes on."""
        window, machines = self._window, self._window.machines.state
        while any(each.standing is Standing.CONNECTING for each in machines.rows()):
            yield _SETTLED
        yield self._wait
        for scheme in self._schemes:
            window.look.choose(scheme)
            for name in self._names:
                path, view = self._folder / f"{name}-{scheme}.png", None
                if name == _SETTINGS:
                    window.open_settings()
                elif name != _EMPTY:
                    window.navigation.open_screen(name)
                    view = window.screens.view
                if view is not None:
                    view.pose()
                yield _SETTLED
                while view is not None and not view.posed():
                    yield _SETTLED
                yield _SETTLED  # so that what came last is drawn
                sheets = [e for e in window.findChildren(SettingsDialog) if e.isVisible()]
                if not [window, *sheets][-1].grab().save(str(path)):
                    self.trouble = Trouble(
                        "The picture could not be written to {file}.",
                        "Check that the folder is there and that the name ends in .png.",
                        file=path,
                    )
                    return
                self.written.append(path)
                for each in sheets:
                    each.close()

    def _go_on(self) -> None:
        wait = next(self._course, 0.0)
        QTimer.singleShot(round(wait * 1000), self._go_on if wait else self.finished.emit)
