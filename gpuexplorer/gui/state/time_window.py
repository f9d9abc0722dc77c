"""TimeWindow: which stretch of time all plots show, and the moment that is pointed at."""

import math
import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.reasons import Then, moment_words
from gpuexplorer.recording.recorded_session import JoinedPast, Playhead
from gpuexplorer.telemetry.trace import TraceSource

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
SPANS = ((MINUTE, "1 min"), (5 * MINUTE, "5 min"), (HOUR, "1 h"), (DAY, "24 h"))
SHORTEST_SPAN, LONGEST_SPAN = 5.0, DAY
# What is shown after the start, and twice as much whenever that is full.
_FIRST_SPAN = 10.0
# Whoever zooms so near to the present means to stay with it.
_AT_PRESENT = 0.97
# A clock that is set right a little at a time moves no axis that stands still.
_STEP_OF_THE_CLOCK = 1.0
# A recording that plays on beyond what is shown is paged on, with this share of it before.
_BEFORE_PLAYHEAD = 0.1


@dataclass(frozen=True, slots=True)
class Marked:
    """A moment that somebody asked to be shown, and what took place then."""

    at: float  # steady seconds
    text: str  # in the language of the window


class TimeWindow(QObject):
    """One for all plots. It moves with the present until somebody looks back or pauses.

    Reading goes on all the same: only what is shown stands still. After the start it shows
    less than the chosen span, and grows with the past. Of an opened recording the present is
    where its playhead stands, and there is more to see beyond.
    """

    changed = Signal()  # another stretch, or it began or ceased to stand still
    crosshair_moved = Signal()
    marked_changed = Signal()

    def __init__(self, clock: Clock | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock or SystemClock()
        self._past: TraceSource | None = None
        self._span = 5 * MINUTE
        self._grows = True
        self._held: tuple[float, float] | None = None  # None: it moves with the present
        self._crosshair: float | None = None
        self._marked: Marked | None = None
        self._offset = self._offset_now()
        self._stood = self._clock.now()  # the playhead, when it was looked at last

    @property
    def span(self) -> float:
        """Seconds from beginning to end, as chosen; after the start less is shown, and of a
        recording more may be.
        """
        if self._held is not None and self.replaying:
            return self._held[1] - self._held[0]
        return self._span

    @property
    def following(self) -> bool:
        return self._held is None

    @property
    def replaying(self) -> bool:
        return self._past is not None and self._past.ended is not None

    @property
    def looking_back(self) -> bool:
        """What is shown ends before now, while what stands beside it is of now."""
        return self._held is not None and not self.replaying

    @property
    def playhead(self) -> float | None:
        """Of a recording, whose plots may show what is before and beyond it."""
        return self._clock.now() if self.replaying and self._held is not None else None

    @property
    def began(self) -> float:
        """When reading began, in steady seconds: nothing is known of the time before.

        Now, while nothing was read yet; minus infinity where no past was named.
        """
        if self._past is None:
            return -math.inf
        began = self._past.began
        return self._clock.now() if began is None else began

    @property
    def crosshair(self) -> float | None:
        """The moment pointed at, in steady seconds; None while nobody points."""
        return self._crosshair

    @property
    def marked(self) -> Marked | None:
        """Stays until somebody goes back to now, marks another moment or presses Escape."""
        return self._marked

    def now(self) -> float:
        return self._clock.now()

    def stretch(self) -> tuple[float, float]:
        """Beginning and end, in steady seconds."""
        if self._held is not None:
            return self._held
        now = self._clock.now()
        return now - self._span_at(now), now

    def then(self) -> Then:
        """Which time what is said of the stretch has to be true of."""
        return Then(self.stretch()[1], self.began, self.following, self.looking_back)

    def wall(self, at: float) -> float:
        """The time of day, in seconds since 1970, of a moment on the steady clock.

        What stands still is called the same wherever and whenever it is asked for.
        """
        return at + (self._offset_now() if self._held is None else self._offset)

    def moment(self, at: float) -> str:
        """ "14:05:10", with the day where it is not today's."""
        today = time.time() if self.replaying else self.wall(self.now())
        return moment_words(self.wall(at), today)

    def moments(self) -> str:
        """ "14:02:32 to 14:07:32"; the day is said once, where it is the same."""
        start, end = self.stretch()
        ended = moment_words(self.wall(end), self.wall(start))
        return tr("{start} to {end}", start=self.moment(start), end=ended)

    def follow_clock(self) -> None:
        """Somebody may have set the computer's clock: then everything is called anew, what
        stands still too. Called again and again.
        """
        offset = self._offset_now()
        if abs(offset - self._offset) >= _STEP_OF_THE_CLOCK:
            self._offset = offset
            self.changed.emit()
        if self.replaying and self._held is not None:
            self._follow_playhead(*self._held)

    def show_past(self, past: TraceSource | None, clock: Clock | None = None) -> None:
        """Whose past it is from now on, and its clock; it is shown up to now, and an opened
        recording as a whole.
        """
        self._past = past
        self._clock = clock or self._clock
        self._stood = self._clock.now()
        whole = None
        if past is not None and past.ended is not None:
            least = max(past.ended - self.began, SHORTEST_SPAN)
            whole = (past.ended - least, past.ended)
        self._change(self._span, whole, grows=True)

    def grow_to(self, seconds: float) -> None:
        """Show so much up to now as soon as there is so much, and until then what there is."""
        self._change(self._bounded(seconds), None, grows=True)

    def choose_span(self, seconds: float) -> None:
        """Exactly this, however much of it is past. Where one looks back, the middle stays."""
        span = self._bounded(seconds)
        if self._held is None:
            self._change(span, None, grows=False)
        else:
            start, end = self._held
            self._show(span, (start + end + span) / 2, grows=False)

    def zoom(self, factor: float, around: float | None = None) -> None:
        """What is at that share of the stretch stays there; without one the middle does, or
        the present.
        """
        start, end = self.stretch()
        span = self._bounded((end - start) * factor)
        share = (1.0 if self.following else 0.5) if around is None else around
        share = min(1.0, max(0.0, share))
        if self.following and share >= _AT_PRESENT:
            self.zoom_to(span)
        else:
            first = start + share * (end - start - span)
            self.look_at(first, first + span)

    def zoom_to(self, seconds: float) -> None:
        """This much up to now, but never so much that more than half of it is empty."""
        self._change(self._least_empty(seconds), None, grows=False)

    def look_at(self, start: float, end: float) -> None:
        """Stand still on this stretch, as far as there is a past; one that reaches beyond now
        ends now and moves on.
        """
        first, last = self.stretch()
        if math.isclose(end - start, last - first, rel_tol=1e-9):
            self._show(last - first, end, grows=self._grows)
        else:
            span = self._least_empty(end - start)
            self._show(span, end, grows=False)

    def centre_on(self, at: float) -> None:
        """Stand still with this moment in the middle, or nearly; the span stays."""
        start, end = self.stretch()
        span = end - start
        end = min(max(at + span / 2, self._oldest() + span), self._newest())
        self._change(self._span, (end - span, end), grows=self._grows)

    def back_to_now(self) -> None:
        self._change(self._span, None, grows=self._grows)

    def toggle_pause(self) -> None:
        held = self.stretch() if self._held is None else None
        self._change(self._span, held, grows=self._grows)

    def point_at(self, at: float | None) -> None:
        if at != self._crosshair:
            self._crosshair = at
            self.crosshair_moved.emit()

    def mark(self, at: float, text: str) -> None:
        """For all plots to show, whatever is pointed at meanwhile."""
        self._mark(Marked(at, text))

    def unmark(self) -> None:
        self._mark(None)

    def _mark(self, marked: Marked | None) -> None:
        if marked != self._marked:
            self._marked = marked
            self.marked_changed.emit()

    def _follow_playhead(self, start: float, end: float) -> None:
        """When it leaves what is shown, or somebody moves it, it is seen again."""
        now, stood = self._clock.now(), self._stood
        self._stood = now
        if now == stood or start <= now <= end:
            return
        playing = isinstance(self._clock, Playhead) and self._clock.playing
        if start <= stood <= end or not playing:
            span = end - start
            first = max(now - _BEFORE_PLAYHEAD * span, self._oldest())
            last = min(first + span, self._newest())
            self._change(self._span, (last - span, last), grows=self._grows)

    def _oldest(self) -> float:
        """What is before that is not known, or not kept."""
        return max(self.began, self._newest() - self._longest())

    def _newest(self) -> float:
        """Where there is nothing more to see."""
        ended = None if self._past is None else self._past.ended
        return self._clock.now() if ended is None else ended

    def _longest(self) -> float:
        """What is kept in memory is kept for a day; a file may hold more."""
        if not self.replaying and not isinstance(self._past, JoinedPast):
            return LONGEST_SPAN
        return max(LONGEST_SPAN, self._newest() - self.began)

    def _bounded(self, seconds: float) -> float:
        return min(max(seconds, SHORTEST_SPAN), self._longest())

    def _span_at(self, now: float) -> float:
        """In steps: a scale that changed with every frame could not be read."""
        if not self._grows:
            return self._span
        past, span = now - self.began, _FIRST_SPAN
        while span < min(past, self._span):
            span *= 2
        return min(span, self._span)

    def _least_empty(self, seconds: float) -> float:
        """So many, but no more of them empty than half, or than are already."""
        start, end = self.stretch()
        known = self._newest() - self._oldest()
        return min(self._bounded(seconds), max(end - start, 2 * known))

    def _show(self, span: float, end: float, *, grows: bool) -> None:
        newest = self._newest()
        end = max(end, self._oldest() + span)
        chosen = self._span if grows else span
        held: tuple[float, float] | None = (end - span, end)
        if end >= newest:
            held = (newest - span, newest) if self.replaying else None
        self._change(chosen, held, grows=grows)

    def _offset_now(self) -> float:
        if isinstance(self._clock, Playhead):
            end = self.stretch()[1]
            return self._clock.wall_at(end) - end
        return self._clock.wall() - self._clock.now()

    def _change(self, span: float, held: tuple[float, float] | None, *, grows: bool) -> None:
        if (span, held, grows) == (self._span, self._held, self._grows):
            return
        returned = held is None and self._held is not None
        self._span, self._held, self._grows = span, held, grows
        self._offset = self._offset_now()
        self.changed.emit()
        if returned:
            self.unmark()
