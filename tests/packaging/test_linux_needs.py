"""What the package asks of the system, and what its libraries say of themselves."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from linux.debian_names import PACKAGE_OF
from linux.elf import forget_places, read_elf
from linux.needs import needs_of
from tests.packaging.made_folder import ELSEWHERE, library, made_folder, on_linux

pytestmark = on_linux


def test_a_library_says_what_it_needs_and_where_it_looks(tmp_path: Path) -> None:
    made = read_elf(library(tmp_path / "libmade.so", folder=ELSEWHERE))
    assert made is not None
    assert made.needed == ("libc.so.6",)
    assert any(version.startswith("GLIBC_2.") for version in made.versions["libc.so.6"])
    assert made.places == (ELSEWHERE,)
    assert not made.starts_by_itself


def test_a_program_is_told_from_a_library(tmp_path: Path) -> None:
    program = read_elf(made_folder(tmp_path) / "gpuexplorer")
    assert program is not None
    assert program.starts_by_itself


def test_a_script_is_no_library(tmp_path: Path) -> None:
    script = tmp_path / "start.sh"
    script.write_text("#!/bin/sh\n")
    assert read_elf(script) is None


def test_a_folder_of_the_computer_that_built_is_not_looked_into(tmp_path: Path) -> None:
    path = library(tmp_path / "libmade.so", folder=ELSEWHERE)
    before = read_elf(path)
    forget_places(path)
    after = read_elf(path)
    assert before is not None
    assert after is not None
    assert after.places == ()
    assert (after.needed, after.versions) == (before.needed, before.versions)
    assert ctypes.CDLL(str(path)).made() == 3


def test_a_place_beside_the_library_is_kept(tmp_path: Path) -> None:
    path = library(tmp_path / "libmade.so", folder="$ORIGIN/../beside")
    forget_places(path)
    made = read_elf(path)
    assert made is not None
    assert made.places == ("$ORIGIN/../beside",)


def test_the_newest_c_library_that_a_file_asks_for_is_the_oldest_that_will_do(
    tmp_path: Path,
) -> None:
    needs = needs_of(made_folder(tmp_path))
    package, _, release = needs.depends()[0].partition(" (>= ")
    assert package == "libc6"
    assert release.startswith("2.")


def test_what_lies_in_the_folder_is_not_asked_of_the_system(tmp_path: Path) -> None:
    folder = made_folder(tmp_path)
    lower = library(folder / "_internal" / "liblower.so.1")
    library(folder / "_internal" / "libupper.so.1", lower)
    assert [package.split()[0] for package in needs_of(folder).depends()] == ["libc6"]


def test_what_is_inside_and_reads_files_of_the_system_asks_for_those(tmp_path: Path) -> None:
    folder = made_folder(tmp_path)
    library(folder / "_internal" / "libxkbcommon.so.0")
    assert "xkb-data" in needs_of(folder).depends()


def test_a_library_that_nobody_knows_stops_the_packing(tmp_path: Path) -> None:
    folder = made_folder(tmp_path)
    strange = library(tmp_path / "libstrange.so.9")
    library(folder / "_internal" / "libuser.so.1", strange)
    with pytest.raises(Trouble) as caught:
        needs_of(folder).depends()
    assert caught.value.sentence == (
        "_internal/libuser.so.1 needs libstrange.so.9, and which of Debian's packages has it "
        "is not known."
    )


def test_what_a_look_of_the_desktop_needs_is_not_forced_on_anybody(tmp_path: Path) -> None:
    folder = made_folder(tmp_path)
    themes = folder / "_internal" / "PySide6" / "Qt" / "plugins" / "platformthemes"
    toolkit = library(tmp_path / "libgtk-3.so.0")
    library(themes / "libqgtk3.so", toolkit)
    needs = needs_of(folder)
    assert needs.suggests() == ["libgtk-3-0t64 | libgtk-3-0"]
    assert [package.split()[0] for package in needs.depends()] == ["libc6"]


def test_a_folder_without_a_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Trouble) as caught:
        needs_of(tmp_path)
    assert caught.value.sentence == f"There is no program in {tmp_path}."


@pytest.mark.skipif(
    shutil.which("dpkg") is None, reason="dpkg knows the names, and is not here"
)
def test_debian_calls_its_packages_so() -> None:
    folders = [*Path("/usr/lib").glob("*-linux-gnu"), *Path("/lib").glob("*-linux-gnu")]
    there = [folder / name for folder in folders for name in PACKAGE_OF]
    told = subprocess.run(
        ["dpkg", "-S", *(str(path) for path in there if path.exists())],
        capture_output=True,
        text=True,
        check=False,  # the same library may be found under two names, of which one is known
    ).stdout
    assert told
    for line in told.splitlines():
        package, _, path = line.partition(": ")
        assert package.partition(":")[0] in PACKAGE_OF[Path(path).name].split(" | "), path
