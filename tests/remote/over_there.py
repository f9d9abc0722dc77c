"""Another computer as tests have it: this one, by a shell, as ssh would do it."""

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from gpuexplorer.core.harmless import line_of
from gpuexplorer.remote import wire
from gpuexplorer.remote.parcel import Kind, Parcel, parcel
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
        upload: "bytes | None" = None,
    ) -> None:
        if isinstance(sent, Settings):
            sent = parcel(Kind.AGENT, sent.environment)
        self.parcel = sent
        self.process = subprocess.Popen(
            [shutil.which(shell) or shell, "-c", sent.command(python)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
        self.complaints = b""
        self.greeted = False
        self.raw: list[bytes] = []  # the lines after the mark
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=run) for run in (self._read, self._read_complaints)
        ]
        for each in self._threads:
            each.start()
        self.write(sent.preamble if upload is None else upload)

    def __enter__(self) -> "OverThere":
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        self.hang_up()
        try:
            self.process.wait(PATIENCE if kind is None else 1.0)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            for each in self._threads:
                each.join(PATIENCE)

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):  # one that refuses does not read on
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def order(self, *orders: wire.Order) -> None:
        for each in orders:
            self.write(line_of(each))

    def hang_up(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()

    def next(self) -> Any:
        """None when it has said its last word."""
        line = self._lines.get(timeout=PATIENCE)
        if line is None:
            self._lines.put(None)
            return None
        return told_of(line)

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

    def end(self) -> int:
        """Its status, once it has ended by itself and everything was heard."""
        status = self.process.wait(PATIENCE)
        for each in self._threads:
            each.join(PATIENCE)
        return status

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                if self.greeted:
                    self.raw.append(line)
                    self._lines.put(line)
                self.greeted = self.greeted or self.parcel.mark in line
        self._lines.put(None)

    def _read_complaints(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.complaints += line
