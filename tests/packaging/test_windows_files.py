"""What is handed out for Windows: what the files say of themselves, the zip, the compiler."""

import ast
import zipfile
from pathlib import Path

import pytest
from PIL import Image
from PIL.IcoImagePlugin import IcoImageFile
from PySide6.QtGui import QColor, QImage, QImageReader

from bundle.sizes import CLASSROOM, SLIM
from icon import ICO_SIZES, fitting, pillow, write_ico, write_picture
from windows.packages import (
    definitions,
    find_compiler,
    four_numbers,
    installer_name,
    make_packages,
    make_zip,
    programs,
    version_resource,
)


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
    made = make_zip(folder, CLASSROOM, "0.1.0", tmp_path)
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
    first = make_zip(folder, SLIM, "0.1.0", tmp_path).read_bytes()
    (folder / "gpuexplorer.exe").touch()
    assert make_zip(folder, SLIM, "0.1.0", tmp_path).read_bytes() == first


def test_without_inno_setup_it_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ISCC", "PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (made,) = make_packages(tmp_path / "gpuexplorer", SLIM, "0.1.0", tmp_path)
    assert made.suffix == ".zip"
    assert "Inno Setup, which makes it, is not on this computer" in capsys.readouterr().err


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


def test_every_size_of_the_icon_is_the_drawing_made_for_it(tmp_path: Path) -> None:
    """As bitmaps, which every program that shows icons understands."""
    file = write_ico(tmp_path / "gpuexplorer.ico")
    assert b"PNG" not in file.read_bytes()
    assert {16, 20, 24, 32, 40, 48, 64, 128, 256} <= set(ICO_SIZES)
    with Image.open(file) as image:
        assert isinstance(image, IcoImageFile)
        assert image.info["sizes"] == {(size, size) for size in ICO_SIZES}
        for size in ICO_SIZES:
            shown = image.ico.getimage((size, size))
            assert shown.tobytes() == pillow(fitting(size)).convert("RGBA").tobytes()
    reader = QImageReader(str(file))
    assert (bytes(reader.format().data()), reader.imageCount()) == (b"ico", len(ICO_SIZES))


def test_the_installers_picture_is_the_icon_on_white(tmp_path: Path) -> None:
    shown = QImage(str(write_picture(tmp_path / "gpuexplorer.bmp", 138)))
    assert shown.width() == shown.height() == 138
    assert shown.pixelColor(0, 0) == QColor("white")
    assert shown.pixelColor(69, 20) == fitting(138).pixelColor(69, 20)
