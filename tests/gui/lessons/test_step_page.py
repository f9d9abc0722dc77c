"""A step of a lesson as it is read and done: texts, cells, checks, and what unfolds."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QAccessible, QColor, QDesktopServices, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.lessons.cell_box import CellBox
from gpuexplorer.gui.lessons.growing_text import CodeText, GrowingText
from gpuexplorer.gui.lessons.lesson_pictures import PictureSheet
from gpuexplorer.gui.lessons.lesson_text import LessonText
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.lab.events import Began, Failed, Finished
from gpuexplorer.lessons.lesson import CONTROLS, Expression, Point, Text, Why
from tests.gui.hands import button, click, the
from tests.gui.lessons.pages import page_of, page_of_steps, printing, said
from tests.lessons.fake_rig import cell, check, number, step

MANY = "\n".join(f"row {at}" for at in range(30))


def printed(page: QWidget) -> str:
    """What is shown of it below the cell."""
    shown = [each for each in the(CellBox, page).findChildren(GrowingText) if each.isVisible()]
    return "\n".join(each.toPlainText() for each in shown if not isinstance(each, CodeText))


def click_link(text: LessonText, words: str) -> None:
    at = text.document().find(words)
    at.setPosition(at.selectionStart() + 1)
    place = text.cursorRect(at).center()
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_markdown_stands_there_in_the_letters_of_the_window(qtbot: QtBot) -> None:
    markdown = "A **tensor** lives in `memory`.\n\n- one\n- two\n\n| A | B |\n|-|-:|\n| 1 | 2 |"
    page, *_ = page_of(qtbot, Text(3, markdown))
    text = the(LessonText, page)
    assert text.toPlainText().startswith("A tensor lives in memory.\none\ntwo")
    code = text.document().find("memory").charFormat()
    assert code.font().family() == look().letters.mono.font.family()
    assert text.font().pixelSize() == look().letters.body.font.pixelSize()


def test_no_word_of_a_table_is_broken_while_there_is_room_for_it(qtbot: QtBot) -> None:
    word = 'torch.device("cuda:1")'
    about = "the name of a device, which need not be there yet"
    page, *_ = page_of(qtbot, Text(3, f"| write | it is |\n|-|-|\n| `{word}` | {about} |"))
    text = the(LessonText, page)

    def lines() -> int:
        return text.document().find(word).block().layout().lineCount()

    qtbot.waitUntil(lambda: lines() == 1)
    page.resize(300, 800)
    qtbot.waitUntil(lambda: text.width() < 310)
    assert lines() == 1


def test_a_text_is_as_high_as_it_is_at_any_width(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, Text(3, "Words that go on and on. " * 30))
    text = the(LessonText, page)
    qtbot.waitUntil(lambda: text.height() > 100)
    tall = text.height()
    page.resize(720, 800)
    qtbot.waitUntil(lambda: text.height() < 0.7 * tall)
    assert text.height() >= text.document().size().height()
    assert not text.verticalScrollBar().isVisible()


def test_a_text_follows_the_theme(qtbot: QtBot) -> None:
    look().choose(Scheme.DARK)
    page, *_ = page_of(qtbot, Text(3, "Words and `code`."))
    look().choose(Scheme.LIGHT)
    now = the(LessonText, page).document().find("Words").charFormat()
    assert now.foreground().color() == look().theme.text


def test_a_link_to_another_lesson_is_told(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, Text(3, "See [lesson 5](../05-copies/lesson.md)."))
    with qtbot.waitSignal(page.asks.lesson) as asked:
        click_link(the(LessonText, page), "lesson 5")
    assert asked.args == ["05-copies"]


def test_a_picture_is_read_from_beside_the_lesson_and_fits_the_column(
    qtbot: QtBot, tmp_path: Path
) -> None:
    picture = QImage(1000, 200, QImage.Format.Format_RGB32)
    picture.fill(QColor("red"))
    lesson = tmp_path / "04-x"
    lesson.mkdir()
    assert picture.save(str(lesson / "wide.png"))
    assert picture.save(str(tmp_path / "outside.png"))
    markdown = "![Wide](wide.png)\n\n![Not ours](../outside.png)\n\n![Gone](gone.png)"
    page, *_ = page_of(qtbot, Text(3, markdown), folder=lesson)
    text = the(LessonText, page)

    def shown() -> QImage:
        kind = QTextDocument.ResourceType.ImageResource
        return QImage(text.document().resource(kind, QUrl("wide.png")))

    qtbot.waitUntil(lambda: 200 < shown().width() <= page.width() * page.devicePixelRatio())
    assert "Picture: Not ours\nPicture: Gone" in text.toPlainText()


def test_a_drawing_is_in_the_theme_s_ink(qtbot: QtBot, tmp_path: Path) -> None:
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        '<rect width="40" height="40" fill="currentColor"/></svg>'
    )
    (tmp_path / "box.svg").write_text(drawing, "utf-8")
    page, *_ = page_of(qtbot, Text(3, "![Box](box.svg)"), folder=tmp_path)
    kind = QTextDocument.ResourceType.ImageResource
    shown = QImage(the(LessonText, page).document().resource(kind, QUrl("box.svg")))
    assert shown.pixelColor(20, 20) == look().theme.text


def test_a_cell_runs_by_its_button_and_says_what_it_printed_and_took(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, printing(3))
    assert "Not run yet" in said(page)
    click(page, "Run")
    assert "Waits for its turn" in said(page)
    rig.end(printed="tensor([[1., 1., 1.]])\n")
    assert "Done · host 500 ms" in said(page)
    assert printed(page) == "tensor([[1., 1., 1.]])"
    assert button(page, "Run again").accessibleDescription().startswith("Done")


def test_of_what_is_printed_the_last_lines_are_shown(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, printing(3))
    click(page, "Run")
    rig.end(printed=MANY)
    assert printed(page) == "\n".join(f"row {at}" for at in range(22, 30))
    assert "22 lines more in the lab" in said(page)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (
            Finished(0, 0.5, 0.002, modelled=True, busy=(("cuda:0", 0.002),)),
            "Done · cuda:0 2.00 ms · host 500 ms · modelled",
        ),
        (
            Failed(0, "raised", "RuntimeError", "refused", host_seconds=0.5),
            "Failed · host 500 ms\nRuntimeError: refused",
        ),
        (
            Failed(0, "worker lost", "", "", Message("Nothing has PyTorch.")),
            "Failed\nNothing has PyTorch.",
        ),
    ],
)
def test_how_a_cell_ended_is_told(qtbot: QtBot, end: Finished | Failed, words: str) -> None:
    page, _, rig = page_of(qtbot, printing(3))
    click(page, "Run")
    command = rig.ledger.unfinished[0]
    rig.say(Began(command), replace(end, id=command))
    assert words in said(page)


def test_a_cell_that_is_there_to_fail_says_so_before_and_after(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, cell(3, "X + Y", fails=True))
    assert "It is there to fail." in said(page)
    click(page, "Run")
    rig.end(failed="RuntimeError")
    assert "Failed, as it was meant to" in said(page)
    click(page, "Run again")
    rig.end()
    assert "It went through, and should have failed" in said(page)


def test_the_button_of_what_comes_next_stands_out(qtbot: QtBot) -> None:
    asked = number(4, "7")
    page, player, rig = page_of(qtbot, cell(3), asked, cell(5))

    def stands_out() -> list[str]:
        return [
            each.text()
            for each in page.findChildren(QPushButton)
            if each.property("kind") == "primary"
        ]

    first, _ = page.findChildren(CellBox)
    assert button(first, "Run").property("kind") == "primary"
    click(first, "Run")
    rig.end()
    assert stands_out() == ["Predict"]
    player.predict(asked, "7")
    assert stands_out() == ["Run"]


def test_pressed_twice_a_cell_runs_once(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, printing(3))
    click(page, "Run")
    click(page, "Run")
    assert len(rig.ledger.cells) == 1


def test_nothing_of_a_lesson_from_outside_runs_before_it_is_allowed(qtbot: QtBot) -> None:
    page, player, rig = page_of_steps(qtbot, step(printing(3)), outside=True)
    with qtbot.waitSignal(page.asks.allow):
        click(page, "Run")
    assert not rig.ledger.cells
    player.allow()
    click(page, "Run")
    assert rig.ledger.cells


def test_a_cell_can_be_put_into_the_editor(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, printing(3))
    with qtbot.waitSignal(page.asks.edit) as asked:
        click(page, "Put into the editor")
    assert asked.args == [printing(3).source]


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
    assert "Checked: it is as it should be." in said(page)
    assert not [each for each in page.findChildren(QPushButton) if each.text() == "Check again"
                and each.isVisible()]  # fmt: skip


def test_a_check_that_cannot_be_worked_out_says_why(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, cell(3), check(5, "cards[0].power_draw > 3", "No."))
    click(page, "Run")
    rig.end()
    assert "This could not be checked. Power of cuda:0, Titan RTX is missing" in said(page)


def test_why_unfolds_by_a_click_and_by_the_keyboard(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, Why(3, "Why 919 MiB?", "The context."))
    text, head = the(LessonText, page), the(QToolButton, page)
    assert not text.isVisible()
    assert head.accessibleName() == "Why 919 MiB?"
    QTest.keyClick(head, Qt.Key.Key_Space)
    assert text.isVisible()
    label = next(each for each in page.findChildren(QLabel) if each.text() == "Why 919 MiB?")
    QTest.mouseClick(label, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert not text.isVisible()


def test_a_step_that_is_skipped_says_why_and_can_be_read(qtbot: QtBot) -> None:
    needs = [Expression(2, "len(cards) >= 2", "There is only one card.")]
    parts = (Text(3, "Copy it."), number(4, "7"), cell(5), check(6, "True"))
    page, *_ = page_of_steps(qtbot, step(*parts, needs=needs))
    assert "Skipped. There is only one card." in said(page)
    assert the(LessonText, page).toPlainText() == "Copy it."
    assert the(CodeText, page).toPlainText() == "x = 5"
    assert not [each for each in page.findChildren(QPushButton) if each.isVisible()]


def test_another_step_takes_the_place_of_the_one_before(qtbot: QtBot) -> None:
    one, two = step(Text(3, "One."), title="First"), step(Text(5, "Two."), title="Second")
    page, player, _ = page_of_steps(qtbot, one, two)
    player.go(1)
    shown = [each for each in page.findChildren(LessonText) if each.isVisible()]
    assert [each.toPlainText() for each in shown] == ["Two."]
    assert said(page) == "Second"


def test_what_is_shown_stays_the_same_widget_while_its_step_goes_on(qtbot: QtBot) -> None:
    page, player, rig = page_of(qtbot, cell(3))
    run = button(page, "Run")
    run.setFocus()
    player.run_next()
    rig.end()
    assert button(page, "Run again") is run
    assert page.focusWidget() is run


def test_a_control_is_asked_for_by_name(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, Point(3, "lab.editor"))
    with qtbot.waitSignal(page.asks.control) as asked:
        click(page, f"Show me {CONTROLS['lab.editor']}")
    assert asked.args == ["lab.editor"]


def test_whatever_takes_the_keyboard_has_a_name_and_texts_without_links_do_not(
    qtbot: QtBot,
) -> None:
    parts = (Text(2, "Read."), number(3, "7"), cell(4), check(5, "True"), Why(6, "Why?", "So."))
    page, *_ = page_of(qtbot, *parts)
    tab = Qt.FocusPolicy.TabFocus
    stops = [each for each in page.findChildren(QWidget) if each.focusPolicy() & tab]
    spoken = [QAccessible.queryAccessibleInterface(each) for each in stops]
    assert all(each.text(QAccessible.Text.Name) for each in spoken)
    assert not any(isinstance(each, GrowingText) for each in stops)


def test_a_picture_is_seen_large_on_a_press(qtbot: QtBot, tmp_path: Path) -> None:
    picture = QImage(700, 200, QImage.Format.Format_RGB32)
    picture.fill(QColor("red"))
    assert picture.save(str(tmp_path / "wide.png"))
    page, *_ = page_of(qtbot, Text(3, "![Two cards](wide.png)"), folder=tmp_path)
    page.resize(360, 800)
    text = the(LessonText, page)
    qtbot.waitUntil(lambda: text.height() > 60)
    assert text.focusPolicy() & Qt.FocusPolicy.TabFocus
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, 30))
    sheet = the(PictureSheet, page)
    assert sheet.windowTitle() == "Two cards"
    assert sheet.isVisible()


def test_links_are_reached_and_followed_by_the_keyboard(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    links = "See [one](https://one.org) and [two](https://two.org)."
    page, *_ = page_of(qtbot, Text(3, links), cell(4))
    with qtbot.waitActive(page):
        page.activateWindow()
    for _ in range(2):
        QTest.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Tab)
    assert the(LessonText, page).textCursor().selectedText() == "two"
    QTest.keyClick(the(LessonText, page), Qt.Key.Key_Return)
    assert opened == ["https://two.org"]
    QTest.keyClick(the(LessonText, page), Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button(page, "Run")
