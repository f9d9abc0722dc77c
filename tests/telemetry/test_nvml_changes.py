"""Cards and drivers that change while they are read: nothing leaks, nothing is told wrongly."""

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.facts import Fact
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.session import Session, remembering, session_on
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import PATIENCE, Nvml, until


def read(backend: NvmlBackend, place: int = 0, *cadences: Cadence) -> Sample:
    card = backend.cards()[place]
    return backend.read(card.id, metrics_of(card, cadences or tuple(Cadence)))


def test_two_readers_that_find_the_driver_again_connect_once(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=2", clock)
    nvml.set("driver=gone")
    read(backend)
    nvml.set("driver=back;slow=0:0.02")
    clock.advance(3)
    readers = [threading.Thread(target=read, args=(backend, place)) for place in (0, 1, 0, 1)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert nvml.sessions() == 1
    backend.close()
    assert nvml.sessions() == 0


def test_a_card_that_hung_at_the_start_is_taken_in_when_it_answers(nvml: Nvml) -> None:
    backend = nvml.open("cards=2;hung=0")
    assert read(backend).state is CardState.NO_ANSWER
    assert read(backend, 1).state is CardState.WORKING
    nvml.set("hung=none")
    nvml.release()
    until(lambda: backend.cards()[0].id.startswith("GPU-"))
    assert read(backend).state is CardState.WORKING
    assert backend.generation == 1
    assert [card.cuda_index for card in backend.cards()] == [0, 1]
    assert backend.notes() == []


def test_cards_that_the_driver_starts_one_after_another_are_waited_for(nvml: Nvml) -> None:
    named = "nvmlDeviceGetName"
    backend = nvml.open(f"cards=2;slow={named}@0:1.8;slow={named}@1:3.6")
    assert [card.id.startswith("GPU-") for card in backend.cards()] == [True, True]


def test_closing_while_a_card_hangs_ends_the_connection_only_afterwards(nvml: Nvml) -> None:
    backend = nvml.open("cards=2;hung=0")
    backend.close()
    assert nvml.sessions() == 1
    nvml.release()
    until(lambda: nvml.sessions() == 0)


def test_a_card_lost_at_the_start_comes_back_with_its_name_and_its_number(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=2;lost=1", clock)
    assert read(backend, 1).state is CardState.LOST
    nvml.set("lost=none")
    clock.advance(11)
    read(backend, 1)
    until(lambda: backend.cards()[1].id.startswith("GPU-"))
    assert read(backend, 1).state is CardState.WORKING
    assert backend.cards()[1].cuda_index == 1
    assert backend.notes() == []


def test_a_card_that_comes_back_again_and_again_leaves_no_sample_behind(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1", clock)
    for _ in range(4):
        read(backend)
        nvml.set("lost=0")
        read(backend)
        clock.advance(11)
        nvml.set("lost=none")
        read(backend)
        clock.advance(1)
        until(lambda: read(backend).state is CardState.WORKING)
    backend.close()
    assert nvml.held() == 0


def test_instances_made_later_are_found(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;mig=0:1")
    assert len(backend.cards()) == 2
    nvml.set("mig=0:3")
    read(backend, 0, Cadence.SLOW)
    until(lambda: len(backend.cards()) == 4)
    nvml.set("mig=0:1")
    read(backend, 0, Cadence.SLOW)
    until(lambda: len(backend.cards()) == 2)


def test_an_instances_activity_is_asked_of_the_whole_card(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;mig=0:2")
    wanted = frozenset({MetricId("sm_activity")})
    instance = backend.cards()[1]
    first = backend.read(instance.id, wanted)
    assert first.missing == {MetricId("sm_activity"): Absence.NEEDS_TWO}
    assert MetricId("sm_activity") in backend.read(instance.id, wanted).values


def test_a_clock_that_goes_back_freezes_no_rate(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;clock=1000")
    wanted = frozenset({MetricId("nvlink_receive")})
    card = backend.cards()[0].id
    backend.read(card, wanted)
    nvml.set("clock=500")
    assert backend.read(card, wanted).missing
    nvml.set("clock=+1")
    assert backend.read(card, wanted).values


def test_memory_of_no_size_is_shared_memory_and_not_zero(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;kind=gb10;total=0:0;used=0:0;reserved=0:0")
    assert read(backend).missing[MetricId("memory_used")] is Absence.SHARED_MEMORY


def test_a_process_list_that_is_refused_for_once_ends_nobody(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;procs=0:2")
    card = backend.cards()[0].id
    assert backend.processes(card)
    nvml.set("refused=nvmlDeviceGetComputeRunningProcesses_v2;refuse_code=unknown")
    assert backend.processes(card) is None
    nvml.set("refused=none")
    assert backend.processes(card)


@pytest.fixture
def on_stub(stub: Stub, tmp_path: Path) -> Callable[[str], Session]:
    def start(config: str) -> Session:
        stub.configure(config)
        backend = NvmlBackend(bus=PciBus(tmp_path), environment={})
        backend.open()
        session = remembering(session_on(backend, interval=0.1, patience=0.15))
        session.want()
        session.start()
        return session

    return start


def test_a_session_ends_for_certain_and_lets_the_driver_go(
    stub: Stub, on_stub: Callable[[str], Session]
) -> None:
    session = on_stub("cards=2")
    assert session.wait_for_sweeps(1, PATIENCE)
    assert session.stop(1.0)
    until(lambda: stub.sessions() == 0)
    assert stub.held() == 0


def test_a_slow_card_is_read_and_not_called_silent(
    stub: Stub, on_stub: Callable[[str], Session]
) -> None:
    """Each of its calls takes a fifth of the patience, and a round twenty of them."""
    session = on_stub("cards=2")
    slow, quick = (card.id for card in session.cards())
    taken: Counter[CardId] = Counter()
    session.attach(lambda fact: taken.update([fact.card]) if isinstance(fact, Sample) else None)
    stub.set("slow=0:0.03")
    until(lambda: taken[quick] > 30)
    assert taken[slow]
    assert not any(each.kind is Kind.NO_ANSWER for each in session.happenings())
    stub.set("slow=0:0")
    session.stop(5.0)


def test_a_card_listed_under_its_own_name_ends_what_was_told_of_it(
    stub: Stub, on_stub: Callable[[str], Session]
) -> None:
    session = on_stub("cards=2;fault=nvmlDeviceGetHandleByIndex_v2@1:no_permission")
    until(lambda: any(each.kind is Kind.NO_ACCESS for each in session.happenings()))
    nameless = session.cards()[1].id
    stub.set("fault=none")
    session.backend._connection.find_again(nameless)
    until(lambda: not session.cards()[1].nameless)
    until(lambda: any(each.kind is Kind.ACCESS for each in session.happenings()))
    told = [each.kind for each in session.happenings() if each.card == nameless]
    assert told == [Kind.NO_ACCESS, Kind.ACCESS]
    session.stop(5.0)


def test_mig_that_comes_and_goes_is_not_called_a_lost_card_or_driver(
    stub: Stub, on_stub: Callable[[str], Session]
) -> None:
    session = on_stub("cards=2")
    assert session.wait_for_sweeps(1, PATIENCE)
    wrong = {Kind.CARD_LOST, Kind.DRIVER_GONE}
    for config in ("mig=0:2", "mig=0:0"):
        stub.set(config)
        whole = session.cards()[0]
        session.backend.read(whole.id, metrics_of(whole, [Cadence.SLOW]))
        beats = session.beats().taken
        until(lambda beats=beats: session.beats().taken > beats + 3)  # type: ignore[misc]  # mypy cannot infer a lambda's default
    assert not [each for each in session.happenings() if each.kind in wrong]
    assert session.stop(5.0)


def test_a_bug_in_a_listener_is_reported_and_the_reading_goes_on(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stub.configure("cards=2")
    reported: list[object] = []
    monkeypatch.setattr(threading, "excepthook", reported.append)
    seen: list[CardId] = []

    def listen(fact: Fact) -> None:
        if not isinstance(fact, Sample):
            return
        seen.append(fact.card)
        if len(seen) == 3:
            raise RuntimeError("a bug")

    backend = NvmlBackend(bus=PciBus(tmp_path), environment={})
    backend.open()
    session = Session(Local(backend, faults=False), 0.1, host=False)
    session.attach(listen)
    session.want([Cadence.FAST], processes=False)
    session.start()
    until(lambda: len(seen) > 8)
    assert len(reported) == 1
    assert session.stop(5.0)
