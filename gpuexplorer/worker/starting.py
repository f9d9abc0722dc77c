"""The start of a watched program, in Python's own start, and of what a cell or a program with
simulated cards starts; and when a module that matters is imported.
"""

import builtins
import contextlib
import importlib.util
import io
import json
import os
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
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
    pipe = int(os.environ.pop("GPUEXPLORER_PIPE"))
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
        if settings["searched"] is None:
            os.environ.pop("PYTHONPATH", None)
        else:
            os.environ["PYTHONPATH"] = settings["searched"]
    version = _torch_version(pipe, settings["program"][0])
    WatchedProgram(pipe, settings, version).begin()


def _torch_version(pipe: int, program: str) -> str:
    """By its files: the program imports it when it wants to, and chooses much before that."""
    folder = str(Path(program).resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.find_spec("torch")
    finally:
        sys.path.remove(folder)
    if spec is None:
        _refuse(pipe, NO_TORCH, "No module named 'torch'")
    file = Path(spec.origin or "").with_name("version.py")
    text = file.read_text("utf-8", "replace") if file.is_file() else ""
    found = _VERSION.search(text)
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
    main = types.ModuleType("__main__")
    vars(main).update(__builtins__=builtins, __file__=str(Path(words[0]).absolute()))
    sys.modules["__main__"] = main
    sys.argv = list(words)
    sys.path.insert(0, str(Path(words[0]).resolve().parent))
    try:
        with io.open_code(words[0]) as file:
            code = compile(file.read(), words[0], "exec", dont_inherit=True)
        exec(code, vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        sys.last_type, sys.last_value = type(error), error
        sys.excepthook(type(error), error, error.__traceback__)
        raise SystemExit(1) from None
    raise SystemExit(0)


_OURS = "gpuexplorer"


class OwnModules:
    """What the program imports as gpuexplorer is what is installed, or lies beside it."""

    def __init__(self) -> None:
        self._ours: dict[str, ModuleType] = {}

    def hide(self) -> None:
        self._ours = _taken()

    @contextlib.contextmanager
    def shown(self) -> "Iterator[None]":
        """While we import more of ours."""
        theirs = _taken()
        sys.modules.update(self._ours)
        try:
            yield
        finally:
            self._ours = _taken()
            sys.modules.update(theirs)


def _taken() -> "dict[str, ModuleType]":
    names = [each for each in sys.modules if each.partition(".")[0] == _OURS]
    return {each: sys.modules.pop(each) for each in names}


def when_imported(
    name: str, around: "Callable[[], AbstractContextManager[None]]", then: "Callable[[], None]"
) -> None:
    """Calls `then` at once, or in the import of the module, as its last part; `around` it."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Finder(name, around, then))


class _Finder:
    def __init__(
        self,
        name: str,
        around: "Callable[[], AbstractContextManager[None]]",
        then: "Callable[[], None]",
    ) -> None:
        self._name = name
        self._around = around
        self._then = then
        self._asking = False

    # Any: a loader is whatever finds the module.
    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: Any = None
    ) -> "ModuleSpec | None":
        if name != self._name or self._asking:
            return None
        self._asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            self._listen(spec.loader)
        return spec

    def _listen(self, loader: Any) -> None:
        original = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            with self._around():
                original(module)
            sys.meta_path.remove(self)
            self._then()

        loader.exec_module = exec_module


_WAITING = "OMP_WAIT_POLICY"


@contextlib.contextmanager
def waiting_passively() -> "Iterator[None]":
    """Around PyTorch's import, which reads it once: threads that wait shall not take the cores
    of those that stand in for the cards.
    """
    ours = _WAITING not in os.environ
    if ours:
        os.environ[_WAITING] = "PASSIVE"
    try:
        yield
    finally:
        if ours:
            os.environ.pop(_WAITING, None)


# Any: the settings are JSON; and an engine, whose module takes long to be imported.
def engine_here(settings: "Mapping[str, Any]") -> Any:
    """Raises ImportError in a sentence."""
    try:
        from gpuexplorer.worker.engine import engine_for  # noqa: PLC0415 - as above

        return engine_for(settings)
    except (ImportError, AttributeError) as error:
        from gpuexplorer.core.words import Message  # noqa: PLC0415 - as above

        lacking = Message(
            "This PyTorch lacks what the lab needs: {said}.", said=f"{error}".rstrip(".")
        )
        raise ImportError(lacking) from None


def begin_as_parent() -> None:
    """In a process that a cell or a program with simulated cards has started, such as by
    `spawn` or torchrun: it has those cards, too, and is not watched.
    """
    modules = OwnModules()

    def put_cards() -> None:
        with modules.shown():
            from gpuexplorer.lab.start import NAME, unpacked  # noqa: PLC0415 - takes a while

            engine = engine_here(unpacked(os.environ[NAME]))
        engine.running(watched=False, program=True).__enter__()

    when_imported("torch", waiting_passively, put_cards)
    modules.hide()
