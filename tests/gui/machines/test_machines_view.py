"""What a person sees of all machines together, and where it leads."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.modeltest import ModelTester

from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.live_view import EmptyState
from tests.gui.hands import choose, click, press, search, shown, texts, the
from tests.gui.machines.conftest import (
    GIB,
    HOT,
    OpenScreen,
    Screen,
    cell,
    group,
    lost_cell,
    room,
    with_troubles,
)

TWO = (
    group("ant", [cell("ant", 0, 0.9, users=["anna"]), cell("ant", 1, 0.0, 2 * GIB)]),
    group("bee", [cell("bee", 0, 0.0, 30 * GIB, users=["bela"]), cell("bee", 1, 0.5)]),
)


def names_on_map(screen: Screen) -> list[str]:
    return list(dict.fromkeys(cell.key.host for row in screen.map.cells for _, cell in row))


def test_the_sums_are_of_all_machines(open_screen: OpenScreen) -> None:
    screen = open_screen(TWO)
    assert "2 machines, 4 cards" in texts(screen.view)
    assert "Cards 4. Idle 2 of 4. Memory free 248 of 320 GiB. Busy 35 %" in screen.sums
    assert "Power 1.20 of 2.80 kW" in screen.sums
    assert "Hottest 50 °C" in screen.sums


def test_what_a_card_does_not_report_is_no_zero_in_the_sums(open_screen: OpenScreen) -> None:
    screen = open_screen([group("ant", [cell("ant", 0, None), cell("ant", 1, 0.0)])])
    assert "Idle 1 of 1." in screen.sums
    assert "Busy (1 of 2) 0 %" in screen.sums
    assert "this card does not report it" in screen.spoken
    screen.show([group("ant", [cell("ant", 0, None)])])
    assert "Idle: no card reports it" in screen.sums


def test_the_arrow_keys_go_from_card_to_card_and_enter_opens_one(
    open_screen: OpenScreen,
) -> None:
    screen = open_screen(TWO)
    screen.map.setFocus()
    assert screen.spoken == (
        "ant, card 0, NVIDIA H100 80GB HBM3: 90 % busy, 60 of 80 GiB free, 50 °C, 300 W,"
        " used by anna (1 process)"
    )
    press(screen.map, Qt.Key.Key_Down)
    assert screen.spoken.startswith("bee, card 0")
    press(screen.map, Qt.Key.Key_Home)
    press(screen.map, Qt.Key.Key_Right)
    assert screen.spoken.startswith("ant, card 1")
    assert any(each.startswith("ant, card 1") for each in texts(screen.view))
    press(screen.map, Qt.Key.Key_Right)
    assert screen.spoken.startswith("bee, card 0")
    press(screen.map, Qt.Key.Key_Return)
    assert screen.room.opened == [("bee", "bee/0")]


def test_a_click_opens_the_card_and_one_on_the_name_its_machine(
    open_screen: OpenScreen,
) -> None:
    screen = open_screen(TWO)
    for column in (1, 0):
        place = screen.map.visualRect(screen.map.model().index(0, column)).center()
        QTest.mouseClick(screen.map.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert screen.room.opened == [("ant", "ant/0"), ("ant",)]


def test_what_one_looks_for_is_left(open_screen: OpenScreen) -> None:
    screen = open_screen(TWO)
    search(screen.view, "BEE")
    assert names_on_map(screen) == ["bee"]
    assert "1 machine, 2 cards (of 2 machines, 4 cards)" in texts(screen.view)
    screen.view.search.clear()
    search(screen.view, "no such thing")
    empty = the(EmptyState, screen.view)
    assert empty.isVisible()
    click(screen.view, "Show all machines")
    assert names_on_map(screen) == ["ant", "bee"]
    assert screen.view.search.text() == ""
    search(screen.view, "bela")
    assert [each.key.card for row in screen.map.cells for _, each in row] == ["bee/0"]
    assert "Cards 1." in screen.sums


def test_who_is_free_lists_idle_cards_and_unused_ones_first(open_screen: OpenScreen) -> None:
    screen = open_screen(TWO)
    choose(screen.view, "Who is free?")
    assert [row[:2] + row[3:6] for row in screen.rows] == [
        ["ant", "1", "78.00", "80", "nobody"],
        ["bee", "0", "50.00", "80", "bela (1 process)"],
    ]
    assert any(each.startswith("Idle is 0 % busy right now") for each in texts(screen.view))
    table = shown(Table, screen.view)
    table.setCurrentIndex(table.model().index(1, 0))
    press(table, Qt.Key.Key_Return)
    assert screen.room.opened == [("bee", "bee/0")]


def test_the_list_says_why_a_machine_does_not_answer(
    open_screen: OpenScreen, qtmodeltester: ModelTester
) -> None:
    screen = open_screen(with_troubles(room(4)))
    qtmodeltester.check(screen.map.model())  # type: ignore[no-untyped-call]
    screen.view.show_page("list")
    states = {row[0]: row[1] for row in screen.rows}
    assert states["gpu-04"] == "Connected"
    assert states["gpu-02"] == "Lost"
    assert states["gpu-lab.example.org"] == "Connecting for 6 min 12 s"
    assert states["gpu-01"].startswith("No connection for 2 min 11 s: The connection broke")
    refused = "Refused: The host key of old has changed. Remove the old one with ssh-keygen"
    assert states["root@old"] == f"{refused} -R old."


def test_old_figures_say_how_old_they_are(open_screen: OpenScreen) -> None:
    late = replace(TWO[0], age=14.0, simulated=True)
    screen = open_screen([late, TWO[1]])
    assert screen.spoken.endswith("14 s old")
    assert "2 machines, 4 cards · 1 machine simulated" in texts(screen.view)
    screen.view.show_page("list")
    assert [row[-1] for row in screen.rows] == ["14 s", "now"]
    screen.view.show_page("free")
    assert screen.rows[0][0] == "ant (simulated, 14 s old)"


def test_a_fleet_begins_with_what_is_lost(open_screen: OpenScreen) -> None:
    hot = replace(TWO[1], cards=(TWO[1].cards[0]._replace(mark=HOT),))
    gone = group("zoo", [lost_cell("zoo", 0)])
    screen = open_screen([TWO[0], hot, gone])
    assert names_on_map(screen) == ["ant", "bee", "zoo"]
    screen.room.of_fleet = True
    screen.show([TWO[0], hot, gone])
    assert names_on_map(screen) == ["zoo", "bee", "ant"]


def test_a_name_that_looks_like_markup_is_shown_as_it_is(open_screen: OpenScreen) -> None:
    screen = open_screen([group("<b>ant</b>", [cell("<b>ant</b>", 0)])])
    screen.map.setFocus()
    press(screen.map, Qt.Key.Key_Home)
    assert any(each.startswith("<b>ant</b>, card 0") for each in texts(screen.view))
    labels = [each for each in screen.view.findChildren(QLabel) if "<b>" in each.text()]
    assert {each.textFormat() for each in labels} == {Qt.TextFormat.PlainText}


@pytest.mark.parametrize("count", [1, 2, 8, 30, 1000])
def test_every_card_of_a_room_has_its_place_on_the_map(
    open_screen: OpenScreen, count: int
) -> None:
    screen = open_screen(room(count, racks=count // 20))
    assert sum(map(len, screen.map.cells)) == 8 * count
    screen.map.setFocus()
    press(screen.map, Qt.Key.Key_End)
    assert screen.spoken.startswith(f"{screen.room.listed[-1].name}, card 7")
    screen.map.grab()


def test_the_page_is_remembered_and_users_are_asked_for_while_it_is_seen(
    open_screen: OpenScreen,
) -> None:
    screen = open_screen(TWO)
    choose(screen.view, "List")
    assert screen.settings.remembered("machines/page") == "list"
    assert screen.room.looked
    screen.window.hide()
    assert not screen.room.looked
