"""Products of matrices on a device: what measuring them gave, what they would take on a
simulated card, and what a card drew meanwhile.
"""

import statistics
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from gpuexplorer.copies.datasheet.cards_table import Figure
from gpuexplorer.copies.jobs import index_of
from gpuexplorer.copies.result import Busy, spread
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import POWER_DRAW
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import Multiplied
from gpuexplorer.lab.wire import ProductJob, no_tensor_cores_for
from gpuexplorer.simulation.reached import product_reached, product_watts
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.telemetry.backend import Backend

_WAITED = 11e-6  # for Python to ask, and for the end
_KEPT = 6000  # readings of each card: ten minutes of ten a second
_AVERAGED = 1.0  # seconds: over so long many cards average their power
_ENOUGH = 2
_EVERY = 0.25  # seconds between two readings, where no session reads
_PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class ProductResult:
    """One job, once measured or modelled, or the sentence why it could not be."""

    job: ProductJob
    measured: Multiplied | None
    loaded: tuple[float, float] | None = None  # at work without a pause, on the steady clock
    watts: float | None = None  # where they are modelled too
    failure: Message = NOTHING
    hint: Message = NOTHING
    busy: Sequence[Busy] = ()  # what others used while it was measured

    @property
    def why(self) -> Message:
        """Why it could not be, and what to do."""
        return told(self.failure, self.hint)

    @property
    def wrong(self) -> bool:
        return self.measured is not None and self.measured.right is False

    @property
    def rate(self) -> float | None:
        """Operations per second, of the median. Wrong products have no rate worth telling."""
        if self.measured is None or self.wrong:
            return None
        return self.job.operations / statistics.median(self.measured.samples_s)


def modelled_product(spec: MachineSpec, job: ProductJob, chance: Random) -> ProductResult:
    """The lab's simulated cards are as fast."""
    index = index_of(job.device)
    model = spec.cards[index].model if index is not None and index >= 0 else None
    rate = None if model is None else product_reached(model, job.kind)
    if model is None or rate is None:
        why = mark("{kind} products of {device} are not modelled.")
        named = Message(why, device=job.device, kind=job.kind.upper())
        return ProductResult(job, None, failure=named)
    seconds = job.operations / rate
    samples = spread(seconds, chance)
    notes = no_tensor_cores_for(job.kind, model.compute_capability)
    measured = Multiplied(0, samples, seconds + _WAITED, modelled=True, notes=notes)
    return ProductResult(job, measured, watts=product_watts(model, job.kind))


class PowerLog:
    """What cards drew lately. `take` hears a session's samples, from its threads; the rest is
    for any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn: dict[CardId, deque[tuple[float, float]]] = {}
        self._absent: dict[CardId, Absence] = {}

    def take(self, sample: Sample) -> None:
        watts = sample.values.get(POWER_DRAW)
        with self._lock:
            if watts is not None:
                kept = self._drawn.setdefault(sample.card, deque(maxlen=_KEPT))
                kept.append((sample.at, watts))
                self._absent.pop(sample.card, None)
            elif POWER_DRAW in sample.missing:
                self._absent[sample.card] = sample.missing[POWER_DRAW]

    def mean(self, card: CardId, began: float, ended: float) -> Figure:
        """Without the first second, whose readings are of the time before, too."""
        since = began + _AVERAGED
        with self._lock:
            absent = self._absent.get(card)
            seen = [watts for at, watts in self._drawn.get(card, ()) if since <= at <= ended]
        if len(seen) >= _ENOUGH:
            mean = mark("the mean of {count} readings of the device while it was at work")
            return Figure(sum(seen) / len(seen), Message(mean, count=len(seen)))
        if absent is not None and not seen:
            return Figure.missing(Message("its power: {why}", why=absent.sentence))
        why = Message.counted(
            "its power was read once in the {seconds:.1f} s that count, which says too little: "
            "a shorter interval between readings helps",
            "its power was not read in the {seconds:.1f} s that count: a shorter interval "
            "between readings helps",
            len(seen),
            seconds=max(0.0, ended - since),
        )
        return Figure.missing(why)


@contextmanager
def reading_power(backend: Backend, cards: Sequence[CardId], log: PowerLog) -> Iterator[None]:
    """Reads what cards draw where no session does, in a thread of its own. One that hangs in
    the driver is left.
    """
    ended = threading.Event()

    def run() -> None:
        while cards and not ended.is_set():
            for card in cards:
                log.take(backend.read(card, [POWER_DRAW]))
            ended.wait(_EVERY)

    thread = threading.Thread(target=run, name="read power", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(_PATIENCE)
