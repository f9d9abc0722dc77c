"""From the sources to the packages of one size; run by the Python of the environment it is of.

python -m bundle.making slim OUT, in the folder `packaging`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import smoke
from bundle import trimming
from bundle.packing import pack
from bundle.sizes import SIZES, Size
from bundle.stripping import strip
from gpuexplorer import __version__
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.packaged import ROLE
from installing import ROOT

_MB = 1e6
_PATIENCE = 120.0


def main(words: Sequence[str]) -> int:
    size, out = SIZES[words[0]], Path(words[1])
    try:
        folder = freeze(size)
        check(folder, size)
        smoke.try_all([str(_program(folder))], __version__, None)
        if size.with_torch:
            smoke.look("is a worker", lambda: _greeting(_program(folder)))
        for path in pack(folder, size, __version__, out):
            print(f"{path.name}: {path.stat().st_size / _MB:.1f} MB", flush=True)
            _refuse_if_large(path, size)
    except Trouble as trouble:
        print(trouble.sentence, trouble.hint, sep="\n", file=sys.stderr)
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
    with log.open("w", encoding="utf-8") as said:
        done = subprocess.run(
            command,
            env=os.environ
            | {
                "GPUEXPLORER_SIZE": size.name,
                "PYINSTALLER_CONFIG_DIR": str(place / "cache"),
                "PYTHONHASHSEED": "0",  # the same sources give the same order of files
            },
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode != 0:
        last = "\n".join(log.read_text("utf-8", "replace").splitlines()[-12:])
        raise Trouble(f"PyInstaller could not build {size.name}.", f"{log} ends with:\n{last}")
    folder = place / "gpuexplorer"
    if sys.platform == "linux":
        strip(folder)
    seconds = time.monotonic() - began
    megabytes = bytes_of(folder) / _MB
    print(
        f"Built {folder.relative_to(ROOT)} in {seconds:.0f} s: {megabytes:.1f} MB", flush=True
    )
    return folder


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
            f"The program lacks {', '.join(lost)}.",
            "packaging/bundle/trimming.py says what is left out.",
        )
    if (used := bytes_of(folder)) > size.most_installed:
        raise Trouble(
            f"{size.name} takes {used / _MB:.0f} MB, "
            f"and {size.most_installed / _MB:.0f} MB are the most.",
            "packaging/bundle/trimming.py is where more can be left out.",
        )


def bytes_of(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def _refuse_if_large(path: Path, size: Size) -> None:
    used = path.stat().st_size
    if path.suffix == ".deb" and used > size.most_packed:
        raise Trouble(
            f"{path.name} has {used / _MB:.1f} MB, and {size.most_packed / _MB:.0f} MB are the "
            "most.",
            "packaging/bundle/trimming.py is where more can be left out.",
        )


def _program(folder: Path) -> Path:
    return folder / ("gpuexplorer.exe" if os.name == "nt" else "gpuexplorer")


def _greeting(program: Path) -> str:
    """A worker whose input is closed says who it is, and ends."""
    done = subprocess.run(
        [program, ROLE],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=_PATIENCE,
        check=False,
    )
    if done.returncode != 0 or "hello" not in done.stdout:
        raise smoke.FailedError(f"The worker ended with {done.returncode}: {done.stderr}")
    return "and greets"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
