"""What just happened: told once each, with its time."""

from collections import Counter
from collections.abc import Mapping

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.card_course import HappeningLog
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessUse

CARD, OTHER = CardId("GPU-a"), CardId("GPU-b")


class Log:
    """Feeds samples at the clock's time and keeps what was told."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.told: list[Happening] = []
        self.happenings = HappeningLog(self.clock, self.told.append)

    def sample(
        self,
        card: CardId = CARD,
        state: CardState = CardState.WORKING,
        seconds: int = 1,
        **values: float,
    ) -> None:
        self.gives(values, seconds, card, state)

    def gives(
        self,
        values: Mapping[str, float],
        seconds: int = 1,
        card: CardId = CARD,
        state: CardState = CardState.WORKING,
    ) -> None:
        """The same figures for so long."""
        figures = {MetricId(name): value for name, value in values.items()}
        for _ in range(seconds):
            self.happenings.consider(Sample(card, self.clock.now(), figures, {}, state))
            self.clock.advance(1.0)

    def refused(
        self,
        *names: str,
        seconds: int = 1,
        why: Absence = Absence.NOT_SUPPORTED,
        state: CardState = CardState.WORKING,
    ) -> None:
        """For so long none of these has a figure."""
        missing = {MetricId(name): why for name in names}
        for _ in range(seconds):
            self.happenings.consider(Sample(CARD, self.clock.now(), {}, missing, state))
            self.clock.advance(1.0)

    def kinds(self) -> list[Kind]:
        assert [*self.happenings.log()] == self.told
        return [happening.kind for happening in self.told]


def test_nothing_is_told_of_a_card_that_just_works() -> None:
    log = Log()
    for _ in range(3):
        log.sample(gpu_utilization=0.5, throttle_gpu_idle=1)
    assert log.kinds() == []


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


def test_a_card_lost_from_the_beginning_is_told_too() -> None:
    log = Log()
    log.sample(state=CardState.LOST)
    assert log.kinds() == [Kind.CARD_LOST]


def test_a_driver_that_goes_is_told_once_for_all_cards() -> None:
    log = Log()
    for state in (CardState.WORKING, CardState.NO_DRIVER, CardState.NO_DRIVER):
        log.sample(CARD, state)
        log.sample(OTHER, state)
    for _ in range(4):
        log.sample(CARD)
        log.sample(OTHER)
    assert log.kinds() == [Kind.DRIVER_GONE, Kind.DRIVER_BACK]
    assert log.told[0].card is None


def test_a_driver_that_is_back_with_a_lost_card_is_back_too() -> None:
    log = Log()
    log.sample()
    log.sample(state=CardState.NO_DRIVER, seconds=3)
    log.sample(state=CardState.LOST, seconds=3)
    assert log.kinds() == [Kind.DRIVER_GONE, Kind.DRIVER_BACK, Kind.CARD_LOST]
    assert log.told[1].lasted == 3.0


def test_throttling_has_a_beginning_and_an_end_and_does_not_flicker() -> None:
    log = Log()
    for flag in (0, 1, 1, 0, 1, 0, 0, 0):
        log.sample(throttle_sw_power_cap=flag)
    assert log.kinds() == [Kind.THROTTLING_BEGAN, Kind.THROTTLING_ENDED]
    assert log.told[0].sentence == "At its power limit"
    assert log.told[1].sentence == "At its power limit: ended"
    assert log.told[1].lasted == 3.0


def test_errors_that_were_there_before_are_no_news() -> None:
    log = Log()
    for errors in (3, 3, 5):
        log.sample(ecc_uncorrected=errors)
    assert log.kinds() == [Kind.MEMORY_ERROR]
    assert log.told[0].sentence == "2 memory errors could not be repaired"


def test_a_slow_link_counts_only_under_load() -> None:
    log = Log()
    for _ in range(4):
        log.sample(gpu_utilization=0.0)
        log.sample(pcie_width=8, pcie_width_max=16)
    assert log.kinds() == []
    for _ in range(4):
        log.sample(gpu_utilization=0.9)
        log.sample(pcie_width=8, pcie_width_max=16)
    assert log.kinds() == [Kind.SLOW_LINK]
    assert "x8 of x16" in log.told[0].sentence


@pytest.mark.parametrize("mode", [1, 2])
def test_lanes_that_a_virtual_machine_was_not_given_are_no_slow_link(mode: int) -> None:
    log = Log()
    for _ in range(4):
        log.sample(gpu_utilization=0.9)
        log.sample(pcie_width=8, pcie_width_max=16, virtualization_mode=mode)
    assert log.kinds() == []


def test_a_desktop_on_several_displays_keeps_a_card_busy_and_its_link_asleep() -> None:
    log = Log()
    for _ in range(4):
        log.sample(gpu_utilization=0.6, performance_state=5)
        log.sample(pcie_width=16, pcie_width_max=16, pcie_generation=1, pcie_generation_max=4)
    assert log.kinds() == []
    for _ in range(4):
        log.sample(gpu_utilization=0.6, performance_state=2)
        log.sample(pcie_width=16, pcie_width_max=16, pcie_generation=1, pcie_generation_max=4)
    assert log.kinds() == [Kind.SLOW_LINK]


def test_a_link_at_its_lowest_generation_while_idle_is_asleep_and_not_broken() -> None:
    log = Log()
    for _ in range(4):
        log.sample(gpu_utilization=0.0)
        log.sample(pcie_width=16, pcie_width_max=16, pcie_generation=1, pcie_generation_max=4)
    assert log.kinds() == []


def program(pid: int) -> NamedProcess:
    return NamedProcess(CardProcess(CARD, pid, ProcessUse.COMPUTE), resolved=False)


def test_processes_appear_and_end() -> None:
    log = Log()
    one, two = program(11), program(12)
    log.happenings.consider_processes(CARD, [one])
    log.happenings.consider_processes(CARD, [one, two])
    log.happenings.consider_processes(CARD, [two])
    assert log.kinds() == [Kind.PROCESS_APPEARED, Kind.PROCESS_ENDED]
    assert "12" in log.told[0].sentence
    assert "11" in log.told[1].sentence


FIGURES = {"gpu_utilization": 0.5, "memory_used": 1e9, "temperature": 50.0, "power_draw": 99.0}


def test_a_slowdown_of_one_reading_is_a_change_of_clocks_unless_it_has_a_cause() -> None:
    log = Log()
    for _ in range(3):
        log.sample(throttle_hw_slowdown=1)
        log.sample(throttle_hw_slowdown=0, seconds=3)
    assert log.kinds() == []
    log.sample(throttle_hw_slowdown=1, seconds=2)
    assert log.kinds() == [Kind.THROTTLING_BEGAN]
    log = Log()
    log.sample(throttle_hw_slowdown=1, throttle_hw_thermal_slowdown=1)
    assert log.kinds() == [Kind.THROTTLING_BEGAN, Kind.THROTTLING_BEGAN]


CAPPED = {"throttle_sw_power_cap": 1.0}


def test_throttling_is_not_known_any_more_when_it_cannot_be_read() -> None:
    log = Log()
    log.gives(CAPPED, 8)
    log.refused(*CAPPED, seconds=3)
    log.gives(CAPPED)
    log.refused(*CAPPED, seconds=5)
    assert log.kinds() == [Kind.THROTTLING_BEGAN]
    log.refused(*CAPPED, seconds=600)
    assert log.kinds() == [Kind.THROTTLING_BEGAN, Kind.THROTTLING_UNKNOWN]
    unknown = log.told[1]
    assert unknown.sentence.startswith("At its power limit: not known since ")
    assert unknown.sentence.endswith(" (this card does not report it)")
    assert unknown.lasted == 11.0  # until the last reading, not until it was told


@pytest.mark.parametrize(
    ("state", "why", "kind"),
    [
        (CardState.LOST, Absence.LOST, Kind.CARD_LOST),
        (CardState.ASLEEP, Absence.ASLEEP, Kind.ASLEEP),
        (CardState.NO_DRIVER, Absence.NO_DRIVER, Kind.DRIVER_GONE),
    ],
)
def test_throttling_is_not_known_at_once_when_the_card_is_away(
    state: CardState, why: Absence, kind: Kind
) -> None:
    log = Log()
    log.gives(CAPPED, 4)
    log.refused(*CAPPED, why=why, state=state)
    assert log.kinds() == [Kind.THROTTLING_BEGAN, Kind.THROTTLING_UNKNOWN, kind]
    assert why.sentence in log.told[1].sentence
    assert log.told[1].lasted == 3.0


def test_throttling_goes_on_while_a_card_does_not_answer_for_a_moment() -> None:
    log = Log()
    log.gives(CAPPED, 4)
    log.refused(*CAPPED, seconds=2, why=Absence.NO_ANSWER, state=CardState.NO_ANSWER)
    log.gives(CAPPED, 10)
    assert Kind.THROTTLING_UNKNOWN not in log.kinds()
    log.refused(*CAPPED, seconds=6, why=Absence.NO_ANSWER, state=CardState.NO_ANSWER)
    assert log.kinds()[-1] is Kind.THROTTLING_UNKNOWN


def test_throttling_that_can_be_read_again_is_told_again_when_it_stays_readable() -> None:
    log = Log()
    log.gives(CAPPED)
    for _ in range(20):
        log.refused(*CAPPED, seconds=10)
        log.gives(CAPPED, 10)
    assert log.kinds() == [Kind.THROTTLING_BEGAN, Kind.THROTTLING_UNKNOWN]
    log.gives(CAPPED, 30)
    assert log.kinds()[2:] == [Kind.THROTTLING_BEGAN]


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


def test_one_hiccup_is_no_event() -> None:
    log = Log()
    log.gives(FIGURES)
    log.refused(*FIGURES, seconds=3)
    log.gives(FIGURES, 60)
    assert log.kinds() == []


def test_another_round_with_other_figures_does_not_hide_that_the_usual_ones_are_gone() -> None:
    log = Log()
    log.gives(FIGURES)
    for _ in range(10):
        log.refused(*FIGURES)
        log.sample(pcie_width=16, pcie_width_max=16)
    assert log.kinds() == [Kind.NO_FIGURES]


def test_a_card_that_never_gave_figures_has_not_stopped_to() -> None:
    log = Log()
    log.refused(*FIGURES, seconds=60)
    assert log.kinds() == []


@pytest.mark.parametrize("seconds", [1, 7, 30])
@pytest.mark.parametrize(
    ("state", "why", "sentence"),
    [
        (CardState.WORKING, Absence.REFUSED, "The card gives figures only now and then"),
        (CardState.NO_ANSWER, Absence.NO_ANSWER, "The card answers only now and then"),
        (CardState.LOST, Absence.LOST, "The card is lost and comes back again and again"),
        (
            CardState.ASLEEP,
            Absence.ASLEEP,
            "The card falls asleep and wakes up again and again",
        ),
        (
            CardState.NO_DRIVER,
            Absence.NO_DRIVER,
            "The driver goes and comes back again and again",
        ),
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
    assert sentence in [each.sentence for each in log.told]
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


def test_programs_that_cannot_be_listed_are_not_known_and_end_when_they_were_last_seen() -> (
    None
):
    log = Log()
    one = program(11)

    def look(*processes: NamedProcess, seconds: int, known: bool = True) -> None:
        for _ in range(seconds // 2):
            log.happenings.consider_processes(CARD, processes if known else None)
            log.clock.advance(2.0)

    look(seconds=4)
    look(one, seconds=10)
    look(seconds=4, known=False)
    look(one, seconds=10)
    assert log.kinds() == [Kind.PROCESS_APPEARED]
    look(seconds=60, known=False)
    assert log.kinds()[1:] == [Kind.PROCESSES_UNKNOWN]
    look(seconds=60)
    assert log.kinds()[2:] == [Kind.PROCESS_ENDED, Kind.PROCESSES_KNOWN]
    assert log.told[2].lasted == 22.0


def test_a_load_that_is_not_known_any_more_makes_no_link_slow() -> None:
    log = Log()
    log.sample(gpu_utilization=0.9)
    for _ in range(4):
        log.refused("gpu_utilization")
        log.sample(pcie_width=8, pcie_width_max=16)
    assert Kind.SLOW_LINK not in log.kinds()


def test_a_link_that_flickers_is_told_as_slow_once() -> None:
    log = Log()
    for _ in range(100):
        log.sample(gpu_utilization=0.9, pcie_width=8, pcie_width_max=16, seconds=4)
        log.sample(gpu_utilization=0.9, pcie_width=16, pcie_width_max=16, seconds=4)
    assert log.kinds() == [Kind.SLOW_LINK]
