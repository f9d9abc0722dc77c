"""Training steps of LeNet, bare and watched as on cards; run by the Python of the lab."""

import contextlib
import json
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
from torch import nn

from bench.table import in_turns
from gpuexplorer.worker.engines.watch import Watch
from gpuexplorer.worker.places import take_files

_PROGRAM = 3000  # steps, of which the first 200 are watched whole


def main() -> None:
    torch.set_num_threads(1)
    take_files(taken=True)
    watch = Watch()
    watch.install()
    rows = []
    for batch, most in ((1, 2.5), (16, 2.0), (256, 1.5)):
        step = _training(batch, 3)
        turns = in_turns(_timed(step, watch.watching), _timed(step, contextlib.nullcontext), 30)
        rows.append((f"LeNet, batch {batch}: three steps in a cell", turns, most))
    program = _training(16, _PROGRAM)
    watched = _timed(program, lambda: watch.watching(program=True, sampled=True))
    turns = in_turns(watched, _timed(program, contextlib.nullcontext), 3)
    rows.append((f"LeNet, batch 16: {_PROGRAM} steps of a program", turns, 1.05))
    json.dump(rows, sys.stdout)


def _timed(
    train: Callable[[], None], way: Callable[[], AbstractContextManager[None]]
) -> Callable[[], float]:
    def seconds() -> float:
        with way():
            began = time.process_time()  # what else runs here is not counted
            train()
            return time.process_time() - began

    return seconds


def _training(batch: int, steps: int) -> Callable[[], None]:
    net = nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
    )
    optimiser, loss_of = torch.optim.SGD(net.parameters(), lr=0.1), nn.CrossEntropyLoss()
    inputs, targets = torch.randn(batch, 1, 28, 28), torch.randint(0, 10, (batch,))

    def train() -> None:
        for _ in range(steps):
            optimiser.zero_grad()
            loss_of(net(inputs), targets).backward()
            optimiser.step()

    return train


if __name__ == "__main__":
    main()
