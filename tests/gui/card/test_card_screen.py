"""What a person reads on the screen of one card in all its states; choosing what is plotted;
and the list of facts: searched, folded and copied, with the commands that change a setting.
"""

import platform
import sys
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.card.fact_list import FactsPanel, HowToSheet, host_facts
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.controls.fields import Dropdown, SearchField
from gpuexplorer.remote.wire import Hello
from gpuexplorer.telemetry.facts import Reading
from tests.gui.card.conftest import OpenCard, Screen
from tests.gui.fakes import GIB, NVML, SIMULATED, Answer, card, instance, session_of, working
from tests.gui.frame.steps import called
from tests.gui.hands import click, press, texts, the


def test_the_first_card_is_shown_until_one_is_chosen(open_card: OpenCard) -> None:
    cards = {card(0): working(), card(1, "NVIDIA T4"): working(0.5)}
    screen = open_card(session_of(cards), card="GPU-gone")
    screen.reads("Card 0, NVIDIA TITAN RTX, cuda:0.", "19.5 of 24 GiB used")
    screen.desk.navigation.choose_card(CardId("GPU-1"))
    screen.reads("Card 1, NVIDIA T4, cuda:1.", "UUID: GPU-1")


def test_chips_and_arrow_keys_choose_another_card_or_the_computer(open_card: OpenCard) -> None:
    screen = open_card(session_of({card(i): working() for i in range(3)}))
    screen.reads("Card 0, ")
    chips = [
        c for c in the(CardChips, screen.window).findChildren(QAbstractButton) if c.isVisible()
    ]
    assert chips[1].accessibleName() == "Card 1, NVIDIA TITAN RTX"
    chips[2].click()
    screen.reads("Card 2, ")
    assert [chip.isChecked() for chip in chips] == [False, False, True, False]
    chips[2].setFocus()
    press(chips[2], Qt.Key.Key_Left)
    screen.reads("Card 1, ")
    for _ in range(4):
        press(screen.view, Qt.Key.Key_Right)
    screen.reads("The computer, ")
    press(screen.view, Qt.Key.Key_Left)
    screen.reads("Card 2, ")


def test_among_sixty_four_cards_one_steps_or_picks_from_a_list(open_card: OpenCard) -> None:
    screen = open_card(session_of({card(i): working() for i in range(64)}), card="GPU-12")
    screen.reads("Card 12, ")
    called(QAbstractButton, the(CardChips, screen.window), "Next card").click()
    screen.reads("Card 13, ")
    numbers = the(Dropdown, the(CardChips, screen.window))
    numbers.showPopup()
    QTest.keyClicks(numbers.view(), "22")
    press(numbers.view(), Qt.Key.Key_Return)
    screen.reads("Card 22, ")


def test_an_instance_is_looked_at_like_a_card(open_card: OpenCard) -> None:
    parent = card(1, "NVIDIA A100-SXM4-40GB", cuda_index=None, cuda_reason="one at a time")
    values = {m.MEMORY_USED: 2.2 * GIB, m.MEMORY_TOTAL: 9.75 * GIB}
    part = Answer(values, otherwise=Absence.IN_INSTANCE)
    whole = Answer({m.MIG_MODE: 1.0, m.MEMORY_USED: 4 * GIB}, otherwise=Absence.MIG_ON)
    screen = open_card(session_of({parent: whole, instance(parent, 2): part}), card="MIG-1-2")
    screen.reads(
        "Card 1.2, MIG 1g.10gb, cuda:2.",
        "A part of another card.",
        "2.20 of 9.75 GiB used",
        "Part of: card 1",
        "MIG: not told per instance",
    )
    screen.desk.navigation.choose_card(parent.id)
    screen.reads("MIG is on: the card is cut into 1 instance", "GPU utilisation: MIG is on")


