"""Watch: compares each sample with a person's rules, and says once when an alert begins and
when it ends.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.alert_rule import LIMITS, Bounds, Rule, Side

# A figure may be missing for so long before the seconds are counted anew.
SHORT_GAP = 10.0
# A figure that is missing for longer says no more that the alert goes on …
UNKNOWN_AFTER = 10.0
# … and then it begins again only after this time at least: figures too may come and go.
SEEN_AGAIN_FOR = 30.0
# Nothing at all was heard: longer than two of the longest beats.
UNHEARD_AFTER = 180.0
# An alert is over when the figure is back by the margin for this long …
CLEARLY_BACK_FOR = 5.0
# … or on the right side of the threshold at all for that long.
BACK_FOR = 30.0
_LOOK_ROUND_EVERY = 10.0
_UNHEARD = Message("nothing is heard of the card any more")
_NO_LIMIT = Message("the card's own limit is not known")
# Every other state says for certain that no figure will come.
_PASSING = frozenset({CardState.WORKING, CardState.NO_ANSWER, CardState.NO_CONNECTION})


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
    known: float | None = None  # when there was a figure, if the last answer had one
    read_at: float = 0.0  # the last figure there was
    missing_since: float | None = None
    first_missing: float = 0.0  # the first answer without one
    was_unknown: bool = False  # since the last alert ended so
    beyond_since: float | None = None
    beyond_for: float = 0.0  # seconds that were seen; what was missed does not count
    back_since: float | None = None
    clearly_back_since: float | None = None
    alert: Alert | None = None


class Watch:
    """Told of every sample, from any thread.

    A missing figure is no evidence. Seconds without one are not counted; after `SHORT_GAP` of
    them counting begins anew. An alert goes on without a figure for `UNKNOWN_AFTER`, and then
    ends with the reason; a lost or sleeping card ends it at once, with the reason too.
    """

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self._lock = threading.Lock()
        self._rules = tuple(rules)
        self._courses: dict[tuple[Rule, CardId], _Course] = {}
        self._limits: dict[CardId, dict[MetricId, float]] = {}
        self._looked_round = float("-inf")
        self._now = float("-inf")

    def alerts(self) -> Sequence[Alert]:
        """Those that go on, the oldest first."""
        with self._lock:
            going_on = [each.alert for each in self._courses.values() if each.alert]
        return sorted(going_on, key=lambda alert: alert.began)

    def change_rules(self, rules: Sequence[Rule]) -> Sequence[AlertEnded]:
        """What was told by a rule that is no more is over. The others know what they knew."""
        with self._lock:
            self._rules = tuple(rules)
            gone = [
                key
                for key in self._courses
                if key[0] not in self._rules or not key[0].concerns(key[1])
            ]
            courses = [self._courses.pop(key) for key in gone]
            return [
                AlertEnded(course.alert, self._now, Why.CHANGED, course.read_at)
                for course in courses
                if course.alert is not None
            ]

    def consider(self, sample: Sample) -> Sequence[Change]:
        with self._lock:
            self._now = max(self._now, sample.at)
            self._learn_limits(sample)
            changes: list[Change] = []
            for rule in self._rules:
                if not rule.concerns(sample.card):
                    continue
                value = sample.values.get(rule.metric)
                absence = sample.missing.get(rule.metric)
                if value is None and absence is None:
                    continue  # another round asks for it
                course = self._courses.setdefault((rule, sample.card), _Course(sample.at))
                at = course.heard = max(course.heard, sample.at)
                bounds = None if value is None else rule.bounds(self._limit(rule, sample.card))
                if value is None or bounds is None:
                    changes += _without_figure(course, at, sample.state, absence)
                elif course.alert is None:
                    changes += _toward_beginning(course, at, value, bounds, rule, sample.card)
                else:
                    changes += _toward_end(course, course.alert, at, value, bounds)
            if self._now - self._looked_round >= _LOOK_ROUND_EVERY:
                self._looked_round = self._now
                changes += self._look_round()
            return changes

    def _learn_limits(self, sample: Sample) -> None:
        found = {m: v for m, v in sample.values.items() if m in _ALL_LIMITS}
        if found:
            self._limits.setdefault(sample.card, {}).update(found)

    def _limit(self, rule: Rule, card: CardId) -> float | None:
        known = self._limits.get(card, {})
        names = LIMITS.get(rule.metric, ())
        return next((known[name] for name in names if known.get(name)), None)

    def _look_round(self) -> list[Change]:
        """Cards come and go: nothing is heard of those that went."""
        unheard = [
            key
            for key, course in self._courses.items()
            if self._now - course.heard >= UNHEARD_AFTER
        ]
        courses = [self._courses.pop(key) for key in unheard]
        return [
            AlertEnded(course.alert, self._now, Why.UNKNOWN, course.read_at, _UNHEARD)
            for course in courses
            if course.alert is not None
        ]


_ALL_LIMITS = frozenset(limit for limits in LIMITS.values() for limit in limits)


def _without_figure(
    course: _Course, at: float, state: CardState, absence: Absence | None
) -> list[Change]:
    if course.missing_since is None:
        course.missing_since = at if course.known is None else course.known
        course.first_missing = at
    course.known = course.back_since = course.clearly_back_since = None
    lasted = at - course.missing_since
    if lasted > SHORT_GAP:
        course.beyond_since, course.beyond_for = None, 0.0
    # One reading that fails is no reason, even where they come a minute apart.
    passing = state in _PASSING and at - course.first_missing < UNKNOWN_AFTER
    if course.alert is None or passing:
        return []
    alert, course.alert = course.alert, None
    course.beyond_since, course.beyond_for, course.was_unknown = None, 0.0, True
    reason = absence.sentence if absence is not None else _NO_LIMIT
    return [AlertEnded(alert, at, Why.UNKNOWN, course.read_at, reason)]


def _toward_beginning(
    course: _Course, at: float, value: float, bounds: Bounds, rule: Rule, card: CardId
) -> list[Change]:
    seen = 0.0 if course.known is None else at - course.known
    course.known, course.read_at, course.missing_since = at, at, None
    if not _beyond(value, bounds.threshold, rule.side):
        course.beyond_since, course.beyond_for = None, 0.0
        return []
    if course.beyond_since is None:
        course.beyond_since = at
    else:
        course.beyond_for += seen
    if course.beyond_for < max(rule.seconds, SEEN_AGAIN_FOR if course.was_unknown else 0.0):
        return []
    course.was_unknown = False
    course.alert = Alert(rule, card, course.beyond_since, at, bounds)
    return [AlertBegan(course.alert)]


def _toward_end(
    course: _Course, alert: Alert, at: float, value: float, bounds: Bounds
) -> list[Change]:
    course.known, course.read_at, course.missing_since = at, at, None
    if _beyond(value, bounds.threshold, alert.rule.side):
        course.back_since = course.clearly_back_since = None
        return []
    course.back_since = at if course.back_since is None else course.back_since
    if _beyond(value, bounds.back, alert.rule.side):
        course.clearly_back_since = None
    elif course.clearly_back_since is None:
        course.clearly_back_since = at
    clearly = course.clearly_back_since
    over = clearly is not None and at - clearly >= CLEARLY_BACK_FOR
    if not over and at - course.back_since < BACK_FOR:
        return []
    until = course.back_since
    course.alert, course.beyond_since, course.beyond_for = None, None, 0.0
    course.back_since = course.clearly_back_since = None
    return [AlertEnded(alert, at, Why.BACK, until)]


def _beyond(value: float, threshold: float, side: Side) -> bool:
    return value > threshold if side is Side.ABOVE else value < threshold
