"""The screen of copies by keyboard: what docs/keys.md promises is what its pages take."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.moving.copies_panel import CopiesPanel
from gpuexplorer.gui.copies.view import CopiesView
from tests.gui.hands import press, the

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
PAGE = (Path(__file__).parents[3] / "docs" / "keys.md").read_text("utf-8")
SECTIONS = {
    "copies": ("Copies: the first page", "Table of copies", "Timeline of copies"),
    "matrix": ("Matrix", "Cells of the matrix"),
    "sweep": ("Ways", "Rates over size", "Table of ways"),
    "datasheet": ("Datasheet", "Figures of a card", "Table of other cards"),
}


def told(heading: str) -> set[tuple[str, str]]:
    text = re.split(r"^## ", PAGE.split(f"## {heading}\n", 1)[1], flags=re.MULTILINE)[0]
    lines = [line.strip("|").split(" | ") for line in text.splitlines() if line[:1] == "|"]
    return {(keys.replace("`", "").strip().lower(), words.strip()) for keys, words in lines[2:]}


def taken(view: CopiesView) -> set[tuple[str, str]]:
    by_screen = {
        (action.shortcut().toString(), action.text().rstrip("…"))
        for action in view.actions()
        if not action.shortcut().isEmpty()
    }
    by_parts = {row for _, rows in view.key_groups for row in rows}
    return {
        (keys.replace("Return", "Enter").lower(), words) for keys, words in by_screen | by_parts
    }


@pytest.mark.parametrize("name", SECTIONS)
def test_the_page_of_keys_tells_what_each_page_takes(view: CopiesView, name: str) -> None:
    view.open_page(name)
    wanted = {row for heading in ("Copies", *SECTIONS[name]) for row in told(heading)}
    assert taken(view) == wanted


def test_pages_are_gone_through_by_keys_and_each_key_does_what_its_page_is_for(
    view: CopiesView, qtbot: QtBot
) -> None:
    view.open_page("copies")
    by_words = {each.text(): each for each in view.actions()}
    by_words["Copies: previous page"].trigger()
    before = view.key_groups
    by_words["Copies: next page"].trigger()
    assert view.key_groups != before
    assert view.start_search()
    qtbot.waitUntil(the(CopiesPanel, view).search.hasFocus)
    view.open_page("matrix")
    assert not view.start_search()
    press(view, Qt.Key.Key_Return, control=True)
    qtbot.waitUntil(lambda: bool(view.copies.results))
    press(view, Qt.Key.Key_Period, control=True)
    qtbot.waitUntil(lambda: not view.copies.running)
