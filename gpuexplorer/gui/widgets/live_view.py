"""LiveView: a screen that pulls what is new while it is seen, and else asks for nothing."""

from collections.abc import Callable, Collection, Sequence

from PySide6.QtGui import QAction, QFocusEvent, QHideEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.metrics import Cadence
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.widgets.key_words import KeyGroup
from gpuexplorer.telemetry.session import Want

# Seconds without an answer are counted even where no reading comes.
_AT_LEAST_EVERY = 1.0


class LiveView(QWidget):
    """Subclasses implement `pull`, which is called when there is something new to draw.

    `cadences` and `processes` are the costly questions it needs answered while it is seen; what
    is cheap is read all the time.
    """

    # What F1 tells beside the actions: keys that parts of the screen take by themselves.
    key_groups: Sequence[KeyGroup] = ()

    def __init__(
        self,
        desk: Desk,
        cadences: Collection[Cadence] = (),
        processes: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.desk = desk
        self.machine = desk.machine
        self.time_window = desk.time_window
        self._frame_clock = desk.frame_clock
        self._wanted = (cadences, processes)
        self._want: Want | None = None
        self._following = False
        self._drawn: tuple[int, int] = (-1, -1)
        self._pulled_at = float("-inf")
        self._first: QWidget | None = None

    def begin_at(self, first: QWidget) -> None:
        """Who opens this screen by a key has the keyboard there. A focus proxy would do, but
        then the Tab key never comes to what stands above it.
        """
        self._first = first

    def pull(self) -> None:
        """Bring everything up to date now."""
        raise NotImplementedError

    def start_search(self) -> bool:
        """Ctrl+F: put the cursor where one searches; False where there is nothing to search."""
        return False

    def reveal(self, part: QWidget) -> None:
        """A lesson points at this part of the screen, which may be hidden by another."""

    def pose(self) -> None:
        """For a picture: show something, if it takes no person and no card."""

    def posed(self) -> bool:
        """Whether that is done."""
        return True

    def add_command(self, words: str, keys: str, run: Callable[[], None]) -> QAction:
        """Listed under Ctrl+K and, with keys, under F1 while this screen is seen. The keys
        hold then, whatever part of the window has the keyboard.
        """
        action = QAction(words, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(run)
        self.addAction(action)
        return action

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        self._unfollow()

    def _on_ticked(self) -> None:
        now = self.machine.session.desk.now()
        beats = self.machine.session.beats()
        stamp = (beats.taken, beats.missed)
        if stamp != self._drawn or now - self._pulled_at >= _AT_LEAST_EVERY:
            self._drawn = stamp
            self._pull_now()

    def _on_clock_paused(self, paused: bool) -> None:
        """Nobody sees a minimised window: nothing costly is asked for it."""
        if paused:
            self._release()
        else:
            self._ask()

    def _pull_now(self) -> None:
        self._pulled_at = self.machine.session.desk.now()
        self._frame_clock.work_began.emit()
        try:
            self.pull()
        finally:
            self._frame_clock.work_done.emit()

    def _ask(self) -> None:
        cadences, processes = self._wanted
        if self._want is None and (cadences or processes):
            self._want = self.machine.session.want(cadences, processes)

    def _release(self) -> None:
        if self._want is not None:
            self.machine.session.release(self._want)
            self._want = None

    def _follow(self) -> None:
        if self._following:
            return
        self._following = True
        self._frame_clock.ticked.connect(self._on_ticked)
        self._frame_clock.paused.connect(self._on_clock_paused)
        self.time_window.changed.connect(self._pull_now)
        self.machine.comparing.changed.connect(self._pull_now)
        # A window that opens minimised is seen by nobody; the clock tells when it is.
        if self._frame_clock.running:
            self._ask()

    def _unfollow(self) -> None:
        # Qt also hides what was never shown, when it enters a stack of screens.
        if not self._following:
            return
        self._following = False
        self._frame_clock.ticked.disconnect(self._on_ticked)
        self._frame_clock.paused.disconnect(self._on_clock_paused)
        self.time_window.changed.disconnect(self._pull_now)
        self.machine.comparing.changed.disconnect(self._pull_now)
        self._release()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._first is not None:
            self._first.setFocus(event.reason())

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()
        self._pull_now()

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._unfollow()
