"""Taking symbols out that only a debugger reads: most of what a Python built at home weighs."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from linux.elf import read_elf

# Packages from pip come stripped, and those whose libraries were given other names break if it
# is tried again. The program itself carries its modules behind what strip knows of.
_PACKAGES = ("numpy", "numpy.libs", "PySide6", "shiboken6", "torch", "psutil")


def strip(folder: Path) -> None:
    files = [str(path) for path in strippable(folder)]
    if files:
        subprocess.run(["strip", "--strip-unneeded", *files], check=True)


def strippable(folder: Path) -> Iterator[Path]:
    parts = folder / "_internal"
    for path in sorted(parts.rglob("*.so*")):
        if path.is_symlink() or path.relative_to(parts).parts[0] in _PACKAGES:
            continue
        if read_elf(path) is not None:
            yield path
