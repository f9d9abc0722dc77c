"""Cards and drivers that change while they are read: nothing leaks, nothing is told wrongly."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.session import Session, remembering, session_on
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import PATIENCE, Nvml, read, until


def test_a_card_that_hung_at_the_start_is_taken_in_when_it_answers(nvml: Nvml) -> None:
    backend = nvml.open("cards=2;hung=0")
    assert read(backend).state is CardState.NO_ANSWER
    assert read(backend, place=1).state is CardState.WORKING
    nvml.set("hung=none")
    nvml.release()
    until(lambda: backend.cards()[0].id.startswith("GPU-"))
    assert read(backend).state is CardState.WORKING
    assert backend.generation == 1
    assert [card.cuda_index for card in backend.cards()] == [0, 1]
    assert backend.notes() == []


def test_a_card_lost_at_the_start_comes_back_with_its_name_and_its_number(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=2;lost=1", clock)
    assert read(backend, place=1).state is CardState.LOST
    nvml.set("lost=none")
    clock.advance(11)
    read(backend, place=1)
    until(lambda: backend.cards()[1].id.startswith("GPU-"))
    assert read(backend, place=1).state is CardState.WORKING
    assert backend.cards()[1].cuda_index == 1
    assert backend.notes() == []


def test_instances_made_later_are_found(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;mig=0:1")
    assert len(backend.cards()) == 2
    nvml.set("mig=0:3")
    read(backend, Cadence.SLOW)
    until(lambda: len(backend.cards()) == 4)
    nvml.set("mig=0:1")
    read(backend, Cadence.SLOW)
    until(lambda: len(backend.cards()) == 2)


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
