"""Cards that the driver stops listing, refuses, or describes in nonsense: what is told."""

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.card_course import HappeningLog
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import Nvml, read, states, until

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
