"""What the program says of itself."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer import __version__
from gpuexplorer.gui.widgets.sheets.small_sheets import AboutSheet


@pytest.fixture
def sheet(qtbot: QtBot) -> Iterator[AboutSheet]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 700)
    window.show()
    sheet = AboutSheet(window)
    sheet.open()
    yield sheet
    window.close()


def test_it_tells_its_version_its_licences_and_nothing_it_cannot_do(sheet: AboutSheet) -> None:
    said = " ".join(label.text() for label in sheet.findChildren(QLabel))
    assert f"Version {__version__}" in said
    assert "MIT licence" in said
    assert "Inter, under the SIL Open Font License" in said
    assert "PyTorch" not in said


def test_all_of_it_is_seen(sheet: AboutSheet) -> None:
    close = next(each for each in sheet.findChildren(QPushButton) if each.text() == "Close")
    for label in sheet.findChildren(QLabel):
        wanted = label.heightForWidth(label.width()) if label.wordWrap() else 0
        assert label.height() >= wanted
        bottom = label.mapTo(sheet, label.rect().bottomLeft())
        assert bottom.y() <= close.mapTo(sheet, close.rect().topLeft()).y()
    assert not any(bar.isVisible() for bar in sheet.findChildren(QScrollBar))
