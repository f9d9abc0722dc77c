"""A backend whose answers a test chooses, and the sessions made with it."""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.simulated_past import PastClock, live_through
from gpuexplorer.telemetry.topology import Topology

GIB = float(1 << 30)
NVML = Source(
    "nvml",
    Message("NVIDIA driver 590.48.01, read through NVML"),
    driver_version="590.48.01",
    cuda_version="13.1",
)
SIMULATED = Source(
    "simulated", Message("Simulated: {cards}", cards="2 x NVIDIA TITAN RTX"), simulated=True
)


@dataclass
class Answer:
    """What one card says. A metric in neither is answered with `otherwise`."""

    values: Mapping[MetricId, float] = field(default_factory=dict)
    missing: Mapping[MetricId, Absence] = field(default_factory=dict)
    otherwise: Absence = Absence.NOT_SUPPORTED
    state: CardState = CardState.WORKING
    hangs: bool = False


class FakeBackend:
    """Cards and answers can be changed while it is read."""

    def __init__(
        self,
        cards: Mapping[Card, Answer],
        source: Source = NVML,
        notes: Sequence[str] = (),
        clock: Clock | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self.answers = {card.id: answer for card, answer in cards.items()}
        self.listed = list(cards)
        self.told_source = source
        self.told_notes = [Message(each) for each in notes]
        self._closing = threading.Event()

    def open(self) -> None:
        self._closing.clear()

    def close(self) -> None:
        self._closing.set()

    @property
    def source(self) -> Source:
        return self.told_source

    def cards(self) -> Sequence[Card]:
        return self.listed

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        answer = self.answers[card]
        while answer.hangs and not self._closing.wait(0.01):
            pass
        values = {m: v for m, v in answer.values.items() if m in metrics}
        missing = {
            m: answer.missing.get(m, answer.otherwise) for m in metrics if m not in values
        }
        return Sample(card, self._clock.now(), values, missing, answer.state)

    def heard(self, card: CardId) -> float:
        return 0.0

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        return ()

    def topology(self) -> Topology:
        """No wire: tests of the topology bring a wiring of their own."""
        return Topology([card.id for card in self.listed], [], {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        self._closing.wait(seconds)
        return ()

    def notes(self) -> Sequence[Message]:
        return self.told_notes


def card(index: int = 0, name: str = "NVIDIA TITAN RTX", **facts: object) -> Card:
    known: dict[str, object] = {
        "id": CardId(f"GPU-{index}"),
        "memory_bytes": int(24 * GIB),
        "cuda_index": index,
        "fans": 1,
    }
    return Card(index=index, name=name, **(known | facts))  # type: ignore[arg-type]  # a test names what it changes


def instance(
    parent: Card, index: int, name: str = "MIG 1g.10gb", cuda_reason: str = ""
) -> Card:
    return Card(
        CardId(f"MIG-{parent.index}-{index}"),
        index,
        name,
        int(9.75 * GIB),
        kind=CardKind.MIG,
        parent=parent.id,
        cuda_index=None if cuda_reason else index,
        cuda_reason=Message(cuda_reason),
    )


def working(busy: float = 0.97, used: float = 19.5 * GIB, **changes: float) -> Answer:
    """A card that answers everything the overview shows."""
    values = {
        ids.GPU_UTILIZATION: busy,
        ids.MEMORY_UTILIZATION: busy * 0.6,
        ids.MEMORY_TOTAL: 24 * GIB,
        ids.MEMORY_USED: used,
        ids.MEMORY_RESERVED: 0.4 * GIB,
        ids.MEMORY_FREE: 23.6 * GIB - used,
        ids.POWER_DRAW: 15 + 245 * busy,
        ids.POWER_LIMIT: 280.0,
        ids.TEMPERATURE: 41 + 30 * busy,
        ids.TEMPERATURE_MAX: 78.0,
        ids.FAN_SPEED: 0.41 + 0.27 * busy,
        ids.ENERGY: 4.1e7,
        ids.CLOCK_SM: 300e6 + 1455e6 * busy,
        ids.CLOCK_SM_MAX: 2100e6,
        ids.CLOCK_MEMORY: 7001e6,
        ids.PERFORMANCE_STATE: 2.0,
        ids.PCIE_GENERATION: 3.0,
        ids.PCIE_GENERATION_MAX: 3.0,
        ids.PCIE_WIDTH: 16.0,
        ids.PCIE_WIDTH_MAX: 16.0,
        **dict.fromkeys(ids.THROTTLES, 0.0),
    }
    values |= {MetricId(name): value for name, value in changes.items()}
    return Answer(values)


def session_of(
    cards: Mapping[Card, Answer],
    source: Source = NVML,
    notes: Sequence[str] = (),
    interval: float = 0.1,
    patience: float = 0.2,
    clock: Clock | None = None,
) -> Session:
    """Not started yet: the window asks first, and then reading begins."""
    backend = FakeBackend(cards, source, notes, clock)
    return remembering(session_on(backend, interval=interval, patience=patience, clock=clock))


def session_with_past(
    cards: Mapping[Card, Answer], source: Source = NVML, seconds: float = 900.0
) -> Session:
    """Not started yet, and its cards were read for so long already."""
    clock = PastClock(seconds)
    session = session_of(cards, source, clock=clock)
    assert isinstance(session.stream, Local)
    live_through(session.stream, clock)
    return session
