"""FarMachine: connects, keeps on, says why not, and ends; a session of it is as one of this
computer, and lives through a cut; its seconds in ours.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.metrics import MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.clocks import ManualClock
from tests.remote.far import HERE, PATIENCE, SPEC, Cable, machine, wait

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="agents run on Linux")


@pytest.fixture
def cable(tmp_path: Path) -> Cable:
    return Cable(tmp_path)


@pytest.fixture
def far(cable: Cable) -> Iterator[FarMachine]:
    with machine(cable) as made:
        yield made


def test_it_is_up_once_the_other_side_said_who_it_is(far: FarMachine) -> None:
    assert far.now.state is LinkState.UP
    assert far.hello is not None
    assert [card.id for card in far.stream.cards()] == ["SIM-0", "SIM-1"]
    assert not far.now.why
    wait(lambda: far.stream.far_clock.best.round_trip < 60)
    assert far.stream.far_clock.differs is None


@pytest.mark.parametrize(("shift", "said"), [(90, "90 s ahead of"), (-7200, "7200 s behind")])
def test_a_clock_over_there_that_differs_is_said(tmp_path: Path, shift: int, said: str) -> None:
    wrong = f"import time; right = time.time; time.time = lambda: right() + {shift}"
    (tmp_path / "sitecustomize.py").write_text(wrong, "utf-8")

    def launch(_: HostName, command: str) -> list[str]:
        return ["env", f"PYTHONPATH={tmp_path}", "sh", "-c", command]

    far = FarMachine(HERE, simulate="2xH100", launch=launch)
    far.connect()
    far.wait_until_up(PATIENCE)
    session = Session(far.stream)
    wait(lambda: any(f"here is {said}" in each for each in session.notes()))
    assert far.stop(PATIENCE)


def test_a_link_that_falls_silent_is_given_up(cable: Cable) -> None:
    with machine(cable, patience=1.0) as far:
        cable.freeze()
        wait(lambda: "here has not answered for" in far.now.why)


def test_it_waits_longer_and_longer_before_it_tries_again() -> None:
    clock, waits, gone_since = ManualClock(), list[float](), set[float | None]()
    refused = "echo 'ssh: connect to host here port 22: Connection refused' >&2; exit 255"

    def on_change() -> None:
        if trying.now.retry_at is not None:
            waits.append(trying.now.retry_at - trying.now.since)
            gone_since.add(trying.lost_at)
        if len(waits) == 8:
            trying.stop(0.0)

    trying = FarMachine(
        HERE, launch=lambda *_: ["sh", "-c", refused], on_change=on_change, clock=clock
    )
    trying.connect()
    wait(lambda: trying.now.state is LinkState.ENDED)
    assert waits == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60])
    assert len(gone_since) == 1  # not since the last try


def test_what_only_a_person_can_mend_is_not_tried_again() -> None:
    tries = []

    def launch(host: HostName, command: str) -> list[str]:
        tries.append(host)
        said = "Permission denied (publickey)."
        return ["sh", "-c", f"echo 'me@here: {said}' >&2; exit 255"]

    far = FarMachine(HERE, launch=launch)
    far.connect()
    with pytest.raises(Trouble, match="here refuses this login"):
        far.wait_until_up(PATIENCE)
    assert far.now.state is LinkState.REFUSED
    assert far.now.retry_at is None
    far.retry_now()
    wait(lambda: len(tries) == 2 and far.now.state is LinkState.REFUSED)
    assert far.stop(PATIENCE)
    wait(lambda: far.now.state is LinkState.ENDED)


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
    there_used, here_used = (
        sorted((each.process.pid, each.command, each.user) for each in e.process_book.living())
        for e in (session, here)
    )
    assert there_used == here_used
    wait(lambda: m.CPU_UTILIZATION in values(session, HOST_ID))
    assert session.stream.host_now().values.keys() == values(session, HOST_ID).keys()


def test_a_cut_is_a_gap_with_its_reason_and_afterwards_all_goes_on(
    session: Session, far: FarMachine, cable: Cable
) -> None:
    began = session.clock.now()
    assert session.wait_for_sweeps(1, PATIENCE)
    assert session.wait_for_sweeps(3, PATIENCE, fast=True)
    cards, card = session.cards(), session.cards()[0].id
    cable.pull()
    wait(
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
    assert session.stream.silence(card) is None
    assert not session.process_book.living()
    cut = session.clock.now()
    wait(lambda: far.now.state is LinkState.BROKEN and session.clock.now() > cut + 1.0)
    cable.put_in()
    wait(lambda: m.GPU_UTILIZATION in values(session, card))
    assert session.cards() is cards
    kinds = [each.kind for each in session.happenings()]
    assert kinds.count(Kind.CONNECTION_LOST) == 1
    assert Kind.CARD_LOST not in kinds
    assert Kind.NO_ANSWER not in kinds
    trace = session.past.trace(card, m.GPU_UTILIZATION, began, session.clock.now(), 400)
    assert 0 in trace.counts  # nothing stands where nothing was read
    assert session.beats().missed > 5


def test_a_silence_counts_from_the_first_reading_that_did_not_come(cable: Cable) -> None:
    with machine(cable, patience=4.0) as far:
        session = remembering(Session(far.stream, 0.1))
        session.want()
        session.start()
        assert session.wait_for_sweeps(3, PATIENCE, fast=True)
        cable.pulled = True
        cable.freeze()
        wait(lambda: any(each.kind is Kind.CONNECTION_LOST for each in session.happenings()))
        (lost,) = (each for each in session.happenings() if each.kind is Kind.CONNECTION_LOST)
        assert far.lost_at is not None
        assert lost.at == pytest.approx(far.lost_at + 0.1)
        session.stop(PATIENCE)


def test_a_card_that_does_not_answer_over_there_does_not_answer_here(cable: Cable) -> None:
    with machine(cable, faults="hung:1@0s") as far:
        session = remembering(Session(far.stream, 0.1))
        session.want()
        session.start()
        one, other = (card.id for card in session.cards())
        wait(lambda: session.stream.silence(other) is not None)
        assert session.state_sentence(other).startswith("no answer for")
        wait(lambda: m.GPU_UTILIZATION in values(session, one))
        assert session.stream.silence(one) is None


def test_a_command_gets_one_reading_of_each_card(far: FarMachine) -> None:
    asked = frozenset({m.GPU_UTILIZATION, m.MEMORY_USED})
    samples = [far.stream.read(card.id, asked) for card in far.stream.cards()]
    assert all(sample.values.keys() >= asked for sample in samples)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(now=100.0)
