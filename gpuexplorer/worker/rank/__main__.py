"""The rank's way in, behind a keeper; a Python without PyTorch names one that has it."""

import importlib.util
import os
import platform
import sys
from pathlib import Path

from gpuexplorer.core.words import Message
from gpuexplorer.lab.pythons import ask, candidates
from gpuexplorer.ranks.wire import Elsewhere, Failed, line_of
from gpuexplorer.worker.kept import keep


def main() -> None:
    if importlib.util.find_spec("torch") is None:
        os.write(1, line_of(_elsewhere()))
        return
    keep()
    from gpuexplorer.worker.rank.rank import Rank  # noqa: PLC0415 - in the child alone

    Rank().serve()


def _elsewhere() -> "Elsewhere | Failed":
    for path in candidates(dict(os.environ), Path.home()):
        if ask(path).usable:
            return Elsewhere(str(path))
    return Failed(
        Message("No Python on {host} has PyTorch.", host=platform.node()),
        Message("Install it there: `{python} -m pip install torch`.", python=sys.executable),
    )


if __name__ == "__main__":
    main()
