"""What watching for copies costs: a cell's own time, a training step, a loop full of copies."""

import contextlib
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from bench.lab_worker import Worker, lab_python
from bench.program_watch import training
from bench.table import Figure
from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.lab.events import Began, Transferred
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run

_ROUNDS = 40
_PAIRS = 15
_PRODUCTS = 1000
_LOOP = 10_000
_TURN = 0.05
_GOALS = {1: 2.5, 16: 2.0, 256: 1.5}  # times a bare step, by the batch
_SMALL = "A = torch.ones(2, 2)"
_ONE = "B = A @ A"
_MANY = f"for i in range({_PRODUCTS}): B = A @ A"
# What a person would write to find out, in the same Python without the lab.
_PLAIN = """
import sys, time, torch
{small}
code = compile({cell!r}, "<plain>", "exec")
took = []
for i in range({pairs}):
    began = time.perf_counter()
    exec(code)
    took.append(time.perf_counter() - began)
print(sorted(took)[{pairs} // 2])
"""


def figures() -> list[Figure]:
    python = lab_python()
    if python is None:
        return [Figure("watching for copies", "no Python with torch")]
    return [*_own_time(python), *_steps(python), *_loop(python)]


def _own_time(python: Path) -> Sequence[Figure]:
    """On the processor, where nothing can be copied and so nothing is watched."""
    rows = []
    worker = Worker(python)
    worker.run(_SMALL)
    for what, cell, goal in (
        ("a 2x2 product", _ONE, None),
        (f"{_PRODUCTS} 2x2 products", _MANY, 1.1),
    ):
        plain, told = [], []
        for _ in range(3):  # in turn, since machines drift
            plain.append(_plain(python, cell))
            for _ in range(_PAIRS):
                worker.run(cell)
                told.append(worker.finished.host_seconds)
        ours, theirs = statistics.median(told), statistics.median(plain)
        ratio = ours / theirs
        words = f"{ours * 1e6:.1f} / {theirs * 1e6:.1f} us = {ratio:.2f}"
        wanted = "" if goal is None else f"within {goal - 1:.0%}"
        met = None if goal is None else 2 - goal <= ratio <= goal
        rows.append(Figure(f"{what}: the cell's host time / plain Python", words, wanted, met))
    worker.stop()
    return rows


def _plain(python: Path, cell: str) -> float:
    text = _PLAIN.format(small=_SMALL, cell=cell, pairs=_PAIRS)
    told = subprocess.run([python, "-c", text], check=True, capture_output=True, text=True)
    return float(told.stdout)


def _steps(python: Path) -> Sequence[Figure]:
    home = Path(__file__).parents[1]
    told = subprocess.run(
        [python, "-m", "bench.copies_watch"],
        cwd=home,
        check=True,
        capture_output=True,
        text=True,
    )
    rows = []
    for batch, plain, watched in json.loads(told.stdout):
        ratio, goal = watched / plain, _GOALS[batch]
        words = f"{watched * 1e3:.2f} / {plain * 1e3:.2f} ms = {ratio:.2f}"
        what = f"LeNet's step at batch {batch}, watched as on cards / bare"
        rows.append(Figure(what, words, f"at most {goal}", ratio <= goal))
    return rows


def _loop(python: Path) -> Sequence[Figure]:
    """And what the window has to do with it, in one turn of its own."""
    worker = Worker(python, simulated=True)
    worker.run("X = torch.ones(2, 3, device='cuda:0')\ns = X.sum()")
    at = len(worker.seen)
    code = f"for i in range({_LOOP}): s.item()"
    took = worker.run(code)
    worker.stop()
    events = worker.seen[at:]
    rows = sum(isinstance(each, Transferred) for each in events)
    ledger, book, timeline = Ledger(), CopyBook(), Timeline()
    began_at = next(each.id for each in events if isinstance(each, Began))
    ledger.sent(Run(began_at, code, 2))
    began = time.perf_counter()
    for event in events:
        ledger.apply(event)
    book.take(ledger)
    timeline.take(ledger, book)
    turn = time.perf_counter() - began
    what = f"{_LOOP} copies in a loop"
    return [
        Figure(f"{what}, told as", f"{rows} row", "one row", rows == 1),
        Figure(f"{what}, on a simulated card", f"{took:.2f} s"),
        Figure(
            f"{what}, the window's turn", f"{turn * 1e3:.2f} ms", "under 50 ms", turn < _TURN
        ),
    ]


def _measured() -> list[tuple[int, float, float]]:
    """Batches, with seconds of a step: bare, and under the watch of real cards."""
    import torch  # noqa: PLC0415 - only in the lab's Python

    from gpuexplorer.worker.engines.watch import Watch  # noqa: PLC0415

    torch.set_num_threads(1)
    watch = Watch()
    ways: Sequence[Callable[[], AbstractContextManager[object]]] = (
        contextlib.nullcontext,
        watch.watching,
    )
    found = []
    for batch in _GOALS:
        train = training(batch)
        best = [float("inf")] * len(ways)
        for _ in range(_ROUNDS):
            for number, way in enumerate(ways):  # in turn, since machines drift
                with way():
                    began = time.perf_counter()
                    train(3)
                    best[number] = min(best[number], (time.perf_counter() - began) / 3)
        found.append((batch, best[0], best[1]))
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_measured()))
