"""Putting packages into a Python environment, and saying in a sentence why that did not work.

Standard library only: it runs before anything is installed.
"""

import importlib
import importlib.util
import os
import subprocess
import sys
from collections import deque
from pathlib import Path

from system_parts import install_with_apt, way_to_install

ROOT = Path(__file__).resolve().parent.parent
TAIL = 12  # lines of somebody else's output that are shown when it fails


class CannotGoOnError(Exception):
    """What happened and what to do, for the person at the terminal."""


def provide_ensurepip() -> None:
    """Debian and Ubuntu keep the part of Python that makes .venv in a package of its own."""
    if has_ensurepip():
        return
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if install_with_apt([package]) and has_ensurepip():
        return
    raise CannotGoOnError(
        f"This Python ({sys.executable}) lacks ensurepip, which makes .venv.\n"
        f"On Debian or Ubuntu, type: {way_to_install([package])}\n"
        "Or name another Python: make run PYTHON=/path/to/python3"
    )


def has_ensurepip() -> bool:
    importlib.invalidate_caches()
    found = importlib.util.find_spec("ensurepip")
    # A folder left behind by a removed package is found too, but comes from no file.
    return found is not None and found.origin is not None


def base_python() -> str:
    """This Python may be the one in an environment that is to be removed."""
    return getattr(sys, "_base_executable", sys.executable)


def run(command: list[str], failure: str) -> None:
    """Shows only what is being downloaded; on failure, how the output ended."""
    environment = os.environ | {"PIP_USER": "0", "PIP_NO_INPUT": "1"}
    tail: deque[str] = deque(maxlen=TAIL)
    unreachable = False
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            tail.append(line.rstrip())
            unreachable = unreachable or "connection broken" in line
            if line.lstrip().startswith("Downloading "):
                print(f"  {describe_download(line)}", flush=True)
    if process.returncode != 0:
        reason = " The network, or what stands behind it, does not answer." * unreachable
        shown = "\n".join(f"  {line}" for line in tail)
        raise CannotGoOnError(f"{failure}{reason} Its last lines were:\n{shown}")


def describe_download(line: str) -> str:
    """ "Downloading <where>/<file> (95.2 MB)" without the where."""
    _, where, *size = line.split(maxsplit=2)
    return " ".join(["fetching", where.rpartition("/")[2], *size]).rstrip()
