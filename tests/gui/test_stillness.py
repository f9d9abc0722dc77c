"""Whether the system asks for less motion: told when it is known, and never waited for."""

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desktop.desktop import ask_for_stillness

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asked in another way there")


@pytest.mark.parametrize(
    ("script", "told"),
    [("echo v b false", [True]), ("echo v b true", [False]), ("exit 1", []), ("sleep 60", [])],
)
def test_what_the_desktop_says_is_told_and_nothing_where_it_does_not_know(
    qtbot: QtBot, tmp_path: Path, script: str, told: list[bool]
) -> None:
    (tmp_path / "busctl").write_text(f"#!/bin/sh\nexec {script}\n", "utf-8")
    (tmp_path / "busctl").chmod(0o755)
    heard: list[bool] = []
    parent = QObject()
    call = ask_for_stillness(heard.append, parent, str(tmp_path / "busctl"))
    if not script.startswith("sleep"):
        with qtbot.waitSignal(call.answered):
            pass
    call.stop()
    assert heard == told
