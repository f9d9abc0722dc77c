"""A wheel, which is what pip makes of the sources before it installs them."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"

_FIND = """
import sys
sys.path.insert(0, sys.argv[1])
from gpuexplorer.core.resources import resource
print(resource("themes", "dark.toml"))
"""


def test_an_installed_package_finds_its_resources(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", "77")
    source, out = tmp_path / "source", tmp_path / "out"
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        source.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, source)
    for name in ("resources", "gpuexplorer/core"):
        shutil.copytree(ROOT / name, source / name)
    shutil.copy(ROOT / "gpuexplorer" / "__init__.py", source / "gpuexplorer")
    out.mkdir()
    subprocess.run(
        [sys.executable, "-c", _BUILD, str(out)],
        cwd=source,
        capture_output=True,
        timeout=60,
        check=True,
    )
    (wheel,) = out.glob("*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(installed)
    found = subprocess.run(
        [
            *(sys.executable, "-I", "-c"),
            _FIND,
            str(installed),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert Path(found.stdout.strip()).is_relative_to(installed)
