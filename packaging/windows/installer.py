"""The installer: hands the script to Inno Setup's compiler, which has to be there."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from bundle.sizes import Size
from windows.icon import write_icon, write_picture
from windows.version import PUBLISHER, four_numbers

SCRIPT = Path(__file__).with_name("gpuexplorer.iss")


class NoInnoSetupError(Exception):
    """Inno Setup's compiler is not on this computer."""


def make_installer(folder: Path, size: Size, version: str, out: Path) -> Path:
    """Only on Windows, with Inno Setup 6.3 or newer."""
    compiler = find_compiler(os.environ)
    icon = write_icon(folder.parent / "gpuexplorer.ico")
    picture = write_picture(folder.parent / "gpuexplorer.bmp")
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [str(compiler), *definitions(folder, size, version, icon, picture, out), str(SCRIPT)],
        check=True,
    )
    return out / f"{installer_name(size, version)}.exe"


def definitions(
    folder: Path, size: Size, version: str, icon: Path, picture: Path, out: Path
) -> Sequence[str]:
    """All that the script does not know by itself."""
    defined = {
        "Folder": str(folder),
        "Title": size.title,
        "Publisher": PUBLISHER,
        "Version": version,
        "FourNumbers": ".".join(map(str, four_numbers(version))),
        "Icon": str(icon),
        "Picture": str(picture),
        "Output": str(out),
        "OutputName": installer_name(size, version),
    }
    return ["/Qp", *(f"/D{name}={text}" for name, text in defined.items())]


def installer_name(size: Size, version: str) -> str:
    return f"{size.package}-{version}-windows-x64-setup"


def find_compiler(environment: Mapping[str, str]) -> Path:
    named = environment.get("ISCC")
    if named:
        return Path(named)
    found = shutil.which("iscc", path=environment.get("PATH"))
    if found is not None:
        return Path(found)
    for variable in ("PROGRAMFILES(X86)", "PROGRAMFILES", "LOCALAPPDATA"):
        programs = environment.get(variable)
        if programs is None:
            continue
        below = Path(programs, "Programs") if variable == "LOCALAPPDATA" else Path(programs)
        for version in ("Inno Setup 7", "Inno Setup 6"):
            compiler = below / version / "ISCC.exe"
            if compiler.is_file():
                return compiler
    raise NoInnoSetupError(
        "Inno Setup, which makes the installer, is not on this computer.\n"
        "Install it, or let the variable ISCC name its ISCC.exe."
    )
