"""History: what an append and a window cost, and the memory of a whole day."""

import subprocess
import sys

from bench.table import Figure, seconds_each
from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.history import History

_DAY = 86_400.0
# A whole day of eight cards, filled as the sampler would, in a process of its own.
_RESIDENT = """
import resource
from bench.memory import day
history = day({cards}, {beat}, {seconds})
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{{peak:.0f}} MiB, of it history {{history.memory_bytes() / 2**20:.0f}} MiB")
"""


def figures() -> list[Figure]:
    history = day(1, 1.0, _DAY)
    card = CardId("0")
    at = _DAY
    sample = _samples(card)[Cadence.FAST]

    def append() -> None:
        nonlocal at
        at += 1.0
        history.append(Sample(card, at, sample))

    each = seconds_each(append, 20_000)
    metric = MetricId("gpu_utilization")

    def window() -> None:
        history.trace(card, metric, at - _DAY, at, 1500)

    ask = seconds_each(window, 200)
    resident = _child(8, 1.0, _DAY)
    return [
        Figure("history append, one card", f"{each * 1e6:.1f} us", "under 20 us", each < 20e-6),
        Figure("24 h window, 1500 columns", f"{ask * 1e3:.2f} ms", "under 2 ms", ask < 2e-3),
        Figure(
            "resident, 8 cards, 24 h at 1 s, no Qt",
            resident,
            "under 150 MB",
            float(resident.split()[0]) < 150e6 / 2**20,
        ),
    ]


def _child(cards: int, beat: float, seconds: float) -> str:
    code = _RESIDENT.format(cards=cards, beat=beat, seconds=seconds)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def day(cards: int, beat: float, seconds: float) -> History:
    """A history after so many seconds of so many cards, all metrics present."""
    history = History(beat)
    ids = [CardId(str(card)) for card in range(cards)]
    values = {card: _samples(card) for card in ids}
    periods = {
        Cadence.FAST: beat,
        Cadence.SLOW: max(5.0, beat),
        Cadence.ON_DEMAND: max(2.0, beat),
    }
    for cadence, period in periods.items():
        for step in range(int(seconds / period)):
            for card in ids:
                history.append(Sample(card, step * period, values[card][cadence]))
    return history


def _samples(card: CardId) -> dict[Cadence, dict[MetricId, float]]:
    known = Card(card, 0, "card", 1, fans=2, nvlinks=18)
    return {
        cadence: {
            metric: 0.5 for metric in metrics_of(known, [cadence]) if METRICS[metric].plotted
        }
        for cadence in Cadence
    }
