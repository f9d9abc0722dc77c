"""The worker's way in: takes the pipe for itself, brings PyTorch in, and serves."""

import json
import os
import sys

from gpuexplorer.worker.pipe import Pipe

_OLDEST_PYTHON = (3, 10)
_CANNOT_START = 3


def main() -> int:
    """What cannot start says so in one line on standard error, and ends with 3."""
    if sys.version_info < _OLDEST_PYTHON:
        return _refuse("The lab needs Python 3.10 or newer; this is {}.{}.".format(*sys.version_info))
    pipe = Pipe()
    settings = json.loads(os.environ.get("GPUEXPLORER_LAB", "{}"))
    try:
        import torch  # noqa: F401, PLC0415 - it may be missing, and takes seconds
    except ImportError as error:
        return _refuse(f"PyTorch cannot be loaded by this Python: {error}.")
    # What needs torch can be imported only now.
    from gpuexplorer.worker.engines.torch_engine import TorchEngine  # noqa: PLC0415
    from gpuexplorer.worker.loop import Loop  # noqa: PLC0415

    if settings.get("cards"):
        from gpuexplorer.worker.engines.virtual.engine import VirtualEngine  # noqa: PLC0415

        engine = VirtualEngine(settings["cards"], settings.get("links", []))
    else:
        engine = TorchEngine()
    try:
        Loop(pipe, engine).serve()
    except BrokenPipeError:
        pass  # the window is gone, and so are we
    return 0


def _refuse(sentence: str) -> int:
    sys.stderr.write(sentence + "\n")
    return _CANNOT_START


if __name__ == "__main__":
    raise SystemExit(main())
