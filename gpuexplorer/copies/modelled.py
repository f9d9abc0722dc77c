"""ModelBench: how long copies would take on a machine that is simulated; none is made."""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from gpuexplorer.copies.datasheet.products import ProductResult, modelled_product
from gpuexplorer.copies.jobs import index_of, refusal
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
from gpuexplorer.simulation.models import CardModel
from gpuexplorer.simulation.reached import (
    BOTH_WAYS_REACHED,
    NVLINK_REACHED,
    Way,
    copied_within,
    pcie_reached,
    way_between,
    way_to_host,
)
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend

HOST = -1
MOST_SHARE = 0.125  # of the free memory of each side
# What the memory of a processor copies for one thread, and carries in and out of cards in all.
_HOST_COPIES, _HOST_CARRIES = 12e9, 160e9
_SOCKETS_CARRY = 40e9  # each direction
_ASKED = 5e-6  # what it costs Python to ask for one copy
_WAITED = 6e-6  # and to wait for its end
_LOCAL_LATENCY = 2.7e-6
_HOST_LATENCY = 1.5e-6
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
            return CopyResult(job, None, route, STOPPED)
        return CopyResult(job, self._measured(made, job.bytes), route)

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
        self._stopped.clear()
        if (gone := self._gone(job.device)) is not None:
            return ProductResult(job, None, failure=gone.sentence, hint=gone.hint)
        if not self._sampled(on_sampled):
            return ProductResult(job, None, failure=STOPPED)
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

    def _refused(self, job: CopyJob) -> Trouble | None:
        devices = dict.fromkeys(end for way in _ways(job) for end in way)
        for device in devices:
            index = index_of(device)
            if index is None or index >= len(self._spec.cards):
                return Trouble("There is no {device}.", device=device)
        if sentence := refusal(job):
            return Trouble(sentence)
        gone = (self._gone(device) for device in devices)
        if trouble := next(filter(None, gone), None):
            return trouble
        too_much = self._too_much(job)
        return None if too_much is None else Trouble(too_much, "Choose a smaller size.")

    def _too_much(self, job: CopyJob) -> Message | None:
        """Where a card would have to give up more than its share."""
        taken = [end for way in _ways(job) for end in way]
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

    def _gone(self, device: str) -> Trouble | None:
        """Why nothing can be done on it just now."""
        index, now = index_of(device), self._elapsed()
        if index is None or index == HOST:
            return None
        kinds = {fault.kind for fault in self._faults if fault.covers(index, now)}
        for kind, (sentence, denied) in _GONE.items():
            if kind in kinds:
                hint = NOTHING if denied is None else remedy(denied)
                return Trouble(Message(sentence, device=device), hint)
        return None

    def _measured(self, job: CopyJob, asked_for: int) -> Measured:
        ends, chance = _ends(job.source, job.target), Random(f"{self._seed}/{job}")
        there, *others = self._times(job)
        samples = spread(there, chance)
        alone = together = None
        if job.mode in ("blocking", "overlap"):  # as much computing as copying
            alone, together = there, there * (1.03 if job.mode == "overlap" else 2.0) + _ASKED
        waits = job.is_timed_by_host or (job.touches_host and job.mode == "blocking")
        wrong, notes = self._wrong(job, ends), []
        if wrong:
            notes.append(Message("It arrives wrong, as ordered."))
        if job.bytes < asked_for:
            fewer = Message("Only {size} were copied.", size=str(in_words(job.bytes)))
            notes.append(told(fewer, self._too_much(replace(job, bytes=asked_for)) or ""))
        return Measured(
            0,
            samples,
            host_s=_ASKED + there + _WAITED,
            asked_s=_ASKED + there if waits else _ASKED,
            back_samples_s=spread(others.pop(0), chance) if job.both_ways else (),
            beside_samples_s=tuple(spread(each, chance) for each in others),
            alone_s=alone,
            copying_s=alone,
            together_s=together,
            intact=False if wrong else None,
            wrong=wrong,
            modelled=True,
            direct=None if job.local or HOST in ends else self._way(job, ends).peer,
            fewer_bytes=None if job.bytes == asked_for else job.bytes,
            notes=tuple(notes),
        )

    def _times(self, job: CopyJob) -> list[float]:
        """Of it, of the way back, and of those beside it, before samples spread around them."""
        ends = [_ends(*way) for way in _ways(job)]
        ways = [self._way(job, each) for each in ends]
        pageable = job.pinned is False
        flows = [
            _Flow(
                way.pageable_rate if pageable and way.pageable_rate else way.rate,
                self._lanes(*each, staged=job.mode == "staged"),
            )
            for each, way in zip(ends, ways, strict=True)
        ]
        rates = self._shared(flows)
        return [
            way.latency * job.pieces + job.bytes / rate
            for way, rate in zip(ways, rates, strict=True)
        ]

    def _way(self, job: CopyJob, ends: tuple[int, int]) -> Way:
        source, target = ends
        if source == target == HOST:
            return Way(_HOST_COPIES, _HOST_LATENCY, peer=False)
        if source == target:
            return Way(copied_within(self._model(source)), _LOCAL_LATENCY, peer=False)
        if HOST in ends:
            return way_to_host(self._model(max(ends)))
        return way_between(self._spec, source, target, staged=job.mode == "staged")

    def _model(self, index: int) -> CardModel:
        return self._spec.cards[index].model

    def _wrong(self, job: CopyJob, ends: tuple[int, int]) -> tuple[Wrong, ...]:
        ways, now = {ends, ends[::-1]} if job.both_ways else {ends}, self._elapsed()
        ordered = any(
            fault.kind is FaultKind.WRONG
            and (fault.card, fault.to) in ways
            and fault.start <= now < fault.end
            for fault in self._faults
        )
        if not ordered or job.mode == "staged":
            return ()
        chance = Random(f"{self._seed}/wrong/{ends}")
        first = chance.randrange(max(1, job.bytes // _PAGE)) * _PAGE
        spoilt = min(job.bytes - first, 3 * _PAGE)
        return (Wrong(_WRONG_ROUNDS, SAMPLES, spoilt, first, zeros=True),)

    def _lanes(self, source: int, target: int, *, staged: bool) -> "tuple[_Lane, ...]":
        """The wires that a copy takes, and may share with others."""
        spec = self._spec
        if source == target:
            return (_Lane("memory", source, 0),)
        cards = [(end, way) for end, way in ((source, 1), (target, 0)) if end != HOST]
        between = len(cards) == 2
        if between and not staged and spec.nvlinks_between(source, target):
            return _Lane("nvlink", source, 1), _Lane("nvlink", target, 0)
        staged = staged or (between and not way_between(spec, source, target).peer)
        lanes = [_Lane("pcie", *each) for each in cards]
        if not (between and spec.same_switch(source, target) and not staged):
            lanes += [_Lane("switch", e // 2, way) for e, way in cards if self._switched(e)]
        if not between or staged:
            lanes += [_Lane("host", spec.node(end), 0) for end, _ in cards]
        if between and spec.node(source) != spec.node(target):
            lanes.append(_Lane("sockets", spec.board(source), spec.node(source) % 2))
        return tuple(lanes)

    def _switched(self, index: int) -> bool:
        """It shares a switch with its neighbour."""
        neighbour = index ^ 1
        return neighbour < len(self._spec.cards) and self._spec.same_switch(index, neighbour)

    def _shared(self, flows: "Sequence[_Flow]") -> list[float]:
        """At the same time: what is short is shared evenly, and nobody waits for more."""
        used = {lane for flow in flows for lane in flow.lanes}
        room = {lane: self._room(lane, used) for lane in used}
        rates: dict[int, float] = {}
        while len(rates) < len(flows):
            waiting = [at for at in range(len(flows)) if at not in rates]
            users = Counter(lane for at in waiting for lane in {*flows[at].lanes})
            shares = {
                at: min(flows[at].most, *(room[lane] / users[lane] for lane in flows[at].lanes))
                for at in waiting
            }
            least = min(shares.values())
            for at, share in shares.items():
                if share <= least * (1 + 1e-9):
                    rates[at] = least
                    for lane in flows[at].lanes:
                        room[lane] -= least
        return [rates[at] or 1.0 for at in range(len(flows))]

    def _room(self, lane: "_Lane", used: "Collection[_Lane]") -> float:
        match lane.what:
            case "memory" if lane.number == HOST:
                return _HOST_COPIES
            case "memory":
                return copied_within(self._model(lane.number))
            case "nvlink":
                model = self._model(lane.number)
                return model.nvlinks * model.nvlink_rate * NVLINK_REACHED
            case "pcie" | "switch":
                first = lane.number * (2 if lane.what == "switch" else 1)
                # Requests of one direction travel with the data of the other.
                back = lane._replace(direction=1 - lane.direction) in used
                return pcie_reached(self._model(first)) * (BOTH_WAYS_REACHED if back else 1.0)
            case "sockets":
                return _SOCKETS_CARRY
            case _:
                return _HOST_CARRIES


class _Lane(NamedTuple):
    """One direction of one wire."""

    what: str
    number: int
    direction: int  # 0 in, 1 out


class _Flow(NamedTuple):
    """One copy under way: as fast as it would be alone, and what it shares with others."""

    most: float
    lanes: tuple[_Lane, ...]


def routes_of_simulated(spec: MachineSpec) -> Routes:
    backend = SimulatedBackend(spec)
    return Routes(backend.topology(), backend.cards())


def _ways(job: CopyJob) -> list[tuple[str, str]]:
    back = [(job.target, job.source)] if job.both_ways else []
    return [(job.source, job.target), *back, *job.beside]


def _ends(source: str, target: str) -> tuple[int, int]:
    one, other = index_of(source), index_of(target)
    assert one is not None
    assert other is not None
    return one, other
