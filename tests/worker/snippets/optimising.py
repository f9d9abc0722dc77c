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


def lbfgs(device: torch.device) -> Any:
    x = torch.tensor([3.0, -2.0]).to(device).requires_grad_()
    opt = torch.optim.LBFGS([x], line_search_fn="strong_wolfe")

    def again() -> Any:
        opt.zero_grad()
        loss = (x - 1).square().sum()
        loss.backward()
        return loss

    opt.step(again)
    return x.detach()


SCHEDULES: "dict[str, Callable[[Any], Any]]" = {
    "step": lambda opt: torch.optim.lr_scheduler.StepLR(opt, 2),
    "cosine": lambda opt: torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10),
    "cycle": lambda opt: torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=10),
    "warm": lambda opt: torch.optim.lr_scheduler.LinearLR(opt),
    "function": lambda opt: torch.optim.lr_scheduler.LambdaLR(opt, lambda n: 0.9**n),
}


def schedules(device: torch.device) -> Any:
    found = {}
    for name, make in SCHEDULES.items():
        w = torch.ones(2).to(device).requires_grad_()
        opt = torch.optim.SGD([w], lr=0.1)
        schedule = make(opt)
        for _ in range(4):
            w.sum().backward()
            opt.step()
            schedule.step()
        found[name] = (w.detach(), schedule.get_last_lr())
    return found


def capturable_and_tensor_rates(device: torch.device) -> Any:
    w = torch.ones(2).to(device).requires_grad_()
    opt = torch.optim.Adam([w], lr=torch.tensor(0.1))
    w.square().sum().backward()
    opt.step()
    return w.detach(), opt.state_dict()["state"][0]["step"]


def sparse_gradients(device: torch.device) -> Any:
    """On cards said by name that it is not offered."""
    net = nn.Embedding(10, 3, sparse=True).to(device)
    net(torch.tensor([1, 2]).to(device)).sum().backward()
    return net.weight.grad.to_dense()
