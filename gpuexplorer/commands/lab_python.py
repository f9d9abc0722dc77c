"""Which Python has the PyTorch that a command needs, on this computer or on another one."""

from pathlib import Path
from typing import TYPE_CHECKING

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.pythons import LabPython, PythonPlace, none_has_torch
from gpuexplorer.lab.start import Start

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine


def lab_start(
    far: "FarMachine | None", path: Path | None, why: Message, instead: str = ""
) -> tuple[LabPython, Start]:
    """The Python that a person named, or the first that has PyTorch, and how its worker is
    started; on that machine where there is one. Where none has it, the Trouble says `why` that
    is needed, and what could be done `instead`.
    """
    install = "Get it: `gpuexplorer doctor --get-pytorch`; or name a Python with --python."
    if far is None:
        place = PythonPlace()
    else:
        from gpuexplorer.remote.far.lab import There  # noqa: PLC0415 - rarely needed

        place = There(far)
        install = "Install it there: `pip install torch`; or name a Python with --python."
    if path is not None:
        python = place.picked(path)
    else:
        asked = 0
        for asked, python in enumerate(place.every(), 1):  # noqa: B007
            if python.usable:
                break
        else:
            none = none_has_torch(asked, place.computer)
            raise Trouble(told(why, none), told(install, instead))
    start = Start(python.path)
    return python, start if far is None else far.lab_start(start)
