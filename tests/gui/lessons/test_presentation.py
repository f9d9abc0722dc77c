"""A lesson on a projector: large, with few words, by the keys of a presenter."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lessons.lesson_column import Presentation
from gpuexplorer.gui.lessons.step_page import RevealBar, StepPage
from gpuexplorer.gui.theme.look import look
from gpuexplorer.lessons.lesson import Code, Step, Text
from gpuexplorer.lessons.player import Player
from tests.gui.hands import shown
from tests.gui.lessons.pages import Host, said
from tests.lessons.fake_rig import FakeRig, cell, choice, number, played, step

Present = Callable[..., tuple[Presentation, Player, FakeRig]]
Key = Qt.Key
STEPS = (
    step(Text(3, "First of all.\n\nAnd all the rest."), title="One"),
    step(number(5, "919", unit="MiB"), cell(6), title="Two"),
    step(Text(8, "The end."), title="Three"),
)


@pytest.fixture
def present(qtbot: QtBot) -> Iterator[Present]:
    windows: list[QWidget] = []

    def opened(
        *steps: Step, size: tuple[int, int] = (1366, 768)
    ) -> tuple[Presentation, Player, FakeRig]:
        player, rig = played(*(steps or STEPS))
        window = QWidget()
        qtbot.addWidget(window)
        windows.append(window)  # nobody else holds it
        presentation = Presentation(player, Host(player), window)
        player.changed = presentation.show_step
        presentation.resize(*size)
        with qtbot.waitActive(presentation):
            presentation.show()
            presentation.activateWindow()
            presentation.setFocus()
        qtbot.waitUntil(lambda: bool(presentation.findChildren(StepPage)))
        return presentation, player, rig

    yield opened
    for each in windows:
        for presentation in each.findChildren(Presentation):
            presentation.close()


def test_the_keys_of_a_presenter_turn_the_steps_and_leave(
    present: Present, qtbot: QtBot
) -> None:
    presentation, player, _ = present()
    for key, at in (
        (Key.Key_Right, 1),
        (Key.Key_PageDown, 2),
        (Key.Key_Right, 2),
        (Key.Key_PageUp, 1),
        (Key.Key_Left, 0),
        (Key.Key_Left, 0),
        (Key.Key_Space, 1),
    ):
        QTest.keyClick(presentation, key)
        assert player.at == at
    assert "2 of 3" in said(presentation)
    with qtbot.waitSignal(presentation.left):
        QTest.keyClick(presentation, Key.Key_Escape)


def test_what_is_longer_than_the_screen_is_read_to_its_end_first(
    present: Present, qtbot: QtBot
) -> None:
    long = Step(1, "Long", [Code(3 + at, "x = 1\n" * 12) for at in range(4)])
    presentation, player, _ = present(long, step(Text(90, "Next."), title="Next"))
    bar = presentation.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 300)
    QTest.keyClick(presentation, Key.Key_PageDown)
    assert (bar.value() > 0, player.at) == (True, 0)
    for _ in range(20):
        QTest.keyClick(presentation, Key.Key_PageDown)
    assert player.at == 1


def test_enter_asks_for_the_prediction_first_then_runs_the_cell(
    present: Present, qtbot: QtBot
) -> None:
    presentation, player, rig = present()
    player.go(1)
    QTest.keyClick(presentation, Key.Key_Return)
    assert not rig.ledger.cells
    assert "Predict first" in said(presentation)
    field = shown(QLineEdit, presentation)
    assert QApplication.focusWidget() is field
    QTest.keyClicks(field, "24")
    QTest.keyClick(field, Key.Key_Return)
    assert player.step.predictions[5].value == 24
    assert not rig.ledger.cells
    qtbot.waitUntil(presentation.hasFocus)
    QTest.keyClick(presentation, Key.Key_Return)
    rig.end()
    bars = [each for each in presentation.findChildren(RevealBar) if each.isVisible()]
    names = [each.accessibleName() for each in bars]
    assert names == ["Your prediction: 24 MiB", "Measured: 919 MiB"]
    assert bars[1].height() > 2 * look().letters.hero.height


def test_enter_reads_on_where_nothing_is_left_to_do(present: Present) -> None:
    presentation, player, _ = present()
    QTest.keyClick(presentation, Key.Key_Return)
    assert player.at == 1


def test_enter_shows_no_answer_of_a_choice_that_nobody_made(present: Present) -> None:
    presentation, player, rig = present(step(choice(5), cell(6)))
    for _ in range(3):
        QTest.keyClick(QApplication.focusWidget() or presentation, Key.Key_Return)
    assert "Choose one of them, then press Predict." in said(presentation)
    assert "(the answer)" not in said(presentation)
    assert not player.step.revealed
    assert not rig.ledger.cells
    QTest.keyClick(QApplication.focusWidget() or presentation, Key.Key_Space)
    QTest.keyClick(QApplication.focusWidget() or presentation, Key.Key_Return)
    assert player.step.predictions[5].said == "On card 0"
    assert presentation.findChildren(QRadioButton)[0].isChecked()
