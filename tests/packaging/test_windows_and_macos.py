"""What is made for Windows and macOS, as far as it can be judged where neither runs."""

import ast
import platform
import plistlib
import re
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PIL import Image
from PIL.IcnsImagePlugin import IcnsImageFile
from PIL.IcoImagePlugin import IcoImageFile
from PySide6.QtGui import QColor, QImage

from bundle.sizes import CLASSROOM, SLIM
from icon import ICO_SIZES, fitting, pillow, write_icns, write_ico, write_picture
from macos import packages as macos
from windows import packages as windows

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
SCRIPT = windows.SCRIPT.read_text("utf-8")
ENTRY = re.compile(r'\s*(\w+):\s*("(?:[^"]|"")*"|[^;"]*)\s*(?:;|$)')


def section(name: str) -> list[str]:
    """Of the installer's script: lines without comments and without the preprocessor's."""
    lines = re.split(r"^\[(\w+)\]\n", SCRIPT, flags=re.MULTILINE)
    text = dict(zip(lines[1::2], lines[2::2], strict=True))[name]
    return [line for line in text.splitlines() if line and line.lstrip()[:1] not in (";", "#")]


def entries(name: str) -> list[dict[str, str]]:
    found = []
    for line in section(name):
        assert ENTRY.sub("", line).strip() == "", f"this is no entry: {line}"
        pairs = ENTRY.findall(line)
        found.append({key: value.strip().strip('"').replace('""', '"') for key, value in pairs})
    return found


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("0.1.0", (0, 1, 0, 0)), ("1.2.3.4.5", (1, 2, 3, 4)), ("1.2.0rc1", (1, 2, 0, 0))],
)
def test_windows_gets_four_numbers(version: str, numbers: tuple[int, ...]) -> None:
    assert windows.four_numbers(version) == numbers


@pytest.mark.parametrize(
    "ask",
    [lambda: windows.four_numbers("newest"), lambda: macos.info_plist(SLIM, "newest")],
    ids=["windows", "macos"],
)
def test_what_is_no_version_is_refused(ask: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="'newest' is no version"):
        ask()


def test_the_properties_of_the_file_tell_name_and_version() -> None:
    text = windows.version_resource(CLASSROOM, "0.1.0", "gpuexplorer.exe")
    ast.parse(text, mode="eval")
    for name, value in (
        ("ProductName", "GPU Explorer for classrooms, with PyTorch"),
        ("FileVersion", "0.1.0"),
        ("OriginalFilename", "gpuexplorer.exe"),
    ):
        assert f"StringStruct({name!r}, {value!r})" in text
    assert "filevers=(0, 1, 0, 0)" in text


def test_the_zip_has_all_in_one_folder_and_is_the_same_again(tmp_path: Path) -> None:
    folder = tmp_path / "gpuexplorer"
    (folder / "_internal").mkdir(parents=True)
    (folder / "gpuexplorer.exe").write_bytes(b"MZ")
    (folder / "_internal" / "ü.dll").write_bytes(b"MZ" * 9)
    made = windows.make_zip(folder, CLASSROOM, "0.1.0", tmp_path)
    name = "gpuexplorer-classroom-0.1.0-windows-x64"
    assert made.name == f"{name}.zip"
    with zipfile.ZipFile(made) as file:
        assert file.testzip() is None
        assert file.namelist() == [f"{name}/_internal/ü.dll", f"{name}/gpuexplorer.exe"]
    first = made.read_bytes()
    (folder / "gpuexplorer.exe").touch()
    assert windows.make_zip(folder, CLASSROOM, "0.1.0", tmp_path).read_bytes() == first


def test_without_inno_setup_it_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ISCC", "PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (made,) = windows.make_packages(tmp_path / "gpuexplorer", SLIM, "0.1.0", tmp_path)
    assert made.suffix == ".zip"
    assert "Inno Setup, which makes it, is not on this computer" in capsys.readouterr().err
    compiler = tmp_path / "Inno Setup 6" / "ISCC.exe"
    compiler.parent.mkdir()
    compiler.touch()
    found = windows.find_compiler({"PATH": "", "PROGRAMFILES(X86)": str(tmp_path)})
    assert found == compiler


