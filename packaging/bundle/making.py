"""From the sources to the packages of one size; run by the Python of the environment it is of.

python -m bundle.making slim OUT, in the folder `packaging`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import smoke
from bundle import trimming
from bundle.sizes import SIZES, Size
from environment import ROOT
from gpuexplorer import __version__
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.packaged import ROLE

_MB = 1e6
_PATIENCE = 120.0
_MAKERS = {"linux": "linux.packages", "win32": "windows.packages", "darwin": "macos.packages"}
# Packages from pip come stripped, and those whose libraries were given other names break if it
# is tried again.
_STRIPPED = ("numpy", "numpy.libs", "PySide6", "shiboken6", "torch", "psutil")


def main(words: Sequence[str]) -> int:
    size, out = SIZES[words[0]], Path(words[1])
    try:
        folder = freeze(size)
        check(folder, size)
        program = folder / ("gpuexplorer.exe" if os.name == "nt" else "gpuexplorer")
        smoke.try_all([str(program)], __version__, None)
        if size.with_torch:
            _greet(program)
        # What a system's packages are made with is imported there only.
        for path in import_module(_MAKERS[sys.platform]).make_packages(
            folder, size, __version__, out
        ):
            print(f"{path.name}: {path.stat().st_size / _MB:.1f} MB", flush=True)
            if path.suffix == ".deb":
                _refuse_if_more(path.name, path.stat().st_size, size.most_packed)
    except Trouble as trouble:
        print(trouble.told, file=sys.stderr)
        return 1
    except smoke.FailedError as failed:
        print(f"The program that was built does not work.\n{failed}", file=sys.stderr)
        return 1
    return 0


def freeze(size: Size) -> Path:
    """The folder: the program, and all that it needs."""
    began = time.monotonic()
    place = ROOT / "build" / size.name
    log = place / "pyinstaller.log"
    place.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean"]
    command += ["--distpath", str(place), "--workpath", str(place / "work")]
    command.append(str(ROOT / "packaging" / "gpuexplorer.spec"))
    settings = {
        "GPUEXPLORER_SIZE": size.name,
        "PYINSTALLER_CONFIG_DIR": str(place / "cache"),
        "PYTHONHASHSEED": "0",  # the same sources give the same order of files
    }
    with log.open("w", encoding="utf-8") as said:
        done = subprocess.run(
            command,
            env=os.environ | settings,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode != 0:
        raise Trouble(
            "PyInstaller could not build {size}.",
            "{log} ends with:\n{last}",
            size=size.name,
            log=log,
            last="\n".join(log.read_text("utf-8", "replace").splitlines()[-12:]),
        )
    folder = place / "gpuexplorer"
    if sys.platform == "linux":
        strip(folder)
    told = f"{time.monotonic() - began:.0f} s: {bytes_of(folder) / _MB:.1f} MB"
    print(f"Built {folder.relative_to(ROOT)} in {told}", flush=True)
    return folder


def strip(folder: Path) -> None:
    """Takes out what only a debugger reads, which is most of what a Python built at home
    weighs, and where that Python's libraries look for each other.
    """
    from linux.tools import forget_places  # noqa: PLC0415 - on Linux only

    parts = folder / "_internal"
    libraries = [
        path
        for path in sorted(parts.rglob("*.so*"))
        if not path.is_symlink() and path.relative_to(parts).parts[0] not in _STRIPPED
    ]
    if libraries:
        subprocess.run(["strip", "--strip-unneeded", *libraries], check=True)
        forget_places(libraries)


def check(folder: Path, size: Size) -> None:
    """Raises Trouble where something is missing, or where it is too much.

    Elsewhere than on Linux nothing is left out, and what is too much is not known yet.
    """
    if sys.platform != "linux":
        return
    parts = folder / "_internal"
    there = [path.relative_to(parts).as_posix() for path in parts.rglob("*")]
    if lost := trimming.missing(there):
        raise Trouble(
            "The program lacks {parts}.",
            "packaging/bundle/trimming.py says what is left out.",
            parts=", ".join(lost),
        )
    _refuse_if_more(size.name, bytes_of(folder), size.most_installed)


def bytes_of(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def _refuse_if_more(name: str, used: int, most: int) -> None:
    if used > most:
        raise Trouble(
            "{name} takes {used:.0f} MB, and {most:.0f} MB are the most.",
            "packaging/bundle/trimming.py is where more can be left out.",
            name=name,
            used=used / _MB,
            most=most / _MB,
        )


def _greet(program: Path) -> None:
    """A worker whose input is closed says who it is, and ends."""
    done = subprocess.run(
        [program, ROLE],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=_PATIENCE,
        check=False,
    )
    greets = done.returncode == 0 and "hello" in done.stdout
    smoke.look("is a worker, and greets", done.stderr or "nothing amiss", holds=greets)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
