"""The packaged program: no Python, perhaps with a PyTorch inside, in changed surroundings."""

import sys
from collections.abc import MutableMapping
from pathlib import Path

ROLE = "worker"  # the word by which the program is told to be the other process
_ORIGINAL = "_ORIG"
_STARTERS = "_PYI_"
_SEARCHED = ("LD_LIBRARY_PATH", "LIBPATH", "DYLD_LIBRARY_PATH")


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


def give_back(environment: "MutableMapping[str, str]") -> None:
    """Undo what the packaged program's starter set for itself, before anybody else is started.

    The libraries that lie beside us are not made for the browser, the desktop's tools or the
    Pythons that are started from here. Ours were found by then.
    """
    for name in _SEARCHED:
        original = environment.pop(f"{name}{_ORIGINAL}", None)
        if original is not None:
            environment[name] = original
        elif environment.get(name) == str(folder()):
            del environment[name]
    for name in [each for each in environment if each.startswith(_STARTERS)]:
        del environment[name]
