"""The program's icon as pictures, in the sizes that desktops look for."""

from collections.abc import Iterator
from pathlib import Path

from program_icon import DRAWING, as_png, fitting

SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)


def write_icons(share: Path) -> None:
    """Into `share`/icons, as the icon theme specification wants it."""
    theme = share / "icons" / "hicolor"
    for size, picture in pictures():
        _write(theme / f"{size}x{size}" / "apps" / "gpuexplorer.png", picture)
    _write(theme / "scalable" / "apps" / "gpuexplorer.svg", DRAWING.read_bytes())


def pictures() -> Iterator[tuple[int, bytes]]:
    """Each size with its PNG file."""
    for size in SIZES:
        yield size, as_png(fitting(size))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
