"""Cards that do not exist: PyTorch's own refusals, and what torch.cuda answers for them."""

import pytest

torch = pytest.importorskip("torch")

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


def test_numpy_needs_the_host(two: Bench) -> None:
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        two.run("X.numpy()")
    assert two.run("X.requires_grad_().numpy(force=True)").tolist() == [[1, 1, 1], [1, 1, 1]]


NOT_OFFERED = {
    "torch.ones(2, 2).cuda().to_sparse()": "sparse tensors",
    "torch.sparse_coo_tensor([[0], [1]], [1.0], (2, 2), device='cuda')": "sparse tensors",
    "nn.Embedding(3, 2, sparse=True).cuda()(X[0].long()).sum().backward()": "sparse tensors",
    "torch.from_dlpack(X)": "DLPack",
    "X.__cuda_array_interface__": "__cuda_array_interface__",
    "torch.cuda.CUDAGraph()": "CUDA graphs",
    "torch.export.export(nn.Linear(3, 1).cuda(), (X,))": "torch.export",
    "torch.cuda.MemPool()": "pools of memory",
    "torch.cuda.ExternalStream(1)": "streams of other programs",
    "torch.cuda.memory._record_memory_history()": "snapshots of memory",
    "torch.cuda.utilization()": "questions to NVML",
    "torch.cuda.current_blas_handle()": "torch.cuda.current_blas_handle",
    "torch.set_default_tensor_type('torch.cuda.FloatTensor')": "set_default_tensor_type",
    "torch.jit.script(nn.Linear(3, 1)).cuda()": "modules of torch.jit",
    "torch.jit.trace(nn.Linear(3, 1).cuda(), X)": "modules of torch.jit",
    "torch.nested.nested_tensor([X, X])": "nested tensors",
}


@pytest.mark.parametrize("line", NOT_OFFERED)
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_offered_says_so_by_name(two: Bench, line: str) -> None:
    with pytest.raises(NotImplementedError) as refused:
        two.run(line)
    assert str(refused.value).startswith("Simulated cards do not offer ")
    assert NOT_OFFERED[line] in str(refused.value)


def test_data_parallel_spreads_a_batch_over_all_cards(virtual: Bench) -> None:
    virtual.run("net, X = nn.Linear(3, 2).cuda(0), torch.randn(8, 3).cuda(0)")
    virtual.run("Y = nn.DataParallel(net)(X)", "Y.sum().backward()")
    assert torch.allclose(virtual.values("Y"), virtual.run("net(X).detach().cpu()"))
    assert virtual.run("str(Y.device), str(net.weight.grad.device)") == ("cuda:0", "cuda:0")


OWN_WORDS = {
    "F.scaled_dot_product_attention(X[None], H[None], H[None])": "query.device: cuda:0 key",
    "torch.cdist(X, Y)": "cuda:1",
    "(W * 2).backward(torch.ones(2, 3))": "expected device cuda:0 but got cpu",
    "W.data.grad = X.sum(1)": "",
    "X.to('cuda', dtype='x')": "",
}


@pytest.mark.parametrize("line", OWN_WORDS)
def test_pytorch_names_the_devices_that_a_person_knows(two: Bench, line: str) -> None:
    two.run("H = torch.ones(2, 3)", "W = torch.ones(2, 3).cuda().requires_grad_()")
    with pytest.raises((RuntimeError, TypeError, ValueError)) as refused:
        two.run(line)
    assert OWN_WORDS[line] in str(refused.value)
    for word in ("lazy", "Lazy", "ipu", "IPU", "OnCard"):
        assert word not in str(refused.value)
