"""The Pythons of another machine, as its agent found them for the lab."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import on
from gpuexplorer.lab.pythons import LabPython, PythonPlace
from gpuexplorer.remote.wire import AskPythons, Pythons

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine

# Each is started once over there, and some lie on a slow disk.
_PATIENCE = 40.0


class There(PythonPlace):
    def __init__(self, far: "FarMachine") -> None:
        self._far = far
        self.computer = far.host.text

    def every(
        self, earlier: Path | None = None, _: threading.Event | None = None
    ) -> Iterator[LabPython]:
        if earlier is not None:
            yield from self._found(earlier.as_posix())
        yield from (each for each in self._found() if each.path != earlier)

    def picked(self, path: Path, _: threading.Event | None = None) -> LabPython:
        python = next(iter(self._found(path.as_posix())), LabPython(path))
        if not python.usable:
            hint = "Choose another, or install PyTorch into it there."
            raise Trouble(on(self.computer, python.trouble), hint)
        return python

    def _found(self, named: str = "") -> "list[LabPython]":
        return [*self._far.asking.ask(AskPythons(0, named), Pythons, _PATIENCE).found]
