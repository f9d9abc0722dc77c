"""The start of a watched program, in Python's own start, and of what a cell or a program with
simulated cards starts; and when a module that matters is imported.
"""

import importlib.util
import json
import os
import re
import runpy
import signal
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from gpuexplorer.lab.oldest import OLDEST_PYTHON, torch_too_old

# Exit statuses; the window has the words for them.
OLD_PYTHON, NO_TORCH, OLD_TORCH = 3, 4, 5
_VERSION = re.compile(r"""^__version__.*=\s*['"](.+)['"]""", re.MULTILINE)


def start() -> None:
    """In Python's own start, when it is about to run the program."""
    number, *blocked = os.environ.pop("GPUEXPLORER_PIPE").split()
    pipe = int(number)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - Windows alone

        pipe = msvcrt.open_osfhandle(pipe, os.O_WRONLY)
    else:
        os.set_inheritable(pipe, False)  # noqa: FBT003 - Python's own
    if sys.version_info < OLDEST_PYTHON:
        _refuse(pipe, OLD_PYTHON, "{}.{}".format(*sys.version_info))
    # An older Python cannot read them.
    from gpuexplorer.lab.start import NAME, unpacked  # noqa: PLC0415
    from gpuexplorer.worker.program import WatchedProgram  # noqa: PLC0415

    settings = unpacked(os.environ[NAME])
    if not settings["cards"]:  # or what the program starts has them by these
        del os.environ[NAME]
        os.environ.pop("PYTHONPATH", None)
        if settings["searched"] is not None:
            os.environ["PYTHONPATH"] = settings["searched"]
    WatchedProgram(pipe, settings, _torch_version(pipe, settings["program"][0])).begin()
    if blocked:  # so that none came too early
        if signal.SIGINT in signal.sigpending():
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # there is no program yet to tell
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [int(each) for each in blocked])


def _torch_version(pipe: int, program: str) -> str:
    """By its files: the program imports it when it wants to, and chooses much before that."""
    sys.path.insert(0, str(Path(program).resolve().parent))
    try:
        spec = importlib.util.find_spec("torch")
    finally:
        del sys.path[0]
    if spec is None:
        _refuse(pipe, NO_TORCH, "No module named 'torch'")
    file = Path(spec.origin or "").with_name("version.py")
    found = _VERSION.search(file.read_text("utf-8", "replace") if file.is_file() else "")
    version = found[1] if found else ""
    if torch_too_old(version):
        _refuse(pipe, OLD_TORCH, version)
    return version


def _refuse(pipe: int, status: int, found: str) -> NoReturn:
    said = {"is": "failed", "id": 1, "cause": "cannot start", "error": "", "message": found}
    os.write(pipe, (json.dumps(said) + "\n").encode())
    os._exit(status)


def run_here(words: "Sequence[str]") -> NoReturn:
    """Where Python would run the file by itself, this does as it would."""
    start()
    sys.argv = list(words)
    sys.path.insert(0, str(Path(words[0]).resolve().parent))
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit:
        raise
    except BaseException as error:
        sys.last_value = error
        sys.excepthook(type(error), error, error.__traceback__)
        raise SystemExit(1) from None
    raise SystemExit(0)


def begin_as_parent() -> None:
    """In a process that a cell or a program with simulated cards has started, such as by
    `spawn` or torchrun: it has those cards, too, and is not watched.
    """

    def put_cards() -> None:
        from gpuexplorer.lab.start import NAME, unpacked  # noqa: PLC0415 - takes a while
        from gpuexplorer.worker.engine import engine_for  # noqa: PLC0415 - as above

        engine = engine_for(unpacked(os.environ[NAME]))
        engine.running(watched=False, program=True).__enter__()

    when_imported("torch", put_cards)


def when_imported(name: str, then: "Callable[[], None]") -> None:
    """Calls `then` at once, or in the import of the module, as its last part."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Finder(name, then))


class _Finder:
    def __init__(self, name: str, then: "Callable[[], None]") -> None:
        self._name, self._then = name, then

    # Any: a loader is whatever finds the module.
    def find_spec(
        self, name: str, _path: Any = None, _target: Any = None
    ) -> "ModuleSpec | None":
        if name != self._name:
            return None
        sys.meta_path.remove(self)  # others find it
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)  # it may be installed later
            return spec
        loader: Any = spec.loader
        original = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            original(module)
            self._then()

        loader.exec_module = exec_module
        return spec
