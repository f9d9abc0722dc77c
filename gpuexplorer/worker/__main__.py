"""The worker's way in: takes the pipe for itself, brings PyTorch in, and serves."""

import contextlib
import faulthandler
import os
import sys
import traceback
from dataclasses import replace
from pathlib import Path

from gpuexplorer.lab.start import NAME, unpacked

# Exit statuses; the window has the words for them, and starts no Python that is too old.
NO_TORCH, LACKING_TORCH = 3, 4


def main() -> int:
    """What cannot start ends with one of these, and says what it found in one line on
    standard error.
    """
    settings = unpacked(os.environ.get(NAME, ""))
    if "program" in settings:  # of a person's, in the packaged program's own Python
        from gpuexplorer.worker.starting import run_here  # noqa: PLC0415

        run_here(settings["program"])
    from gpuexplorer.worker.streams import Pipe, Stop, Streams, WindowGone  # noqa: PLC0415

    stop = Stop()
    pipe = Pipe(stop)
    try:
        import torch  # noqa: PLC0415 - it may be missing, and takes seconds
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        return _refuse(NO_TORCH, str(error))
    version = str(getattr(torch, "__version__", "of no version"))
    with contextlib.suppress(OSError):
        # Where the computer runs out of memory, Linux shall end the worker, not the window.
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    try:
        # What needs torch can be imported only now.
        from gpuexplorer.worker.engine import engine_for  # noqa: PLC0415
        from gpuexplorer.worker.loop import Loop  # noqa: PLC0415

        engine = engine_for(settings)
        hello = replace(engine.hello(), seed=int(settings.get("seed", 0)), pid=os.getpid())
    except (ImportError, AttributeError) as error:
        return _refuse(LACKING_TORCH, f"{version}, {error}")
    if settings.get("cards"):
        # What a cell starts, such as by `spawn` or torchrun, begins with the same cards.
        ways = [str(Path(__file__).with_name("beginning")), os.environ.get("PYTHONPATH")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, ways))
    sys.argv = [""]
    sys.path.insert(0, "")  # the person's own modules are in the lab's folder
    streams = Streams(pipe, stop)
    faulthandler.enable(streams.errors, all_threads=False)
    try:
        sampled = bool(settings.get("sampled"))
        Loop(pipe, stop, streams, engine, hello, sampled=sampled).serve()
    except WindowGone:  # and so are we
        os._exit(0)
    except BaseException:
        os.write(streams.errors, traceback.format_exc().encode())
        os._exit(1)
    # Everything was said; PyTorch would take its time to clean up what the system frees.
    os._exit(0)


def _refuse(status: int, found: str) -> int:
    sys.stderr.write(" ".join(found.split()).rstrip(".") + "\n")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
