"""Waits for a measurement, with one line on a terminal that says how far it has got."""

import os
import threading
import time
from types import TracebackType
from typing import Self, TextIO

from gpuexplorer.commands.grid import cut
from gpuexplorer.commands.windows_console import draws_in_place
from gpuexplorer.copies.measuring import Measuring, Progress
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import tr
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.product_job import ProductJob

_EVERY = 0.1
_USUAL_WIDTH = 79
_LAST_PATIENCE = 3.0


def wait_for(measuring: Measuring) -> bool:
    """False when a person did not want to wait."""
    try:
        while not measuring.wait(_EVERY):
            pass
    except KeyboardInterrupt:
        measuring.stop()
        measuring.wait(_LAST_PATIENCE)
        return False
    return True


class ProgressLine:
    """Written over itself, and taken away at the end; only where a person looks.

    `show` is called from the thread that measures.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._seen = draws_in_place(stream) and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._written = -_EVERY
        self._over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._over = True
            if self._seen:
                self._stream.write("\r\x1b[K")
                self._stream.flush()

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        with self._lock:
            if not self._seen or self._over or now - self._written < _EVERY:
                return
            self._written = now
            self._stream.write(f"\r{cut(in_words(progress), self._width())}\x1b[K")
            self._stream.flush()

    def _width(self) -> int:
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns
            return max(20, columns - 1) if columns else _USUAL_WIDTH
        except (OSError, ValueError):
            return _USUAL_WIDTH


def in_words(progress: Progress) -> str:
    if progress.job is None:
        return tr("{done} of {all} measured", done=progress.of, all=progress.of)
    parts = [
        tr(
            "{number} of {all}: {copy}",
            number=progress.done + 1,
            all=progress.of,
            copy=job_in_words(progress.job),
        )
    ]
    if progress.samples:
        parts.append(tr("sample {taken} of {all}", taken=progress.taken, all=progress.samples))
    if progress.seconds_left is not None:
        parts.append(tr("{time} left", time=_left(progress.seconds_left)))
    return ", ".join(parts)


def _left(seconds: float) -> str:
    return f"{max(1.0, seconds):.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def job_in_words(job: CopyJob | ProductJob) -> str:
    if isinstance(job, ProductJob):
        return tr(
            "{type} products on {device}, {size} x {size}",
            type=job.kind.upper(),
            device=job.device,
            size=job.size,
        )
    kind, size = kind_of(job), memory(job.bytes)
    if kind is Kind.ONE_WAY:
        return tr(
            "{source} to {target}, {size}", source=job.source, target=job.target, size=size
        )
    return tr(
        "{source} to {target}, {size}, {mode}",
        source=job.source,
        target=job.target,
        size=size,
        mode=kind.value,
    )
