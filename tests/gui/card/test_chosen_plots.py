"""Choosing what is plotted, and that it is remembered."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import MEMORY_UTILIZATION, MetricId
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from tests.gui.card.conftest import OpenCard, Screen
from tests.gui.fakes import card, session_of, working
from tests.gui.frame.steps import called
from tests.gui.hands import press


def opened(open_card: OpenCard, settings: Settings | None = None, cards: int = 1) -> Screen:
    answers = {card(i): working() for i in range(cards)}
    for answer in answers.values():
        answer.missing = {MetricId("sm_activity"): Absence.NOT_IN_DRIVER}
    screen = open_card(session_of(answers), settings=settings)
    screen.reads("GPU utilisation: 97 %")
    screen.qtbot.waitUntil(lambda: bool(screen.plots))
    return screen


def offered(screen: Screen) -> dict[str, QAction]:
    """What the menu has now, by its words."""
    called(ToolButton, screen.window, "Choose plots").click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    found = {each.text(): each for each in menu.actions()}
    for each in menu.findChildren(QMenu):
        found |= {action.text(): action for action in each.actions()}
    menu.close()
    return found


def test_every_metric_is_offered_with_its_value_or_its_reason(open_card: OpenCard) -> None:
    menu = offered(opened(open_card))
    assert menu["GPU utilisation\t97 %"].isChecked()
    assert not menu["SM activity\tnot in this driver"].isChecked()
    assert {"Utilisation", "Power limit\t280 W"} <= menu.keys()


def test_the_menu_is_walked_by_keyboard(open_card: OpenCard, qtbot: QtBot) -> None:
    screen = opened(open_card)
    called(ToolButton, screen.window, "Choose plots").click()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return):
        menu = QApplication.activePopupWidget()
        assert menu is not None
        press(menu, key)
    assert screen.plots["Utilisation"] == [MEMORY_UTILIZATION]


def test_metrics_of_one_unit_share_a_plot_and_a_missing_one_says_why(
    open_card: OpenCard,
) -> None:
    screen = opened(open_card)
    offered(screen)["SM activity\tnot in this driver"].trigger()
    lines = screen.stack.contents[0].lines
    assert [line.label for line in lines] == ["GPU", "memory ctrl", "SM active"]
    assert lines[2].reason == "this driver is too old to report it"


def test_a_metric_that_was_found_among_the_facts_is_plotted_from_there(
    open_card: OpenCard,
) -> None:
    screen = opened(open_card)
    screen.tree.plot_asked.emit("fan_0_rpm")
    assert screen.plots["Fan turns"] == ["fan_0_rpm"]
    screen.tree.plot_asked.emit("fan_0_rpm")
    assert "Fan turns" not in screen.plots


def test_what_was_chosen_is_remembered_for_this_card_alone(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    settings = Settings()
    screen = opened(open_card, settings, cards=2)
    usual = screen.plots
    screen.tree.plot_asked.emit("energy")
    again = opened(open_card, settings, cards=2)
    assert "Energy" in again.plots
    offered(again)["Show the default plots"].trigger()
    assert again.plots == usual
    again.tree.plot_asked.emit("energy")
    again.chips.step(1)
    qtbot.waitUntil(lambda: "Energy" not in again.plots)


def test_nothing_plotted_says_how_to_plot_something(open_card: OpenCard) -> None:
    settings = Settings()
    settings.remember("card/plots/GPU-0", "[]")
    open_card(session_of({card(0): working()}), settings=settings).reads("Nothing is plotted.")


@pytest.mark.parametrize("text", ['["flux", 7, "energy"]', "[energy flux]"])
def test_what_was_remembered_of_another_version_does_no_harm(
    open_card: OpenCard, qtbot: QtBot, text: str
) -> None:
    settings = Settings()
    settings.remember("card/plots/GPU-0", text)
    screen = open_card(session_of({card(0): working()}), settings=settings)
    qtbot.waitUntil(lambda: list(screen.plots) == ["Energy"])
