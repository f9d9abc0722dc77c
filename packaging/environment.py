"""A Python environment of the project's own: made where it is missing, and kept up to date.

Standard library only: it runs before anything is installed.
"""

import hashlib
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from system_parts import install_with_apt, way_to_install

ROOT = Path(__file__).resolve().parents[1]
_TAIL = 12  # lines of somebody else's output that are shown when it fails


class CannotGoOnError(Exception):
    """What happened and what to do, for the person at the terminal."""


class Environment:
    """In this folder, below ROOT."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._name = folder, folder.relative_to(ROOT).as_posix()
        self.python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        # Written last: without one, it may be half of something. It says what it was made from.
        self._stamp = folder / ".ready"

    def make_ready(self, extras: Set[str], *, whole: bool = False) -> None:
        """With these extras of pyproject.toml, and those that are there already; `whole`: made
        anew where anything else changed.
        """
        if self._fits(extras):
            return
        with _nobody_else_at_it():
            if not self._fits(extras):  # another make may have done it while this one waited
                self._make(extras, whole)

    def pip_install(self, *words: str, failure: str = "") -> None:
        pip = [str(self.python), "-I", "-m", "pip", "install", "--progress-bar", "off"]
        pip += ["-c", "constraints.txt"]
        run([*pip, *words], failure or "pip could not install the packages.")

    def _fits(self, extras: Set[str]) -> bool:
        *made, there = self._made()
        return made == _wanted() and extras <= set(there.split(","))

    def _made(self) -> list[str]:
        """Content, place and extras; nothing of all where its Python is gone."""
        if not (self._stamp.is_file() and self.python.exists()):
            return ["", "", ""]
        lines = self._stamp.read_text("utf-8").split("\n")
        return lines if len(lines) == 3 else ["", "", ""]

    def _make(self, extras: Set[str], whole: bool) -> None:
        wanted, (content, place, there) = _wanted(), self._made()
        if place != wanted[1] or (whole and content != wanted[0]):
            if place not in ("", wanted[1]):
                print(f"{self._name} is made anew: the Python or the folder is another.")
            self._build()
            there = ""
        print("Installing the packages; the first time fetches about 100 MB.", flush=True)
        everything = sorted(extras | set(filter(None, there.split(","))))
        # The build tool is pinned like everything else, so pip is not to fetch one of its own.
        self.pip_install("setuptools")
        sources = f".[{','.join(everything)}]" if everything else "."
        self.pip_install("--no-build-isolation", "--editable", sources)
        self._stamp.write_text("\n".join([*wanted, ",".join(everything)]), "utf-8")

    def _build(self) -> None:
        _provide_ensurepip()
        version = ".".join(map(str, sys.version_info[:3]))
        print(f"Making {self._name} with Python {version}.", flush=True)
        if self.folder.is_symlink() or self.folder.is_file():
            self.folder.unlink()
        elif self.folder.exists():
            shutil.rmtree(self.folder)
        # This Python may be the one in the folder that has just gone.
        python = getattr(sys, "_base_executable", sys.executable)
        make = [python, "-I", "-m", "venv", str(self.folder)]
        run(make, f"Python could not make {self._name}.")


def _wanted() -> list[str]:
    """Why something may have to be installed, or all be made anew: scripts name this folder."""
    content = b"".join(
        (ROOT / each).read_bytes() for each in ("pyproject.toml", "constraints.txt")
    )
    place = f"Python {sys.version_info.major}.{sys.version_info.minor} {str(ROOT)!r}"
    return [hashlib.sha256(content).hexdigest(), place]


def run(command: list[str], failure: str) -> None:
    """Shows only what is being downloaded; on failure, how the output ended."""
    tail: deque[str] = deque(maxlen=_TAIL)
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PIP_USER": "0", "PIP_NO_INPUT": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            tail.append(f"  {line.rstrip()}")
            if line.lstrip().startswith("Downloading "):
                # "Downloading <where>/<file> (95.2 MB)" without the where.
                print("  fetching", line.split(maxsplit=1)[1].rpartition("/")[2], end="")
                sys.stdout.flush()
    if process.returncode != 0:
        raise CannotGoOnError("\n".join([f"{failure} Its last lines were:", *tail]))


def _provide_ensurepip() -> None:
    """Debian and Ubuntu keep the part of Python that makes .venv in a package of its own."""
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if _has_ensurepip() or (install_with_apt([package]) and _has_ensurepip()):
        return
    raise CannotGoOnError(
        f"This Python ({sys.executable}) lacks ensurepip, which makes .venv.\n"
        f"On Debian or Ubuntu, type: {way_to_install([package])}\n"
        "Or name another Python: make run PYTHON=/path/to/python3"
    )


def _has_ensurepip() -> bool:
    importlib.invalidate_caches()
    found = importlib.util.find_spec("ensurepip")
    # A folder left behind by a removed package is found too, but comes from no file.
    return found is not None and found.origin is not None


@contextmanager
def _nobody_else_at_it() -> Iterator[None]:
    """Holds the folder's lock, which the system lets go of however this process ends."""
    if os.name == "nt":
        yield
        return
    import fcntl  # noqa: PLC0415 - Windows has none

    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another make is setting up here; waiting for it.", flush=True)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
