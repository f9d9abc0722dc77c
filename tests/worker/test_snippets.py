"""Ordinary PyTorch on a simulated card: right, or said by name that it is not offered."""

import random
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tests.worker.benches import start_anew, virtual_bench  # noqa: E402
from tests.worker.snippets import layers, learning, optimising, tensors  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

MODULES: tuple[ModuleType, ...] = (tensors, learning, layers, optimising)
MADE = (layers.all_layers, optimising.all_optimisers)
NOT_OFFERED = {"sparse_gradients": "sparse tensors"}
HELPERS = ("trained", "both_ways", "stepped")
# Kernels that round differently: the processor's own for whole layers, and narrow numbers.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}

Snippet = Callable[[Any], Any]  # of a device, whatever values come of it


def snippets() -> dict[str, Snippet]:
    found: dict[str, Snippet] = {}
    for module in MODULES:
        for name, each in vars(module).items():
            ours = getattr(each, "__module__", "") == module.__name__
            if ours and callable(each) and not isinstance(each, type) and name[0] != "_":
                found[name] = each
    for name in (*HELPERS, *(each.__name__ for each in MADE)):
        found.pop(name, None)
    for make in MADE:
        found |= make()
    return found


SNIPPETS = snippets()


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


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_card_gives_what_the_processor_gives(
    name: str, on_the_processor: dict[str, Any], in_force: None
) -> None:
    if name in NOT_OFFERED:
        with pytest.raises(NotImplementedError, match=NOT_OFFERED[name]):
            given(SNIPPETS[name], "cuda:1")
        return
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
