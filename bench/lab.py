"""The lab's figures: a round trip, a worker that is ready, and what simulated cards cost."""

import importlib.util
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

from bench.table import Figure
from gpuexplorer.lab.events import Event, Failed, Finished, Hello, Peeked
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.wire import Command, Peek, Run, Train
from gpuexplorer.lab.worker_process import Start, WorkerProcess
from gpuexplorer.simulation.specs import parse_machine

_ROUNDS = 7
# Until it is imported: a worker that is ready has not ended either.
_IMPORT = (sys.executable, "-c", "import torch; print('here', flush=True)")
_TRIPS = 500
_STEPS = 300
_SMALL = (
    "net = mlp(64, 64, 10).to('{0}')",
    "X = torch.randn(512, 64).to('{0}')",
    "Y = torch.randint(0, 10, (512,)).to('{0}')",
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
)


def figures() -> list[Figure]:
    if importlib.util.find_spec("torch") is None:
        return [Figure("the lab", "no torch in this Python")]
    return [*_ready(), _round_trip(), *_training(), *_peek()]


class _Worker:
    """Sends one command at a time and waits for its answer."""

    def __init__(self, *, simulated: bool = False) -> None:
        told = simulated_cards(parse_machine("2xTitanRTX"))
        start = Start(cards=told.cards, links=told.links) if simulated else Start()
        self._answered = threading.Event()
        self.seen: list[Event] = []
        self._process = WorkerProcess(start, self._on_event, lambda _: self._answered.set())
        self._wait()

    def ask(self, command: Command) -> None:
        self._process.send(command)
        self._wait()

    def lines(self, lines: Sequence[str], device: str) -> None:
        for line in lines:
            self.ask(Run(1, line.replace("{0}", device)))
            assert not isinstance(self.seen[-1], Failed), self.seen[-1]

    def stop(self) -> None:
        self._process.stop()

    def _wait(self) -> None:
        self._answered.wait()
        self._answered.clear()

    def _on_event(self, event: Event) -> None:
        self.seen.append(event)
        if isinstance(event, (Hello, Finished, Failed)):
            self._answered.set()


def _ready() -> list[Figure]:
    ours, theirs = [], []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        with subprocess.Popen(_IMPORT, stdout=subprocess.PIPE) as bare:
            assert bare.stdout is not None
            bare.stdout.readline()
            theirs.append(time.perf_counter() - began)
        began = time.perf_counter()
        worker = _Worker()
        ours.append(time.perf_counter() - began)
        worker.stop()
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    told = f"{statistics.median(ours):.2f} s, x{ratio:.2f}"
    return [
        Figure("bare `import torch`", f"{statistics.median(theirs):.2f} s"),
        Figure("a worker is ready", told, "under 1.3 times that", ratio < 1.3),
    ]


def _round_trip() -> Figure:
    worker = _Worker()
    trips = []
    for number in range(_TRIPS):
        began = time.perf_counter()
        worker.ask(Run(number + 1, "len([])"))
        trips.append(time.perf_counter() - began)
    worker.stop()
    median = statistics.median(trips)
    worst = sorted(trips)[int(_TRIPS * 0.99)]
    told = f"{median * 1e3:.2f} ms, p99 {worst * 1e3:.2f} ms"
    return Figure("round trip of an empty command", told, "median under 1 ms", median < 1e-3)


def _training() -> list[Figure]:
    taken = {}
    for simulated in (False, True):
        worker = _Worker(simulated=simulated)
        worker.lines(_SMALL, "cuda:0" if simulated else "cpu")
        worker.ask(Train(1, "net", "X", "Y", "opt", "cross_entropy", 5, 32))
        began = time.perf_counter()
        worker.ask(Train(1, "net", "X", "Y", "opt", "cross_entropy", _STEPS, 32))
        taken[simulated] = (time.perf_counter() - began) / _STEPS
        worker.stop()
    rows = [("on the processor", taken[False]), ("on a simulated card", taken[True])]
    return [
        Figure(f"a training step, small model, {where}", f"{seconds * 1e3:.2f} ms")
        for where, seconds in rows
    ]


def _peek() -> list[Figure]:
    worker = _Worker(simulated=True)
    worker.lines(("X = torch.ones(512, 1024, 1024, device='{0}')",), "cuda:0")
    began = time.perf_counter()
    worker.ask(Peek(2, "X"))
    took = time.perf_counter() - began
    worker.stop()
    seen = next(each for each in worker.seen if isinstance(each, Peeked))
    told = f"{seen.moved_bytes} B in {took:.2f} s"
    return [
        Figure("a look into 2 GiB moves", told, "under 16 KiB", seen.moved_bytes < 16 * 1024)
    ]
