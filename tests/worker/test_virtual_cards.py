"""Cards that do not exist: PyTorch's own refusals, and what torch.cuda answers for them."""

import re

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.lab.simulated_cards import simulated_cards  # noqa: E402
from gpuexplorer.simulation.specs import parse_machine  # noqa: E402
from gpuexplorer.worker.engines.virtual.engine import VirtualEngine  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402


def _found(one: str, other: str) -> str:
    return (
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{one} and {other}!"
    )


def _got(operand: str, here: str, others: str, method: str) -> str:
    return (
        f"Expected all tensors to be on the same device, but got {operand} is on {here}, "
        f"different from other tensors on {others} (when checking argument in method "
        f"wrapper_CUDA_{method})"
    )


DIFFER = {
    "X + Y": _found("cuda:0", "cuda:1"),
    "torch.ones(2, 3) * X": _found("cuda:0", "cpu"),
    "X @ Y.T": _got("mat2", "cuda:1", "cuda:0", "mm"),
    "torch.ones(2, 3) @ X.T": _got("mat2", "cuda:0", "cpu", "mm"),
    "nn.Linear(3, 1).cuda(0)(Y)": _got("mat1", "cuda:1", "cuda:0", "addmm"),
    "torch.cat([X, Y])": _got("tensors", "cuda:1", "cuda:0", "cat"),
    "nn.Embedding(4, 2).cuda(0)(torch.tensor([1]))": _got(
        "index", "cpu", "cuda:0", "_index_select"
    ),
    "F.cross_entropy(X, torch.tensor([0, 1]))": _got(
        "target", "cpu", "cuda:0", "nll_loss_forward"
    ),
    "nn.Conv2d(1, 1, 2).cuda(0)(torch.ones(1, 1, 3, 3))": (
        "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be "
        "the same"
    ),
    "X[torch.tensor([0]).cuda(1)]": (
        "indices should be either on cpu or on the same device as the indexed tensor (cuda:0)"
    ),
    "X.masked_fill(torch.ones(2, 3) > 0, 1.0)": (
        "expected self and mask to be on the same device, but got mask on cpu and self on "
        "cuda:0"
    ),
}


@pytest.fixture
def two(virtual: Bench) -> Bench:
    virtual.run("X = torch.ones(2, 3, device='cuda:0')", "Y = torch.rand(2, 3).cuda(1)")
    return virtual


@pytest.mark.parametrize("line", DIFFER)
def test_operands_on_two_devices_are_refused_as_real_cards_refuse_them(
    two: Bench, line: str
) -> None:
    with pytest.raises(RuntimeError) as refused:
        two.run(line)
    assert str(refused.value) == DIFFER[line]


def test_a_card_that_is_not_there_is_an_invalid_ordinal(two: Bench) -> None:
    for line in ("X.cuda(2)", "X.to('cuda:7')", "torch.ones(2, device='cuda:5')"):
        with pytest.raises(torch.AcceleratorError, match="CUDA error: invalid device ordinal"):
            two.run(line)


def test_a_device_nobody_has_heard_of_is_refused_by_torch(two: Bench) -> None:
    with pytest.raises(RuntimeError, match="Invalid device string: 'cuda:x'"):
        two.run("torch.device('cuda:x')")
    with pytest.raises(RuntimeError, match="device type at start of device string: gpu"):
        two.run("X.to('gpu:0')")


