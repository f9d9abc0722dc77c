"""Which card PyTorch means, and what is said of those that it cannot use."""

import pytest

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.faces import Shown, arrange
from gpuexplorer.gui.lab.forms.compute import OF_TENSORS, expectations
from gpuexplorer.gui.lab.forms.form import Around
from gpuexplorer.gui.state.lab.devices import Bench, BenchDevice
from gpuexplorer.lab.events import Device, Hello
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.telemetry.facts import Reading
from tests.gui.lab.conftest import GIB, tensor

RTX, OLD = "NVIDIA TITAN RTX", "NVIDIA GeForce GTX 1080"
FIRST, SECOND = "a1b2c3d4-0000-1111-2222-333344445555", "f6e7d8c9-0000-1111-2222-333344445555"
HOST = ("workbench", Reading(HOST_ID, 0.0, {}))
META = Device("meta", "shapes without values")


def card(
    index: int,
    uuid: str,
    name: str = RTX,
    parent: str | None = None,
    capability: tuple[int, int] = (7, 5),
    cuda: int | None = 0,
) -> Card:
    return Card(
        CardId(uuid),
        index,
        name,
        24 * GIB,
        parent=None if parent is None else CardId(parent),
        cuda_index=cuda,
        compute_capability=capability,
    )


TWO = arrange([card(0, f"GPU-{FIRST}"), card(1, f"GPU-{SECOND}")])


def offered(number: int, uuid: str = "", name: str = RTX, **more: object) -> Device:
    usual: dict[str, object] = {"total_bytes": 24 * GIB, "capability": (7, 5)}
    return Device(f"cuda:{number}", name, uuid, **{**usual, **more})  # type: ignore[arg-type]


def told(
    devices: list[Device],
    cards: list[Shown],
    build: str = "CUDA 12.8",
    visible: tuple[int, ...] | None = None,
    states: dict[str, CardState] | None = None,
    driver: str | None = "580.65",
) -> dict[str, BenchDevice]:
    """By PyTorch's name; those that have none by the number of their card."""
    ledger = Ledger()
    every = (Device("cpu", "x86_64"), *devices, META)
    ledger.apply(Hello(0, "3.11.7", "2.8.0", build, simulated=False, devices=every))
    readings = {
        CardId(name): Reading(CardId(name), 0.0, {}, {}, state)
        for name, state in (states or {}).items()
    }
    found = Bench(ledger, cards, readings.get, HOST, visible, driver=driver).devices()
    return {each.name or f"card {each.chip}": each for each in found}


def test_pytorch_says_the_uuid_without_the_drivers_prefix() -> None:
    found = told([offered(0, FIRST), offered(1, SECOND)], list(TWO))
    assert [found[name].chip for name in ("cuda:0", "cuda:1")] == ["0", "1"]
    assert found["cuda:0"].reason == ""


def test_two_cards_of_one_name_are_told_apart_where_pytorch_counts_otherwise() -> None:
    found = told([offered(0, SECOND), offered(1, FIRST)], list(TWO))
    assert found["cuda:0"].card == f"GPU-{SECOND}"
    assert found["cuda:0"].colour == TWO[1].colour
    assert found["cuda:0"].reason == (
        "PyTorch's cuda:0 is card 1 of nvidia-smi and of this window."
    )


def test_of_visible_cards_in_an_order_of_their_own_each_is_found() -> None:
    found = told([offered(0, SECOND)], list(TWO), visible=(1,))
    assert found["cuda:0"].chip == "1"
    assert "not among the cards that the lab may see" in found["card 0"].reason
    assert "choose it among the visible ones" in found["card 0"].way_out


def test_an_older_pytorch_without_uuids_means_the_only_card() -> None:
    found = told([offered(0)], list(TWO[:1]))
    assert found["cuda:0"].chip == "0"


def test_without_uuids_cards_of_different_names_are_told_by_their_names() -> None:
    cards = arrange([card(0, f"GPU-{FIRST}"), card(1, f"GPU-{SECOND}", OLD)])
    found = told([offered(0, name=OLD), offered(1)], list(cards))
    assert [found[name].chip for name in ("cuda:0", "cuda:1")] == ["1", "0"]


def test_without_uuids_cards_of_one_name_are_not_guessed() -> None:
    found = told([offered(0), offered(1)], list(TWO))
    assert found["cuda:0"].card is None
    assert found["cuda:0"].usable
    assert found["cuda:0"].reason == (
        "This PyTorch reports no UUID, and 2 cards here are called NVIDIA TITAN RTX: it is not"
        " known which of them cuda:0 is."
    )
    assert "does not say which" in found["card 0"].reason
    assert found["card 1"].way_out == "A newer PyTorch does."


def test_a_mig_instance_is_found_by_its_own_uuid() -> None:
    parent = f"GPU-{FIRST}"
    cards = arrange(
        [card(0, parent), *(card(0, f"MIG-{n}{SECOND}", parent=parent) for n in range(2))]
    )
    found = told([offered(0, f"1{SECOND}")], list(cards))
    assert found["cuda:0"].card == f"MIG-1{SECOND}"
    # The card itself is no second device, and neither is the instance that is not used.
    assert set(found) == {"cpu", "cuda:0", "meta"}


