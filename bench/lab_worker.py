"""A worker of the lab that is asked one thing at a time, in the Python the lab would take."""

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.lab.events import Event, Failed, Finished, Hello
from gpuexplorer.lab.pythons import ask, candidates
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.wire import Command, Run
from gpuexplorer.lab.worker_process import Start, WorkerProcess
from gpuexplorer.simulation.specs import parse_machine


def lab_python() -> Path | None:
    """As the lab finds it; None where none has PyTorch."""
    for path in candidates(dict(os.environ), Path.home()):
        if ask(path).usable:
            return path
    return None


class Worker:
    """Sends a command and waits for its answer."""

    def __init__(self, python: Path, *, simulated: bool = False) -> None:
        told = simulated_cards(parse_machine("2xTitanRTX"))
        cards, links = (told.cards, told.links) if simulated else ((), ())
        self.device = "cuda:0" if simulated else "cpu"
        self.seen: list[Event] = []
        self._answered = threading.Event()
        start = Start(python, cards=cards, links=links)
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

    def run(self, line: str) -> float:
        """`{0}` stands for the device."""
        return self.ask(Run(1, line.replace("{0}", self.device)))

    def run_all(self, lines: Sequence[str]) -> float:
        return sum(self.run(line) for line in lines)

    def stop(self) -> None:
        self._process.stop()

    def _wait(self) -> None:
        self._answered.wait()
        self._answered.clear()

    def _on_event(self, event: Event) -> None:
        self.seen.append(event)
        if isinstance(event, (Hello, Finished, Failed)):
            self._answered.set()
