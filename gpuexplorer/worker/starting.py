"""The start of a watched program, in Python's own start, and of what a cell or a program with
simulated cards starts; and when a module that matters is imported.
"""

import os
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn


def start() -> None:
    """In Python's own start, when it is about to run the program."""
    pipe = int(os.environ.pop("GPUEXPLORER_PIPE"))
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - Windows alone

        pipe = msvcrt.open_osfhandle(pipe, os.O_WRONLY)
    else:
        os.set_inheritable(pipe, False)  # noqa: FBT003 - Python's own
    from gpuexplorer.lab.start import NAME, unpacked  # noqa: PLC0415 - takes a while
    from gpuexplorer.worker.program import WatchedProgram  # noqa: PLC0415 - as above

    settings = unpacked(os.environ[NAME])
    if not settings["cards"]:  # or what the program starts has them by these
        del os.environ[NAME]
        os.environ.pop("PYTHONPATH", None)
        if settings["searched"] is not None:
            os.environ["PYTHONPATH"] = settings["searched"]
    WatchedProgram(pipe, settings).begin()


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
        return

    # Any: a loader is whatever finds the module.
    def find_spec(wanted: str, path: Any = None, _target: Any = None) -> Any:
        if wanted != name:
            return None
        others = (each.find_spec(name, path) for each in sys.meta_path if each is not ours)
        spec: Any = next(filter(None, others), None)
        if spec is not None and spec.loader is not None:
            original = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                original(module)
                then()

            spec.loader.exec_module = exec_module
        return spec

    ours: Any = SimpleNamespace(find_spec=find_spec)
    sys.meta_path.insert(0, ours)
