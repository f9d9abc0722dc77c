"""What stands on the bench, in words, and the code behind each thing done there."""

from dataclasses import replace

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.bench_lines import copy_line
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Held, Placed
from tests.gui.lab.conftest import tensor

CUDA_1 = BenchDevice("cuda:1", "TITAN RTX", "1")
HOST = BenchDevice("cpu", "host", "H")
SEQUENTIAL = (
    "Sequential(\n  (0): Linear(in_features=3, out_features=4, bias=True)\n  (1): ReLU()\n)"
)


def model(*holds: Held, size: int = 64) -> Placed:
    return Placed(1, "net", "model", "cuda:0", SEQUENTIAL, bytes=size, holds=holds)


ON_0, ON_1 = Held("cuda:0", "values", 1024, 1), Held("cuda:1", "values", 2048, 2)


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
