"""The .deb as dpkg sees it: what it says of itself, whose its files are, coming and going."""

import gzip
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import gpuexplorer
from bundle.sizes import CLASSROOM, SLIM
from gpuexplorer.core.trouble import Trouble
from linux.deb import control_text, make_deb
from linux.elf import read_elf
from linux.needs import Needs
from linux.release import release_of
from tests.packaging.made_folder import made_folder, on_linux

VERSION = gpuexplorer.__version__
pytestmark = [
    on_linux,
    pytest.mark.skipif(
        shutil.which("dpkg-deb") is None,
        reason="a .deb is packed by dpkg-deb, which is not here",
    ),
]


def told(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_folder(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def deb(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_deb(folder, SLIM, VERSION, tmp_path_factory.mktemp("dist") / "new")


@pytest.fixture(scope="module")
def root(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package's files, unpacked."""
    where = tmp_path_factory.mktemp("root")
    subprocess.run(["dpkg-deb", "--raw-extract", str(deb), str(where)], check=True)
    return where


def fields(control: str) -> dict[str, str]:
    lines = [line for line in control.splitlines() if not line.startswith(" ")]
    return {name: value for name, _, value in (line.partition(": ") for line in lines)}


def test_it_is_called_as_debian_calls_packages(deb: Path) -> None:
    control = fields(told("dpkg-deb", "--field", str(deb)))
    assert control["Package"] == "gpuexplorer"
    assert control["Version"] == f"{VERSION}-1"
    assert deb.name == f"gpuexplorer_{VERSION}-1_{control['Architecture']}.deb"


def test_everything_is_roots_and_may_be_run_only_where_it_can_be(deb: Path) -> None:
    listed = told("dpkg-deb", "--contents", str(deb)).splitlines()
    assert all(line.split()[1] == "root/root" for line in listed)
    modes = {line.split()[5]: line.split()[0] for line in listed}
    inside = "./usr/lib/gpuexplorer"
    assert modes[f"{inside}/gpuexplorer"] == "-rwxr-xr-x"
    assert modes[f"{inside}/_internal/python3.11/_made.so"] == "-rw-r--r--"
    fonts = f"{inside}/_internal/gpuexplorer/resources/fonts"
    assert modes[f"{fonts}/Inter-Regular.otf"] == "-rw-r--r--"
    assert set(modes.values()) == {"drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"}


def test_the_command_leads_to_the_program(root: Path) -> None:
    assert (root / "usr/bin/gpuexplorer").readlink() == Path("../lib/gpuexplorer/gpuexplorer")
    assert (root / "usr/bin/gpuexplorer").resolve() == root / "usr/lib/gpuexplorer/gpuexplorer"


@pytest.mark.parametrize(
    "path",
    [
        "applications/gpuexplorer.desktop",
        "metainfo/invalid.gpuexplorer.gpuexplorer.metainfo.xml",
        "man/man1/gpuexplorer.1.gz",
        "icons/hicolor/16x16/apps/gpuexplorer.png",
        "icons/hicolor/512x512/apps/gpuexplorer.png",
        "icons/hicolor/scalable/apps/gpuexplorer.svg",
        "bash-completion/completions/gpuexplorer",
        "zsh/vendor-completions/_gpuexplorer",
        "fish/vendor_completions.d/gpuexplorer.fish",
        "doc/gpuexplorer/copyright",
        "doc/gpuexplorer/changelog.Debian.gz",
        "lintian/overrides/gpuexplorer",
    ],
)
def test_what_desktops_and_shells_look_for_is_where_they_look(root: Path, path: str) -> None:
    assert (root / "usr" / "share" / path).stat().st_size > 0


def test_every_file_has_its_sum(root: Path) -> None:
    sums = {}
    for line in (root / "DEBIAN" / "md5sums").read_text().splitlines():
        value, name = line.split("  ", 1)
        sums[name] = value
    files = [path for path in (root / "usr").rglob("*") if path.is_file()]
    plain = [path for path in files if not path.is_symlink()]
    assert sums == {
        path.relative_to(root).as_posix(): hashlib.md5(path.read_bytes()).hexdigest()
        for path in plain
    }


def test_nothing_is_run_when_it_is_installed(root: Path) -> None:
    assert sorted(path.name for path in (root / "DEBIAN").iterdir()) == ["control", "md5sums"]


def test_no_library_looks_into_a_folder_of_the_computer_that_built(root: Path) -> None:
    made = read_elf(root / "usr/lib/gpuexplorer/_internal/python3.11/_made.so")
    assert made is not None
    assert made.places == ()


def test_the_same_folder_gives_the_same_bytes(
    deb: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    before = os.umask(0o077)
    try:
        again = make_deb(folder, SLIM, VERSION, tmp_path)
    finally:
        os.umask(before)
    assert again.read_bytes() == deb.read_bytes()


def test_the_date_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert release_of(VERSION).day == "1970-01-02"


def test_the_copyright_names_what_others_wrote(root: Path) -> None:
    doc = root / "usr" / "share" / "doc" / "gpuexplorer"
    text = (doc / "copyright").read_text()
    assert text.startswith("Format: https://www.debian.org/doc/packaging-manuals/copyright")
    index = (doc / "notices" / "index.txt").read_text()
    parts = "Qt for Python, Python, numpy, psutil, pyqtgraph, colorama, Inter, PyInstaller, ICU"
    for part in parts.split(", "):
        assert part in index
    for licence in ("LGPL-3", "PSF-2.0", "OFL-1.1"):
        assert f"License: {licence}\n" in text
    named = {path.name for path in (doc / "notices").iterdir()}
    assert {"lgpl-3.txt", "gpl-3.txt", "qt.txt", "numpy.txt", "python.txt"} <= named


def test_the_changelog_begins_with_this_version(root: Path) -> None:
    packed = root / "usr/share/doc/gpuexplorer/changelog.Debian.gz"
    assert (
        gzip.decompress(packed.read_bytes()).decode().startswith(f"gpuexplorer ({VERSION}-1)")
    )


def test_a_version_that_the_changelog_does_not_tell_of_is_refused() -> None:
    with pytest.raises(Trouble) as caught:
        release_of("99.0")
    assert caught.value.sentence == (
        "packaging/linux/files/changelog does not begin with version 99.0."
    )


def test_the_one_for_classrooms_takes_the_place_of_the_other() -> None:
    needs = Needs("amd64", {"libc.so.6": ["gpuexplorer"]})
    slim = fields(control_text(SLIM, release_of(VERSION), needs, 1))
    classroom = fields(control_text(CLASSROOM, release_of(VERSION), needs, 1))
    assert classroom["Package"] == "gpuexplorer-classroom"
    assert classroom["Source"] == "gpuexplorer"
    assert classroom["Provides"] == "gpuexplorer"
    for ours, others in ((slim, classroom), (classroom, slim)):
        assert ours["Conflicts"] == ours["Replaces"] == others["Package"]
    assert "python3-torch" in slim["Suggests"]
    assert "python3-torch" not in classroom["Suggests"]


def test_where_there_is_no_dpkg_deb_a_sentence_says_so(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Trouble) as caught:
        make_deb(folder, SLIM, VERSION, tmp_path)
    assert caught.value.sentence == "A .deb is packed by dpkg-deb, and this computer has none."


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


@pytest.mark.skipif(shutil.which("lintian") is None, reason="lintian is not here")
def test_lintian_finds_no_error(deb: Path) -> None:
    done = subprocess.run(
        ["lintian", "--fail-on", "error", "--allow-root", str(deb)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