def test_numpy_needs_the_host(two: Bench) -> None:
    text = (
        "can't convert cuda:0 device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )
    with pytest.raises(TypeError, match=re.escape(text)):
        two.run("X.numpy()")
    assert two.run("X.cpu().numpy()").tolist() == [[1, 1, 1], [1, 1, 1]]


def test_only_the_hosts_memory_can_be_pinned(two: Bench) -> None:
    two.run("P = torch.ones(4, pin_memory=True)", "Q = torch.ones(4).pin_memory()")
    assert two.run("P.is_pinned()")
    assert two.run("Q.is_pinned()")
    assert not two.run("torch.ones(4).is_pinned()")
    with pytest.raises(RuntimeError, match=r"cannot pin 'torch\.cuda\.FloatTensor'"):
        two.run("X.pin_memory()")


def test_a_gradient_lies_where_its_tensor_lies(two: Bench) -> None:
    two.run("W = torch.ones(2, 3, device='cuda:0', requires_grad=True)")
    with pytest.raises(RuntimeError, match="gradient located on device with index 1"):
        two.run("W.grad = Y")
    with pytest.raises(RuntimeError, match="gradient with device type 'cpu'"):
        two.run("W.grad = torch.ones(2, 3)")
    two.run("loss = (W.cuda(1) * Y).sum()", "loss.backward()")
    assert str(two.run("W.grad.device")) == "cuda:0"


def test_a_tensor_of_the_host_gets_its_gradient_on_the_host(virtual: Bench) -> None:
    virtual.run("W = torch.ones(3, requires_grad=True)", "loss = (W.cuda() * 2).sum()")
    virtual.run("loss.backward()")
    assert str(virtual.run("W.grad.device")) == "cpu"
    assert virtual.run("W.grad.tolist()") == [2, 2, 2]


def test_an_assignment_copies_from_any_device(two: Bench) -> None:
    two.run("X[0] = Y[0]", "Z = torch.zeros(3)", "Z.copy_(Y[1])", "X[1] = 7")
    assert two.run("X.tolist()")[0] == two.run("Y.tolist()")[0]
    assert two.run("Z.tolist()") == two.run("Y.tolist()")[1]
    assert two.run("X.tolist()")[1] == [7, 7, 7]


def test_a_printed_tensor_names_its_card(two: Bench) -> None:
    assert repr(two.things["X"]).endswith("[1., 1., 1.]], device='cuda:0')")
    two.run("E = torch.empty(0, 3, device='cuda:1')")
    assert repr(two.things["E"]) == "tensor([], size=(0, 3), device='cuda:1')"
    two.run("W = torch.ones(1, device='cuda:0', requires_grad=True)", "V = W * 2")
    assert repr(two.things["W"]) == "tensor([1.], device='cuda:0', requires_grad=True)"
    assert "grad_fn=<MulBackward0>" in repr(two.things["V"])


def test_torch_cuda_answers_for_simulated_cards(two: Bench) -> None:
    assert two.run("torch.cuda.device_count()") == 2
    assert two.run("torch.cuda.is_available()") is True
    assert two.run("torch.cuda.get_device_name(1)") == "NVIDIA TITAN RTX"
    assert two.run("torch.cuda.get_device_capability()") == (7, 5)
    assert two.run("torch.cuda.get_device_properties(0).total_memory") == 24 << 30
    assert two.run("torch.cuda.get_device_properties('cuda:1').uuid") == "SIM-1"
    assert two.run("torch.cuda.can_device_access_peer(0, 1)") is True
    assert two.run("torch.cuda.memory_stats()['allocated_bytes.all.current']") == 512
    assert two.run("torch.cuda.synchronize()", "torch.cuda.manual_seed_all(3)") is None
    assert str(two.run("torch.device(1)")) == "cuda:1"
    assert str(two.run("torch.device('cpu')")) == "cpu"
    properties = "_CudaDeviceProperties(name='NVIDIA TITAN RTX', major=7, minor=5, total_mem"
    assert repr(two.run("torch.cuda.get_device_properties(0)")).startswith(properties)


def test_the_current_card_is_the_one_without_a_number(virtual: Bench) -> None:
    virtual.run("torch.cuda.set_device(1)", "X = torch.ones(2, device='cuda')")
    assert str(virtual.run("X.device")) == "cuda:1"
    virtual.run("with torch.cuda.device(0): Y = X.cuda()")
    assert str(virtual.run("Y.device")) == "cuda:0"
    assert virtual.run("torch.cuda.current_device()") == 1


def test_what_is_not_offered_says_so_by_name(virtual: Bench) -> None:
    with pytest.raises(Trouble, match=r"torch\.cuda\.memory_summary is not offered"):
        virtual.run("torch.cuda.memory_summary()")


def test_the_books_functions_find_simulated_cards(virtual: Bench) -> None:
    assert str(virtual.run("try_gpu(1)")) == "cuda:1"
    assert str(virtual.run("try_gpu(10)")) == "cpu"
    assert [str(each) for each in virtual.run("try_all_gpus()")] == ["cuda:0", "cuda:1"]
    assert virtual.run("num_gpus()") == 2


def test_data_parallel_spreads_a_batch_over_all_cards(virtual: Bench) -> None:
    virtual.run("net = nn.Linear(3, 2).cuda(0)", "X = torch.randn(8, 3).cuda(0)")
    virtual.run("spread = nn.DataParallel(net)", "Y = spread(X)")
    assert str(virtual.run("Y.device")) == "cuda:0"
    assert torch.allclose(virtual.values("Y"), virtual.run("net(X).detach().cpu()"))
    virtual.run("loss = Y.sum()", "loss.backward()")
    assert str(virtual.run("net.weight.grad.device")) == "cuda:0"
    with virtual.engine.running():
        virtual.things["spread"](virtual.things["X"])
    between = {(each.source, each.target) for each in virtual.engine.transfers(0)}
    assert between == {("cuda:0", "cuda:1"), ("cuda:1", "cuda:0")}


def test_data_parallel_wants_the_model_on_its_first_card(virtual: Bench) -> None:
    virtual.run("spread = nn.DataParallel(nn.Linear(3, 2))")
    with pytest.raises(RuntimeError, match=r"parameters and buffers on device cuda:0"):
        virtual.run("spread(torch.ones(4, 3).cuda())")


def test_out_of_another_shape_is_refused_by_name(two: Bench) -> None:
    two.run("Z = torch.empty(0, device='cuda:0')")
    with pytest.raises(Trouble, match="out= must already have"):
        two.run("torch.add(X, X, out=Z)")


def test_what_was_refused_as_out_is_as_it_was(virtual: Bench) -> None:
    virtual.run("A = torch.ones(2, 3, device='cuda:0')", "R = A.T")
    with pytest.raises(Trouble, match="out= must already have"):
        virtual.run("torch.zeros(3, out=A)")
    assert virtual.run("A.tolist()") == [[1.0] * 3] * 2
    virtual.run("torch.zeros(2, 3, out=A)")
    assert virtual.run("R.tolist()") == [[0.0] * 2] * 3


def test_the_worker_takes_what_it_is_told() -> None:
    told = simulated_cards(parse_machine("2xTitanRTX"))
    names = [each.name for each in VirtualEngine(told.cards, told.links).devices()]
    assert names == ["cpu", "cuda:0", "cuda:1", "meta"]
