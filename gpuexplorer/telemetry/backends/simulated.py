"""Simulated cards: a make-believe machine, read like a real one, with the faults ordered."""

import itertools
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.simulation.faults import SLOW_SECONDS, Fault, FaultKind
from gpuexplorer.simulation.machine import LAB_PID, Machine, SimulatedProcess, absence_of
from gpuexplorer.simulation.models import CardModel
from gpuexplorer.simulation.reached import no_peers
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.telemetry.backend import MADE_UP, HardwareFault, Source, nothing, sorted_out
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.topology import (
    Link,
    OneNvlink,
    PathKind,
    Topology,
    nvlinks_words,
    pcie_rate,
    pcie_words,
)

_BRIDGE = PathKind.HOST_BRIDGE
# A card in these troubles tells nobody who uses it.
_SILENCES = {
    FaultKind.DRIVER: Absence.NO_DRIVER,
    FaultKind.LOST: Absence.LOST,
    FaultKind.UNLISTED: Absence.UNLISTED,
    FaultKind.REFUSED: Absence.NO_PERMISSION,
    FaultKind.HUNG: Absence.NO_ANSWER,  # only closing released it
}


class SimulatedBackend:
    """Reads a Machine. Time begins when the backend is made, and `elapsed` tells it."""

    def __init__(
        self,
        spec: MachineSpec,
        faults: Sequence[Fault] = (),
        clock: Clock | None = None,
        seed: int | None = None,
    ) -> None:
        self.machine, self.faults = Machine(spec, seed), tuple(faults)
        label = Message("Simulated: {cards}", cards=spec.label)
        self.source = Source("simulated", label, simulated=True)
        self._clock: Clock = clock or SystemClock()
        self._began, self._began_wall = self._clock.now(), self._clock.wall()
        self._closing = threading.Event()
        self._cards = tuple(
            Card(
                CardId(f"SIM-{index}"),
                index,
                slot.model.name,
                slot.model.memory_bytes,
                simulated=True,
                bus_id=spec.bus_id(index),
                cuda_index=index,
                compute_capability=slot.model.compute_capability,
                fans=slot.model.fans,
                nvlinks=slot.nvlinks,
                cores=slot.model.cores,
                memory_bus_bits=slot.model.memory_bus_bits,
            )
            for index, slot in enumerate(spec.cards)
        )
        self._index = {card.id: card.index for card in self._cards}
        self._falls = [fault for fault in self.faults if fault.kind is FaultKind.LOST]

    def open(self) -> None:
        self._closing.clear()

    def close(self) -> None:
        """Also ends readings that hang."""
        self._closing.set()

    @property
    def elapsed(self) -> float:
        """The seconds that `machine` counts in."""
        return self._clock.now() - self._began

    def cards(self) -> Sequence[Card]:
        return self._cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        index = self._index.get(card)
        if index is None:
            return nothing(card, self._clock.now(), metrics, Absence.LOST)
        if self._faults_at(index, FaultKind.SLOW):
            self._clock.wait(self._closing, SLOW_SECONDS)
        while hung := self._faults_at(index, FaultKind.HUNG):
            # A wait has an end that the system can count.
            until = max(fault.end for fault in hung)
            if self._clock.wait(self._closing, min(until - self.elapsed, 3600.0)):
                break
        return self.now(card, metrics)

    def now(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        """The same at once, also where a fault makes readings slow, or hang."""
        index, at = self._index[card], self._clock.now()
        for kind, why in _SILENCES.items():
            if self._faults_at(index, kind):
                return nothing(card, at, metrics, why)
        figures = self.machine.reading(index, at - self._began)
        garbage = self._faults_at(index, FaultKind.GARBAGE)
        told: dict[MetricId, float | Absence] = {}
        for metric in metrics:
            if metric not in figures:
                told[metric] = absence_of(metric)
            else:
                told[metric] = Absence.IMPOSSIBLE if garbage else float(figures[metric])
        return Sample(card, at, *sorted_out(told))

    def heard(self, card: CardId) -> float:
        return 0.0

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        index, t = self._index.get(card), self.elapsed
        if index is None or self._faults_at(index, *_SILENCES):
            return None
        reading = self.machine.reading(index, t)
        every = self.machine.processes(index, t)
        return tuple(_card_process(card, process, reading) for process in every)

    def told_of(self, named: NamedProcess) -> NamedProcess:
        """With what a computer would know of it, were it a real one."""
        card, pid = named.process.card, named.process.pid
        every = self.machine.processes(self._index[card], self.elapsed)
        for its in (each for each in every if each.pid == pid):
            return replace(
                named,
                cpu=its.cores,
                memory_bytes=its.host_bytes,
                started_at=round(self._began_wall + its.started, 3),
                identity=None if pid == LAB_PID else _Program(self, self._index[card], pid),
            )
        return named

    def topology(self) -> Topology:
        spec = self.machine.spec
        links = [self._link(a, b) for a, b in itertools.combinations(self._cards, 2)]
        links += [self._over_pcie(a, Link(a.id, HOST_ID, _BRIDGE)) for a in self._cards]
        nodes = {card.id: spec.node(card.index) for card in self._cards}
        near = {card: spec.processors(node) for card, node in nodes.items()}
        return Topology(tuple(self._index), links, nodes, near)

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        due = min((fault.start - self.elapsed for fault in self._falls), default=seconds)
        if self._clock.wait(self._closing, min(seconds, max(0.0, due))):
            return ()
        # A hair of tolerance: what was waited for has come, however seconds round.
        fallen = [fault for fault in self._falls if fault.start <= self.elapsed + 1e-6]
        self._falls = [fault for fault in self._falls if fault not in fallen]
        # The Xid with which NVIDIA's driver reports a card that is gone.
        meaning = Message("the card has fallen off the bus")
        sentence = Message("Xid {code}: {meaning}", code=79, meaning=meaning)
        return tuple(HardwareFault(CardId(f"SIM-{x.card}"), 79, sentence) for x in fallen)

    def notes(self) -> Sequence[Message]:
        return (MADE_UP, *(fault.sentence for fault in self.faults))

    def _faults_at(self, index: int, *kinds: FaultKind) -> Sequence[Fault]:
        now = self.elapsed
        return [x for x in self.faults if x.kind in kinds and x.covers(index, now)]

    def _link(self, a: Card, b: Card) -> Link:
        spec, one, other = self.machine.spec, self._model(a), self._model(b)
        path = _BRIDGE if one.display and other.display else PathKind.NODE
        if spec.same_switch(a.index, b.index):
            path = PathKind.SWITCH
        elif spec.node(a.index) != spec.node(b.index):
            path = PathKind.SYSTEM
        if nvlinks := spec.nvlinks_between(a.index, b.index):
            each = OneNvlink(one.nvlink_generation, one.nvlink_rate)
            return Link(
                a.id,
                b.id,
                PathKind.NVLINK,
                nvlinks=nvlinks,
                nvlink_generation=one.nvlink_generation,
                peer_to_peer=True,
                rate=nvlinks * one.nvlink_rate,
                rate_reason=nvlinks_words(nvlinks, each),
                pcie_path=path,
            )
        reason = no_peers(one, other)
        link = Link(a.id, b.id, path, peer_to_peer=not reason, peer_reason=reason)
        slower = min((a, b), key=lambda x: self._over_pcie(x, link).rate or 0.0)
        link = self._over_pcie(slower, link)
        if reason:
            words = Message("{way}, through the computer's memory", way=link.rate_reason)
            link = link._replace(rate_reason=words)
        return link

    def _over_pcie(self, card: Card, link: Link) -> Link:
        """As fast as that card's own slot."""
        lanes = self._model(card).pcie_generation, self._model(card).pcie_lanes
        return link._replace(rate=pcie_rate(*lanes), rate_reason=pcie_words(*lanes))

    def _model(self, card: Card) -> CardModel:
        return self.machine.spec.cards[card.index].model


@dataclass(frozen=True)
class _Program:
    """A made-up process, by the names that psutil has for a real one: it ends when asked."""

    backend: SimulatedBackend
    index: int  # of its card
    pid: int

    def is_running(self) -> bool:
        every = self.backend.machine.processes(self.index, self.backend.elapsed)
        return any(each.pid == self.pid for each in every)

    def status(self) -> str:
        return ""

    def terminate(self) -> None:
        self.backend.machine.end(self.index, self.pid, self.backend.elapsed)

    def kill(self) -> None:
        self.terminate()


def _card_process(
    card: CardId, process: SimulatedProcess, reading: Mapping[str, float]
) -> CardProcess:
    busy = reading["gpu_utilization"]
    share = process.busy / busy if busy else 0.0
    return CardProcess(
        card,
        process.pid,
        ProcessUse.GRAPHICS if process.graphics else ProcessUse.COMPUTE,
        {
            ProcessFigure.MEMORY: float(process.memory_bytes),
            ProcessFigure.SM: process.busy,
            ProcessFigure.MEMORY_CONTROLLER: round(share * reading["memory_utilization"], 3),
            ProcessFigure.ENCODER: 0.0,
            ProcessFigure.DECODER: round(share * reading["decoder_utilization"], 3),
        },
        simulated_command=process.command,
        simulated_user=process.user,
    )
