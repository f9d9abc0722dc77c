"""The folder as a zip file: unpacked anywhere, the program runs without being installed."""

import zipfile
from pathlib import Path

from bundle.sizes import Size

# The oldest that a zip file can name: equal folders then give equal files.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def make_zip(folder: Path, size: Size, version: str, out: Path) -> Path:
    """All within one folder, so that whoever unpacks it on a desktop gets one thing there."""
    name = f"{size.package}-{version}-windows-x64"
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{name}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            inside = zipfile.ZipInfo(f"{name}/{path.relative_to(folder).as_posix()}", _NO_TIME)
            inside.compress_type = zipfile.ZIP_DEFLATED
            inside.external_attr = 0o644 << 16
            file.writestr(inside, path.read_bytes(), compresslevel=9)
    return target
