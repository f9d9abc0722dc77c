"""PyInstaller's recipe, followed with stand-ins for PyInstaller, as it is on each system."""

import plistlib
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from macos.packages import APP

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


# Any: what PyInstaller would be told, whatever its kind.
@dataclass
class Told:
    """What the recipe asks PyInstaller for."""

    programs: list[Mapping[str, Any]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    bundles: list[Mapping[str, Any]] = field(default_factory=list)

    def program(self, *parts: object, **options: object) -> None:
        del parts
        self.programs.append(options)

    def folder(self, *parts: object, name: str) -> None:
        del parts
        self.folders.append(name)

    def bundle(self, *parts: object, **options: object) -> None:
        del parts
        self.bundles.append(options)


def followed(monkeypatch: pytest.MonkeyPatch, work: Path, platform: str, size: str) -> Told:
    told = Told()
    found = types.SimpleNamespace(scripts=[], binaries=[], datas=[], pure=[])
    hooks = types.ModuleType("PyInstaller.utils.hooks")
    hooks.__dict__["copy_metadata"] = lambda name: [(name, name)]
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("GPUEXPLORER_SIZE", size)
    recipe = PACKAGING / "gpuexplorer.spec"
    names = {
        "SPECPATH": str(PACKAGING),
        "workpath": str(work),
        "Analysis": lambda *_, **__: found,
        "PYZ": lambda *_: None,
        "EXE": told.program,
        "COLLECT": told.folder,
        "BUNDLE": told.bundle,
    }
    exec(compile(recipe.read_text("utf-8"), str(recipe), "exec"), names)
    return told


def test_windows_gets_two_programs_in_one_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = followed(monkeypatch, tmp_path, "win32", "slim")
    assert [(each["name"], each["console"]) for each in told.programs] == [
        ("gpuexplorer", True),
        ("GPU Explorer", False),
    ]
    assert told.folders == ["gpuexplorer"]
    assert told.bundles == []
    for each in told.programs:
        assert Path(each["icon"]).suffix == ".ico"
        assert "VSVersionInfo" in Path(each["version"]).read_text("utf-8")


def test_macos_gets_a_bundle_that_belongs_to_no_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One with a console would be kept out of the Dock."""
    told = followed(monkeypatch, tmp_path, "darwin", "classroom")
    assert [(each["name"], each["console"]) for each in told.programs] == [
        ("gpuexplorer", False)
    ]
    (bundle,) = told.bundles
    assert bundle["name"] == APP
    assert Path(bundle["icon"]).read_bytes()[:4] == b"icns"
    assert "PyTorch" in bundle["info_plist"]["CFBundleGetInfoString"]
    plistlib.dumps(bundle["info_plist"])
