"""The portable folder, for every Linux that is new enough: unpack it anywhere and start it."""

import gzip
import re
import shutil
import tarfile
import tempfile
from pathlib import Path

from bundle.sizes import Size
from linux.needs import Needs, needs_of
from linux.notices import notices, write_notices
from linux.release import Release, release_of
from linux.tree import FILES, copy_program, settle, write_share

_LICENSE = Path(__file__).parents[2] / "LICENSE"
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_SLIM = """\
PyTorch is not inside. The lab and the measuring of copies use a Python with PyTorch that is on
the computer; "./gpuexplorer doctor" lists those it finds."""
_CLASSROOM = """\
A PyTorch for the processor is inside, so that the lab runs with nothing else installed."""


def make_tarball(folder: Path, size: Size, version: str, out: Path) -> Path:
    """From the folder that PyInstaller built; the file in `out`. The same folder gives the same
    bytes, whoever builds.
    """
    release = release_of(version)
    needs = needs_of(folder)
    machine = _MACHINES[needs.architecture]
    name = f"{size.package}-{version}-linux-{machine}"
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{name}.tar.gz"
    with tempfile.TemporaryDirectory(prefix="gpuexplorer-tar-") as temporary:
        root = Path(temporary) / name
        copy_program(folder, root)
        write_share(release, root / "share")
        # They speak of a program that is installed.
        shutil.rmtree(root / "share" / "applications")
        shutil.rmtree(root / "share" / "metainfo")
        write_notices(notices(folder, size), root / "notices")
        shutil.copyfile(_LICENSE, root / "LICENSE.txt")
        shutil.copy(FILES / "start.sh", root / "start.sh")
        (root / "start.sh").chmod(0o755)
        (root / "README.txt").write_text(
            _readme(release, size, needs, machine), encoding="utf-8"
        )
        settle(root, release.when)
        _pack(root, target, release.when)
    return target


def _readme(release: Release, size: Size, needs: Needs, machine: str) -> str:
    depends = needs.depends()
    # The second of two names is the one that older systems know, and newer ones still do.
    packages = [package.split(" | ")[-1].partition(" (")[0] for package in depends]
    glibc = next((found[1] for found in map(_GLIBC.match, depends) if found), "2.34")
    words = {
        "@VERSION@": release.version,
        "@INSIDE@": ", with PyTorch inside" if size.with_torch else "",
        "@GLIBC@": glibc,
        "@MACHINE@": machine,
        "@PACKAGES@": " \\\n        ".join(_rows(packages)),
        "@TORCH@": _CLASSROOM if size.with_torch else _SLIM,
    }
    text = (FILES / "README.txt").read_text(encoding="utf-8")
    for word, said in words.items():
        text = text.replace(word, said)
    return text


_GLIBC = re.compile(r"libc6 \(>= ([\d.]+)\)")


def _rows(words: list[str], width: int = 76) -> list[str]:
    rows = [""]
    for word in words:
        longer = f"{rows[-1]} {word}".strip()
        if len(longer) > width:
            rows.append(word)
        else:
            rows[-1] = longer
    return rows


def _pack(root: Path, target: Path, when: int) -> None:
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=when) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        for path in [root, *sorted(root.rglob("*"))]:
            name = path.relative_to(root.parent).as_posix()
            tar.add(path, name, recursive=False, filter=_of_nobody)


def _of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry
