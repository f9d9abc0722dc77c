"""What just happened and what is to be told: once each, with its time, without flicker."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.alerts import UNKNOWN_AFTER, Alert, Rule, Side, Watch, Why
from gpuexplorer.telemetry.card_course import HappeningLog
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessUse
from tests.clocks import ManualClock

CARD, OTHER = CardId("GPU-a"), CardId("GPU-b")


FIGURES = {"gpu_utilization": 0.5, "memory_used": 1e9, "temperature": 50.0, "power_draw": 99.0}
CAPPED = {"throttle_sw_power_cap": 1.0}
WORKING = CardState.WORKING


class Log:
    """Feeds samples at the clock's time and keeps what was told."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.told: list[Happening] = []
        self.happenings = HappeningLog(self.clock, self.told.append)

    def gives(
        self,
        values: Mapping[str, float] = {},
        seconds: int = 1,
        card: CardId = CARD,
        state: CardState = WORKING,
        missing: Mapping[MetricId, Absence] = {},
    ) -> None:
        """The same figures for so long."""
        figures = {MetricId(name): value for name, value in values.items()}
        for _ in range(seconds):
            sample = Sample(card, self.clock.now(), figures, missing, state)
            self.happenings.consider(sample)
            self.clock.advance(1.0)

    def refused(
        self,
        *names: str,
        seconds: int = 1,
        why: Absence = Absence.NOT_SUPPORTED,
        state: CardState = WORKING,
    ) -> None:
        """For so long none of these has a figure."""
        self.gives({}, seconds, CARD, state, {MetricId(name): why for name in names})

    def kinds(self) -> list[Kind]:
        assert [*self.happenings.log()] == self.told
        return [happening.kind for happening in self.told]


def test_a_card_is_lost_once_and_back_once() -> None:
    log = Log()
    log.gives()
    log.gives(state=CardState.LOST, seconds=2)
    log.gives(seconds=5)
    assert log.kinds() == [Kind.CARD_LOST]
    log.gives(seconds=60)
    assert log.kinds() == [Kind.CARD_LOST, Kind.CARD_BACK]
    assert log.told[1].lasted == 2.0
    assert log.told[0].card == CARD
    assert log.told[0].wall < log.told[1].wall


def test_a_driver_that_goes_is_told_once_for_all_cards() -> None:
    log = Log()
    for state in (WORKING, CardState.NO_DRIVER, CardState.NO_DRIVER, *[WORKING] * 4):
        log.gives(card=CARD, state=state)
        log.gives(card=OTHER, state=state)
    assert log.kinds() == [Kind.DRIVER_GONE, Kind.DRIVER_BACK]
    assert log.told[0].card is None


def test_throttling_has_a_beginning_and_an_end_and_does_not_flicker() -> None:
    log = Log()
    for flag in (0, 1, 1, 0, 1, 0, 0, 0):
        log.gives({"throttle_sw_power_cap": flag})
    assert log.kinds() == [Kind.THROTTLING_BEGAN, Kind.THROTTLING_ENDED]
    sentences = [each.sentence for each in log.told]
    assert sentences == ["At its power limit", "At its power limit: ended"]
    assert log.told[1].lasted == 3.0


LANES = {"pcie_width": 8, "pcie_width_max": 16}
ALL_LANES = {"pcie_width": 16, "pcie_width_max": 16}
SLOW = {**ALL_LANES, "pcie_generation": 1, "pcie_generation_max": 4}
BUSY = {"gpu_utilization": 0.9}


@pytest.mark.parametrize(
    ("load", "link", "told"),
    [
        ({"gpu_utilization": 0.5, "throttle_gpu_idle": 1}, {}, ""),
        ({"gpu_utilization": 0.0}, LANES, ""),
        (BUSY, LANES, "The PCIe link runs at x8 of x16: look at the slot"),
        # A virtual machine was not given more.
        (BUSY, LANES | {"virtualization_mode": 1}, ""),
        (BUSY, LANES | {"virtualization_mode": 2}, ""),
        # Asleep while idle, also where a desktop on several displays keeps the card busy.
        ({"gpu_utilization": 0.0}, SLOW, ""),
        ({"gpu_utilization": 0.6, "performance_state": 5}, SLOW, ""),
        (
            {"gpu_utilization": 0.6, "performance_state": 2},
            SLOW,
            "The PCIe link runs at generation 1 of 4 under load",
        ),
    ],
)
def test_slow_links_are_told(load: dict[str, float], link: dict[str, float], told: str) -> None:
    log = Log()
    for _ in range(4):
        log.gives(load)
        log.gives(link)
    assert [each.sentence for each in log.told] == ([told] if told else [])
    assert set(log.kinds()) <= {Kind.SLOW_LINK}


