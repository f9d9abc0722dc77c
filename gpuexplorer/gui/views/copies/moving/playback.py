"""Playback: where the block of a slowed copy is just now."""

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.clock import Clock
from gpuexplorer.gui.wording.copies.moving.time_frame import Slowed

_FRAME = 33  # milliseconds


class Playback(QObject):
    """Runs only between `resume` and `rest`, which is while somebody sees it; then it costs
    nothing any more once the copy has arrived.
    """

    moved = Signal()  # the block, or whether it moves

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._slowed: Slowed | None = None
        self._share = 1.0
        self._at = 0.0  # when the share was worked out
        self._playing = False
        self._seen = False
        self._again = False
        self._frames = QTimer(self)
        self._frames.setInterval(_FRAME)
        self._frames.timeout.connect(self._on_frame_due)

    @property
    def slowed(self) -> Slowed | None:
        """None: there is nothing to travel."""
        return self._slowed

    @property
    def share(self) -> float:
        """0 to 1, of the copy's time."""
        return self._share

    @property
    def playing(self) -> bool:
        return self._playing

    @property
    def again(self) -> bool:
        """Whether it begins anew when it has arrived."""
        return self._again

    def show(self, seconds: float | None, *, moving: bool) -> None:
        """Another copy, of which one took so long. `moving`: it is to be seen travelling."""
        self._slowed = Slowed(seconds) if seconds else None
        self._share = 0.0 if moving and self._slowed is not None else 1.0
        self._play(moving and self._slowed is not None)

    def toggle(self) -> None:
        """Hold it; go on; or from the beginning where it has arrived."""
        if self._slowed is None:
            return
        if not self._playing and self._share >= 1.0:
            self._share = 0.0
        self._play(not self._playing)

    def repeat(self, again: bool) -> None:
        self._again = again
        if again and not self._playing and self._share >= 1.0:
            self.toggle()
        self.moved.emit()

    def go_to(self, share: float) -> None:
        """Held there: somebody drags it."""
        self._share = min(1.0, max(0.0, share))
        self._play(False)  # noqa: FBT003 - said by its name

    def resume(self) -> None:
        """Somebody sees it."""
        self._seen = True
        self._play(self._playing)

    def rest(self) -> None:
        """Nobody does."""
        self._catch_up()
        self._seen = False
        self._frames.stop()

    def _play(self, playing: bool) -> None:
        self._playing = playing
        self._at = self._clock.now()
        if playing and self._seen:
            self._frames.start()
        else:
            self._frames.stop()
        self.moved.emit()

    def _catch_up(self) -> None:
        now = self._clock.now()
        if self._playing and self._slowed is not None:
            self._share += (now - self._at) / self._slowed.shown_seconds
        self._at = now

    def _on_frame_due(self) -> None:
        self._catch_up()
        if self._share < 1.0:
            self.moved.emit()
        elif self._again:
            self._share %= 1.0
            self.moved.emit()
        else:
            self._share = 1.0
            self._play(False)  # noqa: FBT003 - said by its name
