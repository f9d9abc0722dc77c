"""Gradients, models, losses, optimisers, and training as people write it."""

import io
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F


def trained(net: Any, inputs: Any, opt: Any, steps: int = 3) -> Any:
    for _ in range(steps):
        opt.zero_grad()
        loss = net(inputs).square().mean()
        loss.backward()
        opt.step()
    return loss.detach(), [each.detach() for each in net.parameters()]


def images(device: torch.device) -> Any:
    net = nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.BatchNorm2d(6), nn.Sigmoid(), nn.AvgPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 10)),
    ).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    return trained(net, torch.randn(8, 1, 28, 28).to(device), opt)


def gradients_across_devices(device: torch.device) -> Any:
    w = torch.randn(3, 3).to(device).requires_grad_()
    h = torch.randn(3, requires_grad=True)
    ((w.cpu() * h).sum() + (h.to(device) * w).sum()).backward()
    return w.grad, h.grad, h.grad.device.type, w.grad.device == device


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(5, 7)
        self.out = nn.Linear(7, 2)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: Any) -> Any:
        self.seen += 1
        return self.out(F.relu(self.hidden(x))) * self.scale


def a_module_stays_the_same_object(device: torch.device) -> Any:
    net = nn.Linear(3, 1)
    weight = net.weight
    known = {weight: 1}
    opt = torch.optim.SGD(net.parameters(), lr=0.5)
    moved = net.to(device)
    net(torch.ones(2, 3).to(device)).sum().backward()
    opt.step()
    return moved is net, net.weight is weight, known[net.weight], net.weight.grad, net.weight


def state_dict(device: torch.device) -> Any:
    net, other = Net().to(device), Net()
    missing = other.load_state_dict(net.state_dict())
    third = Net().to(device)
    third.load_state_dict(other.state_dict())
    return list(missing), list(net.state_dict()), third.out.weight, other.out.weight.device.type


def a_whole_model_saved(device: torch.device) -> Any:
    net, file = Net().to(device), io.BytesIO()
    torch.save(net, file)
    file.seek(0)
    same = torch.load(file, weights_only=False)
    x = torch.ones(1, 5).to(device)
    return same(x), net(x), same.out.weight.device == net.out.weight.device


def lazy_layers(device: torch.device) -> Any:
    net = nn.Sequential(nn.LazyConv2d(2, 3), nn.Flatten(), nn.LazyLinear(4)).to(device)
    x = torch.randn(2, 1, 5, 5).to(device)
    out = net(x)
    torch.nn.init.ones_(net[2].weight)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net(x).sum().backward()
    opt.step()
    return out.shape, out.device == device, net[2].weight.shape, net[2].weight.device == device


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


def own_tensors(device: torch.device) -> Any:
    x = torch.ones(2).to(device).as_subclass(Named)
    y = x * 2 + 1
    z = torch.ones(2).as_subclass(Marked).to(device) * 2
    return y, type(y).__name__, isinstance(y, Named), z, isinstance(z, Marked), z.passed
