"""ModelBench: how long copies would take on a machine that is simulated; none is made."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from gpuexplorer.copies.asked_for import index_of, refusal
from gpuexplorer.copies.datasheet.modelled_products import modelled_product
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Routes
from gpuexplorer.copies.samples import SAMPLES, spread
from gpuexplorer.copies.sharing import HOST, HOST_COPIES, Wires
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import remedy
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import memory as in_words
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import Measured, Wrong
from gpuexplorer.lab.wire import CopyJob, ProductJob, fitted
from gpuexplorer.simulation.faults import Fault, FaultKind
from gpuexplorer.simulation.models import CardModel
from gpuexplorer.simulation.reached import (
    Way,
    copied_within,
    way_between,
    way_to_host,
)
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend

_STOPPED = Message("It was stopped.")
MOST_SHARE = 0.125  # of the free memory of each side
_ASKED = 5e-6  # what it costs Python to ask for one copy
_WAITED = 6e-6  # and to wait for its end
_LOCAL_LATENCY = 2.7e-6
_HOST_LATENCY = 1.5e-6
_RAW_SAVES = 0.3  # of the latency: PyTorch's dispatcher and its events between cards
_FIRST_TOUCH = 3e9  # bytes per second of memory that the system hands out page by page
_CONVERTED_BY_HOST = 4e9
_PAGE = 4096
_WRONG_ROUNDS = 3
_GONE = {
    FaultKind.DRIVER: (mark("{device} cannot be reached: the driver is gone."), None),
    FaultKind.LOST: (mark("{device} is lost: it no longer answers the driver."), Absence.LOST),
    FaultKind.UNLISTED: (
        mark("{device} is not there: the driver no longer lists it."),
        Absence.UNLISTED,
    ),
    FaultKind.REFUSED: (
        mark("{device} cannot be used: the driver gives no access to it."),
        Absence.NO_PERMISSION,
    ),
}


@dataclass(frozen=True, slots=True)
class _Times:
    """Of one job, before samples spread around them."""

    there: float
    back: float | None
    beside: tuple[float, ...]


class ModelBench:
    """For simulated machines. Durations follow from the wiring, and are the lab's.

    The same seed gives the same samples. `pace` is how many seconds a job takes in the world,
    so that a person sees it happen; 0 for as fast as it goes.
    """

    def __init__(
        self,
        spec: MachineSpec,
        faults: Sequence[Fault] = (),
        routes: Routes | None = None,
        seed: int = 0,
        pace: float = 0.0,
        elapsed: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._spec = spec
        self._faults = tuple(faults)
        self._routes = routes or routes_of_simulated(spec)
        self._seed = seed
        self._pace = pace
        self._elapsed = elapsed
        self._wires = Wires(spec)
        self._stopped = threading.Event()

    @property
    def modelled(self) -> bool:
        return True

    def measure(self, job: CopyJob, on_sampled: Callable[[int, int], None]) -> CopyResult:
        self._stopped.clear()
        route = self._routes.of_job(job)
        made = fitted(job, lambda smaller: self._too_much(smaller) is None)
        refused = self._refused(made)
        if refused is not None:
            return CopyResult(job, None, route, refused.sentence, refused.hint)
        if not self._sampled(on_sampled):
            return CopyResult(job, None, route, _STOPPED)
        return CopyResult(job, self._measured(made, job.bytes), route)

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
        self._stopped.clear()
        index = index_of(job.device)
        gone = None if index is None else self._gone(index, job.device)
        if gone is not None:
            return ProductResult(job, None, failure=gone.sentence, hint=gone.hint)
        if not self._sampled(on_sampled):
            return ProductResult(job, None, failure=_STOPPED)
        return modelled_product(self._spec, job, Random(f"{self._seed}/{job}"))

    def _sampled(self, on_sampled: Callable[[int, int], None]) -> bool:
        """False where it was stopped."""
        for taken in range(1, SAMPLES + 1):
            if self._pace and self._stopped.wait(self._pace / SAMPLES):
                return False
            on_sampled(taken, SAMPLES)
        return True

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        """There is nothing to give back."""

    def seconds(self, job: CopyJob) -> float:
        """Of one such copy, without the spread of samples."""
        return self._times(job).there

    def _refused(self, job: CopyJob) -> Trouble | None:
        devices = dict.fromkeys(
            (job.source, job.target, *(x for two in job.beside for x in two))
        )
        for device in devices:
            index = index_of(device)
            if index is None or index >= len(self._spec.cards):
                return Trouble("There is no {device}.", device=device)
        if sentence := refusal(job):
            return Trouble(sentence)
        for device in devices:
            index = index_of(device)
            gone = None if index is None else self._gone(index, device)
            if gone is not None:
                return gone
        too_much = self._too_much(job)
        return None if too_much is None else Trouble(too_much, "Choose a smaller size.")

    def _too_much(self, job: CopyJob) -> Message | None:
        """Where a card would have to give up more than its share."""
        back = [(job.target, job.source)] if job.both_ways else []
        taken = [end for way in ((job.source, job.target), *back, *job.beside) for end in way]
        for device in dict.fromkeys(taken):
            index = index_of(device)
            if index is None or not HOST < index < len(self._spec.cards):
                continue
            free = self._spec.cards[index].model.usable_bytes
            need = job.bytes * taken.count(device)
            if need > free * MOST_SHARE:
                return Message(
                    "Copying {size} takes {need} on {device}, more than an eighth of the "
                    "{free} that are free there.",
                    size=str(in_words(job.bytes)),
                    need=str(in_words(need)),
                    device=device,
                    free=str(in_words(free)),
                )
        return None

    def _gone(self, index: int, device: str) -> Trouble | None:
        """Why nothing can be done on it just now."""
        if index == HOST:
            return None
        now = self._elapsed()
        kinds = {fault.kind for fault in self._faults if fault.covers(index, now)}
        for kind, (sentence, denied) in _GONE.items():
            if kind in kinds:
                hint = NOTHING if denied is None else remedy(denied)
                return Trouble(Message(sentence, device=device), hint)
        return None

    def _measured(self, job: CopyJob, asked_for: int) -> Measured:
        times = self._times(job)
        chance = Random(f"{self._seed}/{job}")
        both = job.mode in ("blocking", "overlap")
        alone = times.there if both else None
        together = None
        if both:
            overlapped = job.mode == "overlap" and job.pinned is not False
            together = times.there * (1.03 if overlapped else 2.0) + _ASKED
        wrong = self._wrong(job)
        return Measured(
            0,
            spread(times.there, chance),
            host_s=_ASKED + times.there + _WAITED,
            asked_s=_ASKED if self._asynchronous(job) else _ASKED + times.there,
            back_samples_s=() if times.back is None else spread(times.back, chance),
            beside_samples_s=tuple(spread(each, chance) for each in times.beside),
            alone_s=alone,
            copying_s=alone,  # as much computing as copying
            together_s=together,
            intact=False if wrong else None,
            wrong=wrong,
            modelled=True,
            direct=self._direct(job),
            fewer_bytes=None if job.bytes == asked_for else job.bytes,
            notes=tuple(self._notes(job, asked_for)),
        )

    def _times(self, job: CopyJob) -> _Times:
        ends = _ends(job.source, job.target)
        ways = [(ends, self._way(job, *ends))]
        if job.both_ways:
            ways.append((ends[::-1], ways[0][1]))
        for source, target in job.beside:
            ends = _ends(source, target)
            ways.append((ends, self._way(job, *ends)))
        rates = self._wires.rates(
            [
                self._wires.flow(*ends, self._most(job, way), staged=job.mode == "staged")
                for ends, way in ways
            ]
        )
        spent = [
            self._one(job, ends, way, rate)
            for (ends, way), rate in zip(ways, rates, strict=True)
        ]
        first = 2 if job.both_ways else 1
        return _Times(spent[0], spent[1] if job.both_ways else None, tuple(spent[first:]))

    def _one(self, job: CopyJob, ends: tuple[int, int], way: Way, rate: float) -> float:
        size = job.bytes
        latency = way.latency * (1 - _RAW_SAVES if job.mode == "raw" else 1.0)
        carried = size / 2 if job.mode == "converted" else size
        seconds = latency * job.pieces + carried / rate
        if job.mode == "fresh":
            seconds += size / _FIRST_TOUCH
        if job.mode in ("strided", "converted"):
            seconds += size / self._gathered(job.mode, ends)
        return seconds

    def _gathered(self, mode: str, ends: tuple[int, int]) -> float:
        """Bytes per second at which rows are brought together, or numbers made shorter."""
        source = ends[0]
        if mode == "converted" and HOST in ends:
            return _CONVERTED_BY_HOST
        return HOST_COPIES if source == HOST else copied_within(self._model(source))

    def _most(self, job: CopyJob, way: Way) -> float:
        pageable = job.pinned is False or job.mode == "fresh"
        return way.pageable_rate if pageable and way.pageable_rate else way.rate

    def _way(self, job: CopyJob, source: int, target: int) -> Way:
        if source == target == HOST:
            return Way(HOST_COPIES, _HOST_LATENCY, peer=False)
        if source == target:
            return Way(copied_within(self._model(source)), _LOCAL_LATENCY, peer=False)
        if HOST in (source, target):
            return way_to_host(self._model(max(source, target)))
        return way_between(self._spec, source, target, staged=job.mode == "staged")

    def _model(self, index: int) -> CardModel:
        return self._spec.cards[index].model

    def _direct(self, job: CopyJob) -> bool | None:
        source, target = _ends(job.source, job.target)
        if source == target or HOST in (source, target):
            return None
        return self._way(job, source, target).peer

    def _asynchronous(self, job: CopyJob) -> bool:
        return not job.is_timed_by_host and not (job.touches_host and job.mode == "blocking")

    def _wrong(self, job: CopyJob) -> tuple[Wrong, ...]:
        ends = _ends(job.source, job.target)
        ways = {ends, ends[::-1]} if job.both_ways else {ends}
        ordered = any(
            fault.kind is FaultKind.WRONG
            and (fault.card, fault.to) in ways
            and fault.start <= self._elapsed() < fault.end
            for fault in self._faults
        )
        if not ordered or job.mode == "staged":
            return ()
        chance = Random(f"{self._seed}/wrong/{ends}")
        pages = max(1, job.bytes // _PAGE)
        first = chance.randrange(pages) * _PAGE
        spoilt = min(job.bytes - first, 3 * _PAGE)
        return (Wrong(_WRONG_ROUNDS, SAMPLES, spoilt, first, zeros=True),)

    def _notes(self, job: CopyJob, asked_for: int) -> list[Message]:
        found = [Message("It arrives wrong, as ordered.")] if self._wrong(job) else []
        if job.bytes < asked_for:
            more = self._too_much(replace(job, bytes=asked_for))
            size = str(in_words(job.bytes))
            found.append(told(Message("Only {size} were copied.", size=size), more or ""))
        return found


def routes_of_simulated(spec: MachineSpec) -> Routes:
    backend = SimulatedBackend(spec)
    return Routes(backend.topology(), backend.cards())


def _ends(source: str, target: str) -> tuple[int, int]:
    one, other = index_of(source), index_of(target)
    assert one is not None
    assert other is not None
    return one, other
