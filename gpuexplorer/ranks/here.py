"""This computer as one of the machines: without ssh, and with a Python of the lab."""

import sys
from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab import packaged
from gpuexplorer.ranks.company import Member
from gpuexplorer.remote.host_name import HostName


def check_here() -> None:
    """Raises Trouble where no rank can run on this computer."""
    if sys.platform == "win32":
        raise Trouble(
            "Windows cannot be one of the machines between which copies are measured.",
            "Between others it can: name those.",
        )


def here(name: str, python: Path, instead: str) -> Member:
    """`instead` is what to do where that Python does not suit."""
    if packaged.is_this_program(python):
        raise Trouble(
            "The PyTorch inside this program does not measure between machines.", instead
        )
    return Member(name, HostName("localhost"), _run, str(python))


def _run(_host: HostName, command: str) -> Sequence[str]:
    return ["sh", "-c", command]
