"""Which Python has the PyTorch that a command needs, on this computer or on another one."""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.pythons import LabPython, ask, candidates, chosen, none_has_torch
from gpuexplorer.lab.start import Start

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine


def lab_start(
    far: "FarMachine | None", path: Path | None, why: Message, instead: str = ""
) -> tuple[LabPython, Start]:
    """As `lab_python`, and how its worker is started; on that machine where there is one."""
    if far is None:
        python = lab_python(path, why, instead)
        return python, Start(python.path)
    from gpuexplorer.remote.far.pythons import usable_there  # noqa: PLC0415 - rarely needed

    python = usable_there(far, path, why)
    return python, far.lab_start(Start(python.path))


def lab_python(path: Path | None, why: Message, instead: str = "") -> LabPython:
    """The one a person named, or the first that has PyTorch, as in the lab. Where none has it,
    the Trouble says `why` that is needed, and what could be done `instead`.
    """
    if path is not None:
        return chosen(_whole(path))
    count = 0
    for candidate in candidates(dict(os.environ), Path.home()):
        python = ask(candidate)
        count += 1
        if python.usable:
            return python
    install = "Get it: `gpuexplorer doctor --get-pytorch`; or name a Python with --python."
    raise Trouble(told(why, none_has_torch(count)), told(install, instead))


def _whole(path: Path) -> Path:
    """As it was typed: a file here, or a program that is searched for as a shell does."""
    if path.exists():
        return path.absolute()  # it may be started in another folder
    return Path(shutil.which(path) or path)
