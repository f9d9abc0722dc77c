"""Two layers with a bend between them."""

from torch import nn


def mlp(inputs: int = 784, hidden: int = 256, outputs: int = 10) -> nn.Module:
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(inputs, hidden),
        nn.ReLU(),
        nn.Linear(hidden, outputs),
    )
