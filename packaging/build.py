"""Builds GPU Explorer for the system this runs on: a folder that needs no Python, and packages.

make package, or: python packaging/build.py [slim|classroom|all]
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bundle.environment import environment_for
from bundle.sizes import SIZES, Size
from installing import ROOT, CannotGoOnError
from linux.sums import write_sums
from system_parts import provide_system_parts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "sizes", nargs="*", choices=[*SIZES, "all"], default="all", metavar="SIZE"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where the packages go")
    arguments = parser.parse_args()
    try:
        if not provide_system_parts(for_packages=True):
            return 1
        build(_asked(arguments.sizes), arguments.out.resolve())
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
        seconds = time.monotonic() - began
        print(f"{size.name} took {seconds:.0f} s.", flush=True)
    made = [path for path in out.glob("gpuexplorer*") if path.is_file()]
    print(f"{write_sums(made, out)} has the sums of {len(made)} files.", flush=True)


def _asked(names: Sequence[str] | str) -> list[Size]:
    if "all" in names:
        return list(SIZES.values())
    return [SIZES[name] for name in names]


if __name__ == "__main__":
    sys.exit(main())
