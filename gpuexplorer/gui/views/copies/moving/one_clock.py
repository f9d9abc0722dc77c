"""OneClock: the playhead of the timeline and the travelling block go together."""

from PySide6.QtCore import QObject, Signal

from gpuexplorer.gui.views.copies.moving.copies_now import CopiesNow
from gpuexplorer.gui.views.copies.moving.playback import Playback
from gpuexplorer.gui.views.copies.moving.timeline_panel import TimelinePanel
from gpuexplorer.gui.wording.copies.moving.moved import Moved


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

    def place(self) -> None:
        """Again, after the timeline became longer."""
        if self._number is None:
            return
        row, timeline = self._now.book.rows[self._number], self._axis.timeline
        lines = timeline.lines
        # What runs yet has no place.
        line = lines[row.line - 1] if row.line <= len(lines) else None
        whole = None if line is None else (line.begin, line.end)
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
