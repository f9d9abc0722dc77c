"""Tensors: made, viewed, indexed, changed in place, copied, shown."""

import io
import math
from typing import Any

import torch


def with_torch_device(device: torch.device) -> Any:
    with torch.device(device):
        x = torch.ones(2, 3)
        layer = torch.nn.Linear(3, 1, bias=False)
        torch.nn.init.constant_(layer.weight, 0.5)
        return x, layer(x), torch.tensor([1.0]), torch.as_tensor([2])


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


def shapes_changed_in_place(device: torch.device) -> Any:
    x, y, z = (torch.arange(6.0).reshape(2, 3).to(device) for _ in range(3))
    x.t_()
    y.unsqueeze_(0).transpose_(1, 2)
    z.resize_(4, 3)[2:] = 7
    w = torch.zeros(1).to(device).set_(x.contiguous())
    v = torch.arange(4.0).to(device)
    v.resize_(2)
    return x, x.shape, y, y.shape, z, w, w.shape, v


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


def what_is_there_already_stays(device: torch.device) -> Any:
    x = torch.ones(2, 3).to(device)
    return (
        x.to(device) is x,
        x.to(device, copy=True) is x,
        x.to(torch.float64) is x,
        x.clone() is x,
        x.contiguous() is x,
        x.float() is x,
        torch.as_tensor(x) is x,
        torch.as_tensor(x, device=device) is x,
        x.detach() is x,
    )


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


def is_asked(device: torch.device) -> Any:
    x, p = torch.ones(1).to(device), torch.nn.Parameter(torch.ones(1).to(device))
    return (
        isinstance(x, torch.Tensor),
        isinstance(p, torch.nn.Parameter),
        isinstance(x, torch.nn.Parameter),
        p.__class__ is torch.nn.Parameter,
        type(x) == torch.Tensor,  # noqa: E721 - as people ask
        type(x) in (torch.Tensor, torch.nn.Parameter),
        {torch.Tensor: "tensor"}.get(type(x)),
        type(p) == torch.nn.Parameter,  # noqa: E721 - as people ask
        isinstance(device, torch.device),
    )


def mapped(device: torch.device) -> Any:
    x = torch.randn(5, 3).to(device)
    y = torch.vmap(lambda row: row.dot(row))(x)
    z = torch.vmap(torch.add, in_dims=(0, None))(x, x[0])
    return y, z, torch.func.grad(lambda v: v.square().sum())(x[0])


def conjugates(device: torch.device) -> Any:
    x = torch.randn(3, 4, dtype=torch.complex64).to(device)
    return torch.linalg.pinv(x), x.mH @ x, x.conj().imag
