"""Choosing what is plotted, by keyboard and by mouse, and that it is remembered."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import MEMORY_UTILIZATION, MetricId
from gpuexplorer.gui.card.facts_tree import FactsTree
from gpuexplorer.gui.card.plots_panel import MetricChooser
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from tests.gui.card.conftest import OpenCard, Screen, lines_of
from tests.gui.fakes import card, session_of, working
from tests.gui.frame.steps import called
from tests.gui.hands import press, texts, the


def opened(
    open_card: OpenCard, qtbot: QtBot, settings: Settings | None = None, cards: int = 1
) -> Screen:
    answers = {card(i): working() for i in range(cards)}
    for answer in answers.values():
        answer.missing = {MetricId("sm_activity"): Absence.NOT_IN_DRIVER}
    screen = open_card(session_of(answers), settings=settings)
    qtbot.waitUntil(lambda: bool(screen.plots.contents))
    qtbot.waitUntil(lambda: "GPU utilisation: 97 %" in screen.facts)
    return screen


def choose(screen: Screen) -> tuple[MetricChooser, SearchField]:
    called(ToolButton, screen.window, "Choose plots").click()
    chooser = the(MetricChooser, screen.window)
    field = QApplication.focusWidget()
    assert isinstance(field, SearchField)
    return chooser, field


def has_plots(screen: Screen) -> bool:
    return bool(screen.plots.contents)


def plots(screen: Screen) -> dict[str, list[str]]:
    return {
        content.title: [line.metric.id for line in content.lines]
        for content in screen.plots.contents
    }


def test_every_metric_is_offered_with_its_value_or_its_reason(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    chooser, _ = choose(opened(open_card, qtbot))
    shown = lines_of(chooser)
    assert "GPU utilisation: 97 %" in shown
    assert "SM activity: not in this driver" in shown
    assert "Utilisation" in shown
    assert "Power limit: 280 W" in shown


def test_a_metric_is_found_and_plotted_by_keyboard_alone(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    screen = opened(open_card, qtbot)
    assert "Fan turns" not in plots(screen)
    _, field = choose(screen)
    QTest.keyClicks(field, "turns per minute that fan")
    press(field, Qt.Key.Key_Return)
    assert plots(screen)["Fan turns"] == [MetricId("fan_0_rpm")]
    press(field, Qt.Key.Key_Return)
    assert "Fan turns" not in plots(screen)


def test_the_list_is_walked_and_ticked_by_keyboard(open_card: OpenCard, qtbot: QtBot) -> None:
    screen = opened(open_card, qtbot)
    chooser, field = choose(screen)
    press(field, Qt.Key.Key_Down)
    tree = the(FactsTree, chooser)
    assert QApplication.focusWidget() is tree
    press(tree, Qt.Key.Key_Down)
    index = tree.currentIndex()
    assert index.data() == "GPU utilisation: 97 %"
    assert index.data(Qt.ItemDataRole.CheckStateRole) is Qt.CheckState.Checked
    press(tree, Qt.Key.Key_Space)
    assert index.data(Qt.ItemDataRole.CheckStateRole) is Qt.CheckState.Unchecked
    assert plots(screen)["Utilisation"] == [MEMORY_UTILIZATION]
    assert "6 plotted" in texts(chooser)
    press(tree, Qt.Key.Key_Escape)
    assert not screen.window.findChildren(MetricChooser) or not chooser.isVisible()


def test_the_tab_key_stays_in_the_chooser(open_card: OpenCard, qtbot: QtBot) -> None:
    chooser, field = choose(opened(open_card, qtbot))
    for _ in range(4):
        press(field, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        assert chooser.isAncestorOf(focused)


def test_metrics_of_one_unit_share_a_plot_and_a_missing_one_says_why(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    screen = opened(open_card, qtbot)
    _, field = choose(screen)
    QTest.keyClicks(field, "sm activity")
    press(field, Qt.Key.Key_Return)
    lines = screen.plots.contents[0].lines
    assert [line.label for line in lines] == ["GPU", "memory ctrl", "SM active"]
    assert lines[2].reason == "this driver is too old to report it"


def test_what_was_chosen_is_remembered_for_this_card_alone(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    settings = Settings()
    screen = opened(open_card, qtbot, settings, cards=2)
    _, field = choose(screen)
    QTest.keyClicks(field, "energy")
    press(field, Qt.Key.Key_Return)
    again = opened(open_card, qtbot, settings, cards=2)
    assert "Energy" in plots(again)
    again.chips.step(1)
    qtbot.waitUntil(lambda: "Energy" not in plots(again))


def test_the_usual_plots_come_back(open_card: OpenCard, qtbot: QtBot) -> None:
    screen = opened(open_card, qtbot)
    usual = plots(screen)
    chooser, field = choose(screen)
    QTest.keyClicks(field, "energy")
    press(field, Qt.Key.Key_Return)
    assert plots(screen) != usual
    the(QPushButton, chooser).setFocus()
    press(the(QPushButton, chooser), Qt.Key.Key_Return)
    assert plots(screen) == usual


def test_nothing_plotted_says_how_to_plot_something(open_card: OpenCard, qtbot: QtBot) -> None:
    settings = Settings()
    settings.remember("card/plots/GPU-0", "[]")
    screen = open_card(session_of({card(0): working()}), settings=settings)
    qtbot.waitUntil(
        lambda: any(text.startswith("Nothing is plotted.") for text in texts(screen.window))
    )


def test_what_was_remembered_of_another_version_does_no_harm(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    for text in ("no JSON", '{"a": 1}', '["flux", 7, "energy"]'):
        settings = Settings()
        settings.remember("card/plots/GPU-0", text)
        screen = open_card(session_of({card(0): working()}), settings=settings)
        qtbot.waitUntil(partial(has_plots, screen))
        screen.view.stop()
    assert list(plots(screen)) == ["Energy"]
