"""Simulated cards: a make-believe machine, read like a real one, with the faults ordered."""

import itertools
import math
import threading
from collections.abc import Callable, Collection, Mapping, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.simulation.copying import no_peers
from gpuexplorer.simulation.faults import SLOW_SECONDS, Fault, FaultKind
from gpuexplorer.simulation.figures import absences_of, figures_of
from gpuexplorer.simulation.machine import Machine, Reading, SimulatedProcess
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

_FELL_OFF = 79  # the Xid with which NVIDIA's driver reports a card that is gone
_IMPOSSIBLE = float(1 << 64)
_LONGEST_WAIT = 3600.0

_Question = tuple[Callable[[Reading], float], Callable[[float], bool]]


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
        self._spec = spec
        self._faults = tuple(faults)
        self._clock: Clock = clock or SystemClock()
        self._began = self._clock.now()
        self._closing = threading.Event()
        self._cards = tuple(self._card(index) for index in range(len(spec.cards)))
        self._index = {card.id: card.index for card in self._cards}
        self._questions = tuple(self._questions_of(card.index) for card in self._cards)
        self._absences = tuple(absences_of(self.machine, card.index) for card in self._cards)
        self._falls = sorted(
            (fault for fault in self._faults if fault.kind is FaultKind.LOST),
            key=lambda fault: fault.start,
        )
        self._falls_lock = threading.Lock()

    @property
    def faults(self) -> Sequence[Fault]:
        """As they were ordered."""
        return self._faults

    def open(self) -> None:
        self._closing.clear()

    def close(self) -> None:
        """Also ends readings that hang."""
        self._closing.set()

    @property
    def source(self) -> Source:
        label = Message("Simulated: {cards}", cards=self._spec.label)
        return Source("simulated", label, simulated=True)

    @property
    def elapsed(self) -> float:
        """The seconds that `machine` counts in."""
        return self._clock.now() - self._began

    def cards(self) -> Sequence[Card]:
        return self._cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        index = self._index.get(card)
        if index is None:
            return self._silent(card, metrics, CardState.LOST, Absence.LOST)
        if self._faults:
            self._dawdle(index)
        return self.now(card, metrics)

    def now(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        """The same at once, also where a fault makes readings slow, or hang."""
        index = self._index[card]
        at = self._clock.now()
        kinds = self._kinds_at(index, at - self._began)
        for kind, (state, absence) in _SILENCES.items():
            if kind in kinds:
                return self._silent(card, metrics, state, absence)
        garbage = FaultKind.GARBAGE in kinds
        reading = self.machine.reading(index, at - self._began)
        questions, absences = self._questions[index], self._absences[index]
        values: dict[MetricId, float] = {}
        missing: dict[MetricId, Absence] = {}
        for metric in metrics:
            question = questions.get(metric)
            if question is None:
                missing[metric] = absences.get(metric, Absence.NOT_SUPPORTED)
                continue
            figure, plausible = question
            value = _IMPOSSIBLE if garbage else float(figure(reading))
            if plausible(value):
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
        links += [self._host_link(card) for card in self._cards]
        nodes = {card.id: wiring.node(card.index) for card in self._cards}
        near = {card: wiring.processors(node) for card, node in nodes.items()}
        return Topology(tuple(card.id for card in self._cards), links, nodes, near)

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        with self._falls_lock:
            due = self._falls[0] if self._falls else None
        wait = seconds if due is None else min(seconds, max(0.0, due.start - self.elapsed))
        if self._clock.wait(self._closing, wait):
            return ()
        with self._falls_lock:
            # A hair of tolerance: what was waited for has come, however seconds round.
            now = self.elapsed + 1e-6
            fallen = [fault for fault in self._falls if fault.start <= now]
            self._falls = self._falls[len(fallen) :]
        return tuple(_fell_off(self._cards[f.card]) for f in fallen if f.card is not None)

    def notes(self) -> Sequence[Message]:
        return (MADE_UP, *(fault.sentence for fault in self._faults))

    def _card(self, index: int) -> Card:
        slot = self._spec.cards[index]
        return Card(
            CardId(f"SIM-{index}"),
            index,
            slot.model.name,
            slot.model.memory.total_bytes,
            simulated=True,
            bus_id=self.machine.wiring.bus_id(index),
            cuda_index=index,
            compute_capability=slot.model.compute_capability,
            fans=slot.model.heat.fans,
            nvlinks=slot.nvlinks,
            cores=slot.model.cores,
            memory_bus_bits=slot.model.memory_bus_bits,
        )

    def _questions_of(self, index: int) -> Mapping[MetricId, _Question]:
        figures = figures_of(self.machine, index, self._pcie_rate(index))
        return {
            metric: (figure, METRICS[metric].plausible) for metric, figure in figures.items()
        }

    def _dawdle(self, index: int) -> None:
        """Wait as long as the ordered faults make a reading of this card take."""
        kinds = self._kinds_at(index, self.elapsed)
        if FaultKind.SLOW in kinds:
            self._clock.wait(self._closing, SLOW_SECONDS)
        while left := self._hangs_for(index):
            if self._clock.wait(self._closing, min(left, _LONGEST_WAIT)):
                return

    def _hangs_for(self, index: int) -> float:
        t = self.elapsed
        return max(
            (
                fault.end - t
                for fault in self._faults
                if fault.kind is FaultKind.HUNG and fault.covers(index, t)
            ),
            default=0.0,
        )

    def _kinds_at(self, index: int, t: float) -> frozenset[FaultKind]:
        if not self._faults:
            return frozenset()
        return frozenset(fault.kind for fault in self._faults if fault.covers(index, t))

    def _silent(
        self, card: CardId, metrics: Collection[MetricId], state: CardState, why: Absence
    ) -> Sample:
        return Sample(card, self._clock.now(), {}, dict.fromkeys(metrics, why), state)

    def _pcie_rate(self, index: int) -> float:
        wires = self._spec.cards[index].model.wires
        return pcie_rate(wires.pcie_generation, wires.pcie_lanes) or math.nan

    def _link(self, a: Card, b: Card) -> Link:
        wiring = self.machine.wiring
        one, other = (self._spec.cards[card.index].model for card in (a, b))
        if nvlinks := wiring.nvlinks_between(a.index, b.index):
            nvlink = OneNvlink(one.wires.nvlink_generation, one.wires.nvlink_rate)
            return Link(
                a.id,
                b.id,
                PathKind.NVLINK,
                nvlinks,
                one.wires.nvlink_generation,
                peer_to_peer=True,
                rate=nvlinks * one.wires.nvlink_rate,
                rate_reason=nvlinks_words(nvlinks, nvlink),
                pcie_path=self._pcie_path(a, b),
            )
        reason = no_peers(one, other)
        slower = min(a, b, key=lambda card: self._pcie_rate(card.index))
        return Link(
            a.id,
            b.id,
            self._pcie_path(a, b),
            peer_to_peer=not reason,
            peer_reason=reason,
            rate=self._pcie_rate(slower.index),
            rate_reason=self._pcie_reason(slower, staged=bool(reason)),
        )

    def _pcie_path(self, a: Card, b: Card) -> PathKind:
        wiring = self.machine.wiring
        if wiring.same_switch(a.index, b.index):
            return PathKind.SWITCH
        if wiring.node(a.index) != wiring.node(b.index):
            return PathKind.SYSTEM
        desktop = all(self._spec.cards[card.index].model.display for card in (a, b))
        return PathKind.HOST_BRIDGE if desktop else PathKind.NODE

    def _host_link(self, card: Card) -> Link:
        return Link(
            card.id,
            HOST_ID,
            PathKind.HOST_BRIDGE,
            rate=self._pcie_rate(card.index),
            rate_reason=self._pcie_reason(card),
        )

    def _pcie_reason(self, card: Card, *, staged: bool = False) -> Message:
        wires = self._spec.cards[card.index].model.wires
        if not staged:
            return pcie_words(wires.pcie_generation, wires.pcie_lanes)
        return Message(
            "PCIe {generation}.0 x{lanes}, through the computer's memory",
            generation=wires.pcie_generation,
            lanes=wires.pcie_lanes,
        )


def _fell_off(card: Card) -> HardwareFault:
    meaning = Message("the card has fallen off the bus")
    sentence = Message("Xid {code}: {meaning}", code=_FELL_OFF, meaning=meaning)
    return HardwareFault(card.id, _FELL_OFF, sentence)


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
