"""The lab's figures: a round trip, a worker that is ready, and what its helps cost."""

import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from bench import lab_screen
from bench.lab_worker import Worker, lab_python
from bench.table import Figure
from gpuexplorer.lab.events import Peeked
from gpuexplorer.lab.wire import Peek, Train

_ROUNDS = 7
# Until it is imported: a worker that is ready has not ended either.
_IMPORT = ("-c", "import torch; print('here', flush=True)")
_TRIPS = 500
_STEPS = 300
_PAIRS = 60
_OPERATIONS = 100
_ITEM = 4  # bytes of a float32
_MAKING = ("X = torch.rand(64, 64, device='{0}')", "W = torch.rand(64, 64, device='{0}')")
_LINES = ("Y = X @ W", "Z = torch.relu(Y)", "Z = Z + X", "s = Z.sum()", "Z = X.to('{0}')")
_LOOPED = f"for i in range({_OPERATIONS}): Y = X + W"
_SMALL = (
    "net = mlp(64, 64, 10).to('{0}')",
    "X = torch.randn(512, 64).to('{0}')",
    "Y = torch.randint(0, 10, (512,)).to('{0}')",
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
)


def figures() -> list[Figure]:
    python = lab_python()
    if python is None:
        return [Figure("the lab", "no Python with torch")]
    return [
        *_ready(python),
        _round_trip(python),
        *_logging(python),
        *_virtual(python),
        *_training(python),
        *_peek(python),
        *lab_screen.figures(),
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
    worker = Worker(python)
    trips = sorted(worker.run("len([])") for _ in range(_TRIPS))
    worker.stop()
    median, late = statistics.median(trips), trips[int(_TRIPS * 0.99)]
    told = f"{median * 1e3:.2f} ms, p99 {late * 1e3:.2f} ms"
    return Figure("round trip of an empty command", told, "median under 1 ms", median < 1e-3)


def _logging(python: Path) -> Sequence[Figure]:
    plain, logging = Worker(python, simulated=True), Worker(python, simulated=True)
    for worker in (plain, logging):
        worker.run_all(_MAKING)
    logging.run("log_placement(True)")
    return [
        _beside("a line that logs its placement / one that does not", logging, plain),
        *_stopped(plain, logging),
    ]


def _virtual(python: Path) -> Sequence[Figure]:
    plain, virtual = Worker(python), Worker(python, simulated=True)
    for worker in (plain, virtual):
        worker.run_all(_MAKING)
    return [
        _beside("a line on a simulated card / on the processor", virtual, plain),
        _operation(virtual, plain),
        *_stopped(plain, virtual),
    ]


def _stopped(*workers: Worker) -> Sequence[Figure]:
    for worker in workers:
        worker.stop()
    return ()


def _beside(what: str, ours: Worker, theirs: Worker) -> Figure:
    """Each line, with its way there and back."""
    mine, other = _in_turn(ours, theirs, _LINES)
    count = len(_LINES)
    told = f"{mine / count * 1e3:.2f} / {other / count * 1e3:.2f} ms = {mine / other:.2f}"
    return Figure(what, told)


def _operation(ours: Worker, theirs: Worker) -> Figure:
    mine, other = _in_turn(ours, theirs, [_LOOPED])
    told = (
        f"{mine / _OPERATIONS * 1e6:.0f} / {other / _OPERATIONS * 1e6:.0f} us "
        f"= {mine / other:.2f}"
    )
    return Figure("an operation of a loop, simulated card / processor", told)


def _in_turn(ours: Worker, theirs: Worker, lines: Sequence[str]) -> tuple[float, float]:
    """Medians, taken in turn, since machines drift."""
    pairs = [(ours.run_all(lines), theirs.run_all(lines)) for _ in range(_PAIRS)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def _training(python: Path) -> list[Figure]:
    rows = []
    for where, simulated in (("on the processor", False), ("on a simulated card", True)):
        worker = Worker(python, simulated=simulated)
        worker.run_all(_SMALL)
        worker.ask(Train(1, "net", "X", "Y", "opt", "cross_entropy", 5, 32))
        took = worker.ask(Train(1, "net", "X", "Y", "opt", "cross_entropy", _STEPS, 32))
        worker.stop()
        told = f"{took / _STEPS * 1e3:.2f} ms"
        rows.append(Figure(f"a training step, small model, {where}", told))
    return rows


def _peek(python: Path) -> list[Figure]:
    worker = Worker(python, simulated=True)
    worker.run("X = torch.ones(512, 1024, 1024, device='{0}')")
    took = worker.ask(Peek(2, "X"))
    worker.stop()
    seen = next(each for each in worker.seen if isinstance(each, Peeked))
    # The values, the bars, and least, most, mean and deviation.
    shown = sum(len(row) for row in seen.rows) + len(seen.histogram) + 4
    moved = seen.moved_bytes
    told = f"{moved} B in {took:.2f} s"
    goal = f"{shown * _ITEM} B, the {shown} figures shown"
    return [Figure("a look into 2 GiB moves", told, goal, moved <= shown * _ITEM)]
