"""The start of a watched program: takes back what brought us here, or says why it cannot be."""

import builtins
import io
import json
import os
import re
import signal
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from gpuexplorer.lab.oldest import OLDEST_PYTHON, torch_too_old

# Exit statuses; the window has the words for them.
OLD_PYTHON, NO_TORCH, OLD_TORCH = 3, 4, 5
_VERSION = re.compile(r"""^__version__.*=\s*['"](.+)['"]""", re.MULTILINE)


def start() -> None:
    """In Python's own start, when it is about to run the program."""
    number, *blocked = os.environ.pop("GPUEXPLORER_PIPE").split()
    pipe = _opened(int(number))
    if sys.version_info < OLDEST_PYTHON:
        _refuse(pipe, OLD_PYTHON, "{}.{}".format(*sys.version_info))
    # An older Python cannot read them.
    from gpuexplorer.lab.start import NAME, unpacked  # noqa: PLC0415
    from gpuexplorer.worker.program.watched import WatchedProgram  # noqa: PLC0415

    settings = unpacked(os.environ[NAME])
    if not settings["cards"]:  # or what the program starts has them by these
        del os.environ[NAME]
        if settings["searched"] is None:
            os.environ.pop("PYTHONPATH", None)
        else:
            os.environ["PYTHONPATH"] = settings["searched"]
    version = _torch_version(pipe, settings["program"][0])
    WatchedProgram(pipe, settings, version).begin()
    if blocked:  # so that none came too early
        if signal.SIGINT in signal.sigpending():
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # there is no program yet to tell
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [int(each) for each in blocked])


def _opened(number: int) -> int:
    """The pipe, for us alone."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - Windows alone

        return msvcrt.open_osfhandle(number, os.O_WRONLY)
    os.set_inheritable(number, False)  # noqa: FBT003 - Python's own
    return number


def _torch_version(pipe: int, program: str) -> str:
    """By its files: the program imports it when it wants to, and chooses much before that."""
    import importlib.util  # noqa: PLC0415 - as above
    from pathlib import Path  # noqa: PLC0415

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
