"""Searching the facts of a card, and copying them."""

import sys

import pytest
from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.metrics import CLOCK_MEMORY, PERSISTENCE_MODE
from gpuexplorer.gui.card.facts_panel import FactsPanel
from gpuexplorer.gui.card.facts_tree import FactsTree, HowToSheet
from gpuexplorer.gui.cards.facts import HowTo, TerminalCommand
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
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
        "Lowest power limit: not supported",
        "Highest power limit: not supported",
        "Default power limit: not supported",
        "Health",
        "Why clocks are lower",
        "At its power limit: no",
        "Time at the power limit: not supported",
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
        assert lines[0].startswith("GPU Explorer: Card 0, NVIDIA TITAN RTX, ")
        assert ("SIMULATED: every figure is made up." in lines) is simulated
        assert "  NVLink 1 state: not supported" in lines
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


@pytest.mark.parametrize("simulated", [False, True])
def test_a_click_on_the_power_limit_hands_out_the_command_for_this_very_card(
    open_card: OpenCard, qtbot: QtBot, simulated: bool
) -> None:
    screen = opened(open_card, qtbot, simulated)
    tree = the(FactsTree, screen.window)
    index = fact(tree, "Power limit: 280 W")
    tree.scrollTo(index)
    place = tree.visualRect(index).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    sheet = the(HowToSheet, screen.window)
    [copy] = [each for each in sheet.findChildren(QPushButton) if each.text() == "Copy"]
    copy.click()
    sudo = "" if sys.platform == "win32" else "sudo "
    name = "SIM-0" if simulated else "GPU-0"
    assert clipboard() == f"{sudo}nvidia-smi -i {card(0, simulated=simulated).id} -pl 280"
    assert name[-1] in clipboard()
    said = [label.text() for label in sheet.findChildren(QLabel)]
    assert any("sets nothing itself" in each for each in said)
    assert any("This card is simulated" in each for each in said) is simulated


@pytest.mark.skipif(sys.platform == "win32", reason="there is no persistence mode")
def test_the_menu_of_a_fact_copies_its_command(open_card: OpenCard, qtbot: QtBot) -> None:
    values = {PERSISTENCE_MODE: 0.0, CLOCK_MEMORY: 7e9}
    screen = open_card(session_of({card(0): working(**values)}, NVML))
    qtbot.waitUntil(lambda: "Power limit: 280 W" in screen.facts)
    tree = the(FactsTree, screen.window)
    [line] = [each for each in screen.facts if each.startswith("Persistence")]
    index = fact(tree, line)
    tree.scrollTo(index)
    place = tree.visualRect(index).center()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, place, tree.viewport().mapToGlobal(place)
    )
    QApplication.sendEvent(tree.viewport(), event)
    menu = next(each for each in tree.findChildren(QMenu) if each.isVisible())
    next(each for each in menu.actions() if each.text() == "Copy the command").trigger()
    menu.close()
    assert clipboard() == f"sudo nvidia-smi -i {card(0).id} -pm 1"
    memory_clock = fact(tree, "Memory clock: 7000 MHz")
    tree.clicked.emit(memory_clock)
    sheet = the(HowToSheet, screen.window)
    assert [each.toPlainText() for each in sheet.findChildren(QPlainTextEdit)] == [
        f"sudo nvidia-smi -i {card(0).id} -rmc"
    ]
    said = " ".join(label.text() for label in sheet.findChildren(QLabel))
    assert "For cards since Ampere." in said  # the other clock can be held since Volta


def test_a_command_is_seen_whole_where_it_takes_two_lines(qtbot: QtBot) -> None:
    line = f"sudo nvidia-smi -i GPU-{'0' * 8}-0000-4000-8000-{'0' * 12} -lgc 1980"
    heights = set()
    for longer in range(24):
        how = HowTo("Hold it", ("It holds.",), (TerminalCommand("So:", line + "0" * longer),))
        sheet = HowToSheet(how)
        qtbot.addWidget(sheet)
        with qtbot.waitExposed(sheet):
            sheet.open()
        [code] = sheet.findChildren(QPlainTextEdit)
        if code.document().size().height() > 1:
            heights.add(code.height())
    assert len(heights) == 1
