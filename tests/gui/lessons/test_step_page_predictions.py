"""Predicting on the page of a step: a number or a choice, and what is revealed beside it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.units import figure
from gpuexplorer.gui.lessons.lesson_text import LessonText
from gpuexplorer.gui.lessons.predict_box import PredictBox
from gpuexplorer.gui.lessons.reveal_bars import RevealBars
from gpuexplorer.lessons.lesson import Expression, Predict, Text, Why
from tests.gui.hands import click, the
from tests.gui.lessons.pages import page_of, said
from tests.lessons.fake_rig import MIB, cell, choice, number

ROSE = "(cards[0].memory_used - before.cards[0].memory_used) / MiB"
LIMIT = Expression(2, "cards[0].memory_total / MiB", "all memory of the card")


def asked() -> Predict:
    return number(2, ROSE, unit="MiB", within=0.3, limit=LIMIT)


def predict(page: QWidget, words: str) -> None:
    field = the(QLineEdit, page)
    field.selectAll()
    QTest.keyClicks(field, words)
    click(page, "Predict")


def test_prediction_measurement_and_limit_stand_on_one_scale(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, asked(), cell(4))
    bars = the(RevealBars, page)
    predict(page, "812")
    assert "It is shown when the cells below have run." in said(page)
    assert not bars.isVisible()
    click(page, "Run")
    rig.used += 919 * MIB
    rig.end()
    assert bars.isVisible()
    assert bars.accessibleName().split(", ") == [
        "Your prediction: 812 MiB",
        "Measured: 919 MiB",
        "all memory of the card: 24\N{NARROW NO-BREAK SPACE}576 MiB",
    ]
    assert "12 % too little. Up to 30 % off counts as right." in said(page)
    assert not the(QLineEdit, page).isVisible()


def read(page: QWidget) -> list[str]:
    """The texts that are seen."""
    seen = [each for each in page.findChildren(LessonText) if each.isVisible()]
    return [each.toPlainText() for each in seen]


def test_what_explains_an_answer_stands_there_when_it_is_known(qtbot: QtBot) -> None:
    why = Why(6, "Why so?", "So.")
    parts = (asked(), Text(3, "Before it."), cell(4), Text(5, "Behind it."), why)
    page, _, rig = page_of(qtbot, *parts)
    assert read(page) == ["Before it."]
    assert "Why so?" not in said(page)
    click(page, "Run")  # without a prediction
    rig.end()
    assert read(page) == ["Before it.", "Behind it."]
    assert "Why so?" in said(page)
    assert "No prediction." in said(page)
    assert "Show the explanation at once" not in said(page)


def test_who_only_reads_is_told_at_once(qtbot: QtBot) -> None:
    page, *_ = page_of(qtbot, choice(2), Text(3, "Behind it."))
    assert read(page) == []
    click(page, "Show the explanation at once")
    assert read(page) == ["Behind it."]


def test_a_comma_and_the_enter_key_will_do(qtbot: QtBot) -> None:
    page, player, _ = page_of(qtbot, asked(), cell(4))
    field = the(QLineEdit, page)
    QTest.keyClicks(field, "2,5")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert player.step.predictions[2].value == 2.5


def test_what_is_no_number_is_told_in_a_sentence_and_stays_to_be_mended(qtbot: QtBot) -> None:
    page, player, _ = page_of(qtbot, asked(), cell(4))
    predict(page, "a lot")
    assert "'a lot' is no number. Type one, such as 1500 or 2.5." in said(page)
    assert the(QLineEdit, page).text() == "a lot"
    assert not player.step.predictions
    predict(page, "24")
    assert "no number" not in said(page)


def test_one_may_think_again_until_it_is_revealed(qtbot: QtBot) -> None:
    page, player, _ = page_of(qtbot, asked(), cell(4))
    predict(page, "24")
    field = the(QLineEdit, page)
    field.selectAll()
    QTest.keyClicks(field, "900")
    click(page, "Predict anew")
    assert player.step.predictions[2].said == "900"


def test_where_nothing_was_measured_the_reason_stands_there(qtbot: QtBot) -> None:
    part = number(2, "cards[0].power_draw", unit="W")
    page, _, rig = page_of(qtbot, part, cell(4))
    predict(page, "100")
    click(page, "Run")
    rig.end()
    assert "this card does not report it" in said(page)
    assert the(RevealBars, page).accessibleName() == "Your prediction: 100 W"


def test_what_comes_into_sight_is_told(qtbot: QtBot) -> None:
    page, player, rig = page_of(qtbot, asked(), cell(4))
    with qtbot.waitSignal(page.revealed) as shown:
        player.run_next()
        rig.end()
    assert shown.args == [the(PredictBox, page)]


def test_without_a_cell_behind_it_is_shown_on_asking(qtbot: QtBot) -> None:
    page, _, rig = page_of(qtbot, number(2, "7 * 6"))
    click(page, "Show it at once")
    rig.answer()
    assert the(RevealBars, page).accessibleName() == "Measured: 42"


def test_a_choice_is_made_by_its_words_and_the_right_one_is_marked(qtbot: QtBot) -> None:
    page, player, rig = page_of(qtbot, choice(2), cell(4))
    click(page, "Predict")
    assert "Choose one of them, then press Predict." in said(page)
    first, second = page.findChildren(QRadioButton)
    assert [first.accessibleName(), second.accessibleName()] == ["On card 0", "It fails"]
    words = next(
        e for e in page.findChildren(QWidget) if getattr(e, "text", str)() == "On card 0"
    )
    QTest.mouseClick(words, Qt.MouseButton.LeftButton)
    assert first.isChecked()
    click(page, "Predict")
    assert player.step.predictions[2].said == "On card 0"
    click(page, "Run")
    rig.end()
    assert second.accessibleName() == "It fails, right"
    assert "Another one is right: it is marked." in said(page)
    assert not any(each.isEnabled() for each in (first, second))


def test_all_can_be_done_by_the_keyboard(qtbot: QtBot) -> None:
    page, player, rig = page_of(qtbot, choice(2), cell(4))
    with qtbot.waitActive(page):
        page.activateWindow()
    first = page.findChildren(QRadioButton)[0]
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Down)
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Tab):
        QTest.keyClick(page.focusWidget(), key)
    for _ in range(2):  # Predict, then Run
        button = page.focusWidget()
        assert isinstance(button, QPushButton)
        QTest.keyClick(button, Qt.Key.Key_Space)
        QTest.keyClick(button, Qt.Key.Key_Tab)
    assert player.step.predictions
    assert rig.ledger.cells


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.000012, "0.000012"),
        (0.5, "0.5"),
        (12.345, "12.3"),
        (1234.5, "1234"),
        (7.0, "7"),
        (-3.14159, "-3.14"),
    ],
)
def test_figures_have_three_digits_and_never_a_power_of_ten(value: float, words: str) -> None:
    assert figure(value) == words


def test_enter_on_a_choice_predicts_it(qtbot: QtBot) -> None:
    page, player, _ = page_of(qtbot, choice(2), cell(4))
    second = page.findChildren(QRadioButton)[1]
    second.click()
    QTest.keyClick(second, Qt.Key.Key_Return)
    assert player.step.predictions[2].value == 1
