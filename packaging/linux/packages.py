"""The .deb, by Debian's own tools, and the portable .tar.gz, by tar; from the built folder.

The same folder gives the same bytes, whoever builds.
"""

import gzip
import hashlib
import os
import platform
import re
import shutil
import tempfile
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bundle.sizes import Size
from gpuexplorer.core.trouble import Trouble
from icon import DRAWING, fitting
from linux.completions import write_completions
from linux.notices import Notice, index, notices
from linux.tools import said

FILES = Path(__file__).parent / "files"
DEBIAN = Path(__file__).parent / "debian"
METAINFO = "invalid.gpuexplorer.gpuexplorer.metainfo.xml"
ICONS = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
_LICENSE = Path(__file__).parents[2] / "LICENSE"
# Without these a window looks less at home, and opens all the same: the package suggests GTK.
_DISPENSABLE = "libqgtk3.so"
_SLIM = """\
PyTorch is not inside. The lab and the measuring of copies use a Python with PyTorch that is on
the computer; "./gpuexplorer doctor" lists those it finds. Where there is none, "Get PyTorch" in
the lab or "./gpuexplorer doctor --get-pytorch" fetches one into ~/.local/share/gpuexplorer. It
takes a Python: on Debian and Ubuntu, "sudo apt-get install python3-venv"."""
_CLASSROOM = """\
A PyTorch for the processor is inside, so that the lab runs with nothing else installed."""


