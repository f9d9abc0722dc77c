"""The Pythons of another machine, as its agent found them for the lab."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, on, told
from gpuexplorer.lab.pythons import LabPython, none_has_torch
from gpuexplorer.remote.wire import AskPythons, Pythons

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine

# Each is started once over there, and some lie on a slow disk.
_PATIENCE = 40.0


def pythons_there(far: "FarMachine") -> Sequence[LabPython]:
    """All that may be one, the likeliest first. Waits; raises Trouble where nobody answers."""
    return _found(far, "")


def python_there(far: "FarMachine", path: Path) -> LabPython:
    """The one that was named: a program, or the folder of an environment. Waits."""
    found = _found(far, path.as_posix())
    return found[0] if found else LabPython(path)


def usable_there(far: "FarMachine", named: Path | None, why: Message) -> LabPython:
    """That one, or the first that has PyTorch. Else the Trouble says `why` that is needed."""
    if named is not None:
        python = python_there(far, named)
        if not python.usable:
            raise Trouble(
                on(far.host.text, python.trouble),
                "Name another of its Pythons with --python, or leave that out.",
            )
        return python
    asked = pythons_there(far)
    usable = next((each for each in asked if each.usable), None)
    if usable is not None:
        return usable
    raise Trouble(
        told(why, none_has_torch(len(asked), far.host.text)),
        "Install it there: `pip install torch`; or name one of its Pythons with --python.",
    )


def _found(far: "FarMachine", named: str) -> Sequence[LabPython]:
    return far.asking.ask(AskPythons(0, named), Pythons, _PATIENCE).found
