"""TimeWindow: which stretch of time all plots show, and the moment that is pointed at."""

import math
import time
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.reasons import Then
from gpuexplorer.recording.recorded_session import JoinedPast, Playhead
from gpuexplorer.telemetry.trace import TraceSource

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
SPANS = ((MINUTE, "1 min"), (5 * MINUTE, "5 min"), (HOUR, "1 h"), (DAY, "24 h"))
SHORTEST_SPAN, LONGEST_SPAN = 5.0, DAY
# What is shown after the start, and twice as much whenever so much was read.
_FIRST_SPAN = 10.0
# Whoever zooms so near to the present means to stay with it.
_AT_PRESENT = 0.97
# A clock that is set right a little at a time moves no axis that stands still.
_STEP_OF_THE_CLOCK = 1.0
# A recording that plays on beyond what is shown is paged on, with this share of it before.
_BEFORE_PLAYHEAD = 0.1


class Marked(NamedTuple):
    """A moment that somebody asked to be shown, and what took place then."""

    at: float  # steady seconds
    text: str  # in the language of the window


class TimeWindow(QObject):
    """One for all plots. It moves with the present until somebody looks back or pauses, while
    reading goes on. After the start it shows less than what is chosen, as far as it was read.
    Of a recording the present is where its playhead stands, and there is more to see beyond.
    """

    changed = Signal()  # another stretch, or it began or ceased to stand still
    crosshair_moved = Signal()
    marked_changed = Signal()

    def __init__(self, clock: Clock | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.crosshair: float | None = None  # the moment pointed at, in steady seconds
        # Stays until somebody goes back to now, marks another moment or presses Escape.
        self.marked: Marked | None = None
        self._clock = clock or SystemClock()
        self._past: TraceSource | None = None
        self._span, self._grows = 5 * MINUTE, True
        self._held: tuple[float, float] | None = None  # None: it moves with the present
        self._offset = self._offset_now()
        self._stood = self.now()  # the playhead, when it was looked at last

    @property
    def span(self) -> float:
        """In seconds, as chosen; after the start less is shown, of a recording perhaps more."""
        held = self._held if self.replaying else None
        return self._span if held is None else held[1] - held[0]

    @property
    def following(self) -> bool:
        return self._held is None

    @property
    def replaying(self) -> bool:
        return self._past is not None and self._past.ended is not None

    @property
    def looking_back(self) -> bool:
        """What is shown ends before now, while what stands beside it is of now."""
        return not self.following and not self.replaying

    @property
    def playhead(self) -> float | None:
        """Of a recording, whose plots may show what is before and beyond it."""
        return self.now() if self.replaying and not self.following else None

    @property
    def began(self) -> float:
        """When reading began; now, while nothing was read; -inf where no past is named."""
        began = -math.inf if self._past is None else self._past.began
        return self.now() if began is None else began

    def now(self) -> float:
        return self._clock.now()

    def stretch(self) -> tuple[float, float]:
        """Beginning and end, in steady seconds."""
        if self._held is not None:
            return self._held
        now, span = self.now(), self._span
        read = now - self.began
        if self._grows and read < span:
            # In steps: a scale that changed with every frame could not be read.
            span = min(span, _FIRST_SPAN)
            while 2 * span <= read:
                span *= 2
        return now - span, now

    def then(self) -> Then:
        """Which time what is said of the stretch has to be true of."""
        return Then(self.stretch()[1], self.began, self.following, self.looking_back)

    def wall(self, at: float) -> float:
        """The time of day, since 1970. What stands still is called the same whenever asked."""
        return at + (self._offset_now() if self._held is None else self._offset)

    def moment(self, at: float) -> str:
        """ "14:05:10", with the day where it is not today's."""
        today = time.time() if self.replaying else self.wall(self.now())
        return moment_word(self.wall(at), today)

    def moments(self) -> str:
        """ "14:02:32 to 14:07:32"; the day is said once, where it is the same."""
        start, end = self.stretch()
        ended = moment_word(self.wall(end), self.wall(start))
        return tr("{start} to {end}", start=self.moment(start), end=ended)

    def follow_clock(self) -> None:
        """Where somebody set the computer's clock, everything is called anew. A playhead that
        leaves what is shown, or is moved, is seen again. Called with every frame.
        """
        offset = self._offset_now()
        if abs(offset - self._offset) >= _STEP_OF_THE_CLOCK:
            self._offset = offset
            self.changed.emit()
        stood, self._stood = self._stood, self.now()
        now = self._stood
        if self.playhead is None or now == stood:
            return
        start, end = self.stretch()
        playing = isinstance(self._clock, Playhead) and self._clock.playing
        if not start <= now <= end and (start <= stood <= end or not playing):
            self._hold(end - start, now + (1 - _BEFORE_PLAYHEAD) * (end - start))

    def show_past(self, past: TraceSource, clock: Clock | None = None) -> None:
        """From now on, and its clock; it is shown up to now, and a recording as a whole."""
        self._past, self._clock = past, clock or self._clock
        self._stood, self._grows = self.now(), True
        end = past.ended
        self._change(None if end is None else (min(self.began, end - SHORTEST_SPAN), end))

    def grow_to(self, seconds: float) -> None:
        """Show so much up to now as soon as there is so much, and until then what there is."""
        self._span, self._grows = self._bounded(seconds), True
        self._change(None)

    def choose_span(self, seconds: float) -> None:
        """Exactly this, however much of it is past. Where one looks back, the middle stays."""
        start, end = self.stretch()
        self._span, self._grows = self._bounded(seconds), False
        if self.following:
            self._change(None)
        else:
            self._show(self._span, (start + end + self._span) / 2)

    def zoom(self, factor: float, around: float | None = None) -> None:
        """What is at that share of the stretch stays there, else the middle, or the present."""
        start, end = self.stretch()
        span = self._least_empty((end - start) * factor)
        share = (1.0 if self.following else 0.5) if around is None else around
        if self.following and share >= _AT_PRESENT:
            self.choose_span(span)
        else:
            first = start + min(1.0, max(0.0, share)) * (end - start - span)
            self.look_at(first, first + span)

    def look_at(self, start: float, end: float) -> None:
        """Stand still there, as far as there is a past; what reaches beyond now moves on."""
        first, last = self.stretch()
        span = last - first
        if not math.isclose(end - start, span, rel_tol=1e-9):
            self._span, self._grows = self._least_empty(end - start), False
            span = self._span
        self._show(span, end)

    def centre_on(self, at: float) -> None:
        """Stand still with this moment in the middle, or nearly; the span stays."""
        start, end = self.stretch()
        self._hold(end - start, at + (end - start) / 2)

    def back_to_now(self) -> None:
        self._change(None)

    def toggle_pause(self) -> None:
        self._change(self.stretch() if self.following else None)

    def point_at(self, at: float | None) -> None:
        if at != self.crosshair:
            self.crosshair = at
            self.crosshair_moved.emit()

    def mark(self, at: float, text: str) -> None:
        """For all plots to show, whatever is pointed at meanwhile."""
        self.marked = Marked(at, text)
        self.marked_changed.emit()

    def unmark(self) -> None:
        if self.marked is not None:
            self.marked = None
            self.marked_changed.emit()

    def _known(self) -> tuple[float, float]:
        """From when to when there is something to see: what is kept in memory is kept for a
        day, a file may hold more.
        """
        newest = self.now() if self._past is None else self._past.ended or self.now()
        in_file = self.replaying or isinstance(self._past, JoinedPast)
        return self.began if in_file else max(self.began, newest - LONGEST_SPAN), newest

    def _bounded(self, seconds: float) -> float:
        oldest, newest = self._known()
        return min(max(seconds, SHORTEST_SPAN), max(LONGEST_SPAN, newest - oldest))

    def _least_empty(self, seconds: float) -> float:
        """So many, but no more of them empty than half, or than are already."""
        (start, end), (oldest, newest) = self.stretch(), self._known()
        return min(self._bounded(seconds), max(end - start, 2 * (newest - oldest)))

    def _show(self, span: float, end: float) -> None:
        """Move on with the present from there on, where nothing of it is beyond."""
        oldest, newest = self._known()
        if max(end, oldest + span) >= newest and not self.replaying:
            self._change(None)
        else:
            self._hold(span, end)

    def _hold(self, span: float, end: float) -> None:
        """Stand still on what ends there, or as near to it as there is something to see."""
        oldest, newest = self._known()
        end = min(max(end, oldest + span), newest)
        self._change((end - span, end))

    def _change(self, held: tuple[float, float] | None) -> None:
        returned = held is None and self._held is not None
        self._held = held
        self._offset = self._offset_now()
        self.changed.emit()
        if returned:
            self.unmark()

    def _offset_now(self) -> float:
        if isinstance(self._clock, Playhead):
            end = self.stretch()[1]
            return self._clock.wall_at(end) - end
        return self._clock.wall() - self._clock.now()