def make_packages(folder: Path, size: Size, version: str, out: Path) -> Iterator[Path]:
    """Each file in `out` when it is there. Raises Trouble where that is not possible."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpuexplorer-packages-") as temporary:
        work = Path(temporary)
        when = date_of(version, work)
        told = notices(folder, size)
        root = work / "debian" / size.package
        depends = _lay_out(root, folder, size, version, when, told)
        yield _deb(root, work, size, when, out)
        yield _tarball(root, work, size, version, when, depends, out)


def date_of(version: str, work: Path) -> int:
    """The moment that every file is dated with. Raises Trouble where the changelog does not
    begin with this version.
    """
    parse = ["dpkg-parsechangelog", f"-l{DEBIAN / 'changelog'}", "--show-field"]
    if said([*parse, "Version"], work).rpartition("-")[0] != version:
        raise Trouble(
            "packaging/linux/debian/changelog does not begin with version {version}.",
            "Add an entry that says what is new in it.",
            version=version,
        )
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(given if given.isdecimal() else said([*parse, "Timestamp"], work))


def _lay_out(
    root: Path, folder: Path, size: Size, version: str, when: int, told: list[Notice]
) -> str:
    """The files as they will lie in the system; what the program needs of it."""
    usr = root / "usr"
    shutil.copytree(folder, usr / "lib" / "gpuexplorer", symlinks=True)
    (usr / "bin").mkdir()
    (usr / "bin" / "gpuexplorer").symlink_to("../lib/gpuexplorer/gpuexplorer")
    share = usr / "share"
    _write(share / "applications/gpuexplorer.desktop", _file("gpuexplorer.desktop"))
    _write(share / "metainfo" / METAINFO, dated(METAINFO, version, when))
    _write(share / "man/man1/gpuexplorer.1.gz", _zipped(dated("gpuexplorer.1", version, when)))
    write_icons(share / "icons" / "hicolor")
    write_completions(share)
    doc = share / "doc" / size.package
    for name, text in (pair for notice in told for pair in notice.texts):
        _write(doc / "notices" / name, text)
    _write(doc / "notices" / "index.txt", index(told))
    _write(doc / "copyright", f"{_LICENSE.read_text('utf-8')}\n{index(told)}")
    _write(doc / "changelog.Debian.gz", _zipped((DEBIAN / "changelog").read_text("utf-8")))
    names = ["lintian-overrides", *(["lintian-overrides-torch"] if size.with_torch else [])]
    overrides = "".join((DEBIAN / name).read_text("utf-8") for name in names)
    overrides = overrides.replace("@PACKAGE@", size.package)
    _write(share / "lintian" / "overrides" / size.package, overrides)
    (root / "DEBIAN").mkdir()
    settle(root, when)
    return _depends(root)


def _depends(root: Path) -> str:
    """As dpkg-shlibdeps finds it out; it wants to see the sources of a package around it."""
    debian = root.parent
    for name in ("control", "changelog"):
        shutil.copyfile(DEBIAN / name, debian / name)
    inside = root / "usr" / "lib" / "gpuexplorer"
    libraries = [path for path in sorted(inside.rglob("*.so*")) if not path.is_symlink()]
    asked = [path for path in libraries if path.name != _DISPENSABLE]
    places = sorted({path.parent.relative_to(root).as_posix() for path in libraries})
    command = ["dpkg-shlibdeps", "--warnings=0", "-O", *(f"-l/{place}" for place in places)]
    told = said([*command, inside / "gpuexplorer", *asked], debian.parent)
    (debian / "substvars").write_text(told, encoding="utf-8")
    return told.strip().removeprefix("shlibs:Depends=")


def _deb(root: Path, work: Path, size: Size, when: int, out: Path) -> Path:
    control = root / "DEBIAN"
    said(["dpkg-gencontrol", f"-p{size.package}", f"-P{root}", "-Tdebian/substvars"], work)
    files = (path for path in sorted(root.rglob("usr/**/*")) if path.is_file())
    sums = [
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root).as_posix()}\n"
        for path in files
        if not path.is_symlink()
    ]
    (control / "md5sums").write_text("".join(sums), encoding="utf-8")
    settle(control, when)
    epoch = {**os.environ, "SOURCE_DATE_EPOCH": str(when)}
    build = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(out)]
    # It says: building package 'NAME' in 'FILE'.
    return Path(said(build, work, epoch | {"LC_ALL": "C.UTF-8"}).split("'")[-2])


def _tarball(
    root: Path, work: Path, size: Size, version: str, when: int, depends: str, out: Path
) -> Path:
    """The same files, for every Linux that is new enough: unpack it anywhere and start it."""
    name = f"{size.package}-{version}-linux-{platform.machine()}"
    share = root / "usr" / "share"
    place = (root / "usr" / "lib" / "gpuexplorer").rename(work / name)
    # What is left out speaks of a program that is installed.
    for kept in ("bash-completion", "fish", "icons", "man", "zsh"):
        _write(place / "share" / "gpuexplorer", "")
        (share / kept).rename(place / "share" / kept)
    (place / "share" / "gpuexplorer").unlink()
    (share / "doc" / size.package / "notices").rename(place / "notices")
    shutil.copyfile(_LICENSE, place / "LICENSE.txt")
    _write(place / "start.sh", _file("start.sh"))
    (place / "start.sh").chmod(0o755)
    _write(place / "README.txt", _readme(size, version, depends))
    settle(place, when)
    target = out / f"{name}.tar.gz"
    pack = [
        "tar",
        "--create",
        "--format=gnu",
        "--sort=name",
        "--owner=root:0",
        "--group=root:0",
    ]
    said([*pack, "--use-compress-program=gzip -6n", "--file", target, name], work)
    return target


def _readme(size: Size, version: str, depends: str) -> str:
    """`depends`: such as "libc6 (>= 2.35), libegl1"."""
    packages = " ".join(each.split()[0] for each in f"{depends}, xkb-data".split(", "))
    glibc = re.search(r"libc6 \(>= ([\d.]+)\)", depends)
    rows = textwrap.wrap(packages, 76, break_on_hyphens=False)
    words = {
        "@VERSION@": version,
        "@INSIDE@": ", with PyTorch inside" if size.with_torch else "",
        "@GLIBC@": glibc[1] if glibc else "2.34",
        "@MACHINE@": platform.machine(),
        "@PACKAGES@": " \\\n        ".join(rows),
        "@TORCH@": _CLASSROOM if size.with_torch else _SLIM,
    }
    text = _file("README.txt")
    for word, instead in words.items():
        text = text.replace(word, instead)
    return text


def write_icons(theme: Path) -> None:
    """As the icon theme specification wants them."""
    for size in ICONS:
        path = theme / f"{size}x{size}" / "apps" / "gpuexplorer.png"
        path.parent.mkdir(parents=True)
        if not fitting(size).save(str(path)):
            raise OSError(f"{path} could not be written.")
    _write(theme / "scalable" / "apps" / "gpuexplorer.svg", DRAWING.read_text("utf-8"))


def settle(root: Path, when: int) -> None:
    """Gives every file the mode and the date that it shall have."""
    for path in [*root.rglob("*"), root]:
        if not path.is_symlink():
            runs = path.is_dir() or (os.access(path, os.X_OK) and ".so" not in path.name)
            path.chmod(0o755 if runs else 0o644)
        os.utime(path, (when, when), follow_symlinks=False)


def dated(name: str, version: str, when: int) -> str:
    day = datetime.fromtimestamp(when, UTC).date().isoformat()
    return _file(name).replace("@VERSION@", version).replace("@DATE@", day)


def _zipped(text: str) -> bytes:
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def _file(name: str) -> str:
    return (FILES / name).read_text("utf-8")


def _write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
