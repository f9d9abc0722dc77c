"""Optimisers and schedules: each way they are offered."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

OPTIMISERS: "dict[str, dict[str, Any]]" = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True},
    "Adam": {"lr": 0.05, "amsgrad": True},
    "AdamW": {"lr": 0.05},
    "RMSprop": {"lr": 0.01, "momentum": 0.5, "centered": True},
    "Adagrad": {"lr": 0.1},
    "Adadelta": {"lr": 1.0},
    "Adamax": {"lr": 0.01},
    "NAdam": {"lr": 0.01},
    "RAdam": {"lr": 0.01},
    "ASGD": {"lr": 0.01},
    "Rprop": {"lr": 0.01},
}
FUSED = ("SGD", "Adam", "AdamW", "Adagrad")


def stepped(name: str, device: torch.device, **words: Any) -> Any:
    net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2)).to(device)
    x = torch.randn(8, 4).to(device)
    opt = getattr(torch.optim, name)(net.parameters(), **OPTIMISERS[name], **words)
    for _ in range(4):
        opt.zero_grad()
        net(x).square().mean().backward()
        opt.step()
    return [each.detach() for each in net.parameters()]


def _way(name: str, **words: Any) -> "Callable[[torch.device], Any]":
    return lambda device: stepped(name, device, **words)


def all_optimisers() -> "dict[str, Callable[[torch.device], Any]]":
    ways = {f"optimiser: {name}": _way(name) for name in OPTIMISERS}
    ways |= {f"optimiser, foreach: {name}": _way(name, foreach=True) for name in OPTIMISERS}
    return ways | {f"optimiser, fused: {name}": _way(name, fused=True) for name in FUSED}


def sparse_gradients(device: torch.device) -> Any:
    """On cards said by name that it is not offered."""
    net = nn.Embedding(10, 3, sparse=True).to(device)
    net(torch.tensor([1, 2]).to(device)).sum().backward()
    return net.weight.grad.to_dense()
