"""A worker of the lab that is asked one thing at a time, in the Python the lab would take."""

import itertools
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.lab.events import Completed, Event, Failed, Finished, Hello
from gpuexplorer.lab.pythons import ask, candidates
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Command, Run
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine

_IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F"


def lab_python() -> Path | None:
    """As the lab finds it; None where none has PyTorch."""
    for path in candidates(dict(os.environ), Path.home()):
        if ask(path).usable:
            return path
    return None


class Worker:
    """Sends a command and waits for its answer."""

    def __init__(self, python: Path, *, simulated: bool = False) -> None:
        known, ways = simulated_cards(Machine(parse_machine("2xTitanRTX")))
        cards, links = (known, ways) if simulated else ([], [])
        self.device = "cuda:0" if simulated else "cpu"
        self.seen: list[Event] = []
        self._numbers = itertools.count()
        self.placement = False  # each cell says where its operations ran
        self._answered = threading.Event()
        start = Start(python, cards=cards, links=links)
        self._process = WorkerProcess(start, self._on_event, lambda _: self._answered.set())
        self._wait()
        self.run(_IMPORTS)

    def ask(self, command: Command) -> float:
        """Seconds until the answer."""
        began = time.perf_counter()
        self._process.send(command)
        self._wait()
        took = time.perf_counter() - began
        if isinstance(self.seen[-1], Failed):
            raise RuntimeError(self.seen[-1].message)
        return took

    def run(self, cell: str, *, watched: bool = True) -> float:
        """`{0}` stands for the device."""
        number = next(self._numbers)
        code = cell.replace("{0}", self.device)
        placement = self.placement
        return self.ask(Run(number + 1, code, number, watched, placement=placement))

    def run_all(self, cells: Sequence[str]) -> float:
        return sum(self.run(cell) for cell in cells)

    @property
    def finished(self) -> Finished:
        """The answer to the last cell."""
        last = self.seen[-1]
        assert isinstance(last, Finished)
        return last

    def stop(self) -> None:
        self._process.stop()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _wait(self) -> None:
        self._answered.wait()
        self._answered.clear()

    def _on_event(self, event: Event) -> None:
        self.seen.append(event)
        if isinstance(event, (Hello, Completed, Finished, Failed)):
            self._answered.set()
