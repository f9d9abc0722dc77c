"""Alerts begin after their time, end once, and never flicker or fall silent without a word."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.alerts import UNKNOWN_AFTER, Alert, Rule, Side, Watch, Why
from tests.clocks import ManualClock

CARD, OTHER = CardId("GPU-a"), CardId("GPU-b")
HOT = Rule(m.TEMPERATURE, Side.ABOVE, 85.0, 30.0)


class Course:
    """Feeds figures a second apart and keeps what was told."""

    def __init__(self, *rules: Rule, card: CardId = CARD) -> None:
        self.clock = ManualClock()
        self.watch = Watch(rules or (HOT,))
        self.told: list[Alert] = []
        self.card = card

    def say(
        self,
        seconds: float,
        value: float | None,
        metric: MetricId = m.TEMPERATURE,
        absence: Absence = Absence.REFUSED,
        state: CardState = CardState.WORKING,
        card: CardId | None = None,
    ) -> None:
        """The same figure for so long; None for none."""
        for _ in range(round(seconds)):
            values = {} if value is None else {metric: value}
            missing = {metric: absence} if value is None else {}
            sample = Sample(card or self.card, self.clock.now(), values, missing, state)
            self.told += self.watch.consider(sample)
            self.clock.advance(1.0)

    def limits(self, **values: float) -> None:
        """What the slow round tells of the card itself."""
        figures = {MetricId(name): value for name, value in values.items()}
        self.told += self.watch.consider(Sample(self.card, self.clock.now(), figures))

    def words(self) -> list[str]:
        return ["began" if each.why is None else each.why.value for each in self.told]


def test_an_alert_begins_when_it_lasted_as_long_as_was_asked_for() -> None:
    course = Course()
    course.say(10, 60.0)
    since = course.clock.now()
    course.say(30, 86.0)
    assert course.words() == []
    course.say(1, 86.0)
    assert course.words() == ["began"]
    (alert,) = course.watch.alerts()
    assert (alert.card, alert.since, alert.began) == (CARD, since, since + 30.0)
    course.say(600, 86.0)
    assert course.words() == ["began"]


IDLE = Rule(m.GPU_UTILIZATION, Side.BELOW, 0.05, 10.0)
AT_ONCE = replace(HOT, seconds=0.0)


@pytest.mark.parametrize(
    ("rule", "stretches", "words"),
    [
        # A figure that runs along the threshold does not make the alert flicker.
        (HOT, [(40, 86.0), *[(2, 84.0), (2, 86.0)] * 60], "began"),
        # It ends soon when the figure is back by the margin, and else later.
        (HOT, [(40, 86.0), (5, 81.0)], "began"),
        (HOT, [(40, 86.0), (6, 81.0)], "began back"),
        (HOT, [(40, 86.0), (30, 84.0)], "began"),
        (HOT, [(40, 86.0), (31, 84.0)], "began back"),
        # Below is the other way round.
        (IDLE, [(11, 0.01), (20, 0.07)], "began"),
        (IDLE, [(11, 0.01), (20, 0.07), (6, 0.6)], "began back"),
        # Seconds without a figure are not counted.
        (HOT, [(20, 90.0), (5, None), (10, 90.0)], ""),
        (HOT, [(20, 90.0), (5, None), (13, 90.0)], "began"),
        # After a longer gap the count begins anew.
        (HOT, [(29, 90.0), (UNKNOWN_AFTER + 1, None), (30, 90.0)], ""),
        (HOT, [(29, 90.0), (UNKNOWN_AFTER + 1, None), (31, 90.0)], "began"),
        # An alert outlasts a gap.
        (HOT, [(40, 90.0), (UNKNOWN_AFTER - 2, None), (40, 90.0)], "began"),
        # One of figures that come and go is told a few times at most.
        (AT_ONCE, [(12, 90.0), (12, None)] * 150, "began unknown"),
        (AT_ONCE, [*[(12, 90.0), (12, None)] * 150, (40, 90.0)], "began unknown began"),
        # Nobody chose these cards, or switched this rule on.
        (replace(HOT, cards=frozenset({OTHER})), [(60, 90.0)], ""),
        (replace(HOT, enabled=False), [(60, 90.0)], ""),
        # A card that does not tell its limit is never judged by it.
        (Rule(m.TEMPERATURE, Side.ABOVE, -2.0, 5.0, of_limit=True), [(60, 120.0)], ""),
    ],
)
def test_an_alert_begins_and_ends_once(
    rule: Rule, stretches: list[tuple[float, float | None]], words: str
) -> None:
    course = Course(rule)
    for seconds, value in stretches:
        course.say(seconds, value, rule.metric)
    assert " ".join(course.words()) == words
    assert len(course.watch.alerts()) == len(course.words()) % 2


@pytest.mark.parametrize(
    ("rule", "limits", "figures", "threshold"),
    [
        (
            Rule(m.TEMPERATURE, Side.ABOVE, -2.0, 5.0, of_limit=True),
            {"temperature_max": 89.0, "temperature_slowdown": 95.0},
            *((87.0, 88.0), 87.0),
        ),
        (
            Rule(m.MEMORY_FREE, Side.BELOW, 0.02, 5.0, of_limit=True),
            {"memory_total": 100.0},
            *((2.5, 1.5), 2.0),
        ),
    ],
)
def test_the_threshold_can_be_counted_from_the_cards_own_limit(
    rule: Rule, limits: dict[str, float], figures: tuple[float, float], threshold: float
) -> None:
    course = Course(rule)
    course.limits(**limits)
    for value, words in zip(figures, ([], ["began"]), strict=True):
        course.say(20, value, rule.metric)
        assert course.words() == words
    assert course.watch.alerts()[0].threshold == threshold


@pytest.mark.parametrize(
    ("state", "absence", "seconds"),
    [
        (CardState.NO_ANSWER, Absence.NO_ANSWER, UNKNOWN_AFTER + 1),
        (CardState.LOST, Absence.LOST, 1),
        (CardState.ASLEEP, Absence.ASLEEP, 1),
        (CardState.NO_DRIVER, Absence.NO_DRIVER, 1),
    ],
)
def test_an_alert_whose_figure_stays_away_ends_and_says_why_and_at_once_if_the_card_is_gone(
    state: CardState, absence: Absence, seconds: float
) -> None:
    course = Course()
    course.say(40, 90.0)
    course.say(seconds, None, absence=absence, state=state)
    ended = course.told[-1]
    assert (ended.why, ended.reason) == (Why.UNKNOWN, absence.sentence)
    assert ended.until == course.clock.now() - 1 - seconds  # the last figure that was read


figures = some.one_of(
    some.none(), some.floats(20, 110, allow_nan=False), some.sampled_from([84.9, 85.0, 85.1])
)


@settings(deadline=None)
@given(some.lists(some.tuples(figures, some.integers(1, 45)), max_size=40))
def test_beginnings_and_ends_alternate_and_each_has_its_grounds(
    stretches: list[tuple[float | None, int]],
) -> None:
    course = Course()
    began = course.clock.now()
    seen: list[float | None] = []
    for value, seconds in stretches:
        for _ in range(seconds):
            before = len(course.told)
            course.say(1, value)
            seen.append(value)
            for change in course.told[before:]:
                if change.why is None:
                    counted = [v for v in seen[round(change.since - began) :] if v is not None]
                    assert all(v > HOT.threshold for v in counted)
                    assert len(counted) > HOT.seconds
                elif change.why is Why.BACK:
                    assert all(v is not None and v <= HOT.threshold for v in seen[-6:])
                else:
                    assert all(v is None for v in seen[-round(UNKNOWN_AFTER) :])
    words = course.words()
    assert all((each == "began") == (position % 2 == 0) for position, each in enumerate(words))
    assert len(course.watch.alerts()) == len(words) % 2
