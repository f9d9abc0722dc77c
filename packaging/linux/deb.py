"""The package for Debian, Ubuntu and what descends from them, built with `dpkg-deb` alone."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from bundle.sizes import CLASSROOM, SLIM, Size
from gpuexplorer.core.trouble import Trouble
from linux.needs import Needs, needs_of
from linux.release import Release, release_of
from linux.tree import lay_out, settle

_SUMMARY = "shows what every graphics card is doing, and tries PyTorch on it"
_DESCRIPTION = """\
GPU Explorer is a window that shows what every graphics card of a computer
is doing, keeps the last day of it, and lets one try PyTorch on exactly the
card one picks. Where a figure is missing, it says in words why. It can show
simulated cards too, to those who have none, and says so on every screen.

Cards of NVIDIA are read through the library that comes with their driver.
The commands snapshot, topology, doctor and copies answer in a terminal.
"""
_OF_SLIM = """
PyTorch is not inside: the lab and the measuring of copies use a Python with
PyTorch that is on the computer, and the program says how to get one.
"""
_OF_CLASSROOM = """
A PyTorch for the processor is inside, so that lessons run on simulated cards
with nothing else installed.
"""


def make_deb(folder: Path, size: Size, version: str, out: Path) -> Path:
    """From the folder that PyInstaller built; the package's file in `out`. The same folder
    gives the same bytes, whoever builds. Raises Trouble where that is not possible.
    """
    tool = shutil.which("dpkg-deb")
    if tool is None:
        raise Trouble(
            "A .deb is packed by dpkg-deb, and this computer has none.",
            "Install the package dpkg, or take the portable .tar.gz, which needs no tool.",
        )
    release = release_of(version)
    needs = needs_of(folder)
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{size.package}_{release.of_debian}_{needs.architecture}.deb"
    with tempfile.TemporaryDirectory(prefix="gpuexplorer-deb-") as temporary:
        root = Path(temporary) / "root"
        root.mkdir()
        lay_out(folder, size, release, root)
        settle(root, release.when)
        control = root / "DEBIAN"
        control.mkdir()
        (control / "md5sums").write_text(_sums(root), encoding="utf-8")
        (control / "control").write_text(
            control_text(size, release, needs, _kibibytes(root)), encoding="utf-8"
        )
        settle(control, release.when)
        _pack(tool, root, target, release.when)
    return target


def control_text(size: Size, release: Release, needs: Needs, kibibytes: int) -> str:
    # They lie in the same place, so that installing one takes the other away.
    other = CLASSROOM.package if size.package == SLIM.package else SLIM.package
    fields = {
        "Package": size.package,
        "Source": "" if size.package == SLIM.package else SLIM.package,
        "Version": release.of_debian,
        "Architecture": needs.architecture,
        "Maintainer": release.maintainer,
        "Installed-Size": str(kibibytes),
        "Depends": ", ".join(needs.depends()),
        "Suggests": ", ".join([*_suggested(size), *needs.suggests()]),
        "Conflicts": other,
        "Provides": "" if size.package == SLIM.package else SLIM.package,
        "Replaces": other,
        "Section": "utils",
        "Priority": "optional",
        "Description": _description(size),
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items() if value)


def _suggested(size: Size) -> list[str]:
    """NVIDIA's library may as well come from their own installer, so no package is required."""
    own_torch = [] if size.with_torch else ["python3-torch (>= 2.4)"]
    return ["libnvidia-ml1", *own_torch]


def _description(size: Size) -> str:
    with_torch = ", with PyTorch inside" if size.with_torch else ""
    text = _DESCRIPTION + (_OF_CLASSROOM if size.with_torch else _OF_SLIM)
    lines = [f" {line}" if line else " ." for line in text.strip().splitlines()]
    summary = _SUMMARY if not with_torch else "GPU monitor and lab for classrooms" + with_torch
    return "\n".join([summary, *lines])


def _sums(root: Path) -> str:
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return "".join(f"{_md5(path)}  {path.relative_to(root).as_posix()}\n" for path in files)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def _kibibytes(root: Path) -> int:
    """As Debian counts: what a file has, rounded up, and one for anything else."""
    total = 0
    for path in root.rglob("*"):
        plain = path.is_file() and not path.is_symlink()
        total += -(-path.stat().st_size // 1024) if plain else 1
    return total


def _pack(tool: str, root: Path, target: Path, when: int) -> None:
    command = [tool, "--root-owner-group", "-Zxz", "--build", str(root), str(target)]
    done = subprocess.run(
        command,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(when), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        target.unlink(missing_ok=True)
        raise Trouble(
            f"dpkg-deb could not pack {target.name}: {done.stderr.strip()}",
            "Look at the free space of the disk and of the folder for temporary files.",
        )
