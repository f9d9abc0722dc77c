"""What stands on the bench, in words, and the code behind each thing done there."""

from dataclasses import replace

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.bench.bench import parts_of
from gpuexplorer.gui.lab.bench.blocks import (
    Block,
    amount,
    blocks_by_device,
)
from gpuexplorer.gui.state.lab.bench_lines import copy_line, delete_line
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Held, Placed
from tests.gui.lab.conftest import GIB, MIB, tensor

CUDA_0 = BenchDevice("cuda:0", "TITAN RTX", "0")
CUDA_1 = BenchDevice("cuda:1", "TITAN RTX", "1")
HOST = BenchDevice("cpu", "host", "H")
SEQUENTIAL = (
    "Sequential(\n  (0): Linear(in_features=3, out_features=4, bias=True)\n  (1): ReLU()\n)"
)


def blocks(*things: Placed, unnamed: int = 0) -> dict[str, list[Block]]:
    named = {each.name: each for each in things}
    found = blocks_by_device(named, {"cuda:0": (unnamed, None)})
    return {device: list(each) for device, each in found.items()}


def said(block: Block) -> str:
    """To a screen reader."""
    return block.spoken(CUDA_0, USUAL)


def model(*holds: Held, size: int = 64) -> Placed:
    return Placed(1, "net", "model", "cuda:0", SEQUENTIAL, bytes=size, holds=holds)


ON_0, ON_1 = Held("cuda:0", "values", 1024, 1), Held("cuda:1", "values", 2048, 2)


def test_a_model_on_two_devices_stands_on_both_with_what_it_has_there() -> None:
    found = blocks(model(ON_0, ON_1, Held("cuda:1", "gradients", 512, 3)))
    (here,), (there,) = found["cuda:0"], found["cuda:1"]
    assert said(here) == "net, model, Linear(3, 4), ReLU(), 1.00 KiB, rest on cuda:1"
    assert said(there).endswith("2.00 KiB, rest on cuda:0; gradients 512 B")


def test_a_model_an_optimiser_and_the_nameless_say_what_they_are() -> None:
    held = (Held("cuda:0", "state", 1024, 1),)
    adam = Placed(1, "opt", "optimiser", "", "Adam (\n)", holds=held)
    view = [tensor("X", holds=(ON_1,)), tensor("V", holds=(ON_1,))]
    here = blocks(model(ON_0), *view, adam, unnamed=8 * MIB)["cuda:0"]
    assert [said(each) for each in here] == [
        "unnamed, 8.00 MiB, nobody named it",
        "opt, optimiser, Adam, 1.00 KiB, its state",
        "V, tensor, 2×3, 24 B, same memory as X",
        "X, tensor, 2×3, 24 B",
        "net, model, Linear(3, 4), ReLU(), 64 B",
    ]


@pytest.mark.parametrize(
    ("shape", "device", "grid"),
    [
        ((2, 3), "cuda:0", (2, 3)),
        ((6,), "cuda:0", (1, 6)),
        ((), "cuda:0", (1, 1)),
        ((5, 3), "cuda:0", None),
        ((2, 3), "meta", None),
    ],
)
def test_values_are_shown_where_they_are_few(
    shape: tuple[int, ...], device: str, grid: tuple[int, int] | None
) -> None:
    assert blocks(tensor("X", device, shape))[device][0].grid == grid


@pytest.mark.parametrize(
    ("thing", "target", "by_host", "line"),
    [
        (tensor("X"), CUDA_1, False, "X_1 = X.cuda(1)"),
        (tensor("X"), HOST, False, "X_cpu = X.cpu()"),
        (tensor("X"), BenchDevice("mps", "", ""), False, 'X_mps = X.to("mps")'),
        (tensor("X"), CUDA_1, True, "X_1 = X.cpu().cuda(1)"),
        (tensor("n[0].weight"), CUDA_1, False, "n_0__weight_1 = n[0].weight.cuda(1)"),
        (model(ON_0), CUDA_1, False, 'net = net.to("cuda:1")'),
        (model(ON_0), HOST, False, "net = net.cpu()"),
        (model(ON_0), CUDA_1, True, 'net = net.cpu().to("cuda:1")'),
    ],
)
def test_a_tensor_is_copied_under_a_name_of_where_it_goes_and_a_model_moves(
    thing: Placed, target: BenchDevice, by_host: bool, line: str
) -> None:
    assert copy_line(thing, target, {"X"}, by_host=by_host) == line


@pytest.mark.parametrize(
    ("thing", "target", "why"),
    [
        (tensor("Z", "cuda:1"), CUDA_1, r"nothing is copied\. Z\.cuda\(1\) is Z\."),
        (tensor("X"), replace(CUDA_1, usable=False, reason=Message("Too old.")), "Too old"),
        (Placed(1, "a", "optimiser", "", "3"), CUDA_1, "make a new optimiser"),
        (Placed(1, "a", "value", "", "3"), CUDA_1, "no memory"),
        (Placed(1, "a", "container", "", "3"), CUDA_1, "one by one"),
        (None, CUDA_1, "Nobody named this memory"),
    ],
)
def test_what_cannot_be_copied_says_why(
    thing: Placed | None, target: BenchDevice, why: str
) -> None:
    with pytest.raises(Trouble, match=why):
        copy_line(thing, target, ())


def test_deleting_takes_all_names_since_memory_goes_with_the_last() -> None:
    assert delete_line(("X", "Z")) == "del X, Z"
    with pytest.raises(Trouble, match="empty_cache"):
        delete_line(())


def test_the_figures_of_a_device_are_in_one_unit_unless_too_little_would_be_left() -> None:
    device = BenchDevice(
        "cuda:0", "", "0",
        total_bytes=24 * GIB, free_bytes=1021 * MIB, tensor_bytes=24_000_000, cache_bytes=GIB,
        context_bytes=0, others_bytes=16 * GIB,
    )  # fmt: skip
    assert [str(amount(size or 0, device)) for *_, size, _ in parts_of(device)] == [
        "1.00 GiB", "22.9 MiB", "0 GiB", "16.0 GiB",
    ]  # fmt: skip
    large, small = blocks(tensor("B", bytes=900 * MIB), tensor("S"))["cuda:0"][::-1]
    assert "0.88 GiB" in large.spoken(device, USUAL)
    assert "24 B" in small.spoken(device, USUAL)
