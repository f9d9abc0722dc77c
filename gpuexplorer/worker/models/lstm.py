"""An LSTM that reads a sequence and answers once, at its end."""

import torch
from torch import nn


class LastStep(nn.Module):
    """The input is batch by time by features."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden, batch_first=True)
        self.answer = nn.Linear(hidden, outputs)

    def forward(self, sequence: torch.Tensor) -> torch.Tensor:
        steps, _ = self.lstm(sequence)
        return self.answer(steps[:, -1])


def lstm(inputs: int = 8, hidden: int = 32, outputs: int = 2) -> nn.Module:
    return LastStep(inputs, hidden, outputs)
