"""What just happened: told once each, with its time."""

from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault
from gpuexplorer.telemetry.happenings import Happening, Happenings, Kind
from gpuexplorer.telemetry.processes import CardProcess, ProcessUse

CARD, OTHER = CardId("GPU-a"), CardId("GPU-b")


class Log:
    """Feeds samples at the clock's time and keeps what was told."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.told: list[Happening] = []
        self.happenings = Happenings(self.clock, self.told.append)

    def sample(
        self, card: CardId = CARD, state: CardState = CardState.WORKING, **values: float
    ) -> None:
        figures = {MetricId(name): value for name, value in values.items()}
        self.happenings.consider(Sample(card, self.clock.now(), figures, {}, state))
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
    log.sample(state=CardState.LOST)
    log.sample(state=CardState.LOST)
    log.sample()
    assert log.kinds() == [Kind.CARD_LOST, Kind.CARD_BACK]
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
    log.sample(CARD)
    log.sample(OTHER)
    assert log.kinds() == [Kind.DRIVER_GONE, Kind.DRIVER_BACK]
    assert log.told[0].card is None


def test_throttling_has_a_beginning_and_an_end_and_does_not_flicker() -> None:
    log = Log()
    for flag in (0, 1, 1, 0, 1, 0, 0, 0):
        log.sample(throttle_sw_power_cap=flag)
    assert log.kinds() == [Kind.THROTTLING_BEGAN, Kind.THROTTLING_ENDED]
    assert log.told[0].sentence == "At its power limit"
    assert log.told[1].sentence == "At its power limit: over"
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


def test_a_link_at_its_lowest_generation_while_idle_is_asleep_and_not_broken() -> None:
    log = Log()
    for _ in range(4):
        log.sample(gpu_utilization=0.0)
        log.sample(pcie_width=16, pcie_width_max=16, pcie_generation=1, pcie_generation_max=4)
    assert log.kinds() == []


def test_processes_appear_and_end() -> None:
    log = Log()
    one = CardProcess(CARD, 11, ProcessUse.COMPUTE)
    two = CardProcess(CARD, 12, ProcessUse.COMPUTE)
    log.happenings.consider_processes(CARD, [one])
    log.happenings.consider_processes(CARD, [one, two])
    log.happenings.consider_processes(CARD, [two])
    assert log.kinds() == [Kind.PROCESS_APPEARED, Kind.PROCESS_ENDED]
    assert "12" in log.told[0].sentence
    assert "11" in log.told[1].sentence


def test_an_xid_is_told_in_its_own_words() -> None:
    log = Log()
    log.happenings.consider_fault(
        HardwareFault(CARD, 79, Message("Xid 79: fallen off the bus"))
    )
    assert log.kinds() == [Kind.XID]
    assert log.told[0].sentence == "Xid 79: fallen off the bus"
