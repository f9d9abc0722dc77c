"""Which card PyTorch means, what is said of those that it cannot use, and what they hold."""

import os

import pytest

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.lab.forms.compute import OF_TENSORS, expectations
from gpuexplorer.gui.lab.forms.form import Around
from gpuexplorer.gui.state.lab.devices import BenchDevice, DeviceFacts, find_contexts
from gpuexplorer.lab.events import Device, Finished, Hello, Memory
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from tests.clocks import ManualClock
from tests.gui.lab.conftest import GIB, tensor

RTX, OLD = "NVIDIA TITAN RTX", "NVIDIA GeForce GTX 1080"
FIRST, SECOND = "a1b2c3d4-0000-1111-2222-333344445555", "f6e7d8c9-0000-1111-2222-333344445555"
HOST = ("workbench", Reading(HOST_ID, 0.0, {}))
Found = dict[str, BenchDevice]


def card(
    index: int, uuid: str, name: str = RTX, parent: str = "", cuda: int | None = 0
) -> Card:
    capability = (6, 1) if name == OLD else (7, 5)
    of = CardId(parent) if parent else None
    size, known = 24 * GIB, {"cuda_index": cuda, "compute_capability": capability}
    return Card(CardId(uuid), index, name, size, parent=of, **known)  # type: ignore[arg-type]


A, B, B_OLD = (card(0, f"GPU-{FIRST}"), card(1, f"GPU-{SECOND}"), card(1, f"GPU-{SECOND}", OLD))
# A card that is split: its instances are named by their own UUIDs.
PARTS = [card(0, f"MIG-{number}{SECOND}", parent=A.id) for number in range(2)]


def offered(number: int, uuid: str = "", name: str = RTX, **more: object) -> Device:
    usual: dict[str, object] = {"total_bytes": 24 * GIB, "capability": (7, 5)}
    return Device(f"cuda:{number}", name, uuid, **{**usual, **more})  # type: ignore[arg-type]


def told(
    devices: list[Device],
    cards: list[Card],
    build: str = "CUDA 12.8",
    visible: tuple[int, ...] | None = None,
    lost: str = "",
    driver: str = "580.65",
) -> Found:
    """By PyTorch's name; those that have none by the number of their card."""
    ledger = Ledger()
    every = (Device("cpu", "x86_64"), *devices, Device("meta", "shapes without values"))
    ledger.apply(Hello(0, "3.11.7", "2.8.0", build, simulated=False, devices=every))

    def reading(card: CardId) -> Reading | None:
        return Reading(card, 0.0, {}, {}, CardState.LOST) if card == f"GPU-{lost}" else None

    found = DeviceFacts(ledger, arrange(cards), reading, HOST, visible, driver=driver).devices()
    return {each.name or f"card {each.chip}": each for each in found}


def nothing(reason: str, way_out: str = "") -> Device:
    """What a PyTorch says that has no card."""
    said = (Message(reason), Message(way_out))
    none = "no card of this PyTorch"
    return Device("cuda:0", none, usable=False, reason=said[0], way_out=said[1])


@pytest.mark.parametrize(
    ("devices", "cards", "chips"),
    [
        ([offered(0, FIRST), offered(1, SECOND)], [A, B], ["0", "1"]),
        ([offered(0, SECOND), offered(1, FIRST)], [A, B], ["1", "0"]),  # in another order
        ([offered(0)], [A], ["0"]),  # an older PyTorch without UUIDs, and only one card
        ([offered(0, name=OLD), offered(1)], [A, B_OLD], ["1", "0"]),  # by their names
        ([offered(0, f"1{SECOND}")], [A, *PARTS], [PARTS[1].id]),
        ([offered(0, FIRST)], [A, PARTS[0]], [PARTS[0].id]),  # its card alone is named
    ],
)
def test_which_card_pytorch_means(
    devices: list[Device], cards: list[Card], chips: list[str]
) -> None:
    found = told(devices, cards)
    for device, chip in zip(devices, chips, strict=True):
        assert chip in (found[device.name].chip, found[device.name].card)
    # The card of an instance is no second device, and neither is the instance not used.
    assert set(found) == {"cpu", "meta", *(each.name for each in devices)}


BOTH = [offered(0, FIRST), offered(1, SECOND)]
CPU_ONLY = nothing("This PyTorch is a build for the processor only.")
TOO_OLD = nothing("The NVIDIA driver is too old for this PyTorch.", "Update the driver.")
NAMELESS = told([offered(0), offered(1)], [A, B])


