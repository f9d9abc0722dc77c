"""What a person reads on the screen of one card, in all its states."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.gui.card.facts_panel import FactsPanel
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import Dropdown
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.card.conftest import OpenCard, Screen
from tests.gui.fakes import GIB, SIMULATED, Answer, card, instance, session_of, working
from tests.gui.frame.steps import called
from tests.gui.hands import press, the


@pytest.fixture
def reads(qtbot: QtBot) -> Callable[..., None]:
    """Waits until these words can be read in the head, in the memory or among the facts."""

    def wait_for(screen: Screen, *words: str) -> None:
        def read() -> str:
            labels = [e.text() for e in screen.window.findChildren(QLabel) if e.isVisible()]
            return "\n".join([screen.head, screen.memory, *labels, *screen.facts])

        qtbot.waitUntil(lambda: all(each in read() for each in words))

    return wait_for


Reads = Callable[..., None]


def test_the_first_card_is_shown_until_one_is_chosen(open_card: OpenCard, reads: Reads) -> None:
    screen = open_card(session_of({card(0): working(), card(1, "NVIDIA T4"): working(0.5)}))
    reads(screen, "Card 0, NVIDIA TITAN RTX, cuda:0.", "19.5 of 24 GiB used")
    screen.navigation.choose_card(CardId("GPU-1"))
    reads(screen, "Card 1, NVIDIA T4, cuda:1.", "UUID: GPU-1")


def test_a_card_that_is_not_there_any_more_is_no_trouble(
    open_card: OpenCard, reads: Reads
) -> None:
    reads(open_card(session_of({card(0): working()}), card="GPU-gone"), "Card 0, ")


def test_all_that_a_card_is_besides_is_told_at_its_name(
    open_card: OpenCard, reads: Reads
) -> None:
    answer = working(**{m.DISPLAY_ACTIVE: 1.0})
    screen = open_card(session_of({card(0): answer}))
    reads(screen, "A display is attached to this card", "Display: on")


def test_chips_choose_another_card_by_mouse_and_by_keyboard(
    open_card: OpenCard, reads: Reads
) -> None:
    screen = open_card(session_of({card(i): working() for i in range(3)}))
    reads(screen, "Card 0, ")
    chips = [c for c in screen.chips.findChildren(QAbstractButton) if c.isVisible()]
    assert len(chips) == 4
    assert chips[1].accessibleName() == "Card 1, NVIDIA TITAN RTX"
    chips[2].click()
    reads(screen, "Card 2, ")
    assert [chip.isChecked() for chip in chips] == [False, False, True, False]
    chips[2].setFocus()
    press(chips[2], Qt.Key.Key_Left)
    reads(screen, "Card 1, ")


def test_arrow_keys_go_from_card_to_card(open_card: OpenCard, reads: Reads) -> None:
    screen = open_card(session_of({card(i): working() for i in range(3)}))
    reads(screen, "Card 0, ")
    press(screen.view, Qt.Key.Key_Right)
    reads(screen, "Card 1, ")
    press(screen.view, Qt.Key.Key_Left)
    press(screen.view, Qt.Key.Key_Left)
    reads(screen, "Card 0, ")


def test_among_sixty_four_cards_one_steps_or_picks_from_a_list(
    open_card: OpenCard, reads: Reads
) -> None:
    screen = open_card(session_of({card(i): working() for i in range(64)}), card="GPU-12")
    reads(screen, "Card 12, ")
    following = called(QAbstractButton, screen.chips, "Next card")
    following.click()
    reads(screen, "Card 13, ")
    numbers = the(Dropdown, screen.chips)
    assert numbers.currentText() == "13, Card 13, NVIDIA TITAN RTX"
    numbers.showPopup()
    press(numbers.view(), Qt.Key.Key_Down)
    press(numbers.view(), Qt.Key.Key_Escape)
    assert not numbers.view().isVisible()
    reads(screen, "Card 13, ")
    numbers.showPopup()
    QTest.keyClicks(numbers.view(), "22")
    press(numbers.view(), Qt.Key.Key_Return)
    reads(screen, "Card 22, ")


def test_beside_one_card_there_is_the_computer_to_choose(
    open_card: OpenCard, reads: Reads
) -> None:
    screen = open_card(session_of({card(0): working()}))
    reads(screen, "Card 0, ")
    press(screen.view, Qt.Key.Key_Right)
    reads(screen, "The computer, ")


def test_an_instance_is_looked_at_like_a_card(
    open_card: OpenCard, reads: Reads, qtbot: QtBot
) -> None:
    parent = card(1, "NVIDIA A100-SXM4-40GB", cuda_index=None, cuda_reason="one at a time")
    part = Answer(
        {m.MEMORY_USED: 2.2 * GIB, m.MEMORY_TOTAL: 9.75 * GIB},
        otherwise=Absence.IN_INSTANCE,
    )
    whole = Answer({m.MIG_MODE: 1.0, m.MEMORY_USED: 4 * GIB}, otherwise=Absence.MIG_ON)
    session = session_of({parent: whole, instance(parent, 2): part})
    screen = open_card(session, card="MIG-1-2")
    reads(
        screen,
        "Card 1.2, MIG 1g.10gb, cuda:2.",
        "A part of another card.",
        "2.20 of 9.75 GiB used",
        "Part of: card 1",
        "The driver reports the link for the whole card only.",
    )
    qtbot.waitUntil(lambda: "MIG: not told per instance" in screen.facts)
    screen.navigation.choose_card(parent.id)
    reads(screen, "MIG is on: the card is cut into 1 instance", "GPU utilisation: MIG is on")


def test_a_lost_card_keeps_its_history_and_says_since_when(
    open_card: OpenCard, reads: Reads, qtbot: QtBot
) -> None:
    answer = working()
    screen = open_card(session_of({card(0): answer}))
    reads(screen, "19.5 of 24 GiB used")
    answer.state, answer.values, answer.otherwise = CardState.LOST, {}, Absence.LOST
    reads(screen, "Since ", ": it no longer answers the driver.", "Power limit: card lost")
    assert "UUID: GPU-0" in screen.facts
    qtbot.waitUntil(
        lambda: "The card is lost" in [each.text for each in screen.plots.layout_now().flags]
    )
    line = screen.plots.contents[0].lines[0]
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
    open_card: OpenCard, reads: Reads, state: CardState, absence: Absence, words: str
) -> None:
    answer = working()
    screen = open_card(session_of({card(0): answer}))
    reads(screen, "19.5 of 24 GiB used")
    answer.state, answer.values, answer.otherwise = state, {}, absence
    reads(screen, "Since ", words)


def test_a_card_that_does_not_answer_counts_the_seconds(
    open_card: OpenCard, reads: Reads
) -> None:
    screen = open_card(session_of({card(0): Answer(hangs=True), card(1): working()}))
    reads(screen, "No answer for 1 s", "The driver was asked and is waited for")


def test_a_card_that_tells_nothing_says_so_at_every_place(
    open_card: OpenCard, reads: Reads
) -> None:
    screen = open_card(session_of({card(0): Answer(otherwise=Absence.NO_PERMISSION)}))
    reads(
        screen,
        "Gives no usable figure",
        "Memory: this user may not read it.",
        "Power: no permission",
        "Throttled in 5 min: nothing recorded in it",
    )
    assert {line.reason for each in screen.plots.contents for line in each.lines} == {
        "this user may not read it"
    }


def test_throttling_is_banded_over_all_plots_with_its_word(
    open_card: OpenCard, reads: Reads, qtbot: QtBot
) -> None:
    answer = working(**{m.throttle("hw_thermal_slowdown"): 1.0})
    screen = open_card(session_of({card(0): answer}))
    reads(screen, "Much too hot")
    qtbot.waitUntil(lambda: bool(screen.plots.contents and screen.plots.contents[0].bands))
    for content in screen.plots.contents:
        assert [(band.word, band.tone) for band in content.bands] == [("Too hot", Tone.WARN)]


def test_limits_are_lines_on_their_plots(open_card: OpenCard, reads: Reads) -> None:
    answer = working(
        temperature_slowdown=91.0,
        temperature_shutdown=94.0,
        pcie_receive=1e9,
        pcie_transmit=0.0,
    )
    screen = open_card(session_of({card(0): answer}))
    reads(screen, "Slowdown at: 91 °C")
    limits = {
        content.title: [(limit.label, limit.value) for limit in content.limits]
        for content in screen.plots.contents
    }
    assert limits["Power"] == [("limit", 280.0)]
    assert limits["Temperature"] == [
        ("target", 78.0),
        ("slows down at", 91.0),
        ("switches off at", 94.0),
    ]
    assert limits["PCIe"][0][0] == "link 3.0 ×16"
    assert limits["PCIe"][0][1] == pytest.approx(15.75e9, rel=0.001)


def test_a_narrow_link_is_told_in_the_facts_and_at_the_name(
    open_card: OpenCard, reads: Reads
) -> None:
    screen = open_card(session_of({card(0): working(0.9, **{m.PCIE_WIDTH: 8.0})}))
    reads(screen, "PCIe ×8 of ×16", "Runs at 3.0 ×8 of ×16: check the slot")


def test_programs_are_named_below_the_bar(open_card: OpenCard, qtbot: QtBot) -> None:
    session = remembering(session_on(simulated("1xTitanRTX"), interval=0.1))
    screen = open_card(session)
    qtbot.waitUntil(lambda: "Programs" in screen.memory, timeout=8000)
    assert "Reserved 0.35 GiB, by the driver" in screen.memory


def test_units_change_at_once(open_card: OpenCard, reads: Reads, qtbot: QtBot) -> None:
    screen = open_card(session_of({card(0): working()}))
    reads(screen, "19.5 of 24 GiB used")
    choices = replace(screen.settings.choices, decimal_memory=True, fahrenheit=True)
    screen.settings.choose(choices)
    assert screen.memory.startswith("20.9 of 25.8 GB used")
    qtbot.waitUntil(lambda: "Target temperature: 172 °F" in screen.facts)


def test_the_facts_stand_beside_the_plots_or_below_them(
    open_card: OpenCard, reads: Reads, qtbot: QtBot
) -> None:
    screen = open_card(session_of({card(0): working()}))
    reads(screen, "UUID: GPU-0")
    facts, plots = the(FactsPanel, screen.window), screen.plots

    def left(of: FactsPanel) -> int:
        return of.mapTo(screen.window, of.rect().topLeft()).x()

    assert left(facts) > plots.mapTo(screen.window, plots.rect().topRight()).x()
    screen.window.resize(744, 620)
    qtbot.waitUntil(lambda: left(facts) < 100)
    below = plots.mapTo(screen.window, plots.rect().bottomLeft()).y()
    qtbot.waitUntil(lambda: facts.mapTo(screen.window, facts.rect().topLeft()).y() > below)
    assert "UUID: GPU-0" in screen.facts


def test_a_simulated_card_looks_like_any_other(open_card: OpenCard, reads: Reads) -> None:
    screen = open_card(session_of({card(0, simulated=True): working()}, SIMULATED))
    reads(screen, "Card 0, NVIDIA TITAN RTX", "Driver: none: simulated")
