"""Pictures: a PNG of each screen in each theme, one after another as the window shows them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.start import grab
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.live_view import LiveView

# A tick of the frame clock, so that what is new is drawn. Nothing moves in pictures.
SETTLED = 0.3


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
    """Each shot in each scheme. Ends with `finished`; what went wrong is then in `trouble`."""

    finished = Signal()

    def __init__(
        self,
        folder: Path,
        windows: Sequence[MainWindow],
        shots: Sequence[Shot],
        schemes: Sequence[Scheme],
    ) -> None:
        super().__init__()
        self._folder = folder
        self._windows = windows
        self._waited = False
        self._left = [(scheme, shot) for scheme in schemes for shot in shots]
        self.trouble: Trouble | None = None
        self.written: list[Path] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(round(SETTLED * 1000))
        self._timer.timeout.connect(self._on_settled)

    def start(self) -> None:
        self._prepare()

    def _prepare(self) -> None:
        if not self._left:
            self.finished.emit()
            return
        scheme, shot = self._left[0]
        for window in self._windows:
            window.look.choose(scheme)
        shot.prepare()
        self._timer.start()

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
