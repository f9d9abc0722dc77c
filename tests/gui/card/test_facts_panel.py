"""Searching the facts of a card, and copying them."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.views.card.facts_panel import FactsPanel
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.facts.facts_tree import FactsTree
from tests.gui.card.conftest import OpenCard, Screen
from tests.gui.fakes import NVML, SIMULATED, card, session_of, working
from tests.gui.hands import press, the


def opened(open_card: OpenCard, qtbot: QtBot, simulated: bool = False) -> Screen:
    cards = {card(0, simulated=simulated, nvlinks=2): working()}
    screen = open_card(session_of(cards, SIMULATED if simulated else NVML))
    qtbot.waitUntil(lambda: "Power limit: 280 W" in screen.facts)
    return screen


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def fact(tree: FactsTree, line: str) -> QModelIndex:
    model = tree.model()
    for row in range(model.rowCount()):
        group = model.index(row, 0)
        for at in range(model.rowCount(group)):
            index = model.index(at, 0, group)
            if model.data(index) == line:
                return index
    raise AssertionError(line)


def test_search_filters_as_one_types_and_escape_clears_it(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    screen = opened(open_card, qtbot)
    everything = screen.facts
    assert screen.view.start_search()
    field = QApplication.focusWidget()
    assert isinstance(field, SearchField)
    QTest.keyClicks(field, "power lim")
    told = [line for line in screen.facts if not line.startswith("Throttled in 5 min: ")]
    assert told == [
        "Limits",
        "Power limit: 280 W",
        "Lowest power limit: not reported by this card",
        "Highest power limit: not reported by this card",
        "Default power limit: not reported by this card",
        "Health",
        "Why clocks are lower",
        "At its power limit: no",
        "Time at the power limit: not reported by this card",
    ]
    press(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert len(screen.facts) == len(everything)


def test_a_search_also_finds_what_is_folded_and_by_its_meaning(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    screen = opened(open_card, qtbot)
    assert not any("NVLink 1 state" in line for line in screen.facts)
    field = the(FactsPanel, screen.window).findChildren(SearchField)[0]
    field.setText("nvlink 1 is up")
    assert any("NVLink 1 state" in line for line in screen.facts)
    field.setText("")
    assert not any("NVLink 1 state" in line for line in screen.facts)


def test_a_search_that_finds_nothing_says_so(open_card: OpenCard, qtbot: QtBot) -> None:
    screen = opened(open_card, qtbot)
    panel = the(FactsPanel, screen.window)
    panel.findChildren(SearchField)[0].setText("flux")
    said = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    assert said == ["No fact has “flux” in it."]


def test_from_the_search_one_goes_down_into_what_was_found(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    screen = opened(open_card, qtbot)
    screen.view.start_search()
    field = QApplication.focusWidget()
    assert isinstance(field, SearchField)
    QTest.keyClicks(field, "uuid")
    press(field, Qt.Key.Key_Down)
    tree = the(FactsTree, screen.window)
    assert QApplication.focusWidget() is tree
    press(tree, Qt.Key.Key_Down)
    assert tree.currentIndex().data() == "UUID: GPU-0"
    press(tree, Qt.Key.Key_C, control=True)
    assert clipboard() == "UUID: GPU-0"


def test_rows_are_copied_and_what_is_simulated_says_so(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    screen = opened(open_card, qtbot, simulated=True)
    tree = the(FactsTree, screen.window)
    tree.setFocus()
    chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
    tree.selectionModel().setCurrentIndex(fact(tree, "UUID: GPU-0"), chosen)
    press(tree, Qt.Key.Key_C, control=True)
    assert clipboard() == "UUID: GPU-0 (SIMULATED)"
    tree.copy_selected(only_values=True)
    assert clipboard() == "GPU-0 (SIMULATED)"


def test_everything_is_copied_as_text_and_says_whether_it_is_simulated(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    for simulated in (False, True):
        screen = opened(open_card, qtbot, simulated=simulated)
        panel = the(FactsPanel, screen.window)
        panel.findChildren(IconButton)[0].click()
        lines = clipboard().splitlines()
        assert lines[0].startswith("GPU Explorer: card 0, NVIDIA TITAN RTX, ")
        assert ("SIMULATED: every figure is made up." in lines) is simulated
        assert "  NVLink 1 state: not reported by this card" in lines
        screen.view.stop()


def test_figures_change_and_what_is_selected_and_seen_stays(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    answer = working(busy=0.5)
    screen = open_card(session_of({card(0): answer}))
    qtbot.waitUntil(lambda: "GPU utilisation: 50 %" in screen.facts)
    tree = the(FactsTree, screen.window)
    index = fact(tree, "GPU utilisation: 50 %")
    tree.setCurrentIndex(index)
    tree.scrollTo(index)
    seen = tree.verticalScrollBar().value()
    answer.values = working(busy=0.75).values
    qtbot.waitUntil(lambda: "GPU utilisation: 75 %" in screen.facts)
    assert tree.currentIndex().data() == "GPU utilisation: 75 %"
    assert tree.verticalScrollBar().value() == seen


def test_groups_fold_by_the_keyboard_and_stay_so(open_card: OpenCard, qtbot: QtBot) -> None:
    screen = opened(open_card, qtbot)
    tree = the(FactsTree, screen.window)
    limits = fact(tree, "Power limit: 280 W").parent()
    tree.setCurrentIndex(limits)
    press(tree, Qt.Key.Key_Left)
    assert "Power limit: 280 W" not in screen.facts
    assert "Limits" in screen.facts
    press(tree, Qt.Key.Key_Return)
    assert "Power limit: 280 W" in screen.facts
