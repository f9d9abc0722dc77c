"""What is left out of the packaged program, and what has to be in it."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bundle import trimming
from bundle.contents import DISTRIBUTIONS, files, modules, sources
from bundle.sizes import CLASSROOM, SIZES, SLIM
from gpuexplorer.lab.pythons import OLDEST_PYTHON
from tests.packaging.made_folder import library, on_linux

ROOT = Path(__file__).resolve().parents[2]
# Python takes a module that is None for one that is not there.
_WITHOUT = """
import importlib, sys
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
for name in sys.argv[2].split(","):
    importlib.import_module(name)
"""


@pytest.mark.parametrize(
    "target",
    [
        "libglib-2.0.so.0",
        "libgio-2.0.so.0",
        "libX11.so.6",
        "libxcb.so.1",
        "libstdc++.so.6",
        "PySide6/Qt/plugins/platforms/libqeglfs.so",
        "PySide6/Qt/plugins/imageformats/libqtiff.so",
        "PySide6/Qt/translations/qtbase_de.qm",
        "torch/test/c10_small_vector_test",
    ],
)
def test_what_nobody_misses_is_left_out_with_a_reason(target: str) -> None:
    reason = trimming.reason_for_leaving_out(target)
    assert reason is not None
    assert reason.endswith(".")


@pytest.mark.parametrize(
    "target",
    [
        "libpython3.13.so.1.0",
        "libxcb-cursor.so.0",
        "libxkbcommon-x11.so.0",
        "PySide6/Qt/lib/libQt6XcbQpa.so.6",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/Qt/plugins/iconengines/libqsvgicon.so",
        "torch/bin/torch_shm_manager",
        "torch/version.py",
        "gpuexplorer/resources/icons/gpuexplorer.svg",
    ],
)
def test_what_the_program_needs_stays(target: str) -> None:
    assert trimming.reason_for_leaving_out(target) is None


def test_nothing_that_is_needed_can_be_cut() -> None:
    for pattern in trimming.NEEDED:
        assert trimming.reason_for_leaving_out(pattern.replace("*", "x")) is None, pattern


def test_what_is_missing_is_named() -> None:
    there = [pattern.replace("*", "x") for pattern in trimming.NEEDED]
    assert trimming.missing(there) == []
    assert trimming.missing(there[1:]) == [trimming.NEEDED[0]]


@on_linux
def test_a_library_goes_with_the_last_that_needs_it(tmp_path: Path) -> None:
    png, ssl = (str(library(tmp_path / name)) for name in ("libpng.so", "libssl.so"))
    gui = str(library(tmp_path / "libQt6Gui.so.6", Path(png)))
    module = str(library(tmp_path / "QtGui.abi3.so", Path(gui)))
    plugin = str(library(tmp_path / "libqssl.so", Path(ssl)))
    entries = [
        ("PySide6/QtGui.abi3.so", module, "EXTENSION"),
        ("PySide6/Qt/lib/libQt6Gui.so.6", gui, "BINARY"),
        ("libpng.so", png, "BINARY"),
        ("PySide6/Qt/plugins/tls/libqssl.so", plugin, "BINARY"),
        ("libssl.so", ssl, "BINARY"),
        ("libQt6Gui.so.6", "PySide6/Qt/lib/libQt6Gui.so.6", "SYMLINK"),
        ("libother.so", "PySide6/Qt/plugins/tls/libqssl.so", "SYMLINK"),
        ("PySide6/Qt/translations/qt_de.qm", "qt_de.qm", "DATA"),
        ("gpuexplorer/resources/themes/dark.toml", "dark.toml", "DATA"),
    ]
    assert [target for target, _, _ in trimming.trimmed(entries)] == [
        "PySide6/QtGui.abi3.so",
        "PySide6/Qt/lib/libQt6Gui.so.6",
        "libpng.so",
        "libQt6Gui.so.6",
        "gpuexplorer/resources/themes/dark.toml",
    ]


@pytest.mark.parametrize("name", [*trimming.MODULES, *trimming.SLIM_MODULES])
def test_no_module_that_is_left_out_is_imported_by_the_program(name: str) -> None:
    package = ROOT / "gpuexplorer"
    imported = re.compile(rf"^\s*(?:import|from) {re.escape(name)}\b", re.MULTILINE)
    workers = {path for path in sources(ROOT) if path.is_relative_to(package / "worker")}
    for path in package.rglob("*.py"):
        if path not in workers:
            assert not imported.search(path.read_text("utf-8")), path


def test_every_module_is_in_the_program_since_they_are_imported_by_name() -> None:
    slim, classroom = modules(ROOT, SLIM), modules(ROOT, CLASSROOM)
    for name in ("gpuexplorer", "gpuexplorer.app", "gpuexplorer.commands.doctor"):
        assert name in slim
    assert set(classroom) - set(slim) == {
        name for name in classroom if name.split(".")[1:2] == ["worker"]
    }


def test_the_worker_is_there_as_it_was_written() -> None:
    targets = {(Path(path).name, folder) for path, folder in files(ROOT)}
    assert ("__init__.py", "gpuexplorer") in targets
    assert ("__main__.py", "gpuexplorer/worker") in targets
    assert ("wire.py", "gpuexplorer/lab") in targets
    assert ("resources", "gpuexplorer/resources") in targets


def test_what_runs_on_another_computer_is_there_as_it_was_written() -> None:
    targets = {(Path(path).name, folder) for path, folder in files(ROOT)}
    for name, folder in (
        ("agent.py", "gpuexplorer/commands"),
        ("probe.py", "gpuexplorer/commands/checkup"),
        ("agent.py", "gpuexplorer/remote"),
        ("wire.py", "gpuexplorer/remote"),
        ("local.py", "gpuexplorer/telemetry"),
        ("backend.py", "gpuexplorer/telemetry/backends/nvml"),
        ("machine.py", "gpuexplorer/simulation"),
        ("pynvml.py", "."),
    ):
        assert (name, folder) in targets


def test_the_oldest_python_of_the_lab_can_read_what_lies_beside_the_program() -> None:
    for path in (each for each in sources(ROOT) if each.suffix == ".py"):
        ast.parse(path.read_text("utf-8"), str(path), feature_version=OLDEST_PYTHON)


def test_every_part_that_doctor_names_can_say_its_version() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    needed = pyproject.partition("\ndependencies = [")[2].partition("]")[0]
    assert set(re.findall(r'"([\w-]+)', needed)) == set(DISTRIBUTIONS)


def test_the_sizes_keep_their_promise() -> None:
    assert set(SIZES) == {"slim", "classroom"}
    assert (SLIM.most_packed, SLIM.most_installed) == (70_000_000, 200_000_000)
    assert [size.package for size in SIZES.values()] == [
        "gpuexplorer",
        "gpuexplorer-classroom",
    ]


def test_no_module_of_the_window_needs_one_that_is_left_out() -> None:
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
