"""What a person wants to be told of: rules, the few that hold until somebody chooses, and
Watch, which holds each sample against them and says once when an alert begins and ends;
SessionWatch does so with all that a session reads.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import HOST_ID, CardId, Sample
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Scope, Unit
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.units import USUAL, Measure, Units, measure, plain, quantity, span_words
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.telemetry.card_course import MAY_PASS, Holding
from gpuexplorer.telemetry.facts import Fact
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.session import Session, Want

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
_GIGA = 2e9  # figures of this size are typed in GiB, GB or GB/s


class Side(StrEnum):
    """On which side of the threshold it is worth telling."""

    ABOVE = "above"
    BELOW = "below"


HELD = {
    Side.ABOVE: mark("{metric} above {threshold}"),
    Side.BELOW: mark("{metric} below {threshold}"),
}


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

    def bounds(self, limit: float) -> tuple[float, float]:
        """Beyond what it is told, and behind what it is over; `limit`: the card's own."""
        threshold, unit = self.threshold, METRICS[self.metric].unit
        margin = _USUAL.get(unit, (0.0, None))[1]
        if margin is None:
            margin = abs(threshold) * _MARGIN_SHARE
        if self.of_limit and unit is Unit.CELSIUS:
            threshold += limit
        elif self.of_limit:
            threshold, margin = limit * threshold, limit * _MARGIN_OF_LIMIT
        return threshold, threshold + (margin if self.side is Side.BELOW else -margin)

    @property
    def possible(self) -> bool:
        """What a newer version wrote may mean nothing here."""
        known = METRICS.get(self.metric)
        if known is None or not can_be_watched(known):
            return False
        least, most = known.lowest, known.highest
        if self.of_limit:
            least, most = (-200.0, 200.0) if known.unit is Unit.CELSIUS else (0.0, 1.0)
        fits = least <= self.threshold <= most and 0 <= self.seconds <= LONGEST_SECONDS
        return fits and (self.metric in LIMITS or not self.of_limit)

    def beyond(self, value: float, threshold: float) -> bool:
        return value > threshold if self.side is Side.ABOVE else value < threshold


def can_be_watched(metric: Metric) -> bool:
    """What rises and falls on every card. Counters without end and states are events."""
    each_card = metric.part is None and metric.scope is not Scope.HOST
    return metric.unit in _USUAL and metric.plotted and each_card


def usual_rule(metric: MetricId) -> Rule:
    """What is worth telling of it more often than not, to begin with."""
    usual = Rule(metric, Side.ABOVE, _USUAL[METRICS[metric].unit][0], 60.0)
    match metric:
        case m.TEMPERATURE | m.MEMORY_TEMPERATURE:
            return replace(with_comparison(usual, of_limit=True), seconds=30.0)
        case m.TEMPERATURE_MARGIN:
            return Rule(metric, Side.BELOW, 2.0, 30.0)
        case m.MEMORY_FREE:
            return with_comparison(replace(usual, side=Side.BELOW), of_limit=True)
        case m.MEMORY_USED | m.POWER_DRAW:
            return with_comparison(usual, of_limit=True)
        case m.GPU_UTILIZATION:
            return Rule(metric, Side.BELOW, 0.05, 600.0)
    return usual


def with_comparison(rule: Rule, *, of_limit: bool) -> Rule:
    """Against the card's own limit, or a figure. The number means something else then, and
    begins anew.
    """
    unit = METRICS[rule.metric].unit
    threshold = _USUAL[unit][0]
    if of_limit:
        share = 0.98 if rule.side is Side.ABOVE else 0.02
        threshold = -2.0 if unit is Unit.CELSIUS else share
    return replace(rule, of_limit=of_limit, threshold=threshold)


