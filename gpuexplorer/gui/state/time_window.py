"""TimeWindow: which stretch of time all plots show, and the moment that is pointed at."""

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.clock import Clock, SystemClock

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
SPANS = ((MINUTE, "1 min"), (5 * MINUTE, "5 min"), (HOUR, "1 h"), (DAY, "24 h"))
SHORTEST_SPAN, LONGEST_SPAN = 5.0, DAY


class TimeWindow(QObject):
    """One for all plots. It moves with the present until somebody looks back or pauses.

    Recording goes on all the same: only what is shown stands still.
    """

    changed = Signal()  # another stretch, or it began or ceased to stand still
    crosshair_moved = Signal()

    def __init__(self, clock: Clock | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock or SystemClock()
        self._span = 5 * MINUTE
        self._end: float | None = None  # None: it moves with the present
        self._crosshair: float | None = None
        self._offset = self._offset_now()

    @property
    def span(self) -> float:
        """Seconds from its beginning to its end."""
        return self._span

    @property
    def following(self) -> bool:
        return self._end is None

    @property
    def crosshair(self) -> float | None:
        """The moment pointed at, in steady seconds; None while nobody points."""
        return self._crosshair

    def now(self) -> float:
        return self._clock.now()

    def stretch(self) -> tuple[float, float]:
        """Beginning and end, in steady seconds."""
        end = self._clock.now() if self._end is None else self._end
        return end - self._span, end

    def wall(self, at: float) -> float:
        """The time of day, in seconds since 1970, of a moment on the steady clock.

        What stands still is called the same wherever and whenever it is asked for.
        """
        return at + (self._offset_now() if self._end is None else self._offset)

    def choose_span(self, seconds: float) -> None:
        """What is in the middle stays there while one looks back."""
        span = min(max(seconds, SHORTEST_SPAN), LONGEST_SPAN)
        if self._end is None:
            self._change(span, None)
        else:
            middle = self._end - self._span / 2
            self.look_at(middle - span / 2, middle + span / 2)

    def look_at(self, start: float, end: float) -> None:
        """Stand still on this stretch; one that reaches beyond now ends now and moves on."""
        now = self._clock.now()
        span = min(max(end - start, SHORTEST_SPAN), LONGEST_SPAN)
        if end >= now:
            self._change(span, None)
        else:
            self._change(span, max(end, now - LONGEST_SPAN + span))

    def centre_on(self, at: float) -> None:
        """Stand still with this moment in the middle; the span stays."""
        now = self._clock.now()
        self._change(self._span, min(max(at + self._span / 2, now - LONGEST_SPAN), now))

    def back_to_now(self) -> None:
        self._change(self._span, None)

    def toggle_pause(self) -> None:
        self._change(self._span, self._clock.now() if self._end is None else None)

    def point_at(self, at: float | None) -> None:
        if at != self._crosshair:
            self._crosshair = at
            self.crosshair_moved.emit()

    def _offset_now(self) -> float:
        return self._clock.wall() - self._clock.now()

    def _change(self, span: float, end: float | None) -> None:
        if (span, end) != (self._span, self._end):
            self._span, self._end = span, end
            self._offset = self._offset_now()
            self.changed.emit()
