"""Simulated cards: a make-believe machine, read like a real one, with the faults ordered."""

import itertools
import threading
from collections.abc import Collection, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.simulation.faults import SLOW_SECONDS, Fault, FaultKind
from gpuexplorer.simulation.figures import absences_of, figures_of
from gpuexplorer.simulation.machine import Machine, Reading, SimulatedProcess
from gpuexplorer.simulation.reached import no_peers
from gpuexplorer.simulation.specs import MachineSpec
from gpuexplorer.telemetry.backend import MADE_UP, HardwareFault, Source
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.topology import (
    Link,
    OneNvlink,
    PathKind,
    Topology,
    nvlinks_words,
    pcie_rate,
    pcie_words,
)

_IMPOSSIBLE = float(1 << 64)
# A card in these troubles tells nobody who uses it.
_SILENCES = {
    FaultKind.DRIVER: (CardState.NO_DRIVER, Absence.NO_DRIVER),
    FaultKind.LOST: (CardState.LOST, Absence.LOST),
    FaultKind.UNLISTED: (CardState.UNLISTED, Absence.UNLISTED),
    FaultKind.REFUSED: (CardState.REFUSED, Absence.NO_PERMISSION),
    # Only closing released it.
    FaultKind.HUNG: (CardState.NO_ANSWER, Absence.NO_ANSWER),
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
        self.machine = Machine(spec, seed)
        self.faults = tuple(faults)
        self.source = Source(
            "simulated", Message("Simulated: {cards}", cards=spec.label), simulated=True
        )
        self._models = [slot.model for slot in spec.cards]
        self._clock: Clock = clock or SystemClock()
        self._began = self._clock.now()
        self._closing = threading.Event()
        self._cards = tuple(
            Card(
                CardId(f"SIM-{index}"),
                index,
                slot.model.name,
                slot.model.memory_bytes,
                simulated=True,
                bus_id=self.machine.wiring.bus_id(index),
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
        self._pcie = [
            pcie_rate(model.pcie_generation, model.pcie_lanes) or 0.0 for model in self._models
        ]
        self._figures = [figures_of(self.machine, n, rate) for n, rate in enumerate(self._pcie)]
        self._absences = [absences_of(self.machine, card.index) for card in self._cards]
        falls = (fault for fault in self.faults if fault.kind is FaultKind.LOST)
        self._falls = sorted(falls, key=lambda fault: fault.start)

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
            missing = dict.fromkeys(metrics, Absence.LOST)
            return Sample(card, self._clock.now(), {}, missing, CardState.LOST)
        if FaultKind.SLOW in self._kinds_at(index, self.elapsed):
            self._clock.wait(self._closing, SLOW_SECONDS)
        hangs = [fault for fault in self.faults if fault.kind is FaultKind.HUNG]
        while until := [x.end for x in hangs if x.covers(index, self.elapsed)]:
            # A wait has an end that the system can count.
            if self._clock.wait(self._closing, min(max(until) - self.elapsed, 3600.0)):
                break
        return self.now(card, metrics)

    def now(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        """The same at once, also where a fault makes readings slow, or hang."""
        index, at = self._index[card], self._clock.now()
        kinds = self._kinds_at(index, at - self._began)
        for kind, (state, absence) in _SILENCES.items():
            if kind in kinds:
                return Sample(card, at, {}, dict.fromkeys(metrics, absence), state)
        reading = self.machine.reading(index, at - self._began)
        figures, absences = self._figures[index], self._absences[index]
        values: dict[MetricId, float] = {}
        missing: dict[MetricId, Absence] = {}
        for metric in metrics:
            figure = figures.get(metric)
            if figure is None:
                missing[metric] = absences.get(metric, Absence.NOT_SUPPORTED)
                continue
            value = _IMPOSSIBLE if FaultKind.GARBAGE in kinds else float(figure(reading))
            if METRICS[metric].plausible(value):
                values[metric] = value
            else:
                missing[metric] = Absence.IMPOSSIBLE
        return Sample(card, at, values, missing)

    def heard(self, card: CardId) -> float:
        return 0.0

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        index, t = self._index.get(card), self.elapsed
        if index is None or self._kinds_at(index, t) & _SILENCES.keys():
            return None
        reading = self.machine.reading(index, t)
        return tuple(
            _card_process(card, process, reading)
            for process in self.machine.processes(index, t)
        )

    def topology(self) -> Topology:
        wiring = self.machine.wiring
        links = [self._link(a, b) for a, b in itertools.combinations(self._cards, 2)]
        for card in self._cards:
            rate, words = self._pcie[card.index], self._pcie_words(card)
            way = PathKind.HOST_BRIDGE
            links.append(Link(card.id, HOST_ID, way, rate=rate, rate_reason=words))
        nodes = {card.id: wiring.node(card.index) for card in self._cards}
        near = {card: wiring.processors(node) for card, node in nodes.items()}
        return Topology(tuple(self._index), links, nodes, near)

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        due = self._falls[0].start if self._falls else self.elapsed + seconds
        if self._clock.wait(self._closing, min(seconds, max(0.0, due - self.elapsed))):
            return ()
        # A hair of tolerance: what was waited for has come, however seconds round.
        now = self.elapsed + 1e-6
        fallen = [fault for fault in self._falls if fault.start <= now]
        self._falls = self._falls[len(fallen) :]
        # The Xid with which NVIDIA's driver reports a card that is gone.
        meaning = Message("the card has fallen off the bus")
        sentence = Message("Xid {code}: {meaning}", code=79, meaning=meaning)
        cards = (self._cards[fault.card] for fault in fallen if fault.card is not None)
        return tuple(HardwareFault(card.id, 79, sentence) for card in cards)

    def notes(self) -> Sequence[Message]:
        return (MADE_UP, *(fault.sentence for fault in self.faults))

    def _kinds_at(self, index: int, t: float) -> frozenset[FaultKind]:
        return frozenset(fault.kind for fault in self.faults if fault.covers(index, t))

    def _link(self, a: Card, b: Card) -> Link:
        wiring = self.machine.wiring
        one, other = self._models[a.index], self._models[b.index]
        path = PathKind.HOST_BRIDGE if one.display and other.display else PathKind.NODE
        if wiring.same_switch(a.index, b.index):
            path = PathKind.SWITCH
        elif wiring.node(a.index) != wiring.node(b.index):
            path = PathKind.SYSTEM
        reason = no_peers(one, other)
        slower = min(a, b, key=lambda card: self._pcie[card.index])
        link = Link(
            a.id,
            b.id,
            path,
            peer_to_peer=not reason,
            peer_reason=reason,
            rate=self._pcie[slower.index],
            rate_reason=self._pcie_words(slower, staged=bool(reason)),
        )
        nvlinks = wiring.nvlinks_between(a.index, b.index)
        if not nvlinks:
            return link
        return link._replace(
            path=PathKind.NVLINK,
            nvlinks=nvlinks,
            nvlink_generation=one.nvlink_generation,
            peer_to_peer=True,
            peer_reason=NOTHING,
            rate=nvlinks * one.nvlink_rate,
            rate_reason=nvlinks_words(
                nvlinks, OneNvlink(one.nvlink_generation, one.nvlink_rate)
            ),
            pcie_path=path,
        )

    def _pcie_words(self, card: Card, *, staged: bool = False) -> Message:
        model = self._models[card.index]
        if not staged:
            return pcie_words(model.pcie_generation, model.pcie_lanes)
        return Message(
            "PCIe {generation}.0 x{lanes}, through the computer's memory",
            generation=model.pcie_generation,
            lanes=model.pcie_lanes,
        )


def _card_process(card: CardId, process: SimulatedProcess, reading: Reading) -> CardProcess:
    share = process.busy / reading.busy if reading.busy else 0.0
    return CardProcess(
        card,
        process.pid,
        ProcessUse.GRAPHICS if process.graphics else ProcessUse.COMPUTE,
        {
            ProcessFigure.MEMORY: float(process.memory_bytes),
            ProcessFigure.SM: process.busy,
            ProcessFigure.MEMORY_CONTROLLER: round(share * reading.memory_busy, 3),
            ProcessFigure.ENCODER: 0.0,
            ProcessFigure.DECODER: round(share * reading.decoder_busy, 3),
        },
        simulated_command=process.command,
        simulated_user=process.user,
    )
