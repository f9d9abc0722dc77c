"""The trace that was asked for, and the sentence where its file cannot be written."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, Self

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Event
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.programs.trace import TraceFile


class Trace:
    """Does nothing without a path. A disk that is full does not end the program: `trouble`
    says so afterwards.
    """

    def __init__(self, path: Path | None, program: Path, machine: str | None = None) -> None:
        """`machine`: where it runs, if not here. Raises Trouble where the file cannot be
        written.
        """
        self.machine = machine
        self.trouble: Trouble | None = None
        self._path = path
        self._program = program
        self._out: BinaryIO | None = None
        self._file: TraceFile | None = None
        if path is not None:
            try:
                self._out = path.open("wb")
            except OSError as error:
                raise self._cannot_be_written(error) from None

    @property
    def wanted(self) -> bool:
        return self._out is not None

    def apply(self, event: Event) -> None:
        """Of a program, as it is said."""
        if self._file is None and self._out is not None:
            place = ProgramRun(self._program.resolve(), ()).place
            self._file = TraceFile(self._out, self._program.name, place)
        if self._file is not None:
            self._try(partial(self._file.apply, event))

    def write(self, pieces: Iterable[bytes]) -> None:
        """All of it at once."""
        if self._out is not None:
            self._try(partial(self._out.writelines, pieces))

    def _try(self, write: Callable[[], object]) -> None:
        if self.trouble is None:
            try:
                write()
            except OSError as error:
                self.trouble = self._cannot_be_written(error)

    def _cannot_be_written(self, error: OSError) -> Trouble:
        return Trouble(
            "The trace cannot be written to {file}: {why}.",
            "Name another file after --trace.",
            file=str(self._path),
            why=error.strerror or os.strerror(error.errno or 0),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._try(self._file.close)
        if self._out is not None:
            self._try(self._out.close)
            with suppress(OSError):
                self._out.close()
