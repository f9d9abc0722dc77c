"""A Python environment of the project's own: made where it is missing, and kept up to date.

Standard library only: it runs before anything is installed.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from installing import ROOT, CannotGoOnError, base_python, provide_ensurepip, run


class Stamp(NamedTuple):
    """What it was made from. Written last: without one, it may be half of something."""

    content: str  # changes whenever something else may have to be installed
    place: str  # changes whenever it has to be made anew: its scripts name this folder
    extras: frozenset[str]

    def fits(self, wanted: "Stamp") -> bool:
        return self[:2] == wanted[:2] and self.extras >= wanted.extras

    def written(self) -> str:
        return "\n".join([self.content, self.place, ",".join(sorted(self.extras))])


class Environment:
    """In this folder; `name` is how a person is told of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.relative_to(ROOT).as_posix()
        self.python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.stamp = folder / ".ready"

    def make_ready(self, extras: Set[str]) -> None:
        """With these extras of pyproject.toml, and those that are there already."""
        wanted = self.wanted(extras)
        found = self.found()
        if found is not None and found.fits(wanted):
            return
        with nobody_else_at_it():
            found = self.found()  # another make may have done it all while this one waited
            if found is None or not found.fits(wanted):
                self._make(found, wanted)

    def wanted(self, extras: Set[str]) -> Stamp:
        content = hashlib.sha256()
        for name in ("pyproject.toml", "constraints.txt"):
            content.update((ROOT / name).read_bytes())
        place = f"Python {sys.version_info.major}.{sys.version_info.minor} {str(ROOT)!r}"
        return Stamp(content.hexdigest(), place, frozenset(extras))

    def found(self) -> Stamp | None:
        """None where there is none, or where it lost the Python it was made with."""
        try:
            if not (self.stamp.is_file() and self.python.exists()):
                return None
            lines = self.stamp.read_text("utf-8").split("\n")
        except PermissionError:
            raise CannotGoOnError(
                f"{self.name} uses a Python that this user may not reach: "
                f"{os.path.realpath(self.python)}\n"
                f"Remove {self.name} with `make clean`, or let whoever made it do so; then "
                "begin again."
            ) from None
        if len(lines) != 3:
            return None
        return Stamp(lines[0], lines[1], frozenset(filter(None, lines[2].split(","))))

    def why_anew(self, found: str, wanted: str) -> str:
        """Takes two places, as a Stamp has them."""
        old, new = (" ".join(place.split()[:2]) for place in (found, wanted))
        if old == new:
            return f"{self.name} was made in another folder, so it is removed and made anew."
        return f"{self.name} was made with {old}, so it is removed and made anew with {new}."

    def pip_install(self, *words: str, failure: str = "") -> None:
        pip = [str(self.python), "-I", "-m", "pip", "install", "--progress-bar", "off"]
        pip += ["-c", "constraints.txt"]
        run([*pip, *words], failure or "pip could not install the packages.")

    def _make(self, found: Stamp | None, wanted: Stamp) -> None:
        usable = found is not None and found.place == wanted.place
        extras = wanted.extras | (found.extras if found is not None else frozenset())
        self.stamp.unlink(missing_ok=True)
        if not usable:
            if found is not None:
                print(self.why_anew(found.place, wanted.place), flush=True)
            self._build()
        try:
            self._install(extras)
        except CannotGoOnError:
            if usable and found is not None:
                # pip gave up in good order: what was there is still whole.
                self.stamp.write_text(found.written(), "utf-8")
            raise
        self.stamp.write_text(wanted._replace(extras=extras).written(), "utf-8")

    def _build(self) -> None:
        provide_ensurepip()
        version = ".".join(map(str, sys.version_info[:3]))
        print(f"Making {self.name} with Python {version}.", flush=True)
        if self.folder.is_symlink() or self.folder.is_file():
            self.folder.unlink()
        elif self.folder.exists():
            shutil.rmtree(self.folder)
        make = [base_python(), "-I", "-m", "venv", str(self.folder)]
        run(make, f"Python could not make {self.name}.")

    def _install(self, extras: Set[str]) -> None:
        size = 130 if extras else 100
        print(f"Installing the packages; the first time fetches about {size} MB.", flush=True)
        # The build tool is pinned like everything else, so pip is not to fetch one of its own.
        self.pip_install("setuptools")
        wanted = f".[{','.join(sorted(extras))}]" if extras else "."
        self.pip_install("--no-build-isolation", "--editable", wanted)


@contextmanager
def nobody_else_at_it() -> Iterator[None]:
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
