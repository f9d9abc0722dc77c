"""The list of facts: searched, folded and copied, with the commands that change a setting."""

import platform
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import HOST_ID, Card, CardKind
from gpuexplorer.core.metrics import CLOCK_MEMORY, MetricId
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.card.fact_list import HowToSheet, host_facts
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.remote.wire import Hello
from gpuexplorer.telemetry.facts import Reading
from tests.gui.card.conftest import OpenCard, Screen
from tests.gui.fakes import NVML, SIMULATED, card, session_of, working
from tests.gui.frame.steps import called
from tests.gui.hands import click, press, texts, the

SUDO = "" if sys.platform == "win32" else "sudo "


def opened(
    open_card: OpenCard, simulated: bool = False, values: dict[MetricId, float] | None = None
) -> Screen:
    cards = {card(0, simulated=simulated, nvlinks=2): working(**(values or {}))}
    screen = open_card(session_of(cards, SIMULATED if simulated else NVML))
    screen.reads("Power limit: 280 W")
    return screen


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def test_search_filters_as_one_types_and_escape_clears_it(open_card: OpenCard) -> None:
    screen = opened(open_card)
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


def test_a_search_also_finds_what_is_folded_and_by_its_meaning(open_card: OpenCard) -> None:
    screen = opened(open_card)
    for text, found in (("", False), ("nvlink 1 is up", True), ("", False)):
        screen.tree.field.setText(text)
        assert any("NVLink 1 state" in line for line in screen.facts) is found
    screen.tree.field.setText("flux")
    assert "No fact has “flux” in it." in texts(screen.window)


def test_from_the_search_one_goes_down_into_what_was_found(open_card: OpenCard) -> None:
    screen = opened(open_card)
    tree = screen.tree
    tree.field.setText("uuid")
    tree.field.setFocus()
    press(tree.field, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is tree
    press(tree, Qt.Key.Key_Down)
    assert tree.currentIndex().data() == "UUID: GPU-0"
    press(tree, Qt.Key.Key_C, control=True)
    assert clipboard() == "UUID: GPU-0"


@pytest.mark.parametrize("simulated", [False, True])
def test_what_is_copied_says_whether_it_is_simulated(
    open_card: OpenCard, simulated: bool
) -> None:
    screen = opened(open_card, simulated)
    called(IconButton, screen.window, "Copy all facts as text").click()
    lines = clipboard().splitlines()
    assert lines[0].startswith("GPU Explorer: Card 0, NVIDIA TITAN RTX, ")
    assert ("SIMULATED: every figure is made up." in lines) is simulated
    assert "  NVLink 1 state: not supported" in lines
    screen.tree.setCurrentItem(screen.row("UUID: GPU-0"))
    end = " (SIMULATED)" if simulated else ""
    screen.tree.copy_selected()
    assert clipboard() == f"UUID: GPU-0{end}"
    screen.tree.copy_selected(only_values=True)
    assert clipboard() == f"GPU-0{end}"


def test_figures_change_and_what_is_selected_and_seen_stays(open_card: OpenCard) -> None:
    answer = working(busy=0.5)
    screen = open_card(session_of({card(0): answer}))
    screen.reads("GPU utilisation: 50 %")
    tree, row = screen.tree, screen.row("GPU utilisation: 50 %")
    tree.setCurrentItem(row)
    tree.scrollToItem(row)
    seen = tree.verticalScrollBar().value()
    answer.values = working(busy=0.75).values
    screen.reads("GPU utilisation: 75 %")
    assert tree.currentIndex().data() == "GPU utilisation: 75 %"
    assert tree.verticalScrollBar().value() == seen


def test_groups_fold_by_the_keyboard_and_stay_so(open_card: OpenCard, qtbot: QtBot) -> None:
    screen = opened(open_card)
    tree = screen.tree
    tree.setCurrentItem(screen.row("Limits"))
    press(tree, Qt.Key.Key_Left)
    screen.view.pull()
    assert "Power limit: 280 W" not in screen.facts
    assert "Limits" in screen.facts
    press(tree, Qt.Key.Key_Return)
    assert "Power limit: 280 W" in screen.facts


@pytest.mark.parametrize("simulated", [False, True])
def test_a_click_on_the_power_limit_hands_out_the_command_for_this_very_card(
    open_card: OpenCard, simulated: bool
) -> None:
    screen = opened(open_card, simulated)
    tree, row = screen.tree, screen.row("Power limit: 280 W")
    tree.scrollToItem(row)
    place = tree.visualItemRect(row).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    sheet = the(HowToSheet, screen.window)
    click(sheet, "Copy")
    assert clipboard() == f"{SUDO}nvidia-smi -i {card(0, simulated=simulated).id} -pl 280"
    said = " ".join(label.text() for label in sheet.findChildren(QLabel))
    assert "sets nothing itself" in said
    assert ("This card is simulated" in said) is simulated


def test_the_menu_of_a_fact_tells_how_to_change_it(open_card: OpenCard) -> None:
    screen = opened(open_card, values={CLOCK_MEMORY: 7e9})
    tree, row = screen.tree, screen.row("Memory clock: 7000 MHz")
    tree.scrollToItem(row)
    place = tree.visualItemRect(row).center()
    reason, at = QContextMenuEvent.Reason.Mouse, tree.viewport().mapToGlobal(place)
    QApplication.sendEvent(tree.viewport(), QContextMenuEvent(reason, place, at))
    menu = next(each for each in tree.findChildren(QMenu) if each.isVisible())
    next(each for each in menu.actions() if each.text() == "Hold the memory clock…").trigger()
    menu.close()
    sheet = the(HowToSheet, screen.window)
    [code] = sheet.findChildren(QPlainTextEdit)
    assert code.toPlainText() == f"{SUDO}nvidia-smi -i {card(0).id} -rmc"
    # The other clock can be held since Volta.
    assert any("For cards since Ampere." in each.text() for each in sheet.findChildren(QLabel))


def test_of_another_computer_nothing_of_this_one_is_told() -> None:
    host = Card(HOST_ID, 0, "EPYC", None, kind=CardKind.HOST)
    hello = Hello("3.12.1", "Linux 9.9", "n17", "ada", host, 0.0, 0.0)

    def told(name: str = "", hello: Hello | None = None) -> dict[str, str]:
        groups = host_facts(host, Reading(HOST_ID, 0.0, {}), USUAL, name, hello)
        return {each.key: each.value for group in groups for each in group.facts}

    here, there, recorded = told(), told("titan", hello), told("titan")
    assert (here["computer"], here["kernel"]) == (platform.node(), platform.release())
    said = [there[each] for each in ("computer", "system", "python", "user")]
    assert said == ["titan", "Linux 9.9", "3.12.1", "ada"]
    assert not {"kernel", "architecture"} & there.keys()
    assert recorded["computer"] == "titan"
    assert not {"system", "kernel", "python", "architecture"} & recorded.keys()
