"""A folder such as PyInstaller builds, as small as it can be: what packing does to one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="these packages are for Linux")
with_debians_tools = pytest.mark.skipif(
    shutil.which("dpkg-shlibdeps") is None, reason="packages are made by dpkg-dev, not here"
)

# A folder of the computer that built, as a Python from there has it in its libraries.
ELSEWHERE = "/somebody/else/lib"


def made_folder(where: Path) -> Path:
    """Its program does nothing, and its library is a real one."""
    folder = where / "gpuexplorer"
    inside = folder / "_internal"
    fonts = inside / "gpuexplorer" / "resources" / "fonts"
    (inside / "python3.11").mkdir(parents=True)
    fonts.mkdir(parents=True)
    program = shutil.which("true")
    assert program is not None
    shutil.copy(program, folder / "gpuexplorer")
    library(inside / "python3.11" / "_made.so", folder=ELSEWHERE).chmod(0o777)
    (inside / "libpython3.11.so.1.0").symlink_to("python3.11/_made.so")
    (fonts / "Inter-Regular.otf").write_bytes(b"a typeface")
    (fonts / "Inter-Regular.otf").chmod(0o600)
    return folder


def library(path: Path, *needed: Path, folder: str = "") -> Path:
    """A new library that needs these others, and looks in this folder first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    command = ["cc", "-shared", "-fPIC", "-o", str(path), "-x", "c", "-", "-x", "none"]
    command += [f"-Wl,-soname,{path.name}", "-Wl,--no-as-needed"]
    command += [f"-Wl,-rpath,{folder}"] if folder else []
    command += [str(other) for other in needed]
    code = b'#include <stdlib.h>\nint made(void) { return abs(-3) + (getenv("A") != 0); }\n'
    subprocess.run(command, input=code, check=True, capture_output=True)
    return path
