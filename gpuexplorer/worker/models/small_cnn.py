"""A small convolutional network for pictures of any size."""

from torch import nn


def small_cnn(colours: int = 3, outputs: int = 10) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(colours, 16, kernel_size=3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, kernel_size=3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, outputs),
    )
