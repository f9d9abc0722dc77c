"""JoinedPast: what was kept before the window was opened, and the live past after it."""

from collections.abc import Sequence
from dataclasses import replace

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.recording.recorded_past import RecordedPast, joined
from gpuexplorer.recording.recording import Recording
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.history.condense import Past, condensed
from gpuexplorer.telemetry.trace import Trace

_ROUNDED = 0.001  # seconds; the axis counts since 1970


class JoinedPast:
    """A TraceSource on the live steady clock, to which `shift` takes the recording's axis."""

    def __init__(self, live: History, stored: Recording, shift: float) -> None:
        self._live = live
        self._stored = RecordedPast(stored)
        self._shift = shift

    @property
    def began(self) -> float:
        return self._stored.began + self._shift

    @property
    def ended(self) -> None:
        """It goes on."""

    def cards(self) -> Sequence[CardId]:
        return tuple(dict.fromkeys((*self._stored.cards(), *self._live.cards())))

    def memory_bytes(self) -> int:
        return self._stored.memory_bytes() + self._live.memory_bytes()

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        now = self._live.past(card, metric, start, end) or Past.nothing(1.0)
        width = (end - start) / max(columns, 1)
        return condensed(
            joined(self._before(card, metric, start, end, width), now), start, end, columns
        )

    def _before(
        self, card: CardId, metric: MetricId, start: float, end: float, width: float
    ) -> Past:
        """Nothing of what is kept of this very run: the live past knows it better."""
        began = self._live.began
        cut = began is not None and began <= end
        stop = began - _ROUNDED if began is not None and cut else end
        if start > stop or stop < self.began:
            return Past.nothing(1.0)
        past = self._stored.past(
            card, metric, start - self._shift, stop - self._shift, width, cut=cut
        )
        return replace(past, times=past.times + self._shift)
