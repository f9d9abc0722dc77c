"""What is left out of the packaged program, and what has to be in it."""

import ast
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from bundle import trimming
from bundle.contents import DISTRIBUTIONS, files, modules, sources
from bundle.sizes import CLASSROOM, SIZES, SLIM, Size
from gpuexplorer.lab.oldest import OLDEST_PYTHON

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
        "PySide6/Qt/plugins/imageformats/libqjpeg.so",
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


def test_a_library_goes_with_the_last_that_needs_it(tmp_path: Path) -> None:
    entries = [
        _entry(tmp_path, "PySide6/QtGui.abi3.so", "EXTENSION", needs="libQt6Gui.so.6"),
        _entry(tmp_path, "PySide6/Qt/lib/libQt6Gui.so.6", "BINARY", needs="libpng.so"),
        _entry(tmp_path, "libpng.so", "BINARY"),
        _entry(tmp_path, "PySide6/Qt/plugins/tls/libqssl.so", "BINARY", needs="libssl.so"),
        _entry(tmp_path, "libssl.so", "BINARY"),
        ("libQt6Gui.so.6", "PySide6/Qt/lib/libQt6Gui.so.6", "SYMLINK"),
        ("libother.so", "PySide6/Qt/plugins/tls/libqssl.so", "SYMLINK"),
        (str(Path("PySide6/Qt/translations/qt_de.qm")), "qt_de.qm", "DATA"),
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


def test_the_oldest_python_of_the_lab_can_read_what_lies_beside_the_program() -> None:
    for path in sources(ROOT):
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
    assert isinstance(SIZES["slim"], Size)


def _entry(folder: Path, target: str, kind: str, needs: str = "") -> trimming.Entry:
    path = folder / target.replace("/", "_")
    path.write_bytes(_library(needs))
    return target, str(path), kind


def _library(needs: str) -> bytes:
    """The least that says of itself which library it needs."""
    strings = b"\0" + needs.encode() + b"\0"
    dynamic_at = 64 + 2 * 56
    entries = [(5, dynamic_at + 48), *([(1, 1)] if needs else [])]
    dynamic = b"".join(struct.pack("<qQ", *entry) for entry in [*entries, (0, 0)]).ljust(
        48, b"\0"
    )
    size = dynamic_at + len(dynamic) + len(strings)
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    whole = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, size, size, 4096)
    said = struct.pack("<IIQQQQQQ", 2, 4, dynamic_at, dynamic_at, 0, 48, 48, 8)
    return head + whole + said + dynamic + strings


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
