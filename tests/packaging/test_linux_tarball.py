"""The portable folder: unpacked anywhere, started from there, the same whoever packs it."""

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

import gpuexplorer
from bundle.sizes import CLASSROOM, SLIM
from linux.sums import write_sums
from linux.tarball import make_tarball
from tests.packaging.made_folder import made_folder, on_linux

VERSION = gpuexplorer.__version__
pytestmark = on_linux


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_folder(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def packed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tarball(folder, SLIM, VERSION, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def unpacked(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("a folder with spaces") / "Übung für Gärtner 显卡"
    where.mkdir()
    with tarfile.open(packed) as tar:
        tar.extractall(where, filter="tar")
    return where / packed.name.removesuffix(".tar.gz")


def test_it_is_one_folder_of_its_name(unpacked: Path) -> None:
    assert [path.name for path in unpacked.parent.iterdir()] == [unpacked.name]
    assert unpacked.name.startswith(f"gpuexplorer-{VERSION}-linux-")


def test_it_starts_from_a_path_with_spaces_and_letters_of_others(unpacked: Path) -> None:
    for start in ("gpuexplorer", "start.sh"):
        subprocess.run([str(unpacked / start), "--version"], cwd="/", check=True)


def test_it_starts_through_a_link(unpacked: Path, tmp_path: Path) -> None:
    link = tmp_path / "a link"
    link.symlink_to(unpacked / "start.sh")
    subprocess.run([str(link)], check=True)


def test_nobody_in_particular_owns_it(packed: Path) -> None:
    with tarfile.open(packed) as tar:
        members = tar.getmembers()
    assert {(member.uid, member.gid, member.uname) for member in members} == {(0, 0, "root")}
    names = [member.name for member in members]
    assert len(names) == len(set(names))


def test_it_says_how_to_start_it_and_what_it_needs(unpacked: Path) -> None:
    text = (unpacked / "README.txt").read_text(encoding="utf-8")
    assert f"GPU Explorer {VERSION}, portable\n" in text
    assert "    ./gpuexplorer\n" in text
    assert "sudo apt-get install libc6\n" in text
    assert "PyTorch is not inside." in text
    assert "@" not in text


def test_the_one_for_classrooms_says_that_pytorch_is_inside(
    folder: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="whose licences are packed with it")
    packed = make_tarball(folder, CLASSROOM, VERSION, tmp_path)
    assert packed.name.startswith("gpuexplorer-classroom-")
    with tarfile.open(packed) as tar:
        name = packed.name.removesuffix(".tar.gz")
        readme = tar.extractfile(f"{name}/README.txt")
        assert readme is not None
        assert b", portable, with PyTorch inside\n" in readme.read()
        assert f"{name}/notices/torch.txt" in tar.getnames()


def test_the_licences_come_along(unpacked: Path) -> None:
    assert (unpacked / "LICENSE.txt").read_text().startswith("MIT License")
    assert (unpacked / "notices" / "lgpl-3.txt").is_file()
    assert (unpacked / "share" / "man" / "man1" / "gpuexplorer.1.gz").is_file()


def test_the_same_folder_gives_the_same_bytes(
    packed: Path, folder: Path, tmp_path: Path
) -> None:
    assert make_tarball(folder, SLIM, VERSION, tmp_path).read_bytes() == packed.read_bytes()


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="sha256sum is not here")
def test_the_sums_are_those_of_the_files(tmp_path: Path) -> None:
    for name in ("b.tar.gz", "a.deb"):
        (tmp_path / name).write_text(name)
    sums = write_sums([tmp_path / "b.tar.gz", tmp_path / "a.deb"], tmp_path)
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", sums.name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "a.deb: OK\nb.tar.gz: OK\n"
    (tmp_path / "a.deb").write_text("something else")
    assert subprocess.run(
        ["sha256sum", "--check", "--status", sums.name], cwd=tmp_path, check=False
    ).returncode
