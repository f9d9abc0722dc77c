"""Cards and drivers that change while they are read: nothing leaks, nothing is told wrongly."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.card_course import HappeningLog
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.session import Session, remembering, session_on
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import PATIENCE, Nvml, read, states, until


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


HANDLE = "nvmlDeviceGetHandleByIndex_v2"
REFUSALS = {
    "no_permission": (Absence.NO_PERMISSION, "/dev/nvidia*"),
    "not_supported": (Absence.NOT_SUPPORTED, "too new or too old"),
    "unknown": (Absence.REFUSED, "sudo dmesg"),
}


def reload_with(stub: Stub, backend: NvmlBackend, clock: ManualClock, config: str) -> None:
    """The driver goes while it is read, and comes back with this."""
    stub.set("driver=gone")
    states(backend)
    clock.advance(3)
    stub.set(f"driver=back;{config}")
    states(backend)


def test_cards_that_are_missing_after_a_reload_stay_and_say_so(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=8", clock)
    before = backend.cards()
    reload_with(nvml, backend, clock, "cards=3")
    assert [card.id for card in backend.cards()] == [card.id for card in before]
    assert [card.index for card in backend.cards()] == list(range(8))
    assert states(backend) == ["working"] * 3 + ["not listed"] * 5
    last = read(backend, place=7)
    assert set(last.missing.values()) == {Absence.UNLISTED}
    assert not last.values
    assert backend.cards()[7].cuda_index is None
    assert "Cards 3, 4, 5, 6, 7: the driver no longer lists it." in backend.notes()
    assert any("look for it with `lspci`" in note for note in backend.notes())


def test_cards_that_are_listed_again_need_no_restart(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=8", clock)
    before = backend.cards()
    reload_with(nvml, backend, clock, "cards=3")
    assert states(backend).count(CardState.UNLISTED) == 5
    nvml.set("cards=8")
    states(backend)
    assert states(backend) == ["working"] * 8
    assert backend.cards() == before
    assert backend.notes() == []


@pytest.mark.parametrize("answer", REFUSALS)
def test_a_card_is_taken_in_when_access_to_it_is_given(nvml: Nvml, answer: str) -> None:
    clock = ManualClock()
    backend = nvml.open(f"cards=2;fault={HANDLE}@1:{answer}", clock)
    happenings = HappeningLog(clock)
    happenings.consider(read(backend, place=1))
    nvml.set("fault=none")
    clock.advance(11)
    states(backend)
    until(lambda: not backend.cards()[1].nameless)
    assert states(backend) == ["working", "working"]
    assert [card.cuda_index for card in backend.cards()] == [0, 1]
    assert backend.notes() == []
    assert happenings.log()[0].sentence == "The driver gives no access to the card"


def test_numbers_that_cannot_be_are_not_shown_as_facts(nvml: Nvml) -> None:
    nonsense = ("total", "fans", "cores", "bus_width", "capability_major")
    indices = f"answer=nvmlDeviceGetIndex:{2**32 - 1}"
    others = ";".join(f"{key}=all:-1" for key in nonsense)
    backend = nvml.open(f"cards=2;{indices};{others}")
    for place, card in enumerate(backend.cards()):
        assert card.index == place
        assert card.memory_bytes is None
        assert card.fans == 0
        assert (card.cores, card.memory_bus_bits) == (None, None)
        assert card.compute_capability is None
    assert states(backend) == ["working"] * 2
    assert MetricId("memory_total") not in read(backend).values
