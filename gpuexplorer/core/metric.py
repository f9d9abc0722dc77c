"""Metric: one thing that can be measured, and all that a person needs to understand it."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple, NewType

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import Message

MetricId = NewType("MetricId", str)


class Unit(StrEnum):
    """The SI unit of a stored value, as it stands in JSON and CSV."""

    RATIO = "ratio"
    BYTES = "B"
    CELSIUS = "C"
    WATTS = "W"
    JOULES = "J"
    HERTZ = "Hz"
    BYTES_PER_SECOND = "B/s"
    TURNS_PER_MINUTE = "rpm"
    SECONDS = "s"
    COUNT = "count"
    LANES = "lanes"
    GENERATION = "generation"
    FLAG = "flag"
    STATE = "state"


class Cadence(StrEnum):
    """How often a metric is worth its price."""

    FAST = "fast"  # every beat: it is cheap and changes quickly
    SLOW = "slow"  # every few seconds
    ON_DEMAND = "on demand"  # costly, so only while somebody looks


class Scope(Enum):
    """Which devices a metric is asked of."""

    CARD = "card"
    HOST = "host"
    BOTH = "both"


class Part(Enum):
    """A part of which a card may have several, or none."""

    FAN = "fan"
    NVLINK = "nvlink"


class Metric(NamedTuple):
    """One entry feeds tables, charts, tooltips, recordings and exports."""

    id: MetricId
    label: Message
    unit: Unit
    meaning: Message
    smi: str  # the nvidia-smi query field, or command, that shows the same; "" where none does
    cadence: Cadence
    highest: float = float("inf")  # a figure above is impossible
    lowest: float = 0.0
    scope: Scope = Scope.CARD
    part: tuple[Part, int] | None = None
    choices: Mapping[int, Message] = {}  # what a state's number means
    plotted: bool = True  # changes in time, and so is kept in the history

    def plausible(self, value: float) -> bool:
        return self.lowest <= value <= self.highest

    def text_of(self, value: float) -> Message | None:
        """The word for a state's number; None where the number speaks for itself."""
        if self.choices:
            return self.choices.get(int(value), Message("code {number}", number=int(value)))
        return None


# Between which figures one of a unit is possible, where its metric does not say otherwise.
_POSSIBLE = {
    Unit.RATIO: (0.0, 1.0),
    Unit.BYTES: (0.0, float(1 << 50)),
    Unit.CELSIUS: (-100.0, 250.0),
    Unit.WATTS: (0.0, 20_000.0),
    Unit.HERTZ: (0.0, 5e10),
    Unit.TURNS_PER_MINUTE: (0.0, 50_000.0),
    Unit.SECONDS: (0.0, 1e9),  # 30 years
    Unit.COUNT: (0.0, 1e15),
    Unit.LANES: (1.0, 32.0),
    Unit.GENERATION: (1.0, 7.0),
    Unit.FLAG: (0.0, 1.0),
}


class Subject:
    """The metrics of one subject, in the order in which people read them."""

    def __init__(self) -> None:
        self.metrics: list[Metric] = []

    def add(
        self,
        name: str,
        unit: Unit,
        label: Message,
        meaning: Message,
        smi: str = "",
        cadence: Cadence = Cadence.SLOW,
        *,
        lowest: float | None = None,
        highest: float | None = None,
        scope: Scope = Scope.CARD,
        part: tuple[Part, int] | None = None,
        choices: Mapping[int, Message] | None = None,
        plotted: bool = True,
    ) -> MetricId:
        low, high = _POSSIBLE.get(unit, (0.0, float("inf")))
        metric = Metric(
            MetricId(name),
            label,
            unit,
            meaning,
            smi,
            cadence,
            float(max(choices)) if choices else high if highest is None else highest,
            low if lowest is None else lowest,
            scope,
            part,
            choices or {},
            plotted,
        )
        self.metrics.append(metric)
        return metric.id
