"""Makes .venv ready for `make run`, `make test` or `make bench`; does nothing where it is.

Standard library only, since it runs before anything is installed. Called by set_up.sh.
"""

import argparse
import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from installing import ROOT, CannotGoOnError, base_python, provide_ensurepip, run
from system_parts import provide_system_parts

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / ".ready"
EXTRAS: dict[str, set[str]] = {
    "run": set(),
    "check": {"dev"},
    "test": {"dev", "lab"},
    "bench": {"dev", "bench"},
}


@dataclass(frozen=True)
class Stamp:
    """What .venv was made from. Written last: without one, .venv may be half of something."""

    content: str
    place: str
    extras: frozenset[str]

    def fits(self, wanted: "Stamp") -> bool:
        return (
            self.content == wanted.content
            and self.place == wanted.place
            and self.extras >= wanted.extras
        )

    def write(self) -> None:
        STAMP.write_text("\n".join([self.content, self.place, ",".join(sorted(self.extras))]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("purpose", choices=EXTRAS)
    purpose: str = parser.parse_args().purpose
    wanted = Stamp(content_now(), place_now(), frozenset(EXTRAS[purpose]))
    try:
        if not is_ready(wanted):
            with nobody_else_at_it():
                make_ready(wanted)
        provide_parts_once(purpose)
    except CannotGoOnError as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next make begins the set-up again.", file=sys.stderr)
        return 130
    return 0


def is_ready(wanted: Stamp) -> bool:
    found = read_stamp()
    return found is not None and found.fits(wanted)


def make_ready(wanted: Stamp) -> None:
    """Asks again, since another make may have done it all while this one waited."""
    found = read_stamp()
    if found is not None and found.fits(wanted):
        return
    usable = found is not None and found.place == wanted.place
    extras = wanted.extras | (found.extras if found is not None else frozenset())
    STAMP.unlink(missing_ok=True)
    if not usable:
        if found is not None:
            print(why_anew(found.place, wanted.place), flush=True)
        build_venv()
    try:
        install(extras)
    except CannotGoOnError:
        if usable and found is not None:
            found.write()  # pip gave up in good order: what was there is still whole
        raise
    Stamp(wanted.content, wanted.place, extras).write()


def read_stamp() -> Stamp | None:
    """None where there is none, or where .venv lost the Python it was made with."""
    try:
        if not (STAMP.is_file() and PYTHON.exists()):
            return None
        lines = STAMP.read_text().split("\n")
    except PermissionError:
        raise CannotGoOnError(
            f".venv uses a Python that this user may not reach: {os.path.realpath(PYTHON)}\n"
            "Remove .venv with `make clean`, or let whoever made it do so; then begin again."
        ) from None
    match lines:
        case [content, place, extras]:
            return Stamp(content, place, frozenset(filter(None, extras.split(","))))
        case _:
            return None


def why_anew(found: str, wanted: str) -> str:
    """Takes two places, as `place_now` writes them."""
    old, new = (" ".join(place.split()[:2]) for place in (found, wanted))
    if old == new:
        return ".venv was made in another folder, so it is removed and made anew."
    return f".venv was made with {old}, so it is removed and made anew with {new}."


def content_now() -> str:
    """Changes whenever something else may have to be installed."""
    content = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt"):
        content.update((ROOT / name).read_bytes())
    return content.hexdigest()


def place_now() -> str:
    """Changes whenever .venv has to be made anew: its scripts name this folder."""
    return f"Python {sys.version_info.major}.{sys.version_info.minor} {str(ROOT)!r}"


@contextmanager
def nobody_else_at_it() -> Iterator[None]:
    """Holds the folder's lock, which the system lets go of however this process ends."""
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


def build_venv() -> None:
    provide_ensurepip()
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Making .venv with Python {version}.", flush=True)
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        shutil.rmtree(VENV)
    run([base_python(), "-I", "-m", "venv", str(VENV)], "Python could not make .venv.")


def install(extras: frozenset[str]) -> None:
    size = 130 if extras else 100
    torch = ", and PyTorch" if "lab" in extras else ""
    said = f"Installing the packages; the first time fetches about {size} MB{torch}."
    print(said, flush=True)
    pip = [str(PYTHON), "-I", "-m", "pip", "install", "--progress-bar", "off"]
    pip += ["-c", "constraints.txt"]
    failure = "pip could not install the packages."
    # The build tool is pinned like everything else, so pip is not to fetch one of its own.
    run([*pip, "setuptools"], failure)
    if "bench" in extras:
        # It comes as source only, and is built with tools of its own that nothing else needs.
        run([*pip, "gpustat"], failure)
    wanted = f".[{','.join(sorted(extras))}]" if extras else "."
    run([*pip, "--no-build-isolation", "--editable", wanted], failure)


def provide_parts_once(purpose: str) -> None:
    """What was missing is looked for, and named, again each time until it is there."""
    stamp = VENV / f".parts-{purpose}"
    if not stamp.exists() and provide_system_parts(for_tests=purpose in {"check", "test"}):
        stamp.touch()


if __name__ == "__main__":
    sys.exit(main())
