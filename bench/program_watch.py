"""What watching a whole program costs that trains: beside the same training bare. Both go on in
turns of some steps in one process, since machines drift, and no two processes are equally fast.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.lab_worker import lab_python
from bench.table import Figure
from gpuexplorer.gui.lab.forms.create import MODELS

_FIRST = 200  # steps, all of which may be watched
# The batch, the steps of the whole, and of a turn.
_TRAINED = ((16, 10_000, 100), (64, 3_000, 50))
_GOAL = 1.05
_SAID_EVERY = 0.5  # as a worker says what it saw of a program


def figures() -> list[Figure]:
    python = lab_python()
    if python is None:
        return [Figure("watching a program", "no Python with torch")]
    told = subprocess.run(
        [python, "-m", "bench.program_watch"],
        cwd=Path(__file__).parents[1],
        check=True,
        capture_output=True,
        text=True,
    )
    rows = []
    for batch, steps, bare, whole, cost, seen in json.loads(told.stdout):
        ratio = whole / bare
        goal = _GOAL if steps > _FIRST else None
        says = "nobody knows" if cost is None else f"{cost:.2f}"
        rows += [
            Figure(
                f"LeNet, batch {batch}, {steps} steps, watched as on cards / bare",
                f"{whole:.2f} / {bare:.2f} s = {ratio:.3f}",
                "" if goal is None else f"at most {goal}",
                None if goal is None else ratio <= goal,
            ),
            Figure(
                f"  {seen} of them were watched; it says that took",
                f"{says} of {whole - bare:.2f} s",
            ),
        ]
    return rows


_Row = tuple[int, int, float, float, float | None, int]


class _Clock:
    """In place of time.perf_counter, whose time the watch goes by; can be made to stand."""

    def __init__(self) -> None:
        self.real = time.perf_counter
        self._stood = 0.0
        self._stands_at: float | None = None

    def __call__(self) -> float:
        return self.real() - self._stood if self._stands_at is None else self._stands_at

    @contextmanager
    def standing(self) -> Iterator[None]:
        began = self.real()
        self._stands_at = self()
        yield
        self._stood += self.real() - began
        self._stands_at = None


def _measured() -> Sequence[_Row]:
    """Batch, steps, seconds bare, seconds under the watch of real cards with sampling, what it
    says that watching took, and how many steps it saw.
    """
    clock = _Clock()
    time.perf_counter = clock
    import torch  # noqa: PLC0415 - only in the lab's Python

    from gpuexplorer.worker.engines.watch import Watch  # noqa: PLC0415
    from gpuexplorer.worker.places import take_files  # noqa: PLC0415

    torch.set_num_threads(1)
    take_files(taken=True)
    watch = Watch()
    watch.install()
    found: list[_Row] = []
    for batch, steps, turn in _TRAINED:
        train = training(batch)
        train(_FIRST)
        with watch.watching(program=True, sampled=True), _said(watch):
            bare = whole = 0.0
            for done in range(0, steps, turn):
                with clock.standing(), _nothing_watched():
                    began = clock.real()
                    train(turn)
                    bare += clock.real() - began
                began = clock.real()
                train(turn)
                whole += clock.real() - began
                if done + turn in (_FIRST, steps):
                    seen = watch.seen.changed(1)
                    row = batch, done + turn, bare, whole, seen.cost_seconds, seen.seen_steps
                    found.append(row)
    return found


def training(batch: int) -> Callable[[int], None]:
    """LeNet, for so many steps whenever it is called."""
    import torch  # noqa: PLC0415

    names = {"torch": torch, "nn": torch.nn}
    exec(MODELS["lenet"].code.format(name="net", outputs=10), names)
    net, loss_of = names["net"], torch.nn.CrossEntropyLoss()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    inputs, targets = torch.randn(batch, 1, 28, 28), torch.randint(0, 10, (batch,))

    def train(steps: int) -> None:
        for _ in range(steps):
            opt.zero_grad()
            loss_of(net(inputs), targets).backward()
            opt.step()

    return train


@contextmanager
def _nothing_watched() -> Iterator[None]:
    """Neither what passes the watch nor that steps end."""
    from torch.optim import optimizer  # noqa: PLC0415
    from torch.utils._python_dispatch import _disable_current_modes  # noqa: PLC0415

    hooks = optimizer._global_optimizer_post_hooks
    kept = dict(hooks)
    hooks.clear()
    with _disable_current_modes():
        yield
    hooks.update(kept)


@contextmanager
def _said(watch: Any) -> Iterator[None]:
    from gpuexplorer.lab.wire import line_of  # noqa: PLC0415

    over = threading.Event()

    def say() -> None:
        while not over.wait(_SAID_EVERY):
            line_of(watch.seen.changed(1))

    saying = threading.Thread(target=say)
    saying.start()
    try:
        yield
    finally:
        over.set()
        saying.join()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_measured()))