@pytest.mark.parametrize("why", [Absence.NO_PERMISSION, Absence.NOT_SUPPORTED, Absence.REFUSED])
def test_a_card_that_gives_no_figures_any_more_is_told_with_the_reason(why: Absence) -> None:
    log = Log()
    log.gives(FIGURES, 3)
    log.refused(*FIGURES, seconds=20, why=why)
    log.gives(FIGURES, 20)
    assert log.kinds() == [Kind.NO_FIGURES, Kind.FIGURES_AGAIN]
    assert log.told[0].sentence == f"The card gives no usable figure: {why.sentence}"
    assert log.told[1].sentence == "The card gives figures again"
    assert log.told[1].lasted == 20.0


def test_one_hiccup_is_no_event_and_who_never_gave_figures_has_not_stopped_to() -> None:
    log = Log()
    log.refused(*FIGURES, seconds=60)
    log.gives(FIGURES)
    log.refused(*FIGURES, seconds=3)
    log.gives(FIGURES, 60)
    assert log.kinds() == []


@pytest.mark.parametrize("seconds", [1, 7, 30])
@pytest.mark.parametrize(
    ("state", "why", "sentence"),
    [
        (CardState.WORKING, Absence.REFUSED, "The card gives no usable figure"),
        (CardState.NO_ANSWER, Absence.NO_ANSWER, "The card does not answer"),
        (CardState.LOST, Absence.LOST, "The card is lost"),
        (CardState.ASLEEP, Absence.ASLEEP, "The card sleeps"),
        (CardState.NO_DRIVER, Absence.NO_DRIVER, "The driver is gone"),
    ],
)
def test_flicker_is_short(seconds: int, state: CardState, why: Absence, sentence: str) -> None:
    log = Log()
    for _ in range(1800 // seconds):
        log.gives(FIGURES | CAPPED, seconds)
        log.refused(*FIGURES, *CAPPED, why=why, state=state, seconds=seconds)
    assert len(log.told) <= 12, Counter(log.kinds())
    assert f"{sentence}; this comes and goes" in [each.sentence for each in log.told]
    log.gives(FIGURES, 300)
    counts = Counter(log.kinds())
    assert counts[Kind.RESTLESS] == counts[Kind.CALM] == 1
    for began, ended in (
        (Kind.CARD_LOST, Kind.CARD_BACK),
        (Kind.NO_ANSWER, Kind.ANSWERS_AGAIN),
        (Kind.ASLEEP, Kind.AWAKE),
        (Kind.DRIVER_GONE, Kind.DRIVER_BACK),
        (Kind.NO_FIGURES, Kind.FIGURES_AGAIN),
    ):
        assert counts[began] == counts[ended]


def test_a_driver_that_was_gone_is_back_when_no_card_that_said_so_is_listed_any_more() -> None:
    log = Log()
    log.refused(*FIGURES, why=Absence.NO_DRIVER, state=CardState.NO_DRIVER, seconds=2)
    log.happenings.gone(CARD)
    assert log.kinds() == [Kind.DRIVER_GONE, Kind.DRIVER_BACK]


def program(pid: int) -> NamedProcess:
    return NamedProcess(CardProcess(CARD, pid, ProcessUse.COMPUTE), resolved=False)


def test_processes_appear_and_end() -> None:
    log = Log()
    one, two = program(11), program(12)
    for look in ([one], [one, two], [two]):
        log.happenings.consider_processes(CARD, look)
    assert log.kinds() == [Kind.PROCESS_APPEARED, Kind.PROCESS_ENDED]
    assert "12" in log.told[0].sentence
    assert "11" in log.told[1].sentence


HOT = Rule(m.TEMPERATURE, Side.ABOVE, 85.0, 30.0)


class Course:
    """Feeds figures a second apart and keeps what was told."""

    def __init__(self, rule: Rule = HOT) -> None:
        self.clock = ManualClock()
        self.watch = Watch((rule,))
        self.told: list[Alert] = []

    def say(
        self,
        seconds: float,
        value: float | None,
        metric: MetricId = m.TEMPERATURE,
        absence: Absence = Absence.REFUSED,
        state: CardState = CardState.WORKING,
    ) -> None:
        """The same figure for so long; None for none."""
        for _ in range(round(seconds)):
            values = {} if value is None else {metric: value}
            missing = {metric: absence} if value is None else {}
            sample = Sample(CARD, self.clock.now(), values, missing, state)
            self.told += self.watch.consider(sample)
            self.clock.advance(1.0)

    def limits(self, **values: float) -> None:
        """What the slow round tells of the card itself."""
        figures = {MetricId(name): value for name, value in values.items()}
        self.told += self.watch.consider(Sample(CARD, self.clock.now(), figures))

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
