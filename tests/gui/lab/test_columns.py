"""Forms, shelves and code: all three where there is room, two of them where it is narrow."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QSplitter, QToolButton
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.three_columns import ThreeColumns
from gpuexplorer.gui.state.settings import Settings


class Columns:
    """The columns and what stands in them."""

    def __init__(self, qtbot: QtBot, settings: Settings) -> None:
        self.form, self.bench, self.code = QLabel("form"), QLabel("bench"), QLabel("code")
        self.settings = settings
        self.widget = ThreeColumns(settings, self.form, self.bench, self.code)
        qtbot.addWidget(self.widget)
        self.widget.show()

    @property
    def seen(self) -> list[str]:
        parts = (self.form, self.bench, self.code)
        return [each.text() for each in parts if each.isVisible()]


@pytest.fixture
def columns(qtbot: QtBot) -> Columns:
    return Columns(qtbot, Settings())


def test_a_narrow_window_shows_code_or_forms_beside_the_shelves(columns: Columns) -> None:
    columns.widget.resize(760, 500)
    assert columns.seen == ["bench", "code"]
    [forms] = [e for e in columns.widget.findChildren(QToolButton) if e.text() == "Forms"]
    QTest.mouseClick(forms, Qt.MouseButton.LeftButton)
    assert columns.seen == ["form", "bench"]
    assert columns.form.x() > columns.bench.x()  # where code was
    columns.widget.resize(1240, 500)
    assert columns.seen == ["form", "bench", "code"]


def test_what_was_dragged_is_there_again_and_nonsense_is_not(
    qtbot: QtBot, columns: Columns
) -> None:
    columns.widget.resize(1400, 600)
    assert abs(columns.bench.width() - columns.code.width()) <= 8
    [splitter] = columns.widget.findChildren(QSplitter)
    handle = splitter.handle(2)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton)
    QTest.mouseMove(handle, QPoint(-120, 5))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=QPoint(-120, 5))
    assert columns.code.width() > columns.bench.width() + 200
    again = Columns(qtbot, columns.settings)
    again.widget.resize(1400, 600)
    assert again.code.width() == columns.code.width()
    columns.settings.remember("lab/columns/wide", "nonsense")
    after = Columns(qtbot, columns.settings)
    after.widget.resize(1400, 600)
    assert abs(after.bench.width() - after.code.width()) <= 8
