"""A session: one source, what it last said, and what was tried before it."""

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from time import monotonic

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId, metrics_of
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.facts import Fact, Reading
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.session import Session, card_numbers, remembering, session_on
from gpuexplorer.telemetry.sources import Vendor, first_that_answers, simulated
from gpuexplorer.telemetry.topology import Topology
from tests.nvml_stub.stub import Stub


@pytest.fixture
def session() -> Iterator[Session]:
    session = remembering(session_on(simulated("2xTitanRTX"), interval=0.1))
    yield session
    assert session.stop(5.0)


def test_everything_that_is_known_is_put_together_and_nothing_made_up_before(
    session: Session,
) -> None:
    first = session.cards()[0].id
    assert (session.reading(first), session.state_sentence(first)) == (None, "not read yet")
    session.want()
    session.start()
    assert session.wait_for_sweeps(1, 10.0)
    for card in session.cards():
        reading = session.reading(card.id)
        assert reading is not None
        for metric in ("gpu_utilization", "fan_speed", "pcie_receive"):
            assert MetricId(metric) in reading.values or MetricId(metric) in reading.missing
        assert session.state_sentence(card.id) == "working"
    assert session.process_book.living()
    assert session.simulated


@pytest.mark.parametrize("others", [[], [Vendor("Make-believe", lambda: simulated("1xT4"))]])
def test_a_source_that_fails_says_why_and_the_next_is_tried(
    stub: Stub, others: list[Vendor]
) -> None:
    stub.configure("cards=2;init=no_permission")
    backend, [attempt] = first_that_answers([Vendor("NVIDIA", NvmlBackend), *others])
    assert attempt.name == "NVIDIA"
    assert "may not talk" in attempt.sentence
    assert (backend is None) is (not others)
    if backend is not None:
        assert backend.source.simulated
        backend.close()


A, BUSY, FAN = CardId("a"), MetricId("gpu_utilization"), MetricId("fan_speed")


def known(session: Session, *samples: Sample) -> Reading:
    for sample in samples:
        session.take(sample)
    reading = session.reading(A)
    assert reading is not None
    return reading


def test_a_lost_card_shows_no_figure_that_a_slower_round_once_read(session: Session) -> None:
    session.want()
    lost = known(
        session,
        Sample(A, 1.0, {FAN: 0.4}),
        Sample(A, 3.0, {}, {BUSY: Absence.LOST}, CardState.LOST),
    )
    assert (lost.state, lost.values) == (CardState.LOST, {})
    assert lost.missing == {BUSY: Absence.LOST, FAN: Absence.LOST}
    back = known(
        session,
        Sample(A, 4.0, {BUSY: 0.1}),
        Sample(A, 4.0, {}, {FAN: Absence.LOST}, CardState.LOST),
        Sample(A, 4.1, {BUSY: 0.1}),
    )
    assert (back.values, back.missing) == ({BUSY: 0.1}, {FAN: Absence.NOT_YET})


def test_cards_and_their_instances_are_numbered_as_people_say_it(stub: Stub) -> None:
    stub.configure("cards=2;mig=1:2")
    backend = NvmlBackend()
    backend.open()
    assert list(card_numbers(backend.cards()).values()) == ["0", "1", "1.0", "1.1"]
    backend.close()


BUSY = MetricId("gpu_utilization")
TIMEOUT = 10.0


class Slow:
    """Cards that answer, until a test tells one to hang."""

    def __init__(self, cards: int = 3) -> None:
        self.source = Source("test", Message("test"))
        self._cards = [
            Card(CardId(f"card {index}"), index, f"card {index}", 1) for index in range(cards)
        ]
        self.asked: dict[str, list[frozenset[MetricId]]] = defaultdict(list)
        self.hanging: dict[str, threading.Event] = {}

    def open(self) -> None: ...

    def close(self) -> None:
        for event in self.hanging.values():
            event.set()

    def cards(self) -> Sequence[Card]:
        return self._cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        self.asked[card].append(frozenset(metrics))
        event = self.hanging.get(card)
        if event is not None:
            event.wait(TIMEOUT)
        return Sample(card, monotonic(), dict.fromkeys(metrics, 0.5))

    def heard(self, card: CardId) -> float:
        return 0.0

    def processes(self, card: CardId) -> Sequence[CardProcess]:
        return ()

    def topology(self) -> Topology:
        return Topology((), (), {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        threading.Event().wait(0.01)
        return ()

    def notes(self) -> Sequence[Message]:
        return ()


def reading(
    backend: Slow, seen: "Seen", interval: float = 0.1, patience: float = 0.15
) -> Session:
    session = Session(Local(backend, patience=patience), interval)
    session.attach(seen)
    return session


class Seen:
    """Samples as they come, and a way to wait for the one that is looked for."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self._more = threading.Condition()

    def __call__(self, fact: Fact) -> None:
        if isinstance(fact, Sample) and fact.card != HOST_ID:
            with self._more:
                self.samples.append(fact)
                self._more.notify_all()

    def wait(self, wanted: Callable[[Sample], bool], times: int = 1) -> list[Sample]:
        with self._more:
            found = self._more.wait_for(
                lambda: sum(map(wanted, self.samples)) >= times, timeout=TIMEOUT
            )
            assert found, "the sample did not come"
            return [sample for sample in self.samples if wanted(sample)]


@pytest.fixture
def backend() -> Slow:
    return Slow()


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def sampler(backend: Slow, seen: Seen) -> Iterator[Session]:
    sampler = reading(backend, seen)
    yield sampler
    backend.close()
    assert sampler.stop(TIMEOUT)


def of(card: str, state: CardState = CardState.WORKING) -> Callable[[Sample], bool]:
    return lambda sample: sample.card == card and sample.state is state


def test_only_what_somebody_wants_is_read(backend: Slow, seen: Seen, sampler: Session) -> None:
    want = sampler.want_metrics({BUSY})
    sampler.start()
    seen.wait(of("card 0"), 2)
    assert {metrics for asked in backend.asked.values() for metrics in asked} == {
        frozenset({BUSY})
    }
    sampler.release(want)


def test_a_card_that_hangs_says_so_the_others_go_on_and_it_is_read_again(
    backend: Slow, seen: Seen, sampler: Session
) -> None:
    backend.hanging["card 1"] = threading.Event()
    sampler.want_metrics({BUSY})
    sampler.start()
    [silent, *_] = seen.wait(of("card 1", CardState.NO_ANSWER))
    assert silent.missing == {BUSY: Absence.NO_ANSWER}
    assert (sampler.stream.silence(CardId("card 1")) or 0) > 0
    before = len(seen.wait(of("card 2")))
    seen.wait(of("card 2"), before + 3)
    seen.wait(of("card 0"), before + 3)
    assert sampler.stream.silence(CardId("card 0")) is None
    backend.hanging.pop("card 1").set()
    [late, *_] = seen.wait(of("card 1"), 6)
    assert late.at >= silent.at
    assert sampler.stream.silence(CardId("card 1")) is None


def test_one_sweep_can_be_waited_for_even_when_all_cards_hang(
    backend: Slow, seen: Seen, sampler: Session
) -> None:
    for card in backend.cards():
        backend.hanging[card.id] = threading.Event()
    sampler.want_metrics(metrics_of(backend.cards()[0]))
    sampler.start()
    assert sampler.wait_for_sweeps(1, TIMEOUT)
    for card in backend.cards():
        seen.wait(of(card.id, CardState.NO_ANSWER))