USUAL_RULES = (
    *map(usual_rule, (m.TEMPERATURE, m.MEMORY_TEMPERATURE, m.MEMORY_FREE)),
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


class Why(StrEnum):
    """Why an alert is over."""

    BACK = "back"
    UNKNOWN = "unknown"
    CHANGED = "changed"  # somebody changed the rule or removed it


@dataclass(frozen=True, slots=True)
class Alert:
    """One rule on one card, from when it was told, and once more when it is over. Times are
    steady seconds.
    """

    rule: Rule
    card: CardId
    since: float  # the first figure beyond the threshold
    began: float
    threshold: float
    why: Why | None = None  # None: it goes on
    until: float = 0.0  # as long as it was read to go on
    reason: Message = NOTHING  # where the figure is not known any more


@dataclass(slots=True)
class _Course:
    """What is known of one rule on one card."""

    heard: float = 0.0
    alert: Alert | None = None
    holding: Holding = field(
        default_factory=lambda: Holding(UNKNOWN_AFTER, CLEARLY_BACK_FOR, BACK_FOR)
    )

    def over(self, why: Why, reason: Message = NOTHING) -> Sequence[Alert]:
        alert, self.alert, until = self.alert, None, self.holding.seen
        return [replace(alert, why=why, until=until, reason=reason)] if alert else []


class Watch:
    """Told of every sample, from any thread.

    A missing figure is no evidence. Seconds without one are not counted; after `UNKNOWN_AFTER`
    of them counting begins anew, and an alert ends with the reason; a lost or sleeping card
    ends it at once, with the reason too.
    """

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self._lock = threading.Lock()
        self._rules = tuple(rules)
        self._courses: dict[tuple[Rule, CardId], _Course] = defaultdict(_Course)
        self._limits: dict[CardId, dict[MetricId, float]] = defaultdict(dict)

    def alerts(self) -> Sequence[Alert]:
        """Those that go on, the oldest first."""
        with self._lock:
            going_on = [each.alert for each in self._courses.values() if each.alert]
        return sorted(going_on, key=lambda alert: alert.began)

    def change_rules(self, rules: Sequence[Rule]) -> Sequence[Alert]:
        """What was told by a rule that is no more is over. The others know what they knew."""
        with self._lock:
            self._rules = tuple(rules)
            gone = [key for key in self._courses if key[0] not in rules]
            return [over for key in gone for over in self._courses.pop(key).over(Why.CHANGED)]

    def consider(self, sample: Sample) -> Sequence[Alert]:
        """Those that began, and those that are over."""
        with self._lock:
            known = self._limits[sample.card]
            known |= {each: sample.values[each] for each in _ALL_LIMITS & sample.values.keys()}
            changes: list[Alert] = []
            for rule in self._rules:
                told = rule.metric in sample.values or rule.metric in sample.missing
                if told and rule.concerns(sample.card):  # else another round asks for it
                    limits = map(known.get, LIMITS.get(rule.metric, ()))
                    limit = next(filter(None, limits), None) if rule.of_limit else 0.0
                    changes += self._course(rule, sample, limit)
            # Cards come and go: nothing is heard of those that went.
            before = sample.at - UNHEARD_AFTER
            for key in [key for key, each in self._courses.items() if each.heard <= before]:
                why = Message("nothing is heard of the card any more")
                changes += self._courses.pop(key).over(Why.UNKNOWN, why)
            return changes

    def _course(self, rule: Rule, sample: Sample, limit: float | None) -> Sequence[Alert]:
        course, value = self._courses[rule, sample.card], sample.values.get(rule.metric)
        holding, at = course.holding, max(course.heard, sample.at)
        course.heard = at
        if value is None or limit is None:
            reason = Message("the card's own limit is not known")
            if value is None:
                reason = sample.missing[rule.metric].sentence
            ends = holding.missed(at, for_good=sample.state not in MAY_PASS)
            return course.over(Why.UNKNOWN, reason) if ends else []
        threshold, back = rule.bounds(limit)
        clearly, held = not rule.beyond(value, back), rule.beyond(value, threshold)
        if not holding.read(at, held, rule.seconds, clearly=clearly):
            return []
        if not holding.on:
            return course.over(Why.BACK)
        course.alert = Alert(rule, sample.card, holding.since, at, threshold)
        return [course.alert]


def typed_in(metric: MetricId, units: Units) -> Measure:
    """The one unit in which a person types figures of it, whatever their size."""
    return measure(METRICS[metric].unit, _GIGA, units)


def figure_words(metric: MetricId, value: float, units: Units) -> str:
    known = METRICS[metric]
    if known.unit is Unit.BYTES:
        return str(quantity(known, value, units))
    typed = typed_in(metric, units)
    # What a person typed comes back as it was typed.
    return f"{plain(round(typed.shown(value), 2))} {typed.name}".rstrip()


def standing(alert: Alert, units: Units) -> Message:
    """ "Temperature above 87 °C": on this card, whatever it was counted from."""
    rule = alert.rule
    threshold = figure_words(rule.metric, alert.threshold, units)
    label = METRICS[rule.metric].label
    return Message(HELD[rule.side], metric=label, threshold=threshold)


def _event_sentence(alert: Alert, units: Units) -> Message:
    """How it stands among the events."""
    what, seconds = standing(alert, units), alert.rule.seconds
    if alert.why is Why.UNKNOWN:
        unknown = mark("Alert: {what} is not known any more: {reason}")
        return Message(unknown, what=what, reason=alert.reason)
    if alert.why is Why.CHANGED:
        return Message("Alert ended: {what}; it is no longer watched", what=what)
    if alert.why is Why.BACK:
        return Message("Alert ended: {what}", what=what)
    if seconds:
        return Message("Alert: {what} for {time}", what=what, time=span_words(seconds))
    return Message("Alert: {what}", what=what)


class SessionWatch(Watch):
    """Hears one session, in its threads, has it read what the rules are about, and notes what
    began and ended among its events.
    """

    def __init__(self, session: Session, tell: Callable[[], None]) -> None:
        """`tell`: something goes on, with new figures, or is over."""
        super().__init__()
        self.session, self._tell = session, tell
        self.ended: deque[Alert] = deque(maxlen=100)
        self._units = USUAL
        self._want = Want()
        session.attach(self._hear)

    def follow(self, rules: Sequence[Rule], units: Units) -> None:
        """From now on these. What nobody looks at is read for the rules that are about it."""
        self._units = units
        if tuple(rules) != self._rules:
            self._note(self.change_rules(rules))
            limits = (LIMITS.get(each.metric, ()) for each in rules if each.of_limit)
            metrics = {each.metric for each in rules}.union(*limits)
            before, self._want = self._want, self.session.want_metrics(metrics)
            self.session.release(before)

    def close(self) -> None:
        """Nothing is heard after this."""
        self.session.detach(self._hear)
        self.session.release(self._want)

    def _hear(self, fact: Fact) -> None:
        if isinstance(fact, Sample) and fact.card != HOST_ID:
            changes = self.consider(fact)
            self._note(changes)
            if changes or self.alerts():  # whose figures go on
                self._tell()

    def _note(self, changes: Sequence[Alert]) -> None:
        for alert in changes:
            rule, kind, until = alert.rule, Kind.ALERT_BEGAN, None
            if alert.why is not None:
                unknown, until = alert.why is Why.UNKNOWN, alert.until
                kind = Kind.ALERT_UNKNOWN if unknown else Kind.ALERT_ENDED
                self.ended.append(alert)
            about = f"{rule.metric} {rule.side} {alert.threshold:g}"
            log, sentence = self.session.happening_log, _event_sentence(alert, self._units)
            log.tell(kind, alert.card, sentence, about, until)