def test_every_size_of_the_icons_is_the_drawing_made_for_it(tmp_path: Path) -> None:
    """Those of Windows as bitmaps, which every program that shows icons understands."""
    file = write_ico(tmp_path / "gpuexplorer.ico")
    assert b"PNG" not in file.read_bytes()
    with Image.open(file) as image:
        assert isinstance(image, IcoImageFile)
        assert image.info["sizes"] == {(size, size) for size in ICO_SIZES}
        for size in ICO_SIZES:
            shown = image.ico.getimage((size, size))
            assert shown.tobytes() == pillow(fitting(size)).convert("RGBA").tobytes()
    with Image.open(write_icns(tmp_path / "gpuexplorer.icns")) as image:
        assert isinstance(image, IcnsImageFile)
        sizes = {(wide * scale, scale) for wide, _, scale in image.info["sizes"]}
        assert sizes >= {(32, 2), (64, 2), (128, 1), (256, 1), (512, 1), (1024, 2)}
    picture = QImage(str(write_picture(tmp_path / "gpuexplorer.bmp", 138)))
    assert picture.width() == picture.height() == 138
    assert picture.pixelColor(0, 0) == QColor("white")


def test_the_installer_needs_no_administrator_and_asks_nothing() -> None:
    setup = dict(line.split("=", 1) for line in section("Setup"))
    assert "LicenseFile" not in setup
    assert setup["DisableProgramGroupPage"] == setup["DisableWelcomePage"] == "yes"
    assert setup["PrivilegesRequired"] == "lowest"
    assert setup["DefaultDirName"].startswith("{autopf}\\")
    assert not re.search(r"\{(?:commonpf\w*|common\w+|win|sys|pf)\}|HKLM", SCRIPT)


def test_every_definition_the_installer_asks_for_is_given_and_none_in_vain() -> None:
    asked = set(re.findall(r"^#ifndef (\w+)$", SCRIPT, re.MULTILINE))
    used = set(re.findall(r"\{#(\w+)\}", SCRIPT))
    given = windows.definitions(Path("f"), SLIM, "0.1.0", Path("i"), Path("p"), Path("o"))
    assert "/DFourNumbers=0.1.0.0" in given
    told = {word.removeprefix("/D").partition("=")[0] for word in given if word[:2] == "/D"}
    assert asked == used == told


def test_the_start_menu_opens_the_program_without_a_terminal() -> None:
    icons = {entry["Name"]: entry for entry in entries("Icons")}
    assert icons[r"{group}\GPU Explorer"]["Filename"] == rf"{{app}}\{windows.CLICKED}.exe"
    typed = icons[r"{group}\GPU Explorer commands"]["Parameters"]
    assert typed == f'/K "set "PATH={{app}};%PATH%" && {windows.TYPED} --help'


def test_what_the_installer_writes_goes_with_it() -> None:
    for name in ("InstallDelete", "UninstallDelete"):
        gone = [(each["Type"], each["Name"]) for each in entries(name)]
        assert ("filesandordirs", r"{app}\_internal") in gone
    assert all("uninsdeletekey" in each["Flags"] for each in entries("Registry"))
    code = "\n".join(section("Code"))
    assert r"Settings = '{localappdata}\gpuexplorer';" in code
    assert "IDNO) = IDYES" in code  # a silent removal keeps them


def test_the_settings_of_the_bundle_say_what_macos_needs() -> None:
    told = plistlib.loads(plistlib.dumps(macos.info_plist(CLASSROOM, "1.2.0rc1")))
    assert told["CFBundleGetInfoString"] == "GPU Explorer for classrooms, with PyTorch 1.2.0rc1"
    # The system takes numbers only.
    assert told["CFBundleShortVersionString"] == told["CFBundleVersion"] == "1.2.0"
    assert told["NSHighResolutionCapable"] is True
    assert told["NSRequiresAquaSystemAppearance"] is False
    allowed = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    names = ("allow-jit", "allow-unsigned-executable-memory")
    assert allowed == {f"com.apple.security.cs.{name}": True for name in names}


def test_the_disk_image_has_the_program_beside_applications(tmp_path: Path) -> None:
    app = tmp_path / "built" / macos.APP
    (app / "Contents" / "Resources").mkdir(parents=True)
    (app / "Contents" / "Frameworks").symlink_to("Resources")
    ran: list[Sequence[str]] = []

    def run(command: Sequence[str]) -> None:
        """Looks at the folder when hdiutil would."""
        ran.append(command)
        if "create" in command:
            inside = Path(command[command.index("-srcfolder") + 1])
            assert sorted(path.name for path in inside.iterdir()) == ["Applications", macos.APP]
            assert (inside / macos.APP / "Contents" / "Frameworks").is_symlink()

    folder, out = app.parent / "gpuexplorer", tmp_path / "dist"
    (made,) = macos.make_packages(folder, CLASSROOM, "0.1.0", out, run)
    assert made == out / f"gpuexplorer-classroom-0.1.0-macos-{platform.machine()}.dmg"
    assert [command[:2] for command in ran] == [["hdiutil", "create"], ["hdiutil", "verify"]]


def test_the_script_that_signs_says_what_it_needs() -> None:
    script = ["bash", str(PACKAGING / "macos" / "sign.sh")]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Say which bundle, whose certificate, and which profile" in done.stderr
