"""Several widgets as one stop for the Tab key."""

import gc

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.widgets.controls.keyboard import ArrowKeys, line_up

# Without a window manager there is nobody to tell of sizes.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


class Row(QWidget):
    """Holds its keys and is held by them, as rows do."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        self.buttons = [QPushButton(str(number)) for number in range(4)]
        for button in self.buttons:
            column.addWidget(button)
        self.keys = ArrowKeys(self)
        self.keys.take(self.buttons)
        self.itself = self


def test_a_row_that_python_takes_down_by_itself_goes_without_a_word(
    qapp: QApplication, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        row = Row()
        row.show()
        row.activateWindow()
        row.buttons[1].setFocus()
        del row
        gc.collect()
        qapp.sendPostedEvents()
    assert "Error" not in capfd.readouterr().err


def test_a_field_of_several_lines_still_takes_the_keyboard_in_a_line(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    for each in (QPushButton("before"), QPlainTextEdit("layers")):
        column.addWidget(each)
    line_up(window.findChildren(QWidget))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    layers = window.findChildren(QPlainTextEdit)[0]
    QTest.mouseClick(layers.viewport(), Qt.MouseButton.LeftButton)
    assert layers.hasFocus()
