"""What is handed out for Windows: what the files say of themselves, the zip, the compiler."""

import ast
import zipfile
from pathlib import Path

import pytest

from bundle.sizes import CLASSROOM, SLIM
from windows.installer import (
    NoInnoSetupError,
    definitions,
    find_compiler,
    installer_name,
)
from windows.portable import make_zip
from windows.programs import programs
from windows.version import four_numbers, version_resource


@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        ("0.1.0", (0, 1, 0, 0)),
        ("2.0", (2, 0, 0, 0)),
        ("1.2.3.4.5", (1, 2, 3, 4)),
        ("1.2.0rc1", (1, 2, 0, 0)),
    ],
)
def test_windows_gets_four_numbers(version: str, numbers: tuple[int, ...]) -> None:
    assert four_numbers(version) == numbers


def test_what_is_no_version_is_refused() -> None:
    with pytest.raises(ValueError, match="'newest' is no version"):
        four_numbers("newest")


def test_the_properties_of_the_file_tell_name_and_version() -> None:
    text = version_resource(CLASSROOM, "0.1.0", "gpuexplorer.exe")
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    said = {
        ast.literal_eval(each.args[0]): ast.literal_eval(each.args[1])
        for each in ast.walk(call)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Name)
        and each.func.id == "StringStruct"
    }
    assert said["ProductName"] == "GPU Explorer for classrooms, with PyTorch"
    assert said["FileVersion"] == said["ProductVersion"] == "0.1.0"
    assert said["OriginalFilename"] == "gpuexplorer.exe"
    assert "filevers=(0, 1, 0, 0)" in text


def test_one_program_has_a_terminal_and_the_other_has_none(tmp_path: Path) -> None:
    typed, clicked = programs(tmp_path, SLIM, "0.1.0")
    assert (typed["name"], typed["console"]) == ("gpuexplorer", True)
    assert (clicked["name"], clicked["console"]) == ("GPU Explorer", False)
    for each in typed, clicked:
        assert Path(str(each["icon"])).is_file()
        assert f"{each['name']}.exe" in Path(str(each["version"])).read_text("utf-8")


def test_the_zip_unpacks_into_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "gpuexplorer"
    (folder / "_internal").mkdir(parents=True)
    (folder / "gpuexplorer.exe").write_bytes(b"MZ")
    (folder / "_internal" / "ü.dll").write_bytes(b"MZ" * 9)
    made = make_zip(folder, CLASSROOM, "0.1.0", tmp_path / "dist")
    assert made.name == "gpuexplorer-classroom-0.1.0-windows-x64.zip"
    with zipfile.ZipFile(made) as file:
        assert file.testzip() is None
        assert file.namelist() == [
            "gpuexplorer-classroom-0.1.0-windows-x64/_internal/ü.dll",
            "gpuexplorer-classroom-0.1.0-windows-x64/gpuexplorer.exe",
        ]
        assert file.read(file.namelist()[0]) == b"MZ" * 9


def test_the_same_folder_gives_the_same_zip(tmp_path: Path) -> None:
    folder = tmp_path / "gpuexplorer"
    folder.mkdir()
    (folder / "gpuexplorer.exe").write_bytes(b"MZ")
    first = make_zip(folder, SLIM, "0.1.0", tmp_path / "one").read_bytes()
    (folder / "gpuexplorer.exe").touch()
    assert make_zip(folder, SLIM, "0.1.0", tmp_path / "two").read_bytes() == first


def test_without_inno_setup_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(NoInnoSetupError, match="Inno Setup, which makes the installer"):
        find_compiler({"PATH": str(tmp_path), "PROGRAMFILES": str(tmp_path)})


def test_inno_setup_is_found_where_it_installs_itself(tmp_path: Path) -> None:
    compiler = tmp_path / "Inno Setup 6" / "ISCC.exe"
    compiler.parent.mkdir()
    compiler.touch()
    assert find_compiler({"PATH": "", "PROGRAMFILES(X86)": str(tmp_path)}) == compiler
    assert find_compiler({"PATH": "", "ISCC": "D:/ISCC.exe"}) == Path("D:/ISCC.exe")


def test_the_compiler_is_told_all_that_the_script_asks_for(tmp_path: Path) -> None:
    told = definitions(
        tmp_path, SLIM, "0.1.0", tmp_path / "x.ico", tmp_path / "x.bmp", tmp_path / "dist"
    )
    assert f"/DFolder={tmp_path}" in told
    assert "/DFourNumbers=0.1.0.0" in told
    assert f"/DOutputName={installer_name(SLIM, '0.1.0')}" in told
    assert installer_name(SLIM, "0.1.0") == "gpuexplorer-0.1.0-windows-x64-setup"