def test_a_lost_card_keeps_its_history_and_says_since_when(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    answer = working()
    screen = open_card(session_of({card(0): answer}))
    screen.reads("19.5 of 24 GiB used")
    answer.state, answer.values, answer.otherwise = CardState.LOST, {}, Absence.LOST
    screen.reads("Since ", "it no longer answers the driver", "Power limit: card lost")
    assert "of 24 GiB used" not in screen.said
    flags = screen.stack.layout_now
    qtbot.waitUntil(lambda: "The card is lost" in [each.text for each in flags().flags])
    line = screen.stack.contents[0].lines[0]
    assert line.reason == "the card is lost"
    assert line.trace.means[0] == pytest.approx(0.97)


@pytest.mark.parametrize(
    ("state", "absence", "words"),
    [
        (CardState.UNLISTED, Absence.UNLISTED, "the driver no longer lists it"),
        (CardState.REFUSED, Absence.NO_PERMISSION, "the driver gives no access"),
        (CardState.ASLEEP, Absence.ASLEEP, "asleep, and not woken"),
        (CardState.NO_DRIVER, Absence.NO_DRIVER, "the driver is gone"),
    ],
)
def test_a_card_without_figures_says_since_when(
    open_card: OpenCard, state: CardState, absence: Absence, words: str
) -> None:
    answer = working()
    screen = open_card(session_of({card(0): answer}))
    screen.reads("19.5 of 24 GiB used")
    answer.state, answer.values, answer.otherwise = state, {}, absence
    screen.reads(words)


def test_a_card_that_does_not_answer_counts_the_seconds(open_card: OpenCard) -> None:
    screen = open_card(session_of({card(0): Answer(hangs=True), card(1): working()}))
    screen.reads("No answer for 1 s", "The driver was asked and is waited for")


def test_a_card_that_tells_nothing_says_so_at_every_place(open_card: OpenCard) -> None:
    screen = open_card(session_of({card(0): Answer(otherwise=Absence.NO_PERMISSION)}))
    screen.reads(
        "Gives no usable figure",
        "Memory: this user may not read it.",
        "Power: no permission",
        "Throttled in 5 min: nothing recorded in it",
    )
    reasons = {line.reason for each in screen.stack.contents for line in each.lines}
    assert reasons == {"this user may not read it"}


def test_throttling_is_banded_over_all_plots_with_its_word(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    hot = working(**{m.throttle("hw_thermal_slowdown"): 1.0})
    screen = open_card(session_of({card(0): hot}))
    screen.reads("Much too hot")
    qtbot.waitUntil(lambda: bool(screen.plots and screen.stack.contents[0].bands))
    for content in screen.stack.contents:
        [band] = content.bands
        assert (band.word, band.tone) == ("Too hot", Tone.WARN)


def test_limits_are_lines_on_their_plots(open_card: OpenCard) -> None:
    limits = {"temperature_slowdown": 91.0, "temperature_shutdown": 94.0}
    answer = working(**limits, pcie_receive=1e9, pcie_transmit=0.0)
    screen = open_card(session_of({card(0): answer}))
    screen.reads("Slowdown at: 91 °C")
    drawn = {content.title: dict(content.limits) for content in screen.stack.contents}
    assert drawn["Power"] == {"limit": 280.0}
    core = {"target": 78.0, "slows down at": 91.0, "switches off at": 94.0}
    assert drawn["Temperature"] == core
    assert drawn["PCIe"] == {"link 3.0 ×16": pytest.approx(15.75e9, rel=0.001)}


def test_what_a_card_is_besides_stands_at_its_name_and_among_its_facts(
    open_card: OpenCard,
) -> None:
    answer = working(0.9, **{m.PCIE_WIDTH: 8.0, m.DISPLAY_ACTIVE: 1.0})
    screen = open_card(session_of({card(0): answer}))
    screen.reads("A display is attached to this card", "Display: on", "PCIe ×8 of ×16")
    screen.reads("Runs at 3.0 ×8 of ×16: check the slot or its riser.")


def test_units_change_at_once(open_card: OpenCard) -> None:
    screen = open_card(session_of({card(0): working()}))
    screen.reads("19.5 of 24 GiB used")
    settings = screen.desk.settings
    settings.choose(replace(settings.choices, decimal_memory=True, fahrenheit=True))
    screen.reads("20.9 of 25.8 GB used", "Target temperature: 172 °F")


def test_the_facts_stand_beside_the_plots_or_below_them(
    open_card: OpenCard, qtbot: QtBot
) -> None:
    screen = open_card(session_of({card(0): working()}))
    screen.reads("UUID: GPU-0")
    window, stack, facts = screen.window, screen.stack, the(FactsPanel, screen.window)
    right = stack.mapTo(window, stack.rect().topRight()).x()
    assert facts.mapTo(window, facts.rect().topLeft()).x() > right
    window.resize(744, 620)
    qtbot.waitUntil(lambda: facts.mapTo(window, facts.rect().topLeft()).x() < 100)

    def below() -> bool:
        lowest: int = stack.mapTo(window, stack.rect().bottomLeft()).y()
        return lowest < facts.mapTo(window, facts.rect().topLeft()).y()

    qtbot.waitUntil(below)
    qtbot.waitUntil(lambda: not screen.tree.verticalScrollBar().maximum())


def opened(
    open_card: OpenCard,
    settings: Settings | None = None,
    cards: int = 1,
    simulated: bool = False,
    **values: float,
) -> Screen:
    answers = {
        card(at, simulated=simulated, nvlinks=2): working(**values) for at in range(cards)
    }
    for answer in answers.values():
        answer.missing = {MetricId("sm_activity"): Absence.NOT_IN_DRIVER}
    source = SIMULATED if simulated else NVML
    screen = open_card(session_of(answers, source), settings=settings)
    screen.reads("Power limit: 280 W", "GPU utilisation: 97 %")
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


def test_every_metric_is_offered_and_those_of_one_unit_share_a_plot(
    open_card: OpenCard,
) -> None:
    screen = opened(open_card)
    menu = offered(screen)
    assert menu["GPU utilisation\t97 %"].isChecked()
    assert {"Utilisation", "Power limit\t280 W"} <= menu.keys()
    menu["SM activity\tnot in this driver"].trigger()
    lines = screen.stack.contents[0].lines
    assert [line.label for line in lines] == ["GPU", "memory ctrl", "SM active"]
    assert lines[2].reason == "this driver is too old to report it"


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
    the(CardChips, again.window).step(1)
    qtbot.waitUntil(lambda: "Energy" not in again.plots)


@pytest.mark.parametrize(
    ("text", "plots", "said"),
    [
        ("[]", [], "Nothing is plotted."),
        ('["flux", 7, "energy"]', ["Energy"], ""),  # of another version
        ("[energy flux]", ["Energy"], ""),
    ],
)
def test_of_what_was_remembered_that_is_plotted_which_is_known(
    open_card: OpenCard, qtbot: QtBot, text: str, plots: list[str], said: str
) -> None:
    settings = Settings()
    settings.remember("card/plots/GPU-0", text)
    screen = open_card(session_of({card(0): working()}), settings=settings)
    qtbot.waitUntil(lambda: list(screen.plots) == plots)
    screen.reads(said)


SUDO = "" if sys.platform == "win32" else "sudo "


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
    screen = opened(open_card, simulated=simulated)
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
    screen.reads("GPU utilisation: 50 %", "Runs at full speed: ")
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
    screen = opened(open_card, simulated=simulated)
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
    screen = opened(open_card, clock_memory=7e9)
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
        return {each.key: each.value for facts in groups.values() for each in facts}

    here, there, recorded = told(), told("titan", hello), told("titan")
    assert (here["computer"], here["kernel"]) == (platform.node(), platform.release())
    said = [there[each] for each in ("computer", "system", "python", "user")]
    assert said == ["titan", "Linux 9.9", "3.12.1", "ada"]
    assert not {"kernel", "architecture"} & there.keys()
    assert recorded["computer"] == "titan"
    assert not {"system", "kernel", "python", "architecture"} & recorded.keys()
