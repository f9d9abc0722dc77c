"""Python imports this by itself before it runs anything: the watch of a person's program begins
here, and the simulated cards of whatever that program or a cell starts.

Any Python 3 can read this file. The person's own sitecustomize is imported first, and nothing
is left that the program would not find under `python FILE`.
"""

import importlib.util
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
    home = _HERE.parent.parent
    spec = importlib.util.spec_from_file_location(
        "gpuexplorer", str(home / "__init__.py"), submodule_search_locations=[str(home)]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules["gpuexplorer"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    if _PIPE in os.environ:  # gone in a second interpreter of the program's
        import_module("gpuexplorer.worker.starting").start()
    elif sys.version_info >= _OLDEST:
        import_module("gpuexplorer.worker.starting").begin_as_parent()


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
