"""This computer as one of the machines: without ssh."""

import sys
from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab import packaged
from gpuexplorer.ranks.company import Member
from gpuexplorer.remote.host_name import HostName


def here(name: str, python: str | Path | None) -> Member:
    """Where that Python has no PyTorch, its rank finds one that has. Raises Trouble where no
    rank can run.
    """
    if sys.platform == "win32":
        raise Trouble(
            "Windows cannot be one of the machines between which copies are measured.",
            "Between others it can: name those.",
        )
    path = Path(python or sys.executable)
    asked = "python3" if packaged.is_this_program(path) else str(path)
    return Member(name, HostName("localhost"), _run, asked)


def _run(_host: HostName, command: str) -> Sequence[str]:
    return ["sh", "-c", command]
