"""The two programs of the folder: they are the same but for whether a terminal belongs to them.

`GPU Explorer.exe` is what the start menu opens: Windows gives it no terminal, and none flashes
up. `gpuexplorer.exe` is what a person types: Windows waits for it, and it prints. A program is
the one or the other by a field of its file, so one file could not be both.
"""

from pathlib import Path

from bundle.sizes import Size
from windows.icon import write_icon
from windows.version import write_version

TYPED, CLICKED = "gpuexplorer", "GPU Explorer"


def programs(folder: Path, size: Size, version: str) -> list[dict[str, str | bool]]:
    """What PyInstaller's EXE has to know of each; files for it are written into `folder`."""
    icon = write_icon(folder / "gpuexplorer.ico")
    return [
        {
            "name": name,
            "console": name == TYPED,
            "icon": str(icon),
            "version": str(
                write_version(folder / f"{name}.version", size, version, f"{name}.exe")
            ),
        }
        for name in (TYPED, CLICKED)
    ]
