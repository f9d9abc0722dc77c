"""Builds GPU Explorer for the system this runs on: a folder that needs no Python, and packages.

make package, or: python packaging/build.py [slim|classroom|all]
"""

import argparse
import hashlib
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import system_parts
from bundle.sizes import SIZES, Size
from environment import ROOT, CannotGoOnError, Environment

_WITHOUT_CUDA = "import sys, torch.version; sys.exit(torch.version.cuda is not None)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "sizes", nargs="*", choices=[*SIZES, "all"], default="all", metavar="SIZE"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where the packages go")
    arguments = parser.parse_args()
    sizes = SIZES if "all" in arguments.sizes else arguments.sizes
    try:
        if not system_parts.provide(system_parts.WINDOW, system_parts.PACKAGES):
            return 1
        build([SIZES[name] for name in sizes], arguments.out.resolve())
    except CannotGoOnError as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What was built until then is in build/.", file=sys.stderr)
        return 130
    return 0


def build(sizes: Sequence[Size], out: Path) -> None:
    """Raises CannotGoOnError at the first that does not work."""
    out.mkdir(parents=True, exist_ok=True)
    for size in sizes:
        began = time.monotonic()
        python = environment_for(size)
        command = [str(python), "-m", "bundle.making", size.name, str(out)]
        if subprocess.run(command, cwd=ROOT / "packaging", check=False).returncode != 0:
            raise CannotGoOnError(f"{size.name} was not built.")
        print(f"{size.name} took {time.monotonic() - began:.0f} s.", flush=True)
    print(f"{write_sums(out)} has the sums of what is beside it.", flush=True)


def environment_for(size: Size) -> Path:
    """The Python of an environment of its own, so that nothing gets in by accident: made anew
    where what it was made of has changed.
    """
    environment = Environment(ROOT / "build" / f"venv-{size.name}")
    environment.make_ready({"package"}, whole=True)
    if size.with_torch:
        wanted = torch_wanted((ROOT / "constraints.txt").read_text("utf-8"), sys.platform)
        environment.pip_install(
            wanted,
            failure=f"pip could not install {wanted}, PyTorch for the processor.\n"
            "Where the usual index has no such build, tell pip where PyTorch's own is with the "
            "variable PIP_EXTRA_INDEX_URL, or where its file is with PIP_FIND_LINKS.",
        )
        asked = [str(environment.python), "-I", "-c", _WITHOUT_CUDA]
        if subprocess.run(asked, check=False).returncode != 0:
            raise CannotGoOnError(f"{wanted} is not the build for the processor.")
    return environment.python


def torch_wanted(constraints: str, platform: str) -> str:
    """Exactly the one that is tested. Elsewhere than on Linux the usual build is for the
    processor; there the usual one brings CUDA along, which is gigabytes.
    """
    pinned = re.search(r"^torch==(\S+)$", constraints, re.MULTILINE)
    if pinned is None:
        raise CannotGoOnError("constraints.txt names no version of PyTorch.")
    return f"torch=={pinned.group(1)}{'+cpu' if platform == 'linux' else ''}"


def write_sums(out: Path) -> Path:
    """In the form that `sha256sum --check` reads."""
    made = sorted(path for path in out.glob("gpuexplorer*") if path.is_file())
    target = out / "SHA256SUMS"
    with target.open("w", encoding="utf-8", newline="\n") as sums:
        for path in made:
            with path.open("rb") as file:
                sums.write(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    return target


if __name__ == "__main__":
    sys.exit(main())
