"""The screen for a computer on which no card answers, and the ways to it and from it."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.nothing_found import OVERVIEW, DoctorSheet, NothingFoundView
from gpuexplorer.gui.overview.card_tile import CardTile
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.session import remembering, session_on
from tests.gui.conftest import LOOKED_FOR, NO_DRIVER, OpenWindow
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.hands import button, click, press, texts, the

TileSaying = Callable[[MainWindow, str], CardTile]


def test_it_says_what_was_looked_for_and_what_is_there_instead(open_window: OpenWindow) -> None:
    said = texts(open_window(None, [NO_DRIVER], LOOKED_FOR))
    assert "No graphics card answers on this computer" in said
    assert "NVIDIA's driver is not installed." in said
    assert "Install it." in said
    assert {"Driver library", "libnvidia-ml.so.1", "The library is not here."} <= set(said)
    assert "NVIDIA TU106M at 01:00.0." in said
    assert any("every screen says SIMULATED" in text for text in said)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell's")
def test_the_doctor_is_asked_without_a_terminal(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "OK  Driver ($*)"')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    click(window, "Ask the doctor")
    said = the(QPlainTextEdit, the(DoctorSheet, window))
    qtbot.waitUntil(lambda: said.toPlainText() == "OK  Driver (-m gpuexplorer doctor)\n")


@pytest.mark.parametrize("screen", [OVERVIEW, "processes"])
def test_all_that_stands_there_stands_in_the_middle(
    open_window: OpenWindow, screen: str
) -> None:
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    window.navigation.open_screen(screen)
    view = the(NothingFoundView, window)
    QApplication.processEvents()

    def middle(widget: QWidget) -> int:
        return widget.mapTo(view, widget.rect().center()).x()

    heading = next(each for each in view.findChildren(QLabel) if "answers on" in each.text())
    in_the_middle: list[QWidget] = [
        seen_button(window, "See the computer's processor and memory")
    ]
    if screen != OVERVIEW:
        in_the_middle.append(view.findChildren(Sign)[0])
    assert all(abs(middle(each) - middle(heading)) <= 2 for each in in_the_middle)


def test_it_says_so_once_and_not_in_every_corner(open_window: OpenWindow) -> None:
    said = texts(open_window(None, [NO_DRIVER], LOOKED_FOR))
    assert [text for text in said if "No graphics card" in text or "Nothing" in text] == [
        "No graphics card answers on this computer"
    ]


def test_a_command_in_a_sentence_is_shown_as_one_types_it(open_window: OpenWindow) -> None:
    hint = "Install <it>; `gpuexplorer doctor` says more."
    window = open_window(
        None, [Attempt("NVIDIA", Message("There is none."), Message(hint))], LOOKED_FOR
    )
    (label,) = (each for each in window.findChildren(QLabel) if "says more" in each.text())
    assert label.accessibleName() == "Install <it>; gpuexplorer doctor says more."
    shown = QTextDocument()
    shown.setHtml(label.text())
    assert shown.toPlainText() == "Install <it>; gpuexplorer doctor says more."
    command = shown.find("gpuexplorer doctor")
    mono = window.look.letters.mono.font.family()
    assert command.charFormat().fontFamilies() == [mono]


def test_its_button_asks_for_simulated_cards_by_mouse_and_by_key(
    open_window: OpenWindow,
) -> None:
    asked: list[str] = []
    window = open_window(None, [NO_DRIVER], LOOKED_FOR, simulate=asked.append)
    click(window, "Look around on simulated cards")
    press(button(window, "Look around on simulated cards"), Qt.Key.Key_Space)
    assert asked == ["2xTitanRTX", "2xTitanRTX"]


def test_the_lab_on_two_idle_simulated_cards_is_one_click_away(open_window: OpenWindow) -> None:
    asked: list[str] = []
    window = open_window(None, [NO_DRIVER], LOOKED_FOR, simulate=asked.append)
    way = seen_button(window, "Lab on two idle simulated cards")
    QTest.mouseClick(way, Qt.MouseButton.LeftButton)
    assert asked == ["2xTitanRTX+idle"]
    assert window.navigation.screen == "lab"


def test_simulated_cards_that_were_asked_for_take_its_place(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    session = session_of({card(0): working()}, SIMULATED)
    session.start()
    try:
        window.show_session(session)
        tile_saying(window, "Card 0")
        badge = the(SourceBadge, window)
        assert badge.accessibleName() == "SIMULATED"
        assert any("this is one simulated card." in text for text in texts(window))
    finally:
        window.close()
        session.stop()


def test_the_banner_leads_to_the_reasons_and_one_gets_back(open_window: OpenWindow) -> None:
    two = session_of({card(0): working(), card(1): working()}, SIMULATED)
    window = open_window(two, [NO_DRIVER], LOOKED_FOR, or_simulated=True)
    banner = "No graphics card answers on this computer, so these are 2 simulated cards."
    assert banner in texts(window)
    click(window, "What was looked for")
    assert "The library is not here." in texts(window)
    assert banner not in texts(window)
    badge = the(SourceBadge, window)
    assert badge.accessibleName() == "SIMULATED"
    assert "The figures are made up; every screen says SIMULATED." in texts(window)
    click(window, "Back to the simulated cards")
    assert banner in texts(window)
    click(window, "What was looked for")
    press(button(window, "Back to the simulated cards"), Qt.Key.Key_Escape)
    assert banner in texts(window)


def test_without_cards_escape_leads_nowhere(open_window: OpenWindow) -> None:
    asked: list[str] = []
    window = open_window(None, [NO_DRIVER], LOOKED_FOR, simulate=asked.append)
    press(button(window, "Look around on simulated cards"), Qt.Key.Key_Escape)
    assert asked == []


def test_cards_simulated_by_choice_need_no_banner(open_window: OpenWindow) -> None:
    window = open_window(session_of({card(0): working()}, SIMULATED))
    assert not any("No graphics card answers" in text for text in texts(window))


def test_it_says_when_it_looked_and_which_command_looks_closer(open_window: OpenWindow) -> None:
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    said = texts(window)
    assert any(re.fullmatch(r"at \d\d:\d\d:\d\d", text) for text in said)
    names = [each.accessibleName() for each in window.findChildren(QLabel)]
    assert any(name.startswith("gpuexplorer doctor looks closer") for name in names)
    assert "Read, and listed at the left as the host." in said


def test_one_can_look_again_and_sees_what_came_of_it(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    asked: list[str] = []
    window = open_window(None, [NO_DRIVER], LOOKED_FOR, look_again=lambda: asked.append("once"))
    click(window, "Look again")
    assert asked == ["once"]
    assert not button(window, "Looking…").isEnabled()
    still = Attempt("NVIDIA", Message("Still none."), Message(""))
    window.explanation.show_search([still], LOOKED_FOR)
    qtbot.waitUntil(lambda: "Still none." in texts(window))
    assert button(window, "Look again").isEnabled()


def test_simulated_cards_that_were_left_leave_the_explanation(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    session = session_of({card(0): working()}, SIMULATED)
    window = open_window(session, look_again=lambda: None)
    tile_saying(window, "Card 0")
    window.explanation.show_search([NO_DRIVER], LOOKED_FOR)
    window.show_session(remembering(session_on(NoCards())))
    assert "No graphics card answers on this computer" in texts(window)
    assert "SIMULATED" not in window.windowTitle()
    assert the(SourceBadge, window).accessibleName() == "No card"
    assert button(window, "Look around on simulated cards").isVisible()


def test_every_screen_that_shows_cards_alone_explains_where_there_is_none(
    open_window: OpenWindow,
) -> None:
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    for entry in VIEWS:
        window.navigation.open_screen(entry.name)
        explained = "No graphics card answers on this computer" in texts(window)
        assert explained is (entry.name not in ("card", "lab", "copies", "lessons", "machines"))


@pytest.mark.parametrize(
    ("screen", "words"),
    [
        ("overview", "Every card gets a tile here"),
        ("processes", "Programs that use a card are listed here"),
        ("topology", "The machine is drawn here"),
        ("events", "What happens to a card is listed here"),
    ],
)
def test_each_screen_without_a_card_says_what_would_stand_there_and_leads_on(
    open_window: OpenWindow, screen: str, words: str
) -> None:
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    window.resize(1366, 900)
    window.navigation.open_screen(screen)
    assert len([text for text in texts(window) if words in text]) == 1
    assert button(window, "Look around on simulated cards").isVisible()
    reasons = "The library is not here." in texts(window)
    assert reasons is (screen == "overview")
    if not reasons:
        QTest.mouseClick(seen_button(window, "Why no card answers"), Qt.MouseButton.LeftButton)
        assert "The library is not here." in texts(window)


def test_a_screen_chosen_over_the_explanation_takes_its_place(open_window: OpenWindow) -> None:
    two = session_of({card(0): working(), card(1): working()}, SIMULATED)
    window = open_window(two, [NO_DRIVER], LOOKED_FOR, or_simulated=True)
    click(window, "What was looked for")
    assert "The library is not here." in texts(window)
    press(window, Qt.Key.Key_1)
    assert "The library is not here." not in texts(window)


@pytest.mark.parametrize(("wide", "high"), [(784, 620), (1366, 720)])
def test_in_a_low_window_the_ways_on_can_be_seen_at_once(
    open_window: OpenWindow, qtbot: QtBot, wide: int, high: int
) -> None:
    window = open_window(None, [NO_DRIVER], [*LOOKED_FOR, *LOOKED_FOR])
    window.resize(wide, high)
    buttons = {each.text(): each for each in window.findChildren(QAbstractButton)}

    def seen(words: str) -> bool:
        return buttons[words].visibleRegion().boundingRect() == buttons[words].rect()

    qtbot.waitUntil(lambda: seen("Look around on simulated cards"))
    qtbot.waitUntil(lambda: seen("Open the lab on the processor alone"))
    qtbot.waitUntil(lambda: seen("Lab on two idle simulated cards"))
    qtbot.waitUntil(lambda: seen("See the computer's processor and memory"))


def test_the_computer_is_told_in_the_units_that_were_chosen(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    assert any(text.endswith("GiB") for text in texts(window))
    window.settings.choose(replace(window.settings.choices, decimal_memory=True))
    qtbot.waitUntil(lambda: any(text.endswith(" GB") for text in texts(window)))
    said = texts(window)
    assert not any(text.endswith("GiB") for text in said)
    assert "The library is not here." in said


def seen_button(window: MainWindow, words: str) -> QAbstractButton:
    (found,) = (
        each
        for each in window.findChildren(QAbstractButton)
        if each.text() == words and each.isVisible()
    )
    return found
