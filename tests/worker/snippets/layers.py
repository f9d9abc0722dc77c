"""Layers and losses: forward and backward, against the processor."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F


def both_ways(net: Any, *inputs: Any, device: torch.device) -> Any:
    """What comes out, and the gradients of what goes in and of the parameters."""
    net = net.to(device).train()
    there = [each.to(device).requires_grad_(each.is_floating_point()) for each in inputs]
    out = net(*there)
    leaves = list(out) if isinstance(out, (tuple, list)) else [out]
    flat = [each for each in leaves if isinstance(each, torch.Tensor)]
    sum(each.float().square().sum() for each in flat).backward()
    grads = [each.grad for each in (*there, *net.parameters())]
    return [each.detach() for each in flat], grads


LAYERS: "dict[str, tuple[Callable[[], Any], tuple[int, ...]]]" = {
    "linear": (lambda: nn.Linear(6, 3), (4, 6)),
    "conv2d": (lambda: nn.Conv2d(2, 4, 3, padding=1, groups=2), (2, 2, 6, 6)),
    "layer norm": (lambda: nn.LayerNorm(6), (4, 6)),
    "activations": (
        lambda: nn.Sequential(
            nn.GELU(), nn.SiLU(), nn.ELU(), nn.Hardswish(), nn.Softplus(), nn.LogSoftmax(1)
        ),
        (4, 3),
    ),
    "rnn": (lambda: nn.RNN(3, 4, 2, batch_first=True), (2, 5, 3)),
    "lstm": (lambda: nn.LSTM(3, 4, bidirectional=True), (5, 2, 3)),
    "lstm cell": (lambda: nn.LSTMCell(3, 4), (2, 3)),
    "encoder": (lambda: nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), (2, 5, 8)),
}


def _layer(name: str) -> "Callable[[torch.device], Any]":
    make, shape = LAYERS[name]

    def run(device: torch.device) -> Any:
        inputs = [torch.randn(shape) for _ in range(2 if name == "bilinear" else 1)]
        return both_ways(make(), *inputs, device=device)

    return run


def all_layers() -> "dict[str, Callable[[torch.device], Any]]":
    return {f"layer: {name}": _layer(name) for name in LAYERS}


def connectionist_loss(device: torch.device) -> Any:
    p = torch.randn(12, 2, 5).to(device).log_softmax(2).detach().requires_grad_()
    targets = torch.tensor([[1, 2, 3], [2, 4, 0]]).to(device)
    loss = F.ctc_loss(p, targets, torch.tensor([12, 12]), torch.tensor([3, 2]))
    loss.backward()
    return loss.detach(), p.grad


def packed(device: torch.device) -> Any:
    rnn = torch.nn.utils.rnn
    net = nn.LSTM(2, 3, batch_first=True).to(device)
    x = torch.randn(3, 4, 2).to(device)
    out, (h, c) = net(rnn.pack_padded_sequence(x, torch.tensor([4, 3, 1]), batch_first=True))
    return rnn.pad_packed_sequence(out, batch_first=True), h, c
