"""What macOS wants around the program: the settings of the bundle, and a disk image."""

import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bundle.sizes import Size

# No domain is ours; whoever publishes the program under one of theirs puts that here.
IDENTIFIER = "invalid.gpuexplorer.gpuexplorer"
APP = "GPU Explorer.app"
# What Qt 6.11 asks for.
_OLDEST_SYSTEM = "13.0"


def info_plist(size: Size, version: str) -> dict[str, str | bool]:
    """As PyInstaller's BUNDLE takes it. Both sizes have one identifier: the one replaces the
    other in Applications.
    """
    # The system compares up to three numbers, and takes nothing else.
    plain = re.match(r"\d+(?:\.\d+){0,2}", version)
    if plain is None:
        raise ValueError(f"{version!r} is no version")
    return {
        "CFBundleName": "GPU Explorer",
        "CFBundleDisplayName": "GPU Explorer",
        "CFBundleGetInfoString": f"{size.title} {version}",
        "CFBundleShortVersionString": plain.group(),
        "CFBundleVersion": plain.group(),
        "CFBundlePackageType": "APPL",
        "CFBundleDevelopmentRegion": "en",
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "LSMinimumSystemVersion": _OLDEST_SYSTEM,
        "NSHighResolutionCapable": True,
        # Dark where the system is dark.
        "NSRequiresAquaSystemAppearance": False,
        "NSPrincipalClass": "NSApplication",
        "NSHumanReadableCopyright": "Copyright (c) The GPU Explorer maintainers. MIT License.",
    }


def make_packages(
    folder: Path,
    size: Size,
    version: str,
    out: Path,
    run: Callable[[Sequence[str]], object] = lambda words: subprocess.run(words, check=True),
) -> Iterator[Path]:
    """The disk image: the bundle that PyInstaller made beside `folder`, signed or not, and a
    link to Applications, so that it is dragged there. Only on macOS.
    """
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{size.package}-{version}-macos-{platform.machine()}.dmg"
    with tempfile.TemporaryDirectory() as temporary:
        inside = Path(temporary, "GPU Explorer")
        inside.mkdir()
        # Links within the bundle have to stay links, else its signature is broken.
        shutil.copytree(folder.parent / APP, inside / APP, symlinks=True)
        (inside / "Applications").symlink_to("/Applications")
        make = ["hdiutil", "create", "-volname", f"GPU Explorer {version}"]
        make += ["-srcfolder", str(inside), "-fs", "HFS+", "-format", "UDZO"]
        run([*make, "-imagekey", "zlib-level=9", "-ov", str(target)])
        run(["hdiutil", "verify", str(target)])
    yield target
