"""What just happened: told once each, with its time."""

from collections import Counter
from collections.abc import Mapping

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
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

    def sample(
        self, card: CardId = CARD, state: CardState = WORKING, seconds: int = 1, **told: float
    ) -> None:
        self.gives(told, seconds, card, state)

    def gives(
        self,
        values: Mapping[str, float],
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
    log.sample()
    log.sample(state=CardState.LOST, seconds=2)
    log.sample(seconds=5)
    assert log.kinds() == [Kind.CARD_LOST]
    log.sample(seconds=60)
    assert log.kinds() == [Kind.CARD_LOST, Kind.CARD_BACK]
    assert log.told[1].lasted == 2.0
    assert log.told[0].card == CARD
    assert log.told[0].wall < log.told[1].wall


def test_a_driver_that_goes_is_told_once_for_all_cards() -> None:
    log = Log()
    for state in (WORKING, CardState.NO_DRIVER, CardState.NO_DRIVER, *[WORKING] * 4):
        log.sample(CARD, state)
        log.sample(OTHER, state)
    assert log.kinds() == [Kind.DRIVER_GONE, Kind.DRIVER_BACK]
    assert log.told[0].card is None


def test_throttling_has_a_beginning_and_an_end_and_does_not_flicker() -> None:
    log = Log()
    for flag in (0, 1, 1, 0, 1, 0, 0, 0):
        log.sample(throttle_sw_power_cap=flag)
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
def test_a_slow_link_counts_only_under_load(
    load: dict[str, float], link: dict[str, float], told: str
) -> None:
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
def test_an_hour_of_flicker_is_a_few_lines(
    seconds: int, state: CardState, why: Absence, sentence: str
) -> None:
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
