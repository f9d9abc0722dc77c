"""A step of a lesson as it is read and done: texts, cells, checks, and what is predicted."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QRadioButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lessons.lesson_text import CodeText, GrowingText, LessonText
from gpuexplorer.gui.lessons.step_page import CellBox, PredictBox, RevealBar, StepPage
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.lessons.lesson import CONTROLS, Expression, Point, Predict, Text, Why
from tests.gui.hands import button, click, shown, the
from tests.gui.lessons.pages import Host, page_of, said
from tests.lessons.fake_rig import MIB, cell, check, choice, number

ROSE = "(cards[0].memory_used - before.cards[0].memory_used) / MiB"
LIMIT = Expression(2, "cards[0].memory_total / MiB", "all memory of the card")
MANY = "\n".join(f"row {at}" for at in range(30))
WORD = 'torch.device("cuda:1")'
TABLE = f"| write | it is |\n|-|-|\n| `{WORD}` | the name of a device, which may not be there |"


def asked() -> Predict:
    return number(2, ROSE, unit="MiB", within=0.3, limit=LIMIT)


def predict(page: QWidget, words: str) -> None:
    field = shown(QLineEdit, page)
    field.selectAll()
    QTest.keyClicks(field, words)
    click(page, "Predict")


def seen(page: QWidget, kind: type[LessonText] | type[CodeText]) -> list[str]:
    return [each.toPlainText() for each in page.findChildren(kind) if each.isVisible()]


def wanted(page: StepPage) -> list[str]:
    assert isinstance(page.host, Host)
    return page.host.wanted


def bars(page: QWidget) -> list[str]:
    return [each.accessibleName() for each in page.findChildren(RevealBar) if each.isVisible()]


def test_no_word_of_a_table_is_broken_while_there_is_room_for_it(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, Text(3, TABLE))
    text = the(LessonText, page)

    def lines() -> int:
        return text.document().find(WORD).block().layout().lineCount()

    qtbot.waitUntil(lambda: lines() == 1)
    page.resize(130, 800)
    qtbot.waitUntil(lambda: lines() > 1)  # and nothing is cut off
    assert text.document().size().width() <= text.viewport().width()


def test_pictures_are_read_from_beside_the_lesson_and_seen_large_on_a_press(
    qtbot: QtBot, tmp_path: Path
) -> None:
    lesson = tmp_path / "04-x"
    lesson.mkdir()
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="90">'
        '<rect width="900" height="90" fill="currentColor"/></svg>'
    )
    for each in (lesson, tmp_path):
        (each / "wide.svg").write_text(drawing, "utf-8")
    markdown = "![Wide](wide.svg)\n\n![Not ours](../wide.svg)\n\n![Gone](gone.png)"
    page, *_ = page_of(qtbot, Text(3, markdown), folder=lesson)
    text = the(LessonText, page)
    kind, name = QTextDocument.ResourceType.ImageResource, QUrl("wide.svg")
    qtbot.waitUntil(lambda: text.document().size().width() <= text.viewport().width())
    ink = QImage(text.document().resource(kind, name)).pixelColor(20, 10)
    assert ink == look().theme.text
    assert "Picture: Not ours\nPicture: Gone" in text.toPlainText()
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, 30))
    assert the(Sheet, page).windowTitle() == "Wide"


def test_links_are_followed_by_the_keyboard_and_one_to_another_lesson_is_told(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    links = "See [one](https://one.org) and [two](../05-copies/lesson.md)."
    page, *_ = page_of(qtbot, Text(3, links), cell(4))
    with qtbot.waitActive(page):
        page.activateWindow()
    text = the(LessonText, page)
    QTest.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Tab)
    QTest.keyClick(text, Qt.Key.Key_Return)
    assert opened == ["https://one.org"]
    QTest.keyClick(text, Qt.Key.Key_Tab)
    QTest.keyClick(text, Qt.Key.Key_Return)
    assert wanted(page) == ["05-copies"]
    QTest.keyClick(text, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button(page, "Run")


def test_a_cell_runs_once_by_its_button_and_says_what_it_printed_and_took(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, cell(3))
    run = button(page, "Run")
    run.setFocus()
    for _ in range(2):
        click(page, "Run")
    assert "Waiting for its turn" in said(page)
    assert len(rig.ledger.cells) == 1
    rig.end(printed=MANY)
    assert "Done · host 500 ms" in said(page)
    texts = the(CellBox, page).findChildren(GrowingText)
    printed = next(each for each in texts if not isinstance(each, CodeText))
    assert printed.toPlainText() == "\n".join(f"row {at}" for at in range(22, 30))
    assert "22 lines more in the lab" in said(page)
    assert button(page, "Run again") is run
    assert page.focusWidget() is run


def test_a_cell_that_is_meant_to_fail_says_so_before_and_after(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, cell(3, "X + Y", fails=True))
    assert "Not run yet. This cell is meant to fail." in said(page)
    click(page, "Run")
    rig.end(failed="RuntimeError")
    assert "Failed, as intended · host 500 ms\nRuntimeError: refused" in said(page)
    click(page, "Run again")
    rig.end()
    assert "Succeeded, but was meant to fail" in said(page)


def test_code_controls_and_reasons_are_asked_for_by_a_press(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, cell(3), Point(5, "lab.editor"), Why(6, "Why 919 MiB?", "It is."))
    head = the(QToolButton, page)
    assert seen(page, LessonText) == []
    label = next(each for each in page.findChildren(QLabel) if each.text() == "Why 919 MiB?")
    QTest.mouseClick(label, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert seen(page, LessonText) == ["It is."]
    QTest.keyClick(head, Qt.Key.Key_Space)
    assert seen(page, LessonText) == []
    click(page, "Put into the editor")
    click(page, f"Show me {CONTROLS['lab.editor']}")
    assert wanted(page) == [cell(3).source, "lab.editor"]


def test_a_check_says_what_is_missing_and_can_be_tried_again(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, cell(3), check(5, "X > 3", "`X` is too small."))
    assert "Checked when the cells above have run." in said(page)
    rig.names["X"] = 1
    click(page, "Run")
    rig.end()
    told = "X is too small. X is 1."
    assert any(each.accessibleName() == told for each in page.findChildren(QLabel))
    rig.names["X"] = 4
    click(page, "Check again")
    rig.answer()
    assert "Check passed." in said(page)


def test_prediction_measurement_and_limit_stand_on_one_scale(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, asked(), cell(4))
    predict(page, "a lot")
    assert "'a lot' is no number. Type one, such as 1500 or 2.5." in said(page)
    predict(page, "812")
    assert "It is shown when the cells below have run." in said(page)
    assert not bars(page)
    assert button(page, "Run").property("kind") == "primary"
    click(page, "Run")
    rig.used += 919 * MIB
    with qtbot.waitSignal(page.came) as came:
        rig.end()
    assert came.args == [the(PredictBox, page)]
    assert bars(page) == [
        "Your prediction: 812 MiB",
        "Measured: 919 MiB",
        "all memory of the card: 24\N{NARROW NO-BREAK SPACE}576 MiB",
    ]
    assert "12 % too little. Up to 30 % off counts as right." in said(page)


def test_who_only_reads_is_told_at_once(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, number(2, "7 * 6"), Text(3, "Behind it."))
    assert seen(page, LessonText) == []
    click(page, "Show the explanation")
    assert seen(page, LessonText) == ["Behind it."]
    click(page, "Show the answer")
    rig.answer()
    assert bars(page) == ["Measured: 42"]


def test_where_nothing_was_measured_the_reason_stands_there(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, number(2, "cards[0].power_draw", unit="W"), cell(4))
    predict(page, "100")
    click(page, "Run")
    rig.end()
    assert "this card does not report it" in said(page)
    assert bars(page) == ["Your prediction: 100 W"]


def test_a_choice_is_made_by_its_words_or_keys_and_the_right_one_is_marked(
    qtbot: QtBot,
) -> None:
    page, player, rig = page_of(qtbot, choice(2), cell(4))
    first, second = page.findChildren(QRadioButton)
    second.click()
    QTest.keyClick(second, Qt.Key.Key_Return)
    assert player.step.predictions[2].said == "It fails"
    words = next(each for each in page.findChildren(QLabel) if each.text() == "On card 0")
    QTest.mouseClick(words, Qt.MouseButton.LeftButton)
    click(page, "Predict again")
    assert player.step.predictions[2].said == "On card 0"
    click(page, "Run")
    rig.end()
    assert second.accessibleName() == "It fails (the answer)"
    assert "Another one is right: it is marked." in said(page)
    assert not bars(page)
    assert not any(each.isEnabled() for each in (first, second))
