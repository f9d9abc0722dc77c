"""What F1 tells of each screen is what stands in docs/keys.md, and Ctrl+K lists it too."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineDrawing
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.telemetry.happenings import Kind
from tests.gui.conftest import OpenWindow
from tests.gui.frame.steps import keys, listed, open_palette, simulated_cards
from tests.gui.hands import the

# Menus and dialogs of the offscreen screen.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

KEYS = (Path(__file__).parents[3] / "docs" / "keys.md").read_text("utf-8")
SECTIONS = {
    "overview": ("Plots", "Tiles"),
    "card": ("Plots", "Card"),
    "processes": ("Processes",),
    "topology": ("Topology",),
    "events": ("Events",),
    "lab": (
        "Lab",
        "Cell editor",
        "Cells",
        "Bench",
        "Forms",
        "Looking inside",
        "Errors and cards",
    ),
    "lessons": ("Lessons",),
    "copies": ("Copies", "Copies: the first page", "Table of copies", "Timeline of copies"),
}


def two_cards(open_window: OpenWindow, screen: str, qtbot: QtBot) -> MainWindow:
    """With an event to copy, and the wiring told."""
    session = simulated_cards("2xTitanRTX+nvlink")
    session.happening_log.tell(
        Kind.CARD_BACK, session.cards()[0].id, Message("The card is back")
    )
    window = open_window(session)
    window.resize(1400, 900)
    window.navigation.open_screen(screen)
    if screen == "topology":
        qtbot.waitUntil(the(MachineDrawing, window).isVisible)
    return window


def told(section: str) -> set[str]:
    """The rows of one section of the page, as the sheet says them."""
    text = re.split(r"^## ", KEYS.split(f"## {section}\n", 1)[1], flags=re.MULTILINE)[0]
    lines = [line.strip("|") for line in text.splitlines() if line.startswith("|")]
    cells = [
        line.split(" | ")
        for line, below in pairwise([*lines, ""])
        if not line.startswith("-") and not below.startswith("-")
    ]
    return {f"{words.strip()}: {taps.replace('`', '').strip()}" for taps, words in cells}


def in_small(rows: set[str]) -> set[str]:
    return {row.lower() for row in rows}


@pytest.mark.parametrize("screen", SECTIONS)
def test_f1_tells_of_each_screen_what_the_page_of_keys_tells(
    open_window: OpenWindow, screen: str, qtbot: QtBot
) -> None:
    window = two_cards(open_window, screen, qtbot)
    anywhere = {
        f"{words}: {tap}" for _, all_ in window.commands.all_keys(()) for tap, words in all_
    }
    keys(Qt.Key.Key_F1)
    sheet = the(Sheet, window)
    names = {label.accessibleName() for label in sheet.findChildren(QLabel)}
    seen = names - {""}
    wanted = {row for section in SECTIONS[screen] for row in told(section)}
    assert in_small(seen - anywhere) == in_small(wanted)


@pytest.mark.parametrize(
    ("screen", "offered"),
    [
        ("overview", {"Save plots as PNG", "Save visible data as CSV"}),
        ("processes", {"Copy rows", "Export as CSV", "Choose columns and order"}),
        (
            "topology",
            {"Save picture", "Copy the matrix as text", "Ask again how the cards are wired"},
        ),
        ("events", {"Copy rows", "Export as CSV"}),
    ],
)
def test_what_can_be_taken_along_is_found_under_control_k(
    open_window: OpenWindow, screen: str, offered: set[str], qtbot: QtBot
) -> None:
    window = two_cards(open_window, screen, qtbot)
    assert offered <= set(listed(open_palette(window)))
