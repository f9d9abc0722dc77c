"""A worker of the lab that is asked one thing at a time, in the Python the lab would take."""

import itertools
import os
import threading
import time
from pathlib import Path
from typing import Self, TypeVar

from gpuexplorer.lab.events import Event, Failed, Finished, Hello
from gpuexplorer.lab.pythons import ask, candidates
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Command, Run
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine

T = TypeVar("T", bound=Event)


def lab_python() -> Path:
    """As the lab finds it."""
    found = (each for each in candidates(dict(os.environ), Path.home()) if ask(each).usable)
    if (python := next(found, None)) is None:
        raise SystemExit("The lab finds no Python with PyTorch to measure with.")
    return python


class Worker:
    """Sends a command and waits for its answer."""

    def __init__(self, python: Path, *, simulated: bool = False) -> None:
        known, ways = simulated_cards(Machine(parse_machine("2xTitanRTX")))
        start = Start(python, cards=known, links=ways) if simulated else Start(python)
        self.device = "cuda:0" if simulated else "cpu"
        self.seen: list[Event] = []
        self._numbers = itertools.count(1)
        self._answered = threading.Event()
        self._process = WorkerProcess(start, self._on_event, lambda _: self._answered.set())
        self._wait()

    def ask(self, command: Command) -> float:
        """Seconds until the answer."""
        began = time.perf_counter()
        self._process.send(command)
        self._wait()
        took = time.perf_counter() - began
        if isinstance(self.seen[-1], Failed):
            raise RuntimeError(self.seen[-1].message)
        return took

    def run(self, *cells: str) -> float:
        """`{0}` stands for the device."""
        took = 0.0
        for cell in cells:
            number = next(self._numbers)
            took += self.ask(Run(number, cell.replace("{0}", self.device), number))
        return took

    def last(self, kind: type[T]) -> T:
        return next(each for each in reversed(self.seen) if isinstance(each, kind))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stop()

    def _wait(self) -> None:
        self._answered.wait()
        self._answered.clear()

    def _on_event(self, event: Event) -> None:
        self.seen.append(event)
        if isinstance(event, (Hello, Finished, Failed)):
            self._answered.set()
