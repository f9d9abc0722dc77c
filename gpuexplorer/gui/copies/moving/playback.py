"""Playback: where the block of a slowed copy is just now."""

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.clock import Clock
from gpuexplorer.gui.copies.moving.moved import CopiesNow, Moved
from gpuexplorer.gui.copies.moving.timeline_panel import TimelinePanel
from gpuexplorer.gui.copies.moving.timeline_words import SlowedCopy

_FRAME = 33  # milliseconds


class Playback(QObject):
    """Runs only between `resume` and `rest`, which is while somebody sees it; then it costs
    nothing any more once the copy has arrived.
    """

    moved = Signal()  # the block, or whether it moves

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self.slowed: SlowedCopy | None = None  # None: there is nothing to travel.
        self.share = 1.0  # 0 to 1, of the copy's time.
        self._at = 0.0  # when the share was worked out
        self.playing = False
        self._seen = False
        self.again = False  # Whether it begins anew when it has arrived.
        self._frames = QTimer(self)
        self._frames.setInterval(_FRAME)
        self._frames.timeout.connect(self._on_frame_due)

    def show(self, seconds: float | None, *, moving: bool) -> None:
        """Another copy, of which one took so long. `moving`: it is to be seen travelling."""
        self.slowed = SlowedCopy(seconds) if seconds else None
        self.share = 0.0 if moving and self.slowed is not None else 1.0
        self._play(moving and self.slowed is not None)

    def toggle(self) -> None:
        """Hold it; go on; or from the beginning where it has arrived."""
        if self.slowed is None:
            return
        if not self.playing and self.share >= 1.0:
            self.share = 0.0
        self._play(not self.playing)

    def repeat(self, again: bool) -> None:
        self.again = again
        if again and not self.playing and self.share >= 1.0:
            self.toggle()
        self.moved.emit()

    def go_to(self, share: float) -> None:
        """Held there: somebody drags it."""
        self.share = min(1.0, max(0.0, share))
        self._play(False)  # noqa: FBT003 - said by its name

    def resume(self) -> None:
        """Somebody sees it."""
        self._seen = True
        self._play(self.playing)

    def rest(self) -> None:
        """Nobody does."""
        self._catch_up()
        self._seen = False
        self._frames.stop()

    def _play(self, playing: bool) -> None:
        self.playing = playing
        self._at = self._clock.now()
        if playing and self._seen:
            self._frames.start()
        else:
            self._frames.stop()
        self.moved.emit()

    def _catch_up(self) -> None:
        now = self._clock.now()
        if self.playing and self.slowed is not None:
            self.share += (now - self._at) / self.slowed.shown_seconds
        self._at = now

    def _on_frame_due(self) -> None:
        self._catch_up()
        if self.share < 1.0:
            self.moved.emit()
        elif self.again:
            self.share %= 1.0
            self.moved.emit()
        else:
            self.share = 1.0
            self._play(False)  # noqa: FBT003 - said by its name


class OneClock(QObject):
    """Whichever of the two is dragged, the other follows."""

    reached = Signal(int)  # another copy of the book, which the playhead came upon

    def __init__(
        self, now: CopiesNow, axis: TimelinePanel, playback: Playback, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._now, self._axis, self._playback = now, axis, playback
        self._number: int | None = None
        self._repeats: tuple[int, ...] = ()
        axis.view.scrubbed.connect(self._on_scrubbed)
        axis.view.picked.connect(self._on_picked)
        playback.moved.connect(self._on_travelled)

    def show(self, moved: Moved, number: int | None = None) -> None:
        """That row travels; of its repeats this one, or the one that travelled before."""
        self._repeats = moved.numbers
        if number in moved.numbers:
            self._number = number
        elif self._number not in moved.numbers:
            self._number = moved.numbers[0]
        self.place()

    def forget(self) -> None:
        """No row is left of which one could travel."""
        self._number, self._repeats = None, ()

    def place(self) -> None:
        """Again, after the timeline became longer."""
        if self._number is None:
            return
        row, timeline = self._now.book.rows[self._number], self._axis.timeline
        cell = timeline.cell_of(row)
        whole = None if cell is None else (cell.begin, cell.end)
        self._axis.show_copy(timeline.place_of(row), whole, self._together())
        self._on_travelled()

    def _together(self) -> tuple[float, float] | None:
        """From the first of the repeats to the last."""
        rows, place_of = self._now.book.rows, self._axis.timeline.place_of
        first, last = place_of(rows[self._repeats[0]]), place_of(rows[self._repeats[-1]])
        return None if first is None or last is None else (first[0], last[1])

    def _place(self) -> tuple[float, float] | None:
        if self._number is None:
            return None
        return self._axis.timeline.place_of(self._now.book.rows[self._number])

    def _on_picked(self, number: int) -> None:
        if number != self._number:
            self.reached.emit(number)

    def _on_scrubbed(self, moment: float) -> None:
        under_way = self._axis.timeline.under_way(moment)
        if under_way and self._number not in under_way:
            self.reached.emit(under_way[-1])
        place = self._place()
        if place is not None and place[0] <= moment <= place[1] and place[1] > place[0]:
            self._playback.go_to((moment - place[0]) / (place[1] - place[0]))
        self._axis.view.show_playhead(moment)

    def _on_travelled(self) -> None:
        place = self._place()
        if place is not None:
            share = self._playback.share
            self._axis.view.show_playhead(place[0] + share * (place[1] - place[0]))
