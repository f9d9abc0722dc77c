"""Ordinary PyTorch as people write it gives on a simulated card what the processor gives."""

import io
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from tests.worker.benches import start_anew, virtual_bench

pytestmark = pytest.mark.filterwarnings("ignore")

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
def shapes_changed_in_place(device: torch.device) -> Any:
    x, y, z = (torch.arange(6.0).reshape(2, 3).to(device) for _ in range(3))
    x.t_()
    y.unsqueeze_(0).transpose_(1, 2)
    z.resize_(4, 3)[2:] = 7
    w = torch.zeros(1).to(device).set_(x.contiguous())
    v = torch.arange(4.0).to(device)
    v.resize_(2)
    return x, x.shape, y, y.shape, z, w, w.shape, v


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
def is_asked(device: torch.device) -> Any:
    x, p = torch.ones(1).to(device), nn.Parameter(torch.ones(1).to(device))
    return (
        isinstance(x, torch.Tensor),
        isinstance(p, nn.Parameter),
        isinstance(x, nn.Parameter),
        p.__class__ is nn.Parameter,
        type(x) == torch.Tensor,  # noqa: E721 - as people ask
        type(x) in (torch.Tensor, nn.Parameter),
        {torch.Tensor: "tensor"}.get(type(x)),
        type(p) == nn.Parameter,  # noqa: E721 - as people ask
        isinstance(device, torch.device),
    )


@snippet
def mapped(device: torch.device) -> Any:
    x = torch.randn(5, 3).to(device)
    y = torch.vmap(lambda row: row.dot(row))(x)
    z = torch.vmap(torch.add, in_dims=(0, None))(x, x[0])
    return y, z, torch.func.grad(lambda v: v.square().sum())(x[0])


@snippet
def conjugates(device: torch.device) -> Any:
    x = torch.randn(3, 4, dtype=torch.complex64).to(device)
    return torch.linalg.pinv(x), x.mH @ x, x.conj().imag


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


@snippet
def gradients_across_devices(device: torch.device) -> Any:
    w = torch.randn(3, 3).to(device).requires_grad_()
    h = torch.randn(3, requires_grad=True)
    ((w.cpu() * h).sum() + (h.to(device) * w).sum()).backward()
    return w.grad, h.grad, h.grad.device.type, w.grad.device == device


@snippet
def a_whole_model_saved(device: torch.device) -> Any:
    net, file = nn.Sequential(nn.Linear(5, 7), nn.BatchNorm1d(7)).to(device), io.BytesIO()
    torch.save(net, file)
    file.seek(0)
    same = torch.load(file, weights_only=False)
    x = torch.ones(2, 5).to(device)
    return same(x), net(x), same[0].weight.device == net[0].weight.device


@snippet
def connectionist_loss(device: torch.device) -> Any:
    p = torch.randn(12, 2, 5).to(device).log_softmax(2).detach().requires_grad_()
    targets = torch.tensor([[1, 2, 3], [2, 4, 0]]).to(device)
    lengths = torch.tensor([12, 12]), torch.tensor([3, 2])  # of the host, as CUDA takes them
    loss = nn.functional.ctc_loss(p, targets, *lengths)
    loss.backward()
    return loss.detach(), p.grad


@snippet
def packed(device: torch.device) -> Any:
    rnn = nn.utils.rnn
    net = nn.LSTM(2, 3, batch_first=True).to(device)
    x = torch.randn(3, 4, 2).to(device)
    out, (h, c) = net(rnn.pack_padded_sequence(x, torch.tensor([4, 3, 1]), batch_first=True))
    return rnn.pad_packed_sequence(out, batch_first=True), h, c


@snippet
def with_workers_and_pinning(device: torch.device) -> Any:
    data = torch.utils.data.TensorDataset(torch.arange(8.0), torch.arange(8))
    loader = torch.utils.data.DataLoader(data, 4, num_workers=1, pin_memory=True)
    return [(x.to(device, non_blocking=True) * 2, y.to(device)) for x, y in loader]


class Named(torch.Tensor):
    """A class of one's own that says so through every operation."""


class Marked(torch.Tensor):
    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        made = super().__torch_function__(func, types, args, kwargs or {})
        if isinstance(made, Marked):
            made.passed = func.__name__
        return made


@snippet
def own_tensors(device: torch.device) -> Any:
    x = torch.ones(2).to(device).as_subclass(Named)
    y = x * 2 + 1
    z = torch.ones(2).as_subclass(Marked).to(device) * 2
    return y, type(y).__name__, isinstance(y, Named), z, isinstance(z, Marked), z.passed


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
