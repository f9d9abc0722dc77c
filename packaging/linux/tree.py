"""The files of a package as they will lie in the system: where, how old, who may run them."""

import gzip
import os
import shutil
from pathlib import Path

from bundle.sizes import Size
from linux.completions import write_completions
from linux.debian_copyright import debian_copyright
from linux.elf import forget_places, read_elf
from linux.icons import write_icons
from linux.notices import notices, write_notices
from linux.release import CHANGELOG, Release

FILES = Path(__file__).parent / "files"
METAINFO = "invalid.gpuexplorer.gpuexplorer.metainfo.xml"
PROGRAM = "gpuexplorer"


def lay_out(folder: Path, size: Size, release: Release, root: Path) -> None:
    """Below `root`, as if it were the system's."""
    usr = root / "usr"
    copy_program(folder, usr / "lib" / "gpuexplorer")
    (usr / "bin").mkdir()
    (usr / "bin" / PROGRAM).symlink_to("../lib/gpuexplorer/gpuexplorer")
    write_share(release, usr / "share")
    doc = usr / "share" / "doc" / size.package
    told = notices(folder, size)
    write_notices(told, doc / "notices")
    _write(doc / "copyright", debian_copyright(told, size.package).encode())
    _write(doc / "changelog.Debian.gz", zipped(CHANGELOG.read_bytes()))
    overrides = _file("lintian-overrides")
    if size.with_torch:
        overrides += _file("lintian-overrides-torch")
    _write(
        usr / "share" / "lintian" / "overrides" / size.package,
        overrides.replace(b"@PACKAGE@", size.package.encode()),
    )


def write_share(release: Release, share: Path) -> None:
    """What desktops and shells look for below a `share`; the same in both kinds of package."""
    _write(share / "applications" / "gpuexplorer.desktop", _file("gpuexplorer.desktop"))
    _write(share / "metainfo" / METAINFO, dated(METAINFO, release))
    _write(share / "man" / "man1" / "gpuexplorer.1.gz", zipped(dated("gpuexplorer.1", release)))
    write_icons(share)
    write_completions(share)


def copy_program(folder: Path, target: Path) -> None:
    """Links stay links."""
    shutil.copytree(folder, target, symlinks=True)
    for path in target.rglob("*"):
        if path.is_file() and not path.is_symlink():
            forget_places(path)


def settle(root: Path, when: int) -> None:
    """Gives every file the mode and the date that it shall have."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or _is_run(path) else 0o644)
    # Folders last: what is changed in them dates them again.
    for path in sorted([root, *root.rglob("*")], reverse=True):
        os.utime(path, (when, when), follow_symlinks=False)


def zipped(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=9, mtime=0)


def dated(name: str, release: Release) -> bytes:
    text = _file(name).decode()
    return text.replace("@VERSION@", release.version).replace("@DATE@", release.day).encode()


def _is_run(path: Path) -> bool:
    if not os.access(path, os.X_OK):
        return False
    elf = read_elf(path)
    if elf is not None:
        return elf.starts_by_itself
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def _file(name: str) -> bytes:
    return (FILES / name).read_bytes()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
