"""ModelBench: how long copies would take on a machine that is simulated; none is made."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

from gpuexplorer.copies.datasheet.products import ProductResult, modelled_product
from gpuexplorer.copies.jobs import HOST, index_of, refusal
from gpuexplorer.copies.measuring import STOPPED
from gpuexplorer.copies.result import SAMPLES, CopyResult, spread
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import remedy
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import memory as in_words
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import Measured, Wrong
from gpuexplorer.lab.wire import CopyJob, ProductJob, fitted
from gpuexplorer.simulation.faults import Fault, FaultKind
from gpuexplorer.simulation.reached import (
    BOTH_WAYS_REACHED,
    Way,
    copied_within,
    pcie_reached,
    way_between,
    way_to_host,
)
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend

_MOST_SHARE = 0.125  # of the free memory of each side
# What the memory of a processor carries in and out of cards in all, and sockets each direction.
_HOST_CARRIES, _SOCKETS_CARRY = 160e9, 40e9
_WITHIN_HOST = Way(12e9, 1.5e-6, peer=False)
_ASKED = 5e-6  # what it costs Python to ask for one copy
_WAITED = 6e-6  # and to wait for its end
_LOCAL_LATENCY = 2.7e-6
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
_IN, _OUT = 0, 1
# A copy as it would be alone; and what each direction of each wire that it takes carries, which
# it may share with others.
_Flow = tuple[Way, Mapping[tuple[str, int, int], float]]


class ModelBench:
    """For simulated machines. Durations follow from the wiring, and are the lab's.

    The same seed gives the same samples. `pace` is how many seconds a job takes in the world,
    so that a person sees it happen; 0 for as fast as it goes.
    """

    modelled = True

    def __init__(
        self,
        spec: MachineSpec,
        faults: Sequence[Fault] = (),
        routes: Routes | None = None,
        seed: int = 0,
        pace: float = 0.0,
        elapsed: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._spec, self._faults, self._elapsed = spec, tuple(faults), elapsed
        self._routes = routes or routes_of_simulated(spec)
        self._seed, self._pace = seed, pace
        self._models = {f"cuda:{at}": slot.model for at, slot in enumerate(spec.cards)}
        self._stopped = threading.Event()

    def measure(self, job: CopyJob, on_sampled: Callable[[int, int], None]) -> CopyResult:
        route, made = self._routes.of_job(job), fitted(job, lambda e: not self._too_much(e))
        if (refused := self._refused(made)) is not None:
            return CopyResult(job, None, route, refused.sentence, refused.hint)
        if not self._sampled(on_sampled):
            return CopyResult(job, None, route, STOPPED)
        return CopyResult(job, self._measured(made, job), route)

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
        if (gone := self._gone(job.device)) is not None:
            return ProductResult(job, None, failure=gone.sentence, hint=gone.hint)
        if not self._sampled(on_sampled):
            return ProductResult(job, None, failure=STOPPED)
        return modelled_product(self._spec, job, Random(f"{self._seed}/{job}"))

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        """There is nothing to give back."""

    def _sampled(self, on_sampled: Callable[[int, int], None]) -> bool:
        """False where it was stopped."""
        self._stopped.clear()
        for taken in range(1, SAMPLES + 1):
            if self._pace and self._stopped.wait(self._pace / SAMPLES):
                return False
            on_sampled(taken, SAMPLES)
        return True

    def _refused(self, job: CopyJob) -> Trouble | None:
        devices = dict.fromkeys(end for way in _ways(job) for end in way)
        for device in devices:
            if device not in (HOST, *self._models):
                return Trouble("There is no {device}.", device=device)
        if sentence := refusal(job):
            return Trouble(sentence)
        if gone := next(filter(None, map(self._gone, devices)), None):
            return gone
        too_much = self._too_much(job)
        return Trouble(too_much, "Choose a smaller size.") if too_much else None

    def _too_much(self, job: CopyJob) -> Message:
        """Where a card would have to give up more than its share; empty where none has to."""
        taken = Counter(end for way in _ways(job) for end in way)
        for device, times in taken.items():
            free = self._models[device].usable_bytes if device in self._models else None
            if free is not None and job.bytes * times > free * _MOST_SHARE:
                return Message(
                    "Copying {size} takes {need} on {device}, more than an eighth of the "
                    "{free} that are free there.",
                    size=str(in_words(job.bytes)),
                    need=str(in_words(job.bytes * times)),
                    device=device,
                    free=str(in_words(free)),
                )
        return NOTHING

    def _gone(self, device: str) -> Trouble | None:
        """Why nothing can be done on it just now."""
        at, now = _number(device), self._elapsed()
        kinds = {each.kind for each in self._faults if at >= 0 and each.covers(at, now)}
        kind = next((each for each in _GONE if each in kinds), None)
        if kind is None:
            return None
        sentence, denied = _GONE[kind]
        hint = NOTHING if denied is None else remedy(denied)
        return Trouble(Message(sentence, device=device), hint)

    def _measured(self, job: CopyJob, asked_for: CopyJob) -> Measured:
        chance = Random(f"{self._seed}/{job}")
        ways = [(_number(source), _number(target)) for source, target in _ways(job)]
        flows = [self._flow(*each, staged=job.mode == "staged") for each in ways]
        there, *others = _times(job, flows)
        samples = spread(there, chance)
        back = spread(others.pop(0), chance) if job.both_ways else ()
        # As much computing as copying.
        alone = there if job.mode in ("blocking", "overlap") else None
        together = there * (1.03 if job.mode == "overlap" else 2.0) + _ASKED
        waits = job.is_timed_by_host or (job.touches_host and job.mode == "blocking")
        notes, wrong = [], self._wrong(job, ways[: 1 + job.both_ways])
        if wrong:
            notes.append(Message("It arrives wrong, as ordered."))
        if job != asked_for:
            fewer = Message("Only {size} were copied.", size=str(in_words(job.bytes)))
            notes.append(told(fewer, self._too_much(asked_for)))
        return Measured(
            0,
            samples,
            host_s=_ASKED + there + _WAITED,
            asked_s=_ASKED + there if waits else _ASKED,
            back_samples_s=back,
            beside_samples_s=tuple(spread(each, chance) for each in others),
            alone_s=alone,
            copying_s=alone,
            together_s=together if alone else None,
            intact=False if wrong else None,
            wrong=wrong,
            modelled=True,
            direct=None if job.local or job.touches_host else flows[0][0].peer,
            fewer_bytes=job.bytes if job != asked_for else None,
            notes=tuple(notes),
        )

    def _flow(self, source: int, target: int, *, staged: bool) -> _Flow:
        spec, cards = self._spec, [(source, _OUT), (target, _IN)]
        models = {end: spec.cards[end].model for end, _ in cards if end >= 0}
        if not models:
            return _WITHIN_HOST, {}
        if source == target:
            rate = copied_within(models[source])
            return Way(rate, _LOCAL_LATENCY, peer=False), {("memory", source, _IN): rate}
        cards = [(end, way) for end, way in cards if end in models]
        if len(models) < 2:
            way = way_to_host(*models.values())
        else:
            way = way_between(spec, source, target, staged=staged)
        if way.peer and spec.nvlinks_between(source, target):
            return way, {("nvlink", *each): way.rate for each in cards}
        lanes = {("pcie", *each): pcie_reached(models[each[0]]) for each in cards}
        for end, direction in cards:
            neighbour = end ^ 1  # which a switch may join with it
            alone = not way.peer or neighbour not in models
            if alone and neighbour < len(spec.cards) and spec.same_switch(end, neighbour):
                first = spec.cards[min(end, neighbour)].model
                lanes["switch", end // 2, direction] = pcie_reached(first)
            if not way.peer:
                lanes["host", spec.node(end), _IN] = _HOST_CARRIES
        if len(models) == 2 and spec.node(source) != spec.node(target):
            lanes["sockets", spec.board(source), spec.node(source) % 2] = _SOCKETS_CARRY
        return way, lanes

    def _wrong(self, job: CopyJob, ways: Sequence[tuple[int, int]]) -> tuple[Wrong, ...]:
        now = self._elapsed()
        ordered = any(
            fault.kind is FaultKind.WRONG
            and (fault.card, fault.to) in ways
            and fault.start <= now < fault.end
            for fault in self._faults
        )
        if not ordered or job.mode == "staged":
            return ()
        chance = Random(f"{self._seed}/wrong/{ways[0]}")
        first = chance.randrange(max(1, job.bytes // _PAGE)) * _PAGE
        spoilt = min(job.bytes - first, 3 * _PAGE)
        return (Wrong(_WRONG_ROUNDS, SAMPLES, spoilt, first, zeros=True),)


def routes_of_simulated(spec: MachineSpec) -> Routes:
    backend = SimulatedBackend(spec)
    return Routes(backend.topology(), backend.cards())


def _ways(job: CopyJob) -> list[tuple[str, str]]:
    back = [(job.target, job.source)] if job.both_ways else []
    return [(job.source, job.target), *back, *job.beside]


def _number(device: str) -> int:
    """Of a card; -1 is the processor."""
    at = index_of(device)
    return -1 if at is None else at


def _times(job: CopyJob, flows: Sequence[_Flow]) -> list[float]:
    """At the same time: what is short is shared evenly, and nobody waits for more."""
    room = {lane: carries for _, lanes in flows for lane, carries in lanes.items()}
    for what, number, direction in [*room]:
        # Requests of one direction travel with the data of the other.
        if what in ("pcie", "switch") and (what, number, 1 - direction) in room:
            room[what, number, direction] *= BOTH_WAYS_REACHED
    rates: dict[int, float] = {}
    while waiting := {at: flow for at, flow in enumerate(flows) if at not in rates}:
        users = Counter(lane for _, lanes in waiting.values() for lane in lanes)
        shares = {}
        for at, (way, lanes) in waiting.items():
            most = (job.pinned is False and way.pageable_rate) or way.rate
            shares[at] = min([most, *(room[lane] / users[lane] for lane in lanes)])
        least = min(shares.values())
        for at, (_, lanes) in waiting.items():
            if shares[at] <= least * (1 + 1e-9):
                rates[at] = least
                room |= {lane: room[lane] - least for lane in lanes}
    times = (
        way.latency * job.pieces + job.bytes / rates[at] for at, (way, _) in enumerate(flows)
    )
    return [*times]
