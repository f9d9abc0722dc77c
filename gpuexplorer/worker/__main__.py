"""The worker's way in: takes the pipe for itself, brings PyTorch in, and serves."""

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuexplorer.lab.oldest import OLDEST_PYTHON, torch_too_old

if TYPE_CHECKING:
    from gpuexplorer.worker.engine import Engine

# Exit statuses; the window has the words for them.
OLD_PYTHON, NO_TORCH, OLD_TORCH, LACKING_TORCH = 3, 4, 5, 6


def main() -> int:
    """What cannot start ends with one of these, and says what it found in one line on
    standard error.
    """
    if sys.version_info < OLDEST_PYTHON:
        return _refuse(OLD_PYTHON, "{}.{}".format(*sys.version_info))
    # An older Python cannot read them.
    from gpuexplorer.lab.packed import NAME, unpacked  # noqa: PLC0415
    from gpuexplorer.worker.pipe import Pipe  # noqa: PLC0415

    pipe = Pipe()
    settings = unpacked(os.environ.get(NAME, ""))
    try:
        import torch  # noqa: PLC0415 - it may be missing, and takes seconds
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        return _refuse(NO_TORCH, str(error))
    version = str(getattr(torch, "__version__", "of no version"))
    if torch_too_old(version):
        return _refuse(OLD_TORCH, version)
    _be_the_first_to_go()
    try:
        # What needs torch can be imported only now.
        from gpuexplorer.worker.loop import Loop  # noqa: PLC0415

        loop = Loop(pipe, _engine(settings), int(settings.get("seed", 0)))
    except (ImportError, AttributeError) as error:
        return _refuse(LACKING_TORCH, f"{version}, {error}")
    with contextlib.suppress(BrokenPipeError):  # the window is gone, and so are we
        loop.serve()
    # Everything was said; PyTorch would take its time to clean up what the system frees.
    os._exit(0)


# Any: the settings are JSON.
def _engine(settings: "dict[str, Any]") -> "Engine":
    if settings.get("cards"):
        from gpuexplorer.worker.engines.virtual.engine import VirtualEngine  # noqa: PLC0415

        return VirtualEngine(settings["cards"], settings.get("links", []))
    from gpuexplorer.worker.engines.torch_engine import TorchEngine  # noqa: PLC0415

    return TorchEngine()


def _be_the_first_to_go() -> None:
    """Where the computer runs out of memory, Linux shall end the worker, not the window."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _refuse(status: int, found: str) -> int:
    sys.stderr.write(" ".join(found.split()).rstrip(".") + "\n")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
