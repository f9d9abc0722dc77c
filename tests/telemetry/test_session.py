"""A session: one source, what it last said, and what was tried before it."""

import threading
from collections.abc import Iterator

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session, card_numbers, remembering, session_on
from gpuexplorer.telemetry.sources import Vendor, first_that_answers, simulated
from tests.nvml_stub.stub import Stub


@pytest.fixture
def session() -> Iterator[Session]:
    session = remembering(session_on(simulated("2xTitanRTX"), interval=0.1))
    yield session
    assert session.stop(5.0)


def test_everything_that_is_known_is_put_together(session: Session) -> None:
    session.want()
    session.start()
    assert session.wait_for_sweeps(1, 10.0)
    for card in session.cards():
        reading = session.reading(card.id)
        assert reading is not None
        for metric in ("gpu_utilization", "fan_speed", "pcie_receive"):
            assert MetricId(metric) in reading.values or MetricId(metric) in reading.missing
        assert session.state_sentence(card.id) == "working"
    assert session.named_processes()
    assert session.simulated


def test_before_the_first_answer_nothing_is_made_up(session: Session) -> None:
    card = session.cards()[0]
    assert session.reading(card.id) is None
    assert session.state_sentence(card.id) == "not read yet"


def test_a_session_says_when_its_computer_has_no_swap(session: Session) -> None:
    swap = session.read_host().values.get(MetricId("swap_total"))
    assert any("swap" in note for note in session.notes()) is (swap == 0)


def test_a_source_that_fails_says_why_and_the_next_is_tried(stub: Stub) -> None:
    stub.configure("cards=2;init=no_permission")
    vendors = [Vendor("NVIDIA", NvmlBackend), Vendor("Make-believe", lambda: simulated("1xT4"))]
    backend, attempts = first_that_answers(vendors)
    assert backend is not None
    assert backend.source.simulated
    [attempt] = attempts
    assert attempt.name == "NVIDIA"
    assert "may not talk" in attempt.sentence
    backend.close()


def test_where_nothing_answers_every_reason_stays_visible(stub: Stub) -> None:
    stub.configure("init=library")
    backend, attempts = first_that_answers([Vendor("NVIDIA", NvmlBackend)])
    assert backend is None
    assert [attempt.name for attempt in attempts] == ["NVIDIA"]


A, BUSY, FAN = CardId("a"), MetricId("gpu_utilization"), MetricId("fan_speed")


def known(session: Session, *samples: Sample) -> Reading:
    for sample in samples:
        session.take(sample)
    reading = session.reading(A)
    assert reading is not None
    return reading


def test_the_newest_sample_of_each_round_counts(session: Session) -> None:
    session.want()
    reading = known(
        session,
        Sample(A, 1.0, {BUSY: 0.1}),
        Sample(A, 2.0, {FAN: 0.4}),
        Sample(A, 3.0, {BUSY: 0.3}),
    )
    assert (reading.values, reading.at) == ({BUSY: 0.3, FAN: 0.4}, 3.0)
    assert session.reading(A) is reading  # until something changes


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


def test_cards_and_their_instances_are_numbered_as_people_say_it(
    stub: Stub,
) -> None:
    stub.configure("cards=2;mig=1:2")
    backend = NvmlBackend()
    backend.open()
    assert list(card_numbers(backend.cards()).values()) == ["0", "1", "1.0", "1.1"]
    backend.close()


def test_a_call_that_does_not_return_in_time_is_told_of_when_it_does() -> None:
    let_go, came = threading.Event(), threading.Event()
    asked = Asked(lambda: let_go.wait(10), came.set)
    assert asked.answered_within(0.05) is False
    let_go.set()
    assert came.wait(10)
    assert asked.result() is True


def test_a_call_that_fails_fails_where_it_was_asked() -> None:
    def fail() -> None:
        raise Trouble("No.")

    asked = Asked(fail)
    assert asked.answered_within(10)
    with pytest.raises(Trouble, match=r"No\."):
        asked.result()
