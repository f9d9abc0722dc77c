"""AddMachineSheet: a name is typed, or chosen among those of ~/.ssh/config."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.sheets.small_sheets import AddMachineSheet
from tests.gui.hands import press
from tests.gui.test_machines_state import Room


def test_the_tab_key_keeps_what_was_typed_and_the_arrows_choose_a_name(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host titan borel\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    window = QWidget()
    qtbot.addWidget(window)
    room = Room(Settings())
    sheet = AddMachineSheet(room.state, window)
    names, host = sheet.findChild(QListWidget), sheet.findChildren(QLineEdit)[0]
    assert isinstance(names, QListWidget)
    sheet.open()
    qtbot.waitUntil(lambda: names.count() == 2)
    host.setText("ada@elsewhere")
    names.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(names.hasFocus)
    assert host.text() == "ada@elsewhere"
    press(names, Qt.Key.Key_Down)
    assert host.text() == "borel"
    press(names, Qt.Key.Key_Up)
    assert host.text() == "titan"
    sheet.reject()
    room.state.stop()
