"""The packaged program: no Python, perhaps with a PyTorch inside."""

import sys
from pathlib import Path

ROLE = "worker"  # the word by which the program is told to be the other process


def folder() -> "Path | None":
    """Where its parts are; None where a Python runs us."""
    if not getattr(sys, "frozen", False):
        return None
    return Path(__file__).parents[2]


def is_this_program(path: Path) -> bool:
    """Never where a Python runs us: that is a Python like any other."""
    if folder() is None:
        return False
    try:
        if sys.platform == "win32":  # either of the two
            return path.parent.samefile(Path(sys.executable).parent)
        return path.samefile(sys.executable)
    except OSError:
        return False


def program_for_worker(program: Path) -> Path:
    """On Windows there are two; the one that may have a terminal has pipes like any other."""
    return program.with_name("gpuexplorer.exe") if sys.platform == "win32" else program
