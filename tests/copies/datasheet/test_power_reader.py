"""Where no session reads the cards, a thread of its own reads what they draw."""

import threading

from gpuexplorer.copies.datasheet.power_log import PowerLog, PowerReader
from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import POWER_DRAW
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend

PATIENCE = 30.0


class CountingLog(PowerLog):
    """Tells when enough was read."""

    def __init__(self, enough: int) -> None:
        super().__init__()
        self.seen: list[Sample] = []
        self.enough = threading.Event()
        self._count = enough

    def take(self, sample: Sample) -> None:
        super().take(sample)
        self.seen.append(sample)
        if len(self.seen) >= self._count:
            self.enough.set()


def test_every_card_is_read_again_and_again_until_it_is_left() -> None:
    backend = SimulatedBackend(parse_machine("2xTitanRTX"))
    cards = [card.id for card in backend.cards()]
    log = CountingLog(4)
    with PowerReader(backend, cards, log):
        assert log.enough.wait(PATIENCE)
    count = len(log.seen)
    assert {sample.card for sample in log.seen} == set(cards)
    mean = log.mean(cards[0], log.seen[0].at - 1.0, log.seen[-1].at)
    assert mean.value is not None
    assert mean.value > 5
    assert mean.source.startswith("the mean of ")
    assert len(log.seen) == count
    assert not [each for each in threading.enumerate() if each.name == "read power"]


def test_without_cards_nothing_is_started() -> None:
    log = CountingLog(1)
    with PowerReader(SimulatedBackend(parse_machine("1xT4")), [], log):
        assert not [each for each in threading.enumerate() if each.name == "read power"]
    assert log.seen == []


def test_a_card_that_was_never_read_has_a_reason() -> None:
    figure = PowerLog().mean(CardId("GPU-1"), 10.0, 14.0)
    assert figure.value is None
    assert figure.reason.startswith("its power was not read in the 3.0 s that count")


def test_readings_before_and_after_do_not_count() -> None:
    log = PowerLog()
    card = CardId("GPU-1")
    for second in range(20):
        log.take(Sample(card, float(second), {POWER_DRAW: 100.0 * (second in (12, 13, 14))}))
    assert log.mean(card, 11.0, 14.0).value == 100.0
