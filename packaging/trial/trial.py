"""`make test-package`: the packages in `dist/`, tried in a bare Debian as people use them.

Needs root, debootstrap, Xvfb and the system's packages; says so where they are missing.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bundle.sizes import SIZES, Size
from trial import start_time, worker
from trial.archive import this_machines
from trial.beside import Beside
from trial.commands import Commands
from trial.installing import Coming
from trial.portable import Portable
from trial.program import Program
from trial.refusal import CannotTryError
from trial.report import Report
from trial.root import bare, copied, discard
from trial.windows import Windows

_PROJECT = Path(__file__).resolve().parents[2]
_ALL = "all"
_TOOLS = {"debootstrap": "debootstrap", "Xvfb": "xvfb", "unshare": "util-linux"}


def main() -> int:
    """Exit status 0: nothing failed; 1: something did, or nothing could be tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=(*SIZES, _ALL), default=_ALL)
    parser.add_argument(
        "--dist", type=Path, default=_PROJECT / "dist", help="where the packages lie"
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=_PROJECT / "build" / "trial",
        help="where bare systems are kept",
    )
    parser.add_argument(
        "--pictures", type=Path, help="where pictures go; else beside the roots"
    )
    parser.add_argument("--keep", action="store_true", help="leave the tried systems there")
    arguments = parser.parse_args()
    sizes = list(SIZES.values()) if arguments.size == _ALL else [SIZES[arguments.size]]
    place = arguments.root.resolve()
    report = Report(lambda sentence: print(sentence, flush=True))
    try:
        look_for_tools()
        packages = {size: packages_of(size, arguments.dist) for size in sizes}
        print("Making a bare Debian ready.", flush=True)
        system = bare(this_machines(), place)
        for size, (package, archive) in packages.items():
            pictures = arguments.pictures or place / "pictures"
            root = copied(system, place / size.name)
            try:
                program = Program(root, size, pictures.resolve() / size.name)
                others = [deb for each, (deb, _) in packages.items() if each.with_torch]
                other = None if size.with_torch else next(iter(others), None)
                try_one(report, program, package, archive, other, place)
            finally:
                if not arguments.keep:
                    discard(root)
    except CannotTryError as refusal:
        print(refusal, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    finally:
        if report.results:
            told = f"{report.as_text()}\n"
            print(told, flush=True)
            (place / "report.txt").write_text(told, "utf-8")
    return 0 if report.good else 1


def look_for_tools() -> None:
    """Raises CannotTryError with what to type."""
    if os.geteuid() != 0:
        raise CannotTryError(
            "A bare system is made and entered by root alone. Type: sudo make test-package"
        )
    missing = [package for tool, package in _TOOLS.items() if shutil.which(tool) is None]
    if missing:
        raise CannotTryError(
            f"The packages are tried with what is missing here. Type: apt-get install "
            f"{' '.join(missing)}"
        )


def packages_of(size: Size, dist: Path) -> "tuple[Path, Path]":
    """The newest of each kind. Raises CannotTryError where one was not built."""
    return newest(dist, size, ".deb"), newest(dist, size, ".tar.gz")


def newest(dist: Path, size: Size, ending: str) -> Path:
    found = [
        path for joint in "-_" for path in dist.glob(f"{size.package}{joint}[0-9]*{ending}")
    ]
    if not found:
        raise CannotTryError(
            f"There is no {size.package}…{ending} in {dist}. Type first: make package"
        )
    return max(found, key=lambda path: path.stat().st_mtime)


def try_one(
    report: Report,
    program: Program,
    package: Path,
    archive: Path,
    other: "Path | None",
    cache: Path,
) -> None:
    """`other`: the package of the other size, which takes this one's place."""
    coming = Coming(program, package)
    portable = Portable(program, archive)
    beside = [] if program.size.with_torch else Beside(program, cache).steps()
    worker_needs = ("install",) if program.size.with_torch else ("a PyTorch beside it",)
    report.take(
        program.size.name,
        [
            *portable.first_steps(),
            *coming.first_steps(),
            *Commands(program).steps(),
            *Windows(program).steps(),
            start_time.step(program),
            *beside,
            *worker.steps(program, worker_needs),
            *portable.steps(worker_needs),
            *coming.last_steps(other),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
