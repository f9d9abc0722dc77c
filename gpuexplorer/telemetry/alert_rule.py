"""Rule: what a person wants to be told of, and the few that hold until somebody chooses."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Scope, Unit
from gpuexplorer.core.newer_python import StrEnum

LONGEST_SECONDS = 86400.0

# Against which figure of the card itself a metric runs. The first that the card tells counts.
LIMITS: Mapping[MetricId, tuple[MetricId, ...]] = {
    m.TEMPERATURE: (m.TEMPERATURE_MAX, m.TEMPERATURE_SLOWDOWN),
    m.MEMORY_TEMPERATURE: (m.MEMORY_TEMPERATURE_MAX,),
    m.POWER_DRAW: (m.POWER_LIMIT,),
    m.MEMORY_USED: (m.MEMORY_TOTAL,),
    m.MEMORY_FREE: (m.MEMORY_TOTAL,),
}
_MARGIN_CELSIUS = 3.0
_MARGIN_RATIO = 0.05
_MARGIN_OF_LIMIT = 0.01
_MARGIN_OTHERWISE = 0.05


class Side(StrEnum):
    """On which side of the threshold it is worth telling."""

    ABOVE = "above"
    BELOW = "below"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a rule comes to on one card: told beyond `threshold`, over behind `back`."""

    threshold: float
    back: float


@dataclass(frozen=True, slots=True)
class Rule:
    """In SI units. With `of_limit` the threshold counts from the card's own limit: degrees
    above it, mostly fewer than none, or for all else the share of it.
    """

    metric: MetricId
    side: Side
    threshold: float
    seconds: float  # for how long before it is told
    of_limit: bool = False
    cards: frozenset[CardId] | None = None  # None: all of them
    enabled: bool = True

    def concerns(self, card: CardId) -> bool:
        return self.enabled and (self.cards is None or card in self.cards)

    def bounds(self, limit: float | None) -> Bounds | None:
        """None where the card's own limit is needed and not known."""
        unit = METRICS[self.metric].unit
        if not self.of_limit:
            threshold = self.threshold
            margin = _margin(unit, threshold)
        elif limit is None:
            return None
        elif unit is Unit.CELSIUS:
            threshold = limit + self.threshold
            margin = _MARGIN_CELSIUS
        else:
            threshold = limit * self.threshold
            margin = limit * _MARGIN_OF_LIMIT
        back = threshold - margin if self.side is Side.ABOVE else threshold + margin
        return Bounds(threshold, back)


def can_be_watched(metric: Metric) -> bool:
    """What rises and falls on every card. Counters without end and states are events."""
    return (
        metric.unit in _USUAL_THRESHOLDS
        and metric.plotted
        and metric.part is None
        and metric.scope is not Scope.HOST
    )


def usual_rule(metric: MetricId) -> Rule:
    """What is worth telling of it more often than not, to begin with."""
    match metric:
        case m.TEMPERATURE | m.MEMORY_TEMPERATURE:
            return Rule(metric, Side.ABOVE, -2.0, 30.0, of_limit=True)
        case m.TEMPERATURE_MARGIN:
            return Rule(metric, Side.BELOW, 2.0, 30.0)
        case m.MEMORY_FREE:
            return Rule(metric, Side.BELOW, 0.02, 60.0, of_limit=True)
        case m.MEMORY_USED | m.POWER_DRAW:
            return Rule(metric, Side.ABOVE, 0.98, 60.0, of_limit=True)
        case m.GPU_UTILIZATION:
            return Rule(metric, Side.BELOW, 0.05, 600.0)
        case _:
            return Rule(metric, Side.ABOVE, _USUAL_THRESHOLDS[METRICS[metric].unit], 60.0)


def with_comparison(rule: Rule, *, of_limit: bool) -> Rule:
    """Against the card's own limit, or a figure. The number means something else then, and
    begins anew.
    """
    if not of_limit:
        threshold = _USUAL_THRESHOLDS[METRICS[rule.metric].unit]
    elif METRICS[rule.metric].unit is Unit.CELSIUS:
        threshold = -2.0
    else:
        threshold = 0.98 if rule.side is Side.ABOVE else 0.02
    return replace(rule, of_limit=of_limit, threshold=threshold)


_USUAL_THRESHOLDS = {
    Unit.RATIO: 0.95,
    Unit.BYTES: float(1 << 30),
    Unit.CELSIUS: 80.0,
    Unit.WATTS: 250.0,
    Unit.HERTZ: 1e9,
    Unit.BYTES_PER_SECOND: 1e9,
    Unit.TURNS_PER_MINUTE: 3000.0,
    Unit.COUNT: 0.0,
}


def _margin(unit: Unit, threshold: float) -> float:
    match unit:
        case Unit.CELSIUS:
            return _MARGIN_CELSIUS
        case Unit.RATIO:
            return _MARGIN_RATIO
        case Unit.COUNT:
            return 0.0
        case _:
            return abs(threshold) * _MARGIN_OTHERWISE


USUAL_RULES = (
    usual_rule(m.TEMPERATURE),
    usual_rule(m.MEMORY_TEMPERATURE),
    usual_rule(m.MEMORY_FREE),
    # Whoever waits for a long piece of work switches this on.
    replace(usual_rule(m.GPU_UTILIZATION), enabled=False),
)
