"""Forms, shelves and code: all three where there is room, two of them where it is narrow."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QSplitter, QToolButton
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.view import ThreeColumns
from gpuexplorer.gui.state.settings import Settings


def test_three_columns_two_or_one_as_there_is_room_and_as_they_were_dragged(
    qtbot: QtBot,
) -> None:
    settings, parts = Settings(), [QLabel(each) for each in ("form", "bench", "code")]
    form, bench, code = parts
    columns = ThreeColumns(settings, form, bench, code)
    qtbot.addWidget(columns)
    columns.show()

    def seen(width: int) -> list[str]:
        columns.resize(width, 600)
        there = [each for each in parts if each.isVisible()]
        return [each.text() for each in sorted(there, key=QLabel.x)]

    assert seen(1400) == ["form", "bench", "code"]
    assert seen(760) == ["bench", "code"]
    [forms] = [each for each in columns.findChildren(QToolButton) if each.text() == "Forms"]
    forms.click()
    assert seen(760) == ["bench", "form"]
    assert seen(1400) == ["form", "bench", "code"]
    [splitter] = columns.findChildren(QSplitter)
    handle = splitter.handle(2)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton)
    QTest.mouseMove(handle, QPoint(-120, 5))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=QPoint(-120, 5))
    assert (dragged := code.width()) > bench.width() + 200
    seen(760)
    seen(1400)
    assert code.width() == dragged
