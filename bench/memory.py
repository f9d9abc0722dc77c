"""History: what an append and a window cost, and the memory of a whole day."""

import sys
from collections.abc import Iterator

from bench.child import run
from bench.table import Figure, at_most, seconds_each
from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.history import History

DAY = 86_400.0
# In a process of its own, without Qt.
_RESIDENT = """
import resource
from bench.memory import DAY, day
history = day(8, DAY)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, history.memory_bytes() / 2**20)
"""


def figures() -> Iterator[Figure]:
    history, card, at = day(1, DAY), CardId("0"), DAY
    sample = _samples(card)[Cadence.FAST]

    def append() -> None:
        nonlocal at
        at += 1.0
        history.append(Sample(card, at, sample))

    def window() -> None:
        history.trace(card, MetricId("gpu_utilization"), at - DAY, at, 1500)

    yield at_most("an append, one card", seconds_each(append, 20_000) * 1e6, 20, "us")
    yield at_most("24 h seen in 1500 columns", seconds_each(window, 200) * 1e3, 2, "ms")
    peak, kept = map(float, run([sys.executable, "-c", _RESIDENT], {}).told.split())
    said = f"{peak:.0f} MiB, the history {kept:.0f}"
    yield at_most("resident, 8 cards, 24 h at 1 s, no Qt", peak, 143, "MiB", said)


def day(cards: int, seconds: float) -> History:
    """A history after so many seconds of so many cards, all metrics present."""
    history = History(1.0)
    values = {card: _samples(card) for card in (CardId(str(each)) for each in range(cards))}
    for cadence, period in ((Cadence.FAST, 1.0), (Cadence.SLOW, 5.0), (Cadence.ON_DEMAND, 2.0)):
        for step in range(int(seconds / period)):
            for card, sample in values.items():
                history.append(Sample(card, step * period, sample[cadence]))
    return history


def _samples(card: CardId) -> dict[Cadence, dict[MetricId, float]]:
    known = Card(card, 0, "card", 1, fans=2, nvlinks=18)
    return {
        cadence: {each: 0.5 for each in metrics_of(known, [cadence]) if METRICS[each].plotted}
        for cadence in Cadence
    }
