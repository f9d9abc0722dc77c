"""The Python environment a size is built in: its own, so that nothing gets in by accident."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from bundle.sizes import Size
from installing import ROOT, CannotGoOnError, base_python, provide_ensurepip, run

_CUDA = "import sys, torch.version; sys.exit(torch.version.cuda is not None)"


def environment_for(size: Size) -> Path:
    """Its Python. Made anew where what it was made of, or where it is, has changed."""
    place = ROOT / "build" / f"venv-{size.name}"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = place / ".ready"
    wanted = _made_of(place)
    if python.exists() and stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return python
    provide_ensurepip()
    shutil.rmtree(place, ignore_errors=True)
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Making {place.relative_to(ROOT)} with Python {version}.", flush=True)
    run([base_python(), "-I", "-m", "venv", str(place)], f"Python could not make {place}.")
    _install(python, size)
    stamp.write_text(wanted, "utf-8")
    return python


def torch_wanted(constraints: str, platform: str) -> str:
    """Exactly the one that is tested. Elsewhere than on Linux the usual build is for the
    processor; there the usual one brings CUDA along, which is gigabytes.
    """
    pinned = re.search(r"^torch==(\S+)$", constraints, re.MULTILINE)
    if pinned is None:
        raise CannotGoOnError("constraints.txt names no version of PyTorch.")
    return f"torch=={pinned.group(1)}{'+cpu' if platform == 'linux' else ''}"


def _install(python: Path, size: Size) -> None:
    torch = ", and PyTorch of 200 MB" if size.with_torch else ""
    print(f"Installing the packages: about 110 MB{torch}.", flush=True)
    pip = [str(python), "-I", "-m", "pip", "install", "--progress-bar", "off"]
    pip += ["-c", "constraints.txt"]
    failure = "pip could not install the packages."
    run([*pip, "setuptools"], failure)
    run([*pip, "--no-build-isolation", "--editable", ".[package]"], failure)
    if size.with_torch:
        wanted = torch_wanted((ROOT / "constraints.txt").read_text("utf-8"), sys.platform)
        run(
            [*pip, wanted],
            f"pip could not install {wanted}, PyTorch for the processor.\n"
            "Where the usual index has no such build, tell pip where PyTorch's own is with the "
            "variable PIP_EXTRA_INDEX_URL, or where its file is with PIP_FIND_LINKS.",
        )
        if subprocess.run([str(python), "-I", "-c", _CUDA], check=False).returncode != 0:
            raise CannotGoOnError(f"{wanted} is not the build for the processor.")


def _made_of(place: Path) -> str:
    content = hashlib.sha256(f"{sys.version} {place}".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        content.update((ROOT / name).read_bytes())
    return content.hexdigest()
