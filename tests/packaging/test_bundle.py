"""The folder that PyInstaller fills, and what is made of it for Windows and macOS."""

import ast
import ctypes
import os
import plistlib
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from bundle import trimming
from bundle.contents import DISTRIBUTIONS, modules, sources
from bundle.making import check, strip
from bundle.sizes import CLASSROOM, SLIM
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.pythons import OLDEST_PYTHON
from macos.packages import APP
from tests.packaging.made_folder import ELSEWHERE, library, on_linux

ROOT = Path(__file__).resolve().parents[2]
# Python takes a module that is None for one that is not there.
_WITHOUT = """
import importlib, sys
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
for name in sys.argv[2].split(","):
    importlib.import_module(name)
"""


def test_nothing_that_is_needed_is_left_out_and_each_cut_has_its_reason() -> None:
    kept = [pattern.replace("*", "x") for pattern in trimming.NEEDED]
    assert [each for each in kept if trimming.reason_for_leaving_out(each) is not None] == []
    gone = trimming.reason_for_leaving_out("PySide6/Qt/translations/qtbase_de.qm")
    assert gone is not None
    assert gone.endswith(".")


@on_linux
def test_a_library_goes_with_the_last_that_needs_it(tmp_path: Path) -> None:
    png, ssl = (str(library(tmp_path / name)) for name in ("libpng.so", "libssl.so"))
    gui = str(library(tmp_path / "libQt6Gui.so.6", Path(png)))
    module = str(library(tmp_path / "QtGui.abi3.so", Path(gui)))
    plugin = str(library(tmp_path / "libqssl.so", Path(ssl)))
    kept = [
        ("PySide6/QtGui.abi3.so", module, "EXTENSION"),
        ("PySide6/Qt/lib/libQt6Gui.so.6", gui, "BINARY"),
        ("libpng.so", png, "BINARY"),
        ("libQt6Gui.so.6", "PySide6/Qt/lib/libQt6Gui.so.6", "SYMLINK"),
        ("gpuexplorer/resources/themes/dark.toml", "dark.toml", "DATA"),
    ]
    gone = [
        ("PySide6/Qt/plugins/tls/libqssl.so", plugin, "BINARY"),
        ("libssl.so", ssl, "BINARY"),
        ("libother.so", "PySide6/Qt/plugins/tls/libqssl.so", "SYMLINK"),
        ("PySide6/Qt/translations/qt_de.qm", "qt_de.qm", "DATA"),
    ]
    assert trimming.trimmed([*kept, *gone]) == kept


@pytest.mark.long
def test_no_module_of_the_program_needs_one_that_is_left_out() -> None:
    left_out = [*trimming.MODULES, *trimming.SLIM_MODULES]
    ours = [name for name in modules(ROOT, SLIM) if not name.endswith("__main__")]
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, ",".join(left_out), ",".join(ours)],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_modules_are_in_by_name_and_what_runs_elsewhere_as_it_was_written() -> None:
    slim, classroom = modules(ROOT, SLIM), modules(ROOT, CLASSROOM)
    assert {"gpuexplorer", "gpuexplorer.app", "gpuexplorer.commands.doctor"} <= set(slim)
    more = set(classroom) - set(slim)
    assert more
    assert all(name.startswith("gpuexplorer.worker") for name in more)
    for path in (each for each in sources(ROOT) if each.suffix == ".py"):
        ast.parse(path.read_text("utf-8"), str(path), feature_version=OLDEST_PYTHON)


def test_every_part_that_doctor_names_can_say_its_version() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    needed = pyproject.partition("\ndependencies = [")[2].partition("]")[0]
    assert set(re.findall(r'"([\w-]+)', needed)) == set(DISTRIBUTIONS)