@pytest.mark.parametrize(
    ("found", "column", "reason", "way_out"),
    [
        (told(BOTH[::-1], [B, A]), "cuda:0", "", ""),
        (told([offered(0, SECOND)], [A, B]), "cuda:0", "card 1 of nvidia-smi and of this", ""),
        (
            told(BOTH[1:], [A, B], visible=(1,)),
            "card 0",
            "the lab may see",
            "Release the cards",
        ),
        (NAMELESS, "cuda:0", "no UUID, and 2 cards here are called NVIDIA TITAN RTX", ""),
        (NAMELESS, "card 1", "this PyTorch does not say which.", "A newer PyTorch does."),
        (told(BOTH[:1], [A, *PARTS]), "cuda:0", "one of the 2 instances of card 0", ""),
        (told([], [A, PARTS[0]]), "card 0", "It is split", "CUDA_VISIBLE_DEVICES"),
        (told(BOTH, [A, B], lost=FIRST), "cuda:0", "lost this card", "Release the cards"),
        (told(BOTH, [A]), "cuda:1", "None of the cards that this window reads", ""),
        (told([CPU_ONLY], [A], "CPU"), "card 0", "the processor only", "built for CUDA 13.0"),
        (told([], [A], "CPU", driver="535.104"), "card 0", "the processor only", "CUDA 12.6"),
        (told([TOO_OLD], [A, B]), "card 1", TOO_OLD.reason, TOO_OLD.way_out),
        (told([TOO_OLD], []), "cuda:0", TOO_OLD.reason, TOO_OLD.way_out),
    ],
)
def test_why_a_card_is_not_used_and_what_to_do_about_it(
    found: Found, column: str, reason: str, way_out: str
) -> None:
    device, meta = found[column], found["meta"]
    assert (reason in device.reason, bool(reason)) == (True, bool(device.reason))
    assert (way_out in device.way_out, bool(way_out)) == (True, bool(device.way_out))
    assert device.usable == (not way_out)
    assert (meta.card, meta.reason, meta.usable) == (None, "", True)


@pytest.mark.parametrize(
    ("build", "device"),
    [
        ("ROCm 6.4", Device("cuda:0", "AMD Radeon RX 7900 XTX", "", 24 * GIB, (11, 0))),
        ("XPU", Device("xpu:0", "Intel Arc B580")),
        ("CPU", Device("mps", "Apple GPU")),
    ],
)
def test_a_card_of_another_maker_works_and_is_not_plotted(build: str, device: Device) -> None:
    found = told([device], [A], build=build)[device.name]
    assert (found.usable, found.card) == (True, None)
    assert "nothing is plotted" in found.reason


def test_a_card_without_kernels_takes_copies_and_warns_of_computing() -> None:
    reason = Message("This PyTorch has no kernels for compute capability 6.1: copies work.")
    old = offered(0, SECOND, OLD, capability=(6, 1), usable=False, reason=reason)
    device = told([old], [B_OLD])["cuda:0"]
    assert (device.usable, device.computes, device.reason[:12]) == (True, False, reason[:12])
    assert "CUDA 12.6" in device.way_out
    around, thing = Around(devices=(device,)), tensor("X")

    def said(key: str) -> list[str]:
        return list(expectations(OF_TENSORS[key], thing, None, around))

    assert device.reason in said("relu")
    assert device.reason not in said("to")


MIB, WORKER = 1 << 20, os.getpid()


@pytest.mark.parametrize(
    ("pid", "at", "known"),
    [(WORKER, 11.0, 334), (WORKER, 9.0, None), (os.getppid(), 11.0, None)],
    ids=("its own, after", "its own, before", "another"),
)
def test_the_context_is_what_the_process_holds_beside_pytorchs_memory(
    pid: int, at: float, known: int | None
) -> None:
    """By the driver's figure, told after the cell was done; of another process nothing."""
    ledger, book = Ledger(), ProcessBook(ManualClock(at))
    values = {ProcessFigure.MEMORY: 354.0 * MIB}
    process = CardProcess(A.id, pid, ProcessUse.COMPUTE, values)
    book.take(A.id, [NamedProcess(process, resolved=True)])

    def context(number: int, reserved: int) -> int | None:
        held = Memory("cuda:0", 4 * MIB, reserved * MIB, 1000 * MIB, 2000 * MIB)
        ledger.apply(Finished(number, 0.1, memory=(held,)))
        find_contexts(ledger, {"cuda:0": A.id}, book, WORKER, 10.0 if number == 1 else 12.0)
        return ledger.memory["cuda:0"].context_bytes

    expected = None if known is None else known * MIB
    assert context(1, reserved=20) == expected
    assert context(2, reserved=500) == expected  # it stays known
    ledger.lost()
    assert context(3, reserved=20) is None  # another worker has another
