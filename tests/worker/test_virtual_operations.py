"""PyTorch's own lists of operations, modules and optimizers, which come with it: on a simulated
card each gives what it gives on the processor, or is listed here.
"""

import copy
import functools
import sys
import types
import unittest
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils._pytree import tree_leaves, tree_map_only  # noqa: E402 - only with torch

from tests.worker.benches import start_anew, virtual_bench  # noqa: E402

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]

_MOST = 4  # samples of one operation or module
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


def _lists() -> Any:
    if "expecttest" not in sys.modules:  # asked for, and not used by what is asked here
        sys.modules["expecttest"] = types.ModuleType("expecttest")
        sys.modules["expecttest"].TestCase = unittest.TestCase  # type: ignore[attr-defined]
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_modules import module_db
    from torch.testing._internal.common_optimizers import optim_db

    return op_db, module_db, optim_db


def _calls(device: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Inputs are made on the processor, and go to the device."""
    operations, modules, _ = _lists()
    for operation in operations:
        for dtype in DTYPES:
            if dtype not in operation.supported_dtypes("cpu"):
                continue
            torch.manual_seed(7)
            for number, sample in enumerate(_first(operation.sample_inputs("cpu", dtype))):
                name = f"{operation.name}{operation.variant_test_name} {dtype} {number}"
                yield name, functools.partial(_called, operation, sample, device)
    for module in modules:
        torch.manual_seed(7)
        found = module.module_inputs_func(
            module, device="cpu", dtype=torch.float32, requires_grad=False, training=True
        )
        for number, sample in enumerate(_first(found)):
            name = f"{module.name} module {number}"
            yield name, functools.partial(_passed, module, sample, device)


def _first(samples: Iterable[Any]) -> Iterator[Any]:
    for _, sample in zip(range(_MOST), samples, strict=False):
        yield sample


def _called(operation: Any, sample: Any, device: str) -> Any:
    given = sample.input, sample.args, sample.kwargs
    # Copied before it moves: what an operation writes to, the next call reads.
    first, args, kwargs = tree_map_only(torch.Tensor, lambda x: x.clone().to(device), given)
    if "device" in kwargs:
        kwargs["device"] = device
    torch.manual_seed(7)
    return operation(first, *args, **kwargs)


def _passed(module: Any, sample: Any, device: str) -> Any:
    torch.random.manual_seed(7)
    made = module.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
    given = sample.forward_input.args, sample.forward_input.kwargs
    args, kwargs = tree_map_only(torch.Tensor, lambda x: x.clone().to(device), given)
    torch.manual_seed(7)
    made = made.to(device).eval()
    out = made(*args, **kwargs)
    kept = [each for each in tree_leaves(out) if getattr(each, "requires_grad", False)]
    if kept:
        sum(each.abs().square().sum() for each in kept).backward()
    return out, [each.grad for each in made.parameters()]


def _steps(device: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    for info in _lists()[2]:
        ways = [{}, {"foreach": True}, *[{"fused": True}] * ("cpu" in info.supports_fused_on)]
        for number, each in enumerate(info.optim_inputs_func(device="cpu")):
            for way in ways:
                name = f"{info.optim_cls.__name__} {number} {way}"
                yield name, functools.partial(_stepped, info, each.kwargs | way, device)


def _stepped(info: Any, words: Any, device: str) -> Any:
    torch.random.manual_seed(7)
    net = torch.nn.Linear(4, 3)
    inputs = torch.randn(5, 4).to(device)
    net.to(device)
    words = tree_map_only(torch.Tensor, lambda x: x.to(device), copy.deepcopy(words))
    words.pop("params", None)
    optimizer = info.optim_cls(net.parameters(), **words)

    def loss() -> Any:
        optimizer.zero_grad()
        found = net(inputs).square().sum()
        found.backward()
        return found

    for _ in range(3):
        optimizer.step(loss)
    return [each.detach() for each in net.parameters()]


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


def _compared(calls: Callable[[str], Iterator[tuple[str, Callable[[], Any]]]]) -> Any:
    start_anew()
    on_host = list(calls("cpu"))
    expected = {name: _outcome(call) for name, call in on_host}
    # What another seed changes are random numbers, and those are a card's own.
    with pytest.MonkeyPatch.context() as seeds:
        seeds.setattr(torch, "manual_seed", lambda seed: torch.random.manual_seed(seed + 1))
        drawn = {name for name, call in on_host if _differs(expected[name], _outcome(call))}
    on_card = list(calls("cuda:0"))
    bench = virtual_bench()
    found: dict[str, str] = {}
    with bench.engine.running():
        for name, call in on_card:
            how = "" if name in drawn else _differs(expected[name], _outcome(call))
            if how and not any(each in how for each in _NO_KERNEL):
                found[name] = how
    return len(expected), found


def test_operations_and_modules_give_what_the_processor_gives() -> None:
    count, found = _compared(_calls)
    assert count > 1000
    assert {name: how for name, how in found.items() if name.split()[0] not in DIFFERS} == {}


def test_optimizers_step_as_on_the_processor() -> None:
    count, found = _compared(_steps)
    assert count > 50
    assert found == {}
