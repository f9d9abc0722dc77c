"""The disk image: the program beside a link to Applications, so that it is dragged there."""

import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bundle.sizes import Size
from macos.settings import APP

Run = Callable[[Sequence[str]], object]


def run_or_fail(command: Sequence[str]) -> None:
    subprocess.run(command, check=True)


def make_dmg(
    app: Path,
    size: Size,
    version: str,
    out: Path,
    run: Run = run_or_fail,
    machine: str | None = None,
) -> Path:
    """Only on macOS: `app` is the bundle that PyInstaller made, signed or not."""
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{size.package}-{version}-macos-{machine or platform.machine()}.dmg"
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder, "GPU Explorer")
        inside.mkdir()
        # Links within the bundle have to stay links, else its signature is broken.
        shutil.copytree(app, inside / APP, symlinks=True)
        (inside / "Applications").symlink_to("/Applications")
        for command in commands(inside, version, target):
            run(command)
    return target


def commands(inside: Path, version: str, target: Path) -> list[list[str]]:
    name = f"GPU Explorer {version}"
    make = ["hdiutil", "create", "-volname", name, "-srcfolder", str(inside)]
    make += ["-fs", "HFS+", "-format", "UDZO", "-imagekey", "zlib-level=9", "-ov", str(target)]
    return [make, ["hdiutil", "verify", str(target)]]
