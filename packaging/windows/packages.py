"""What is made for Windows: two programs that are one, a portable zip, and an installer.

`GPU Explorer.exe` is what the start menu opens: Windows gives it no terminal, and none flashes
up. `gpuexplorer.exe` is what a person types: Windows waits for it, and it prints. A program is
the one or the other by a field of its file, so one file could not be both.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bundle.sizes import Size
from icon import write_ico, write_picture

TYPED, CLICKED = "gpuexplorer", "GPU Explorer"
SCRIPT = Path(__file__).with_name("gpuexplorer.iss")
_PUBLISHER = "The GPU Explorer maintainers"
_PICTURE = 138  # pixels; what the installer wants where a screen is set to 250 %
# The oldest that a zip file can name: equal folders then give equal files.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_NO_INNO_SETUP = """\
No installer was made. Inno Setup, which makes it, is not on this computer.
Install it, or let the variable ISCC name its ISCC.exe."""


def programs(folder: Path, size: Size, version: str) -> list[dict[str, str | bool]]:
    """What PyInstaller's EXE has to know of each; files for it are written into `folder`."""
    icon = write_ico(folder / "gpuexplorer.ico")
    found: list[dict[str, str | bool]] = []
    for name in (TYPED, CLICKED):
        facts = folder / f"{name}.version"
        facts.write_text(version_resource(size, version, f"{name}.exe"), encoding="utf-8")
        words = {"name": name, "icon": str(icon), "version": str(facts)}
        found.append({**words, "console": name == TYPED})
    return found


def version_resource(size: Size, version: str, program: str) -> str:
    """What Windows shows of a program's file under its properties, as PyInstaller reads it."""
    strings = {
        "CompanyName": _PUBLISHER,
        "FileDescription": size.title,
        "FileVersion": version,
        "InternalName": "gpuexplorer",
        "LegalCopyright": f"Copyright (c) {_PUBLISHER}. MIT License.",
        "OriginalFilename": program,
        "ProductName": size.title,
        "ProductVersion": version,
    }
    numbers = four_numbers(version)
    structs = ", ".join(f"StringStruct({name!r}, {text!r})" for name, text in strings.items())
    # American English, in Unicode.
    return f"""VSVersionInfo(
  ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}),
  kids=[
    StringFileInfo([StringTable('040904B0', [{structs}])]),
    VarFileInfo([VarStruct('Translation', [0x0409, 0x04B0])]),
  ],
)
"""


def four_numbers(version: str) -> tuple[int, ...]:
    """Windows compares numbers only: 1.2.0rc1 and 1.2.0 are the same to it."""
    plain = re.match(r"\d+(?:\.\d+)*", version)
    if plain is None:
        raise ValueError(f"{version!r} is no version")
    return (*map(int, plain.group().split(".")), 0, 0, 0)[:4]


def make_packages(folder: Path, size: Size, version: str, out: Path) -> Iterator[Path]:
    """The zip, and with Inno Setup 6.3 or newer the installer. Only on Windows."""
    yield make_zip(folder, size, version, out)
    compiler = find_compiler(os.environ)
    if compiler is None:
        print(_NO_INNO_SETUP, file=sys.stderr)
        return
    icon = write_ico(folder.parent / "gpuexplorer.ico")
    picture = write_picture(folder.parent / "gpuexplorer.bmp", _PICTURE)
    words = definitions(folder, size, version, icon, picture, out)
    subprocess.run([str(compiler), *words, str(SCRIPT)], check=True)
    yield out / f"{installer_name(size, version)}.exe"


def make_zip(folder: Path, size: Size, version: str, out: Path) -> Path:
    """All within one folder, so that whoever unpacks it on a desktop gets one thing there."""
    name = f"{size.package}-{version}-windows-x64"
    target = out / f"{name}.zip"
    with zipfile.ZipFile(target, "w", compresslevel=9) as file:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            inside = zipfile.ZipInfo(f"{name}/{path.relative_to(folder).as_posix()}", _NO_TIME)
            file.writestr(inside, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return target


def definitions(
    folder: Path, size: Size, version: str, icon: Path, picture: Path, out: Path
) -> Sequence[str]:
    """All that the installer's script does not know by itself."""
    defined = {
        "Folder": folder,
        "Title": size.title,
        "Publisher": _PUBLISHER,
        "Version": version,
        "FourNumbers": ".".join(map(str, four_numbers(version))),
        "Icon": icon,
        "Picture": picture,
        "Output": out,
        "OutputName": installer_name(size, version),
    }
    return ["/Qp", *(f"/D{name}={text}" for name, text in defined.items())]


def installer_name(size: Size, version: str) -> str:
    return f"{size.package}-{version}-windows-x64-setup"


def find_compiler(environment: Mapping[str, str]) -> Path | None:
    """Where the variable ISCC says, on the PATH, or where Inno Setup installs itself."""
    named = environment.get("ISCC") or shutil.which("iscc", path=environment.get("PATH"))
    if named:
        return Path(named)
    places = [environment.get(name) for name in ("PROGRAMFILES(X86)", "PROGRAMFILES")]
    if local := environment.get("LOCALAPPDATA"):
        places.append(str(Path(local, "Programs")))
    for place in filter(None, places):
        for version in ("Inno Setup 7", "Inno Setup 6"):
            compiler = Path(place, version, "ISCC.exe")
            if compiler.is_file():
                return compiler
    return None