def test_where_only_the_card_of_an_instance_is_named_that_is_said() -> None:
    parent = f"GPU-{FIRST}"
    one = arrange([card(0, parent), card(0, f"MIG-{SECOND}", parent=parent)])
    assert told([offered(0, FIRST)], list(one))["cuda:0"].card == f"MIG-{SECOND}"
    two = arrange(
        [card(0, parent), *(card(0, f"MIG-{n}{SECOND}", parent=parent) for n in range(2))]
    )
    device = told([offered(0, FIRST)], list(two))["cuda:0"]
    assert device.card == parent
    assert "one of the 2 instances of card 0" in device.reason


def test_a_split_card_of_which_nothing_is_used_says_so() -> None:
    parent = f"GPU-{FIRST}"
    cards = arrange([card(0, parent), card(0, f"MIG-{SECOND}", parent=parent)])
    found = told([], list(cards))
    assert "It is split" in found["card 0"].reason
    assert "CUDA_VISIBLE_DEVICES" in found["card 0"].way_out


def test_a_card_that_was_lost_meanwhile_says_so() -> None:
    states = {f"GPU-{FIRST}": CardState.LOST}
    found = told([offered(0, FIRST), offered(1, SECOND)], list(TWO), states=states)
    assert not found["cuda:0"].usable
    assert "lost this card" in found["cuda:0"].reason
    assert "Release the cards" in found["cuda:0"].way_out
    assert found["cuda:1"].usable


def test_a_card_that_the_driver_no_longer_lists_keeps_its_place() -> None:
    found = told([offered(0, FIRST), offered(1, SECOND)], list(TWO[:1]))
    assert found["cuda:1"].card is None
    assert "None of the cards that this window reads" in found["cuda:1"].reason


@pytest.mark.parametrize(
    ("build", "device"),
    [
        ("ROCm 6.4", Device("cuda:0", "AMD Radeon RX 7900 XTX", "", 24 * GIB, (11, 0))),
        ("XPU", Device("xpu:0", "Intel Arc B580")),
        ("CPU", Device("mps", "Apple GPU")),
    ],
)
def test_a_card_of_another_maker_works_and_is_not_plotted(build: str, device: Device) -> None:
    found = told([device], list(TWO[:1]), build=build)
    assert found[device.name].usable
    assert found[device.name].card is None
    assert "nothing is plotted" in found[device.name].reason


def test_meta_is_no_card_and_needs_no_reason() -> None:
    device = told([], list(TWO))["meta"]
    assert (device.card, device.reason, device.usable) == (None, "", True)


def test_a_real_card_meets_a_build_for_the_processor() -> None:
    nothing = Device(
        "cuda:0",
        "no card of this PyTorch",
        usable=False,
        reason=Message("This PyTorch is a build for the processor only."),
    )
    found = told([nothing], list(TWO[:1]), build="CPU")
    # One column for the card that is there, none for the one that is not.
    assert set(found) == {"cpu", "meta", "card 0"}
    assert found["card 0"].reason == "Your PyTorch is a build for the processor only."
    assert found["card 0"].way_out == (
        "Install PyTorch built for CUDA 13.0 into this Python,"
        " or choose another Python of the lab."
    )


@pytest.mark.parametrize("cards", [TWO, ()])
def test_a_build_for_cuda_that_finds_no_card_says_why_in_the_column(cards: list[Shown]) -> None:
    why = Message("The NVIDIA driver is too old for this PyTorch.")
    nothing = Device(
        "cuda:0",
        "no card of this PyTorch",
        usable=False,
        reason=why,
        way_out=Message("Update the driver."),
    )
    found = told([nothing], list(cards), build="CUDA 13.0")
    columns = {"card 0", "card 1"} if cards else {"cuda:0"}
    assert set(found) == {"cpu", "meta", *columns}
    for name in columns:
        assert not found[name].usable
        assert (found[name].reason, found[name].way_out) == (why, "Update the driver.")


def test_an_old_driver_is_told_what_suits_it() -> None:
    found = told([], list(TWO[:1]), build="CPU", driver="535.104")
    assert "CUDA 12.6" in found["card 0"].way_out


def test_a_card_without_kernels_takes_copies_and_warns_of_computing() -> None:
    cards = arrange([card(0, f"GPU-{FIRST}", OLD, capability=(6, 1))])
    reason = Message("This PyTorch has no kernels for compute capability 6.1: copies work.")
    old = offered(0, FIRST, OLD, capability=(6, 1), usable=False, reason=reason)
    device = told([old], list(cards))["cuda:0"]
    assert device.usable
    assert not device.computes
    assert device.reason == reason
    assert "CUDA 12.6" in device.way_out
    around = Around(devices=(device,))
    thing = tensor("X")

    def said(key: str) -> list[str]:
        return list(expectations(OF_TENSORS[key], thing, None, around, "", "cpu"))

    assert device.reason in said("relu")
    assert device.reason not in said("to")


def test_before_the_worker_is_there_a_card_without_a_number_says_why() -> None:
    missing = card(1, f"GPU-{SECOND}", cuda=None)
    cards = arrange([card(0, f"GPU-{FIRST}"), missing])
    found = Bench(Ledger(), cards, lambda _: None, HOST).devices()
    assert [each.name for each in found] == ["cpu", "cuda:0", ""]
    assert "CUDA gives it no number" in found[-1].reason
