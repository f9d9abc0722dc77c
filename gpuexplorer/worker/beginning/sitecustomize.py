"""Python imports this by itself before it runs anything: the watch of a person's program begins
here, and the simulated cards of whatever that program or a cell starts.

Any Python 3 can read this file. The person's own sitecustomize is imported first.
"""

import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).parent
_PIPE = "GPUEXPLORER_PIPE"  # as lab/start.py names it
_TOLD = "GPUEXPLORER_LAB"  # as it does this
_OLDEST = (3, 10)


def _begin() -> None:
    sys.path.insert(0, str(_HERE.parents[2]))
    import_module("gpuexplorer")  # which knows from now on where its parts are
    del sys.path[0]
    starting = import_module("gpuexplorer.worker.starting")
    if _PIPE in os.environ:  # gone in a second interpreter of the program's
        starting.start()
    elif sys.version_info >= _OLDEST:
        starting.begin_as_parent()


if __name__ == "sitecustomize":
    del sys.modules[__name__]
    sys.path[:] = [each for each in sys.path if Path(each) != _HERE]
    try:
        import_module(__name__)  # where there is none, Python has seen none
    finally:
        try:
            if _PIPE in os.environ or _TOLD in os.environ:
                _begin()
        except Exception:  # Python would run the program all the same
            traceback.print_exc()
            os._exit(1)
