"""What a person wants to be told of: rules, the few that hold until somebody chooses, and
Watch, which holds each sample against them and says once when an alert begins and ends.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Scope, Unit
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.card_course import MAY_PASS, Holding

LONGEST_SECONDS = 86400.0

# Against which figure of the card itself a metric runs. The first that the card tells counts.
LIMITS: Mapping[MetricId, tuple[MetricId, ...]] = {
    m.TEMPERATURE: (m.TEMPERATURE_MAX, m.TEMPERATURE_SLOWDOWN),
    m.MEMORY_TEMPERATURE: (m.MEMORY_TEMPERATURE_MAX,),
    m.POWER_DRAW: (m.POWER_LIMIT,),
    m.MEMORY_USED: (m.MEMORY_TOTAL,),
    m.MEMORY_FREE: (m.MEMORY_TOTAL,),
}
_ALL_LIMITS = frozenset(limit for limits in LIMITS.values() for limit in limits)
# Of each unit that can be watched: a threshold to begin with, and how far behind it a figure is
# clearly back, as a share of the threshold where it is None.
_USUAL: Mapping[Unit, tuple[float, float | None]] = {
    Unit.RATIO: (0.95, 0.05),
    Unit.BYTES: (float(1 << 30), None),
    Unit.CELSIUS: (80.0, 3.0),
    Unit.WATTS: (250.0, None),
    Unit.HERTZ: (1e9, None),
    Unit.BYTES_PER_SECOND: (1e9, None),
    Unit.TURNS_PER_MINUTE: (3000.0, None),
    Unit.COUNT: (0.0, 0.0),
}
_MARGIN_SHARE, _MARGIN_OF_LIMIT = 0.05, 0.01


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
        threshold, unit = self.threshold, METRICS[self.metric].unit
        margin = _USUAL.get(unit, (0.0, None))[1]
        if margin is None:
            margin = abs(threshold) * _MARGIN_SHARE
        if self.of_limit:
            if limit is None:
                return None
            degrees = unit is Unit.CELSIUS
            threshold = limit + threshold if degrees else limit * threshold
            margin = margin if degrees else limit * _MARGIN_OF_LIMIT
        return Bounds(threshold, threshold + (margin if self.side is Side.BELOW else -margin))

    def beyond(self, value: float, threshold: float) -> bool:
        return value > threshold if self.side is Side.ABOVE else value < threshold


def can_be_watched(metric: Metric) -> bool:
    """What rises and falls on every card. Counters without end and states are events."""
    each_card = metric.part is None and metric.scope is not Scope.HOST
    return metric.unit in _USUAL and metric.plotted and each_card


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
            return Rule(metric, Side.ABOVE, _USUAL[METRICS[metric].unit][0], 60.0)


def with_comparison(rule: Rule, *, of_limit: bool) -> Rule:
    """Against the card's own limit, or a figure. The number means something else then, and
    begins anew.
    """
    unit = METRICS[rule.metric].unit
    threshold = _USUAL[unit][0]
    if of_limit and unit is Unit.CELSIUS:
        threshold = -2.0
    elif of_limit:
        threshold = 0.98 if rule.side is Side.ABOVE else 0.02
    return replace(rule, of_limit=of_limit, threshold=threshold)


USUAL_RULES = (
    usual_rule(m.TEMPERATURE),
    usual_rule(m.MEMORY_TEMPERATURE),
    usual_rule(m.MEMORY_FREE),
    # Whoever waits for a long piece of work switches this on.
    replace(usual_rule(m.GPU_UTILIZATION), enabled=False),
)

# A figure that is missing for so long says no more that an alert goes on.
UNKNOWN_AFTER = 10.0
# Nothing at all was heard: longer than two of the longest beats.
UNHEARD_AFTER = 180.0
# An alert is over when the figure is back by the margin for this long …
CLEARLY_BACK_FOR = 5.0
# … or on the right side of the threshold at all for that long.
BACK_FOR = 30.0
_LOOK_ROUND_EVERY = 10.0


class Why(StrEnum):
    """Why an alert is over."""

    BACK = "back"
    UNKNOWN = "unknown"
    CHANGED = "changed"  # somebody changed the rule or removed it


@dataclass(frozen=True, slots=True)
class Alert:
    """One rule on one card, from when it was told. Times are steady seconds."""

    rule: Rule
    card: CardId
    since: float  # the first figure beyond the threshold
    began: float
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class AlertBegan:
    alert: Alert


@dataclass(frozen=True, slots=True)
class AlertEnded:
    alert: Alert
    at: float
    why: Why
    until: float  # as long as it was read to go on
    reason: Message = NOTHING  # where the figure is not known any more


Change = AlertBegan | AlertEnded


@dataclass(slots=True)
class _Course:
    """What is known of one rule on one card."""

    heard: float
    alert: Alert | None = None
    holding: Holding = field(
        default_factory=lambda: Holding(UNKNOWN_AFTER, CLEARLY_BACK_FOR, BACK_FOR)
    )

    def over(self, at: float, why: Why, reason: Message = NOTHING) -> Sequence[AlertEnded]:
        alert, self.alert = self.alert, None
        return [AlertEnded(alert, at, why, self.holding.seen, reason)] if alert else []


class Watch:
    """Told of every sample, from any thread.

    A missing figure is no evidence. Seconds without one are not counted; after `UNKNOWN_AFTER`
    of them counting begins anew, and an alert ends with the reason; a lost or sleeping card
    ends it at once, with the reason too.
    """

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self._lock = threading.Lock()
        self._rules = tuple(rules)
        self._courses: dict[tuple[Rule, CardId], _Course] = {}
        self._limits: dict[CardId, dict[MetricId, float]] = {}
        self._looked_round = self._now = float("-inf")

    def alerts(self) -> Sequence[Alert]:
        """Those that go on, the oldest first."""
        with self._lock:
            going_on = [each.alert for each in self._courses.values() if each.alert]
        return sorted(going_on, key=lambda alert: alert.began)

    def change_rules(self, rules: Sequence[Rule]) -> Sequence[AlertEnded]:
        """What was told by a rule that is no more is over. The others know what they knew."""
        with self._lock:
            self._rules = tuple(rules)
            stay = {key for key in self._courses if key[0] in rules and key[0].concerns(key[1])}
            return self._end(self._courses.keys() - stay, Why.CHANGED)

    def consider(self, sample: Sample) -> Sequence[Change]:
        with self._lock:
            self._now = max(self._now, sample.at)
            limits = {each: sample.values[each] for each in _ALL_LIMITS & sample.values.keys()}
            self._limits.setdefault(sample.card, {}).update(limits)
            changes: list[Change] = []
            for rule in self._rules:
                told = rule.metric in sample.values or rule.metric in sample.missing
                if told and rule.concerns(sample.card):  # else another round asks for it
                    changes += self._course(rule, sample)
            if self._now - self._looked_round >= _LOOK_ROUND_EVERY:
                # Cards come and go: nothing is heard of those that went.
                self._looked_round, before = self._now, self._now - UNHEARD_AFTER
                gone = [key for key, each in self._courses.items() if each.heard <= before]
                why = Message("nothing is heard of the card any more")
                changes += self._end(gone, Why.UNKNOWN, why)
            return changes

    def _course(self, rule: Rule, sample: Sample) -> Sequence[Change]:
        card, value = sample.card, sample.values.get(rule.metric)
        course = self._courses.setdefault((rule, card), _Course(sample.at))
        at = course.heard = max(course.heard, sample.at)
        known = self._limits[card]
        limits = [known[name] for name in LIMITS.get(rule.metric, ()) if known.get(name)]
        bounds, holding = rule.bounds(limits[0] if limits else None), course.holding
        if value is None or bounds is None:
            reason = Message("the card's own limit is not known")
            if value is None:
                reason = sample.missing[rule.metric].sentence
            ends = holding.missed(at, for_good=sample.state not in MAY_PASS)
            return course.over(at, Why.UNKNOWN, reason) if ends else []
        clearly = not rule.beyond(value, bounds.back)
        held = rule.beyond(value, bounds.threshold)
        if not holding.read(at, held, rule.seconds, clearly=clearly):
            return []
        if not holding.on:
            return course.over(at, Why.BACK)
        course.alert = Alert(rule, card, holding.since, at, bounds)
        return [AlertBegan(course.alert)]

    def _end(
        self, gone: Iterable[tuple[Rule, CardId]], why: Why, reason: Message = NOTHING
    ) -> list[AlertEnded]:
        courses = [self._courses.pop(key) for key in gone]
        return [ended for each in courses for ended in each.over(self._now, why, reason)]
