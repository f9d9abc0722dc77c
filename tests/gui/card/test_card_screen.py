"""What a person reads on the screen of one card, in all its states."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.gui.card.fact_list import FactsPanel
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import Dropdown
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.card.conftest import OpenCard
from tests.gui.fakes import GIB, Answer, card, instance, session_of, working
from tests.gui.frame.steps import called
from tests.gui.hands import press, the


def test_the_first_card_is_shown_until_one_is_chosen(open_card: OpenCard) -> None:
    cards = {card(0): working(), card(1, "NVIDIA T4"): working(0.5)}
    screen = open_card(session_of(cards), card="GPU-gone")
    screen.reads("Card 0, NVIDIA TITAN RTX, cuda:0.", "19.5 of 24 GiB used")
    screen.desk.navigation.choose_card(CardId("GPU-1"))
    screen.reads("Card 1, NVIDIA T4, cuda:1.", "UUID: GPU-1")


def test_chips_and_arrow_keys_choose_another_card_or_the_computer(open_card: OpenCard) -> None:
    screen = open_card(session_of({card(i): working() for i in range(3)}))
    screen.reads("Card 0, ")
    chips = [c for c in screen.chips.findChildren(QAbstractButton) if c.isVisible()]
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
    called(QAbstractButton, screen.chips, "Next card").click()
    screen.reads("Card 13, ")
    numbers = the(Dropdown, screen.chips)
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
    answer = working(**{m.throttle("hw_thermal_slowdown"): 1.0})
    screen = open_card(session_of({card(0): answer}))
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


def test_programs_are_named_below_the_bar(open_card: OpenCard) -> None:
    screen = open_card(remembering(session_on(simulated("1xTitanRTX"), interval=0.1)))
    screen.reads("Programs", "Reserved 0.35 GiB, by the driver")


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
