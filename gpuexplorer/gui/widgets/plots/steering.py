"""Steering: zooming and moving through time, whatever a person does it with."""

from gpuexplorer.gui.state.time_window import LONGEST_SPAN, SHORTEST_SPAN, TimeWindow

# Who zooms so near to the present means to stay with it.
_AT_PRESENT = 0.97


class Steering:
    """Moves what all plots show; shares of the stretch are from 0, its beginning, to 1."""

    def __init__(self, time_window: TimeWindow) -> None:
        self._time_window = time_window

    def zoom(self, factor: float, around: float | None) -> None:
        """What is at that share stays there; without one the middle does, or the present."""
        start, end = self._time_window.stretch()
        following = self._time_window.following
        span = min(max((end - start) * factor, SHORTEST_SPAN), LONGEST_SPAN)
        share = (1.0 if following else 0.5) if around is None else min(1.0, max(0.0, around))
        if following and share >= _AT_PRESENT:
            self._time_window.zoom_to(span)
            return
        first = start + share * (end - start - span)
        self._time_window.look_at(first, first + span)

    def move(self, spans: float) -> None:
        """Forward by so many times the stretch, or back."""
        start, end = self._time_window.stretch()
        seconds = spans * (end - start)
        self._time_window.look_at(start + seconds, end + seconds)

    def to_beginning(self) -> None:
        """As far back as is kept."""
        start, end = self._time_window.stretch()
        self._time_window.look_at(start - LONGEST_SPAN, end - LONGEST_SPAN)
