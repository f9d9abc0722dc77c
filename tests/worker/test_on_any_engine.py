"""Ordinary PyTorch gives on every engine what it gives on the processor."""

import functools
import io
import itertools
import math
import random
import sys
import types
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map_only

from tests.worker.benches import Bench, start_anew, virtual_bench

# Kernels that round differently: the processor's own for whole layers, and narrow numbers.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}

Snippet = Callable[[Any], Any]  # of a device, whatever values come of it
SNIPPETS: dict[str, Snippet] = {}


def snippet(made: Snippet) -> Snippet:
    SNIPPETS[made.__name__] = made
    return made


@snippet
def with_torch_device(device: torch.device) -> Any:
    with torch.device(device):
        x = torch.ones(2, 3)
        layer = nn.Linear(3, 1, bias=False)
        nn.init.constant_(layer.weight, 0.5)
        return x, layer(x), torch.tensor([1.0]), torch.as_tensor([2])


@snippet
def views(device: torch.device) -> Any:
    x = torch.zeros(4, 6).to(device)
    v = x.view(2, 12)
    v[0] = 1
    w = x.T
    w += 2
    x[1:3, ::2].mul_(10)
    x.diagonal().add_(5)
    x.unfold(1, 2, 2)[:, 0].sub_(1)
    return x, v, w.contiguous(), x.expand(2, 4, 6), x[..., None].squeeze(-1), w.is_contiguous()


@snippet
def indexing(device: torch.device) -> Any:
    x = torch.arange(20.0).reshape(4, 5).to(device)
    rows = torch.tensor([0, 2, 2]).to(device)
    a, b = x[rows].clone(), x[x > 7].clone()
    x[rows, 1] = -1
    x[torch.tensor([3])] = 0
    x[x < 0] = 5
    x[:, -1] = torch.ones(4)
    x[0, 0] = torch.tensor(9.0)
    x[1] = x[2]
    return a, b, x, x[[0, 1]], x[..., 0], x[None, 1:2], x[torch.tensor([True, False] * 2)]


@snippet
def one_value_to_the_host(device: torch.device) -> Any:
    x = torch.tensor([1.5, 2.5]).to(device)
    return (
        x.sum().item(),
        x.tolist(),
        float(x[0]),
        int(x[1]),
        bool(x[0]),
        math.sqrt(x[1]),
        [each.item() for each in x],
        1.5 in x,
    )


@snippet
def saved_and_loaded(device: torch.device) -> Any:
    x = torch.randn(4, 4).to(device)
    found = []
    for where in (None, "cpu", device, {str(device): "cpu"}, lambda storage, _: storage):
        file = io.BytesIO()
        torch.save({"x": x, "row": x[1], "n": 3}, file)
        file.seek(0)
        loaded = torch.load(file, map_location=where)
        loaded["x"][1] = 0  # the row is a view of it
        found.append((loaded["x"].cpu(), loaded["row"].cpu(), loaded["x"].device.type))
    return [each[:2] for each in found], found[1][2], found[2][2] == device.type


@snippet
def images(device: torch.device) -> Any:
    net = nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.BatchNorm2d(6), nn.Sigmoid(), nn.AvgPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 10)),
    ).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    inputs = torch.randn(8, 1, 28, 28).to(device)
    for _ in range(3):
        opt.zero_grad()
        loss = net(inputs).square().mean()
        loss.backward()
        opt.step()
    return loss.detach(), [each.detach() for each in net.parameters()]


def given(snippet: Snippet, device: str) -> Any:
    random.seed(7)
    torch.manual_seed(7)
    return snippet(torch.device(device))


@pytest.fixture(scope="module")
def on_the_processor() -> dict[str, Any]:
    """By PyTorch as it is, before anything stands in its place."""
    start_anew()
    return {name: given(each, "cpu") for name, each in SNIPPETS.items()}


@pytest.fixture
def in_force(on_the_processor: dict[str, Any]) -> Iterator[None]:
    bench = virtual_bench()
    with bench.engine.running():
        yield
    start_anew()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SNIPPETS)
def test_a_card_gives_what_the_processor_gives(
    name: str, on_the_processor: dict[str, Any], in_force: None
) -> None:
    alike(given(SNIPPETS[name], "cuda:1"), on_the_processor[name], name)


def alike(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, torch.Tensor):
        assert isinstance(found, torch.Tensor), where
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), where
        torch.testing.assert_close(
            found.detach().cpu(), expected.detach(), equal_nan=True, **TOLERANCE
        )
    elif isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key, each in expected.items():
            alike(found[key], each, f"{where}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), where
        for number, each in enumerate(expected):
            alike(found[number], each, f"{where}[{number}]")
    elif isinstance(expected, torch.device):
        assert str(found) in ("cpu", "cuda:1"), where
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-6, nan_ok=True), where
    else:
        assert found == expected, where


