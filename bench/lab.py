"""The lab's figures: a round trip, a worker that is ready, and what its helps cost."""

import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from bench.lab_worker import Worker, lab_python
from bench.stage import measured
from bench.table import Figure
from gpuexplorer.lab.events import Peeked
from gpuexplorer.lab.wire import Complete, Peek

_ROUNDS = 7
# Until it is imported: a worker that is ready has not ended either.
_IMPORT = ("-c", "import torch; print('here', flush=True)")
_TRIPS = 500
_THINGS = 1000
_MANY = f"globals().update({{f'x{{i}}': torch.ones(3) for i in range({_THINGS})}})"
_STEPS = 300
_PAIRS = 60
_OPERATIONS = 100
_ITEM = 4  # bytes of a float32
_MAKING = ("X = torch.rand(64, 64, device='{0}')", "W = torch.rand(64, 64, device='{0}')")
_CELLS = ("Y = X @ W", "Z = torch.relu(Y)", "Z = Z + X", "s = Z.sum()", "Z = X.to('{0}')")
_LOOPED = f"for i in range({_OPERATIONS}): Y = X + W"
_SMALL = (
    "net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).to('{0}')",
    "X = torch.randn(512, 64).to('{0}')",
    "Y = torch.randint(0, 10, (512,)).to('{0}')",
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nlosses = []",
)
_TRAINED = """
for step in range({steps}):
    at = step * 32 % 512
    loss = F.cross_entropy(net(X[at:at + 32]), Y[at:at + 32])
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
"""


def figures() -> list[Figure]:
    python = lab_python()
    if python is None:
        return [Figure("the lab", "no Python with torch")]
    return [
        *_ready(python),
        _round_trip(python),
        *_names(python),
        _logging(python),
        *_virtual(python),
        *_training(python),
        *_peek(python),
        *measured("lab_screen"),
    ]


def _ready(python: Path) -> list[Figure]:
    ours, theirs = [], []
    # The first of each is to bring the files into memory.
    for warm in (False, *[True] * _ROUNDS):
        began = time.perf_counter()
        with subprocess.Popen([python, *_IMPORT], stdout=subprocess.PIPE) as bare:
            assert bare.stdout is not None
            bare.stdout.readline()
            alone = time.perf_counter() - began
        began = time.perf_counter()
        worker = Worker(python)
        ready = time.perf_counter() - began
        worker.stop()
        if warm:
            theirs.append(alone)
            ours.append(ready)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    told = f"{statistics.median(ours):.2f} s, x{ratio:.2f}"
    return [
        Figure("bare `import torch`", f"{statistics.median(theirs):.2f} s"),
        Figure("a worker is ready", told, "at most 1.3 times that", ratio <= 1.3),
    ]


def _round_trip(python: Path) -> Figure:
    with Worker(python) as worker:
        trips = sorted(worker.run("len([])") for _ in range(_TRIPS))
    median, late = statistics.median(trips), trips[int(_TRIPS * 0.99)]
    told = f"{median * 1e3:.2f} ms, p99 {late * 1e3:.2f} ms"
    return Figure("round trip of an empty command", told, "median under 1 ms", median < 1e-3)


def _names(python: Path) -> list[Figure]:
    """What the worker says of the namespace, beside what runs in it."""
    with Worker(python) as few, Worker(python) as many:
        many.run(_MANY)
        less, more = _in_turn(few, many, ["len([])"])
        asked = [Complete(number, "torch.", len("torch.")) for number in range(_ROUNDS)]
        words = statistics.median(many.ask(each) for each in asked)
    what = f"an empty command among {_THINGS} tensors"
    return [
        Figure(what, f"{(more - less) * 1e3:.1f} ms more"),
        Figure("how `torch.` may go on", f"{words * 1e3:.1f} ms"),
    ]


def _logging(python: Path) -> Figure:
    with Worker(python, simulated=True) as plain, Worker(python, simulated=True) as logging:
        for worker in (plain, logging):
            worker.run_all(_MAKING)
        logging.placement = True
        what = "a cell that logs its placement / one that does not"
        return _beside(what, logging, plain, _CELLS, len(_CELLS))


def _virtual(python: Path) -> list[Figure]:
    with Worker(python) as plain, Worker(python, simulated=True) as virtual:
        for worker in (plain, virtual):
            worker.run_all(_MAKING)
        cell = "a cell on a simulated card / on the processor"
        operation = "an operation of a loop, simulated card / processor"
        return [
            _beside(cell, virtual, plain, _CELLS, len(_CELLS)),
            _beside(operation, virtual, plain, [_LOOPED], _OPERATIONS),
        ]


def _beside(
    what: str, ours: Worker, theirs: Worker, cells: Sequence[str], count: int
) -> Figure:
    """One of so many, each with its way there and back."""
    mine, other = _in_turn(ours, theirs, cells)
    each = f"{mine / count * 1e6:.0f} / {other / count * 1e6:.0f} us"
    return Figure(what, f"{each} = {mine / other:.2f}")


def _in_turn(ours: Worker, theirs: Worker, cells: Sequence[str]) -> tuple[float, float]:
    """Medians, taken in turn, since machines drift."""
    pairs = [(ours.run_all(cells), theirs.run_all(cells)) for _ in range(_PAIRS)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def _training(python: Path) -> list[Figure]:
    rows = []
    for where, simulated in (("on the processor", False), ("on a simulated card", True)):
        with Worker(python, simulated=simulated) as worker:
            worker.run_all(_SMALL)
            worker.run(_TRAINED.format(steps=5))
            took = worker.run(_TRAINED.format(steps=_STEPS))
        told = f"{took / _STEPS * 1e3:.2f} ms"
        rows.append(Figure(f"a training step, small model, {where}", told))
    return rows


def _peek(python: Path) -> list[Figure]:
    with Worker(python, simulated=True) as worker:
        worker.run("X = torch.ones(512, 1024, 1024, device='{0}')")
        took = worker.ask(Peek(1000, "X"))
    seen = next(each for each in worker.seen if isinstance(each, Peeked))
    # The values, the bars, and least, most, mean and deviation.
    shown = sum(len(row) for row in seen.rows) + len(seen.histogram) + 4
    moved = seen.moved_bytes
    told = f"{moved} B in {took:.2f} s"
    goal = f"{shown * _ITEM} B, the {shown} figures shown"
    return [Figure("a look into 2 GiB moves", told, goal, moved <= shown * _ITEM)]
