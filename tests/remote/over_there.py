"""Another computer as tests have it: this one, by a shell, as ssh would do it."""

import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from gpuexplorer.core.harmless import line_of
from gpuexplorer.remote import wire
from gpuexplorer.remote.link import Ending, Link
from gpuexplorer.remote.parcel import Kind, Parcel, parcel
from gpuexplorer.remote.ssh import HostName
from gpuexplorer.remote.wire import Settings, told_of

T = TypeVar("T")
PATIENCE = 30.0
SIMULATED = Settings(simulate="2xH100", seed=7)
_BARE = {"PATH": os.defpath}


class OverThere:
    """Runs a parcel; what it tells and how it complains is kept. Ends with the block."""

    def __init__(
        self,
        sent: "Parcel | Settings" = SIMULATED,
        python: str = sys.executable,
        *,
        shell: str = "sh",
        folder: "Path | None" = None,
        environment: "Mapping[str, str]" = _BARE,
    ) -> None:
        if isinstance(sent, Settings):
            sent = parcel(Kind.AGENT, sent.environment)
        self.raw: list[bytes] = []  # the lines after the mark
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._over = threading.Event()
        surroundings = (f"{name}={value}" for name, value in environment.items())
        found = shutil.which(shell) or shell
        place = [] if folder is None else ["-C", str(folder)]
        command = ["env", "-i", *place, *surroundings, found]
        self.link = Link(
            HostName("there"), [*command, "-c", sent.command(python)], sent, self._hear
        )
        self.link.start(self._end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self.hang_up()
        self._over.wait(PATIENCE if error is None else 1.0)
        self.link.stop()

    @property
    def pid(self) -> int:
        return self.link._process.pid

    @property
    def complaints(self) -> bytes:
        return self.link.course.complained

    def order(self, *orders: wire.Order) -> None:
        for each in orders:
            self.link.send(line_of(each))

    def hang_up(self) -> None:
        self.link._outgoing.put(None)

    def next(self) -> Any:
        """None when it has said its last word."""
        line = self._lines.get(timeout=PATIENCE)
        return None if line is None else told_of(line)

    def until(self, kind: "type[T]", suits: "Callable[[T], bool]" = lambda _: True) -> T:
        """The next of this kind; what comes before is passed over."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            told = self.next()
            assert told is not None, self.complaints.decode("utf-8", "replace")
            if isinstance(told, kind) and suits(told):
                return told
        raise AssertionError(f"no {kind.__name__} came")

    def said(self, words: bytes) -> None:
        """It says them, or has said them."""
        while (line := self._lines.get(timeout=PATIENCE)) is not None and words not in line:
            pass
        assert line is not None, self.complaints

    def end(self) -> "int | None":
        """Its status, once it has ended by itself and everything was heard."""
        assert self._over.wait(PATIENCE)
        return self.link.course.status

    def _hear(self, line: bytes) -> None:
        self.raw.append(line)
        self._lines.put(line)

    def _end(self, _: Ending) -> None:
        self._lines.put(None)
        self._over.set()
