"""Real worker processes for tests, and fake ones that do what no worker should."""

import contextlib
import importlib.util
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from gpuexplorer.lab.events import Event, Failed, Finished, Hello, Printed
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Command, Run
from gpuexplorer.lab.worker_process import WorkerProcess

PATIENCE = 60.0
Said = TypeVar("Said", bound=Event)
# Nobody here imports it: PyTorch lives in the workers' processes alone.
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="there is no torch here"
)
# Torch may lie where PYTHONPATH says; the worker is started with the same environment.
CARD: dict[str, object] = {
    "name": "NVIDIA TITAN RTX",
    "uuid": "SIM-0",
    "memory_bytes": 24 << 30,
    "context_bytes": 334 << 20,
    "elsewhere_bytes": 356 << 20,
    "capability": [7, 5],
    "multiprocessors": 72,
    "flops": 16.31e12,
    "half_flops": 32.6e12,
    "double_flops": 0.51e12,
    "bytes_per_second": 672e9,
}


class Listener:
    """Keeps what a worker said, and lets a test wait for it."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.ends: list[str] = []
        self._said = threading.Condition()

    def on_event(self, event: Event) -> None:
        with self._said:
            self.events.append(event)
            self._said.notify_all()

    def on_end(self, why: str) -> None:
        with self._said:
            self.ends.append(why)
            self._said.notify_all()

    def wait(self, true: Callable[[], bool], patience: float = PATIENCE) -> None:
        with self._said:
            assert self._said.wait_for(true, patience), (self.events, self.ends)

    @property
    def hello(self) -> Hello:
        self.wait(lambda: bool(self.events or self.ends))
        found = self.events[0] if self.events else self.ends
        assert isinstance(found, Hello), found
        return found

    @property
    def end(self) -> str:
        self.wait(lambda: bool(self.ends))
        return self.ends[0]

    def outcome(self, command: int, after: int = 0) -> Finished | Failed:
        """Of what was said after so many events."""

        def outcomes() -> list[Finished | Failed]:
            kinds = (Finished, Failed)
            return [e for e in self.events[after:] if isinstance(e, kinds) and e.id == command]

        self.wait(lambda: bool(outcomes()))
        return outcomes()[0]


class Worker:
    """One process under test."""

    def __init__(self, start: Start | None = None) -> None:
        self.listener = Listener()
        self.process = WorkerProcess(
            start or Start(), self.listener.on_event, self.listener.on_end
        )
        self._id = 0

    def send(self, make: Callable[[int], Command]) -> int:
        self._id += 1
        self.process.send(make(self._id))
        return self._id

    def begin(self, code: str) -> int:
        """A cell, whose number is the command's."""
        return self.send(lambda number: Run(number, code, number))

    def run(self, *cells: str) -> Finished | Failed:
        for code in cells:
            outcome = self.listener.outcome(self.begin(code))
        return outcome

    def failure(self, code: str) -> Failed:
        outcome = self.run(code)
        assert isinstance(outcome, Failed), outcome
        return outcome

    def printed(self, command: int, stream: str = "out") -> str:
        """All that came of one stream while that cell was the newest."""
        said = self.said(Printed, command)
        return "".join(each.text for each in said if each.stream == stream)

    def value(self, code: str) -> str:
        """What a cell displays."""
        outcome = self.run(code)
        assert isinstance(outcome, Finished), outcome
        return self.printed(outcome.id, "value")

    def said(self, kind: type[Said], command: int) -> list[Said]:
        events = self.listener.events
        return [each for each in events if isinstance(each, kind) and each.id == command]


@dataclass(frozen=True)
class Fake(Start):
    """Another program in the worker's place, or the worker with something done to it first."""

    script: str = ""
    argv: Sequence[str] = ()

    @property
    def command(self) -> list[str]:
        return list(self.argv) or [sys.executable, "-c", self.script]


def tampered(script: str) -> Fake:
    """The real worker, but this is done to it before it starts."""
    home = Path(__file__).parents[2]
    begin = f"import sys\nsys.path.insert(0, {str(home)!r})\n"
    end = "\nimport runpy\nrunpy.run_module('gpuexplorer.worker', run_name='__main__')\n"
    return Fake(script=begin + script + end)


def ended(pid: int) -> bool:
    """Waits until the process is gone; not one of ours, so nobody here is told."""
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(PATIENCE)
    return not psutil.pid_exists(pid)