@on_linux
def test_a_folder_that_lacks_something_or_is_too_large_is_refused(tmp_path: Path) -> None:
    paths = [tmp_path / "_internal" / each.replace("*", "x") for each in trimming.NEEDED]
    for path in paths[1:]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    with pytest.raises(Trouble, match=re.escape(f"The program lacks {trimming.NEEDED[0]}.")):
        check(tmp_path, SLIM)
    paths[0].touch()
    check(tmp_path, SLIM)
    os.truncate(paths[1], 200_000_001)
    with pytest.raises(Trouble, match="slim takes 200 MB, and 200 MB are the most"):
        check(tmp_path, SLIM)


@on_linux
def test_libraries_lose_symbols_and_where_they_look_save_packages(tmp_path: Path) -> None:
    made, beside = (
        library(tmp_path / "_internal" / name, folder=ELSEWHERE)
        for name in ("python3.11/_made.so", "numpy.libs/libopenblas.so")
    )
    before = made.stat().st_size
    strip(tmp_path)
    assert made.stat().st_size < before
    said = [
        subprocess.check_output(["readelf", "--dynamic", each], text=True)
        for each in (made, beside)
    ]
    assert [ELSEWHERE in each for each in said] == [False, True]
    assert ctypes.CDLL(str(made)).made() == 3


@pytest.mark.long
def test_an_installed_wheel_finds_its_resources(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", "77")
    source, out = tmp_path / "source", tmp_path / "out"
    shutil.copytree(ROOT / "resources", source / "resources")
    shutil.copytree(ROOT / "gpuexplorer/core", source / "gpuexplorer/core")
    shutil.copy(ROOT / "gpuexplorer/__init__.py", source / "gpuexplorer")
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    out.mkdir()
    build = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    command = [sys.executable, "-c", build, str(out)]
    subprocess.run(command, cwd=source, capture_output=True, check=True)
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "installed")
    find = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from gpuexplorer.core.resources import resource\n"
        "print(resource('themes', 'dark.toml'))"
    )
    asked = [sys.executable, "-I", "-c", find, str(tmp_path / "installed")]
    found = subprocess.check_output(asked, text=True).strip()
    assert Path(found).is_relative_to(tmp_path / "installed")


# Any: what PyInstaller would be told, whatever its kind.
def followed(
    monkeypatch: pytest.MonkeyPatch, work: Path, platform: str, size: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The programs and the bundles that the recipe asks PyInstaller for on a system."""
    programs: list[dict[str, Any]] = []
    bundles: list[dict[str, Any]] = []
    hooks = ModuleType("PyInstaller.utils.hooks")
    hooks.__dict__["copy_metadata"] = lambda name: [(name, name)]
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("GPUEXPLORER_SIZE", size)
    recipe = ROOT / "packaging" / "gpuexplorer.spec"
    found = SimpleNamespace(scripts=[], binaries=[], datas=[], pure=[])
    names = {
        "SPECPATH": str(recipe.parent),
        "workpath": str(work),
        "Analysis": lambda *_, **__: found,
        "PYZ": lambda *_: None,
        "EXE": lambda *_, **more: programs.append(more),
        "COLLECT": lambda *_, **__: None,
        "BUNDLE": lambda *_, **more: bundles.append(more),
    }
    exec(compile(recipe.read_text("utf-8"), str(recipe), "exec"), names)
    return programs, bundles


def test_windows_gets_two_programs_and_macos_a_bundle_that_belongs_to_no_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One with a console would be kept out of the Dock."""
    programs, bundles = followed(monkeypatch, tmp_path, "win32", "slim")
    told = [(each["name"], each["console"]) for each in programs]
    assert (told, bundles) == ([("gpuexplorer", True), ("GPU Explorer", False)], [])
    for each in programs:
        assert Path(each["icon"]).suffix == ".ico"
        assert "VSVersionInfo" in Path(each["version"]).read_text("utf-8")
    programs, (bundle,) = followed(monkeypatch, tmp_path, "darwin", "classroom")
    assert [(each["name"], each["console"]) for each in programs] == [("gpuexplorer", False)]
    assert bundle["name"] == APP
    assert Path(bundle["icon"]).read_bytes()[:4] == b"icns"
    assert "PyTorch" in bundle["info_plist"]["CFBundleGetInfoString"]
    plistlib.dumps(bundle["info_plist"])
