"""What Windows shows of a program's file under its properties, as PyInstaller reads it."""

import re
from pathlib import Path

from bundle.sizes import Size

PUBLISHER = "The GPU Explorer maintainers"
_LANGUAGE = "040904B0"  # American English, in Unicode


def write_version(path: Path, size: Size, version: str, program: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(version_resource(size, version, program), encoding="utf-8")
    return path


def version_resource(size: Size, version: str, program: str) -> str:
    """`program`: the name of the file, such as gpuexplorer.exe."""
    strings = {
        "CompanyName": PUBLISHER,
        "FileDescription": size.title,
        "FileVersion": version,
        "InternalName": "gpuexplorer",
        "LegalCopyright": f"Copyright (c) {PUBLISHER}. MIT License.",
        "OriginalFilename": program,
        "ProductName": size.title,
        "ProductVersion": version,
    }
    numbers = four_numbers(version)
    lines = ",\n".join(
        f"        StringStruct({name!r}, {text!r})" for name, text in strings.items()
    )
    return f"""VSVersionInfo(
  ffi=FixedFileInfo(
    filevers={numbers},
    prodvers={numbers},
    mask=0x3F,
    flags=0x0,
    OS=0x40004,
    fileType=0x1,
    subtype=0x0,
    date=(0, 0),
  ),
  kids=[
    StringFileInfo([
      StringTable({_LANGUAGE!r}, [
{lines},
      ]),
    ]),
    VarFileInfo([VarStruct('Translation', [0x0409, 0x04B0])]),
  ],
)
"""


def four_numbers(version: str) -> tuple[int, int, int, int]:
    """Windows compares numbers only: 1.2.0rc1 and 1.2.0 are the same to it."""
    plain = re.match(r"\d+(?:\.\d+)*", version)
    if plain is None:
        raise ValueError(f"{version!r} is no version")
    numbers = [int(number) for number in plain.group().split(".")][:4]
    numbers += [0] * (4 - len(numbers))
    return numbers[0], numbers[1], numbers[2], numbers[3]
