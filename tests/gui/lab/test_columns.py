"""Forms, shelves and code: all three where there is room, two of them where it is narrow."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTabBar
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.three_columns import ThreeColumns


class Columns:
    """The columns and what stands in them."""

    def __init__(self, look: Look, qtbot: QtBot) -> None:
        self.form, self.bench, self.code = QLabel("form"), QLabel("bench"), QLabel("code")
        self.widget = ThreeColumns(look, self.form, self.bench, self.code)
        qtbot.addWidget(self.widget)
        self.widget.show()

    @property
    def seen(self) -> list[str]:
        parts = (self.form, self.bench, self.code)
        return [each.text() for each in parts if each.isVisible()]


@pytest.fixture
def columns(look: Look, qtbot: QtBot) -> Columns:
    return Columns(look, qtbot)


def test_all_three_stand_side_by_side_in_a_wide_window(columns: Columns) -> None:
    columns.widget.resize(1200, 600)
    assert columns.seen == ["form", "bench", "code"]
    assert columns.form.geometry().right() < columns.bench.x()
    assert columns.bench.geometry().right() < columns.code.x()


def test_a_narrow_window_shows_code_or_forms_beside_the_shelves(columns: Columns) -> None:
    columns.widget.resize(760, 500)
    assert columns.seen == ["bench", "code"]
    [tabs] = columns.widget.findChildren(QTabBar)
    [forms] = [each for each in range(tabs.count()) if tabs.tabText(each) == "Forms"]
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(forms).center())
    assert columns.seen == ["form", "bench"]
    columns.widget.resize(1200, 500)
    assert columns.seen == ["form", "bench", "code"]