_MOST = 2  # samples of one operation
DTYPES = (torch.float32, torch.int64, torch.complex64)
# Named where they are refused: sparse, quantized and nested tensors, kernels of one's own.
_UNWRITTEN = "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty"
_SPARSE = "sparse.mm", "sparse.mmreduce", "sparse.sampled_addmm", "to_sparse"
DIFFERS = {
    **dict.fromkeys(_SPARSE, "sparse tensors are not offered"),
    **dict.fromkeys((*_UNWRITTEN, "new_empty_strided"), "nobody wrote the values"),
    **dict.fromkeys(("resize_", "resize_as_"), "nobody wrote the values that are added"),
    "tensor_split": "CUDA wants the indices on the host",
}
_NO_KERNEL = "_cuda\" not implemented for 'Long'", "dot\" not implemented for 'Long'"


def _calls(device: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Inputs are made on the processor, and go to the device."""
    if "expecttest" not in sys.modules:  # asked for, and not used by what is asked here
        sys.modules["expecttest"] = types.ModuleType("expecttest")
        sys.modules["expecttest"].TestCase = unittest.TestCase  # type: ignore[attr-defined]
    from torch.testing._internal.common_methods_invocations import op_db

    for operation in op_db:
        for dtype in DTYPES:
            if dtype not in operation.supported_dtypes("cpu"):
                continue
            torch.manual_seed(7)
            samples = itertools.islice(operation.sample_inputs("cpu", dtype), _MOST)
            for number, sample in enumerate(samples):
                name = f"{operation.name}{operation.variant_test_name} {dtype} {number}"
                yield name, functools.partial(_called, operation, sample, device)


def _called(operation: Any, sample: Any, device: str) -> Any:
    given = sample.input, sample.args, sample.kwargs
    # Copied before it moves: what an operation writes to, the next call reads.
    first, args, kwargs = tree_map_only(torch.Tensor, lambda x: x.clone().to(device), given)
    if "device" in kwargs:
        kwargs["device"] = device
    torch.manual_seed(7)
    return operation(first, *args, **kwargs)


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return tree_leaves(call())
    except Exception as error:  # whatever PyTorch says
        return error


def _differs(expected: Any, found: Any) -> str:
    """How; empty where it does not."""
    if isinstance(expected, Exception):
        return "" if isinstance(found, Exception) else "does not raise"
    if isinstance(found, Exception):
        return f"{type(found).__name__}: {str(found)[:160]}"
    for one, other in zip(expected, found, strict=True):
        if not isinstance(one, torch.Tensor):
            continue
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            return "another shape or dtype"
        try:
            torch.testing.assert_close(other.cpu(), one, equal_nan=True, rtol=1e-3, atol=1e-4)
        except AssertionError:
            return "other values"
    return ""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_pytorchs_own_list_of_operations_gives_what_the_processor_gives() -> None:
    start_anew()
    on_host = list(_calls("cpu"))
    expected = {name: _outcome(call) for name, call in on_host}
    # What another seed changes are random numbers, and those are a card's own.
    with pytest.MonkeyPatch.context() as seeds:
        seeds.setattr(torch, "manual_seed", lambda seed: torch.random.manual_seed(seed + 1))
        drawn = {name for name, call in on_host if _differs(expected[name], _outcome(call))}
    on_card = [each for each in _calls("cuda:0") if each[0] not in drawn]
    bench = virtual_bench()
    found: dict[str, str] = {}
    with bench.engine.running():
        for name, call in on_card:
            how = _differs(expected[name], _outcome(call))
            if how and not any(each in how for each in _NO_KERNEL):
                found[name] = how
    assert len(expected) > 1000
    assert {name: how for name, how in found.items() if name.split()[0] not in DIFFERS} == {}


def test_a_moved_model_is_the_same_model_with_the_same_parameters(bench: Bench) -> None:
    bench.run("net = nn.Linear(3, 1)", "W = net.weight", "known = {W: 1}")
    bench.run("opt = torch.optim.SGD(net.parameters(), lr=0.5)", "moved = net.to('{0}')")
    assert bench.run("moved is net")
    assert bench.run("net.weight is W and known[net.weight] == 1")
    assert str(bench.run("W.device")) == bench.devices[0]
    before = bench.run("W.sum().item()")
    bench.run("net(torch.ones(2, 3, device='{0}')).sum().backward()", "opt.step()")
    assert bench.run("W.sum().item()") == pytest.approx(before - 0.5 * 2 * 3)


def test_the_placement_log_tells_where_each_operation_ran(bench: Bench) -> None:
    bench.logged = True
    bench.run("X = torch.ones(2, 3, device='{0}')", "Y = X + X", "Y")
    here = bench.run("X.device")
    assert f"ones: {here}" in bench.placement
    assert f"add: {here}" in bench.placement
    told = len(bench.placement)
    bench.logged = False
    bench.run("X * 2")
    assert len(bench.placement) == told
