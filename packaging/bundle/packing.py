"""The packages that the system it runs on can make of a built folder."""

import sys
from collections.abc import Iterator
from pathlib import Path

from bundle.sizes import Size


def pack(folder: Path, size: Size, version: str, out: Path) -> Iterator[Path]:
    """Each file when it is there. What a system's packager needs is imported there only."""
    if sys.platform == "linux":
        from linux.deb import make_deb  # noqa: PLC0415
        from linux.tarball import make_tarball  # noqa: PLC0415

        yield make_deb(folder, size, version, out)
        yield make_tarball(folder, size, version, out)
    elif sys.platform == "win32":
        from windows.installer import NoInnoSetupError, make_installer  # noqa: PLC0415
        from windows.portable import make_zip  # noqa: PLC0415

        yield make_zip(folder, size, version, out)
        try:
            yield make_installer(folder, size, version, out)
        except NoInnoSetupError as missing:
            print(f"No installer was made. {missing}", file=sys.stderr)
    elif sys.platform == "darwin":
        from macos.dmg import make_dmg  # noqa: PLC0415
        from macos.settings import APP  # noqa: PLC0415

        yield make_dmg(folder.parent / APP, size, version, out)
