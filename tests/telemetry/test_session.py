"""A session: one source, what it last said, and what was tried before it."""

from collections.abc import Iterator

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.session import Session, card_numbers, remembering, session_on
from gpuexplorer.telemetry.sources import Vendor, first_that_answers, simulated
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
