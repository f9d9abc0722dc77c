"""A session of another machine: as one of this computer, and it lives through a cut."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.remote.far import HERE, PATIENCE, Cable, Changes, machine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="agents run on Linux")
SPEC = "2xH100+nvlink"


@pytest.fixture
def cable(tmp_path: Path) -> Cable:
    return Cable(tmp_path)


@pytest.fixture
def changes() -> Changes:
    return Changes()


@pytest.fixture
def far(cable: Cable, changes: Changes) -> Iterator[FarMachine]:
    with machine(cable, changes, simulate=SPEC) as made:
        made.wait_until_up(PATIENCE)
        yield made


@pytest.fixture
def session(far: FarMachine) -> Iterator[Session]:
    made = remembering(Session(far.stream, 0.1))
    made.want()
    made.start()
    yield made
    made.stop(PATIENCE)


@pytest.fixture
def here() -> Iterator[Session]:
    made = remembering(session_on(simulated(SPEC, seed=7), (), 0.1))
    made.want()
    made.start()
    yield made
    made.stop(PATIENCE)


def values(session: Session, card: CardId) -> Mapping[MetricId, float]:
    reading = session.reading(card)
    return {} if reading is None else reading.values


def state(session: Session, card: CardId) -> CardState | None:
    reading = session.reading(card)
    return None if reading is None else reading.state


def test_it_knows_of_its_cards_what_a_session_here_would_know(
    session: Session, here: Session
) -> None:
    for each in (session, here):
        assert each.wait_for_sweeps(1, PATIENCE)
    assert session.cards() == here.cards()
    assert session.source == here.source
    assert session.host == here.host
    for card in here.cards():
        there_now, here_now = session.reading(card.id), here.reading(card.id)
        assert there_now is not None
        assert here_now is not None
        assert there_now.values.keys() == here_now.values.keys()
        assert there_now.missing == here_now.missing
        assert there_now.values.keys() | there_now.missing.keys() == metrics_of(card)
    wired = here.stream.wiring()
    assert session.stream.wiring() == replace(wired, links=tuple(wired.links))
    assert [(each.command, each.user) for each in session.named_processes()] == [
        (each.command, each.user) for each in here.named_processes()
    ]


def test_the_other_computer_itself_is_read_too(session: Session, changes: Changes) -> None:
    changes.wait(lambda: m.CPU_UTILIZATION in values(session, HOST_ID))
    reading = session.reading(HOST_ID)
    assert reading is not None
    assert session.read_host().values.keys() == reading.values.keys()


def test_what_nobody_wants_is_not_told(far: FarMachine) -> None:
    session = remembering(Session(far.stream, 0.1))
    session.want((Cadence.FAST,), processes=False)
    session.start()
    assert session.wait_for_fast_sweep(2, PATIENCE)
    reading = session.reading(session.cards()[0].id)
    assert reading is not None
    told = reading.values.keys() | reading.missing.keys()
    assert {METRICS[each].cadence for each in told} == {Cadence.FAST}
    assert not session.named_processes()
    session.stop(PATIENCE)


def test_beats_come_as_often_as_a_person_wants_them(session: Session) -> None:
    assert session.wait_for_fast_sweep(3, PATIENCE)
    taken = session.beats().taken
    assert taken >= 3
    session.set_interval(0.2)
    assert session.interval == 0.2
    assert session.wait_for_fast_sweep(taken + 5, PATIENCE)


def test_a_cut_is_a_gap_with_its_reason_and_afterwards_all_goes_on(
    session: Session, far: FarMachine, cable: Cable, changes: Changes
) -> None:
    began = session.clock.now()
    assert session.wait_for_sweeps(1, PATIENCE)
    assert session.wait_for_fast_sweep(3, PATIENCE)
    cards, card = session.cards(), session.cards()[0].id
    cable.pull()
    changes.wait(
        lambda: (
            (reading := session.reading(card)) is not None
            and reading.state is CardState.NO_CONNECTION
        )
    )
    reading = session.reading(card)
    assert reading is not None
    assert not reading.values
    assert set(reading.missing.values()) == {Absence.NO_CONNECTION}
    assert session.state_sentence(card) == "there is no connection to its computer"
    assert session.silence(card) is None
    assert not session.named_processes()
    cut = session.clock.now()
    changes.wait(lambda: far.now.state is LinkState.BROKEN and session.clock.now() > cut + 1.0)
    cable.put_in()
    changes.wait(lambda: m.GPU_UTILIZATION in values(session, card))
    assert session.cards() is cards
    kinds = [each.kind for each in session.happenings()]
    assert kinds.count(Kind.CONNECTION_LOST) == 1
    assert Kind.CARD_LOST not in kinds
    assert Kind.NO_ANSWER not in kinds
    trace = session.past.trace(card, m.GPU_UTILIZATION, began, session.clock.now(), 400)
    assert 0 in trace.counts  # nothing stands where nothing was read
    assert session.beats().missed > 5


def test_a_silence_counts_from_the_first_reading_that_did_not_come(
    cable: Cable, changes: Changes
) -> None:
    with machine(cable, changes, patience=4.0) as far:
        far.wait_until_up(PATIENCE)
        session = remembering(Session(far.stream, 0.1))
        session.want()
        session.start()
        assert session.wait_for_fast_sweep(3, PATIENCE)
        cable.pulled = True
        cable.freeze()
        changes.wait(
            lambda: any(each.kind is Kind.CONNECTION_LOST for each in session.happenings())
        )
        (lost,) = (each for each in session.happenings() if each.kind is Kind.CONNECTION_LOST)
        assert far.lost_at is not None
        assert lost.at == pytest.approx(far.lost_at + 0.1)
        session.stop(PATIENCE)


def test_a_card_that_does_not_answer_over_there_does_not_answer_here(
    cable: Cable, changes: Changes
) -> None:
    far = FarMachine(
        HERE,
        simulate="2xH100",
        faults="hung:1@0s",
        launch=cable.launch,
    )
    session = remembering(Session(far.stream, 0.1))
    far.connect()
    far.wait_until_up(PATIENCE)
    session.want()
    session.start()
    one, other = (card.id for card in session.cards())
    changes.wait(lambda: session.silence(other) is not None)
    assert session.state_sentence(other).startswith("no answer for")
    changes.wait(lambda: m.GPU_UTILIZATION in values(session, one))
    assert session.silence(one) is None
    assert far.stop(PATIENCE)


def test_a_command_gets_one_reading_of_each_card(far: FarMachine) -> None:
    asked = frozenset({m.GPU_UTILIZATION, m.MEMORY_USED})
    samples = [far.stream.read(card.id, asked) for card in far.stream.cards()]
    assert all(sample.values.keys() >= asked for sample in samples)
