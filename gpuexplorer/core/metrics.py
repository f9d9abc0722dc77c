"""METRICS: everything measurable, in the order people read it, as metrics.csv lists it."""

from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, NewType

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.resources import table
from gpuexplorer.core.words import Message

if TYPE_CHECKING:
    from gpuexplorer.core.cards import Card

    def __getattr__(name: str) -> "MetricId": ...  # see below


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


class Metric(NamedTuple):
    """One row: it feeds tables, charts, tooltips, recordings and exports."""

    id: MetricId
    label: Message
    unit: Unit
    meaning: Message
    nvml: str  # the driver's call, with what it is passed, or field; "" where it takes more
    smi: str  # the nvidia-smi query field, or command, that shows the same; "" where none does
    cadence: Cadence
    highest: float  # a figure above is impossible
    lowest: float
    scope: Scope
    counter: bool  # it only grows
    group: str  # the title, for `tr`, of the facts that it stands among
    plot: str  # the title, for `tr`, of the plot it shares; "" for what does not change in time
    short: Message  # what its line is called there
    exporters: tuple[str, str, str]  # cells that `telemetry/exporter_names.py` reads
    choices: Mapping[int, Message]  # what a state's number means
    part: tuple[str, int] | None = None  # of which a card may have several, or none

    @property
    def plotted(self) -> bool:
        """It changes in time, and so is kept in the history."""
        return bool(self.plot)

    def plausible(self, value: float) -> bool:
        return self.lowest <= value <= self.highest

    def text_of(self, value: float) -> Message | None:
        """The word for a state's number; None where the number speaks for itself."""
        if self.choices:
            return self.choices.get(int(value), Message("code {number}", number=int(value)))
        return None


# Between which figures one of a unit is possible, where its row does not say otherwise.
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
MOST_FANS = 8
MOST_NVLINKS = 36  # as NVML counts them; Hopper and Blackwell have 18
_MOST = {"fan": MOST_FANS, "nvlink": MOST_NVLINKS}


def _read() -> Iterator[Metric]:
    for part, alike in groupby(table("core", "metrics.csv"), lambda row: row["part"]):
        rows = [*alike]
        for number in range(_MOST.get(part, 1)):
            yield from (_metric(row, number) for row in rows)


def _metric(row: Mapping[str, str], number: int) -> Metric:
    unit, part = Unit(row["unit"]), row["part"]
    lowest, highest = _POSSIBLE.get(unit, (0.0, float("inf")))
    words = row["choices"].split("|") if row["choices"] else []
    highest = float(row["highest"] or (len(words) - 1 if words else highest))
    if len(words) == 1:  # for every number up to the highest
        words *= int(highest) + 1
    values = {"number": number} if part else {}
    return Metric(
        MetricId(row["id"].format(number=number)),
        Message(row["label"], **values),
        unit,
        Message(row["meaning"], **values),
        row["nvml"].format(number=number),
        row["smi"],
        Cadence(row["cadence"]),
        highest,
        float(row["lowest"] or lowest),
        Scope(row["scope"] or "card"),
        row["counter"] == "yes",
        row["group"],
        row["plot"],
        Message(row["short"] or row["label"], **values),
        (row["dcgm"], row["nvidia_gpu_exporter"], row["nvitop"]),
        {n: Message(word, number=n) for n, word in enumerate(words)},
        (part, number) if part else None,
    )


METRICS = {metric.id: metric for metric in _read()}

# Each by its name in capitals, as POWER_DRAW; those of the card or the slot are called shorter.
globals().update({name.upper(): name for name in METRICS})
PCIE_GENERATION_CARD = MetricId("pcie_generation_card_max")
PCIE_GENERATION_SLOT = MetricId("pcie_generation_slot_max")
PCIE_WIDTH_SLOT = MetricId("pcie_width_slot_max")
MOST_NVLINK_RATE = METRICS[MetricId("nvlink_0_receive")].highest


def throttle(reason: str) -> MetricId:
    return MetricId(f"throttle_{reason}")


# Every reason for which clocks are held back; resting and settings are no sign of trouble.
THROTTLES = tuple(
    each.id
    for each in METRICS.values()
    if each.id.startswith("throttle_") and each.unit is Unit.FLAG
)
HARMLESS = frozenset(
    map(throttle, ("gpu_idle", "applications_clocks_setting", "display_clock_setting"))
)
# What slows a card down and should not, the gravest first; and what holds a busy card back as a
# rule, with nothing wrong.
GRAVE = tuple(
    throttle(reason)
    for reason in (
        "hw_thermal_slowdown",
        "hw_power_brake_slowdown",
        "hw_slowdown",
        "sw_thermal_slowdown",
    )
)
ORDINARY = (throttle("sw_power_cap"), throttle("sync_boost"))


def metrics_of(
    card: "Card", cadences: Collection[Cadence] = tuple(Cadence)
) -> frozenset[MetricId]:
    """What can be asked of this card: a reading answers or explains every one of these."""
    return _applicable(card.kind == "host", card.fans, card.nvlinks, tuple(cadences))


@lru_cache(maxsize=256)
def _applicable(
    host: bool, fans: int, nvlinks: int, cadences: Collection[Cadence]
) -> frozenset[MetricId]:
    unasked, count = Scope.CARD if host else Scope.HOST, {"fan": fans, "nvlink": nvlinks}
    return frozenset(
        metric.id
        for metric in METRICS.values()
        if metric.scope is not unasked
        and metric.cadence in cadences
        and (metric.part is None or metric.part[1] < count[metric.part[0]])
    )
