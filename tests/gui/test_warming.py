"""What opens later is brought in bit by bit while the window goes on."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.warming import Warming

PACKAGE = "brought_in_later"
# Longer than a turn may take: no second one comes with it.
SLOW = (
    "import time\nuntil = time.perf_counter() + 0.02\nwhile time.perf_counter() < until: pass\n"
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Two modules, and two more in a folder, each of which takes a while."""
    for name in ("__init__", "first", "second", "inner/__init__", "inner/leaf", "inner/other"):
        path = tmp_path / PACKAGE / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield PACKAGE
    for name in brought_in():
        del sys.modules[name]


def brought_in() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == PACKAGE]


def test_modules_come_one_at_a_time_and_what_is_needed_comes_first(
    package: str, qtbot: QtBot
) -> None:
    counts = []
    window_works = QTimer(interval=0)
    window_works.timeout.connect(lambda: counts.append(len(brought_in())))
    window_works.start()
    warming = Warming([package])
    warming.start()
    qtbot.waitUntil(lambda: len(brought_in()) == 6)
    window_works.stop()
    assert [name.removeprefix(f"{PACKAGE}.") for name in brought_in()] == [
        PACKAGE,
        "inner",
        "inner.leaf",
        "inner.other",
        "first",
        "second",
    ]
    assert set(range(1, 6)) <= set(counts)
