"""The .deb as dpkg sees it, and the portable folder: unpacked anywhere, started from there."""

import gzip
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

import gpuexplorer
from build import write_sums
from bundle.sizes import CLASSROOM, SLIM, Size
from gpuexplorer.core.trouble import Trouble
from linux.packages import date_of, make_packages
from tests.packaging.made_folder import library, made_folder, on_linux, with_debians_tools

VERSION = gpuexplorer.__version__
pytestmark = [on_linux, with_debians_tools]


def said(*command: str, where: Path | None = None) -> str:
    return subprocess.check_output(command, cwd=where, text=True)


def packed(folder: Path, out: Path, size: Size = SLIM) -> tuple[Path, Path]:
    deb, tarball = make_packages(folder, size, VERSION, out)
    return deb, tarball


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = made_folder(tmp_path_factory.mktemp("built"))
    qt = made / "_internal" / "PySide6" / "Qt"
    lower = library(qt / "lib" / "libQt6Lower.so.6")
    library(qt / "lib" / "libQt6Upper.so.6", lower)
    toolkit = library(made.parent / "libgtk-3.so.0")
    library(qt / "plugins" / "platformthemes" / "libqgtk3.so", toolkit)
    return made


@pytest.fixture(scope="module")
def packages(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return packed(folder, tmp_path_factory.mktemp("dist") / "new")


@pytest.fixture(scope="module")
def deb(packages: tuple[Path, Path]) -> Path:
    return packages[0]


@pytest.fixture(scope="module")
def root(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's files, unpacked."""
    where = tmp_path_factory.mktemp("root")
    said("dpkg-deb", "--raw-extract", str(deb), str(where))
    return where


@pytest.fixture(scope="module")
def unpacked(packages: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("a folder with spaces") / "Übung für Gärtner 显卡"
    where.mkdir()
    said("tar", "--extract", "--file", str(packages[1]), "--directory", str(where))
    return where / packages[1].name.removesuffix(".tar.gz")


def fields(deb: Path) -> dict[str, str]:
    lines = said("dpkg-deb", "--field", str(deb)).splitlines()
    plain = (line.partition(": ") for line in lines if not line.startswith(" "))
    return {name: value for name, _, value in plain}


def test_it_is_called_as_debian_calls_packages_and_asks_for_what_is_not_inside(
    deb: Path,
) -> None:
    """What a look of the desktop needs is not forced on anybody."""
    control = fields(deb)
    assert (control["Package"], control["Version"]) == ("gpuexplorer", f"{VERSION}-1")
    assert deb.name == f"gpuexplorer_{VERSION}-1_{control['Architecture']}.deb"
    c_library, keyboards = control["Depends"].split(", ")
    assert c_library.startswith("libc6 (>= 2.")
    assert keyboards == "xkb-data"
    assert "libgtk-3-0" in control["Suggests"]


def test_everything_is_roots_and_may_be_run_only_where_it_can_be(deb: Path) -> None:
    rows = [line.split() for line in said("dpkg-deb", "--contents", str(deb)).splitlines()]
    assert {row[1] for row in rows} == {"root/root"}
    assert {row[0] for row in rows} == {"drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"}
    inside = {row[5].removeprefix("./usr/lib/gpuexplorer/"): row[0] for row in rows}
    assert inside["gpuexplorer"] == "-rwxr-xr-x"
    assert inside["_internal/python3.11/_made.so"] == "-rw-r--r--"


def test_what_desktops_and_shells_look_for_is_where_they_look(root: Path) -> None:
    assert (root / "usr/bin/gpuexplorer").resolve() == root / "usr/lib/gpuexplorer/gpuexplorer"
    for path in (
        "applications/gpuexplorer.desktop",
        "metainfo/invalid.gpuexplorer.gpuexplorer.metainfo.xml",
        "man/man1/gpuexplorer.1.gz",
        "icons/hicolor/512x512/apps/gpuexplorer.png",
        "icons/hicolor/scalable/apps/gpuexplorer.svg",
        "bash-completion/completions/gpuexplorer",
        "zsh/vendor-completions/_gpuexplorer",
        "fish/vendor_completions.d/gpuexplorer.fish",
        "lintian/overrides/gpuexplorer",
    ):
        assert (root / "usr" / "share" / path).stat().st_size > 0


def test_every_file_has_its_sum_and_nothing_is_run_when_it_is_installed(root: Path) -> None:
    assert sorted(path.name for path in (root / "DEBIAN").iterdir()) == ["control", "md5sums"]
    said("md5sum", "--check", "--strict", "--quiet", "DEBIAN/md5sums", where=root)
    files = [each for each in (root / "usr").rglob("*") if each.is_file()]
    plain = [each for each in files if not each.is_symlink()]
    assert len((root / "DEBIAN/md5sums").read_text().splitlines()) == len(plain)


def test_the_same_folder_gives_the_same_bytes(
    packages: tuple[Path, Path], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    before = os.umask(0o077)
    try:
        again = packed(folder, tmp_path)
    finally:
        os.umask(before)
    assert [each.read_bytes() for each in again] == [each.read_bytes() for each in packages]


def test_the_copyright_names_what_others_wrote(root: Path) -> None:
    doc = root / "usr" / "share" / "doc" / "gpuexplorer"
    text = (doc / "copyright").read_text()
    assert text.startswith("MIT License")
    parts = "Qt for Python, Python, numpy, psutil, pyqtgraph, colorama, Inter, PyInstaller, ICU"
    lessons = ("markdown-it-py", "mdurl")
    for part in [*parts.split(", "), *lessons, "(LGPL-3)", "(PSF-2.0)", "(OFL-1.1)"]:
        assert part in text
    named = {path.name for path in (doc / "notices").iterdir()}
    assert {"lgpl-3.txt", "gpl-3.txt", "qt.txt", "numpy.txt", "python.txt"} <= named


def test_a_library_of_the_system_brings_its_licence_along(tmp_path: Path) -> None:
    folder = made_folder(tmp_path)
    library(folder / "_internal" / "libz.so.1")
    deb, _ = packed(folder, tmp_path / "out")
    assert "notices/zlib1g.txt" in said("dpkg-deb", "--contents", str(deb))
    library(folder / "_internal" / "libnobodys.so.1")
    with pytest.raises(
        Trouble, match=r"libnobodys\.so\.1 came from this computer, and its licence"
    ):
        packed(folder, tmp_path / "out")


def test_the_changelog_begins_with_this_version(root: Path, tmp_path: Path) -> None:
    text = gzip.decompress(
        (root / "usr/share/doc/gpuexplorer/changelog.Debian.gz").read_bytes()
    )
    assert text.decode().startswith(f"gpuexplorer ({VERSION}-1)")
    with pytest.raises(Trouble, match=r"changelog does not begin with version 99\.0"):
        date_of("99.0", tmp_path)


def test_the_one_for_classrooms_takes_the_place_of_the_other(
    deb: Path, folder: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="whose licences are packed with it")
    large, tarball = packed(folder, tmp_path, CLASSROOM)
    slim, classroom = fields(deb), fields(large)
    assert classroom["Package"] == "gpuexplorer-classroom"
    assert classroom["Source"] == "gpuexplorer"
    assert classroom["Provides"] == "gpuexplorer"
    for ours, others in ((slim, classroom), (classroom, slim)):
        assert ours["Conflicts"] == ours["Replaces"] == others["Package"]
    assert "python3-torch" in slim["Suggests"]
    assert "python3-torch" not in classroom["Suggests"]
    # What an environment is made with, for the one click that fetches PyTorch.
    assert "python3-venv" in slim["Recommends"]
    assert "python3-venv" not in classroom["Recommends"]
    with tarfile.open(tarball) as tar:
        name = tarball.name.removesuffix(".tar.gz")
        readme = tar.extractfile(f"{name}/README.txt")
        assert readme is not None
        assert b", portable, with PyTorch inside\n" in readme.read()
        assert f"{name}/notices/torch.txt" in tar.getnames()


@pytest.mark.skipif(os.geteuid() != 0, reason="dpkg installs as root only")
def test_it_comes_is_upgraded_over_itself_and_goes_without_leftovers(
    deb: Path, tmp_path: Path
) -> None:
    admin = tmp_path / "var" / "lib" / "dpkg"
    for name in ("info", "updates", "triggers"):
        (admin / name).mkdir(parents=True)
    (admin / "status").touch()
    dpkg = ["dpkg", f"--root={tmp_path}", "--force-depends", f"--log={tmp_path}/var/log"]
    for _ in range(2):
        subprocess.run([*dpkg, "--install", str(deb)], check=True, capture_output=True)
        assert (tmp_path / "usr/bin/gpuexplorer").resolve(strict=True).is_file()
    subprocess.run([*dpkg, "--purge", "gpuexplorer"], check=True, capture_output=True)
    assert not (tmp_path / "usr").exists()


def test_the_portable_folder_starts_from_anywhere(unpacked: Path, tmp_path: Path) -> None:
    assert [path.name for path in unpacked.parent.iterdir()] == [unpacked.name]
    assert unpacked.name.startswith(f"gpuexplorer-{VERSION}-linux-")
    link = tmp_path / "a link"
    link.symlink_to(unpacked / "start.sh")
    for start in (unpacked / "gpuexplorer", unpacked / "start.sh", link):
        subprocess.run([str(start), "--version"], cwd="/", check=True)


def test_nobody_in_particular_owns_the_portable_folder(packages: tuple[Path, Path]) -> None:
    with tarfile.open(packages[1]) as tar:
        members = tar.getmembers()
    assert {(member.uid, member.gid, member.uname) for member in members} == {(0, 0, "root")}


def test_the_portable_folder_says_how_to_start_it_and_what_it_needs(unpacked: Path) -> None:
    text = (unpacked / "README.txt").read_text(encoding="utf-8")
    assert f"GPU Explorer {VERSION}, portable\n" in text
    assert "    ./gpuexplorer\n" in text
    assert "sudo apt-get install libc6 xkb-data\n" in text
    assert "PyTorch is not inside." in text
    assert "@" not in text
    assert (unpacked / "LICENSE.txt").read_text().startswith("MIT License")
    assert (unpacked / "notices" / "lgpl-3.txt").is_file()
    assert sorted(path.name for path in (unpacked / "share").iterdir()) == [
        *("bash-completion", "fish", "icons", "man", "zsh")
    ]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="sha256sum is not here")
def test_the_sums_are_those_of_the_files(tmp_path: Path) -> None:
    for name in ("gpuexplorer_b.tar.gz", "gpuexplorer_a.deb", "notes"):
        (tmp_path / name).write_text(name)
    check = ["sha256sum", "--check", "--strict", write_sums(tmp_path).name]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "gpuexplorer_a.deb: OK\ngpuexplorer_b.tar.gz: OK\n"
    (tmp_path / "gpuexplorer_a.deb").write_text("something else")
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode
