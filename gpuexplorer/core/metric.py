"""Metric: one thing that can be measured, and all that a person needs to understand it."""

from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import NamedTuple, NewType

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
