"""What a person sees and does on the processes screen."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.gui.state.settings import Choices, Settings
from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton
from gpuexplorer.telemetry.process_book import ENDED_STAYS
from gpuexplorer.telemetry.process_names import NamedProcess
from tests.gui.fakes import GIB, SIMULATED, card, instance
from tests.gui.hands import button, click, press, texts
from tests.gui.processes.conftest import OpenScreen, Screen
from tests.gui.processes.programs import A, B, Machine, named, using

# Only the screen without a screen says so.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def three() -> list[NamedProcess]:
    return [
        named(using(A, 11, 3 * GIB), "python train.py"),
        named(using(A, 12, 9 * GIB), "python serve.py", user="bea"),
        named(using(B, 13, 5 * GIB), "Xorg", user="root", of_this_user=False),
    ]


def type_into(screen: Screen, words: str) -> None:
    [field] = screen.view.findChildren(QLineEdit)
    assert screen.view.start_search()
    assert field.hasFocus()
    QTest.keyClicks(field, words)


def action(screen: Screen, text: str) -> QAction:
    [found] = [each for each in screen.view.actions() if each.text() == text]
    return found


def menu_of(screen: Screen, text: str) -> QMenu:
    [opener] = [each for each in screen.view.findChildren(MenuButton) if each.text() == text]
    opener.click()
    [menu] = [each for each in opener.findChildren(QMenu) if each.isVisible()]
    return menu


def entry(menu: QMenu, text: str) -> QAction:
    [found] = [each for each in menu.actions() if each.text() == text]
    return found


def take(menu: QMenu, text: str) -> None:
    entry(menu, text).trigger()
    menu.close()


def test_processes_of_all_cards_stand_in_one_list(open_screen: OpenScreen) -> None:
    screen = open_screen(Machine(three()))
    assert screen.column("Command") == ["python serve.py", "Xorg", "python train.py"]
    assert screen.column("Card") == ["0", "1", "0"]
    assert any("3 processes on 2 cards" in each for each in texts(screen.view))


def test_rows_come_change_and_go_in_place(open_screen: OpenScreen, qtbot: QtBot) -> None:
    machine = Machine(three())
    screen = open_screen(machine)
    with qtbot.assertNotEmitted(screen.table.model().modelReset):
        machine.people[0] = named(using(A, 11, 20 * GIB), "python train.py")
        machine.people.append(named(using(B, 4, 1 * GIB), "python new.py"))
        screen.later(10.0)
    assert screen.column("Command")[0] == "python train.py"
    assert screen.column("Command")[-1] == "python new.py"


def test_who_ended_says_so_for_a_moment_and_goes(open_screen: OpenScreen) -> None:
    machine = Machine(three())
    screen = open_screen(machine)
    del machine.people[1]
    screen.later()
    assert screen.column("Memory, GiB")[0] in {"has ended", "left the card"}
    screen.later(ENDED_STAYS + 0.1)
    assert screen.column("Command") == ["Xorg", "python train.py"]


def test_who_is_picked_stays_picked(open_screen: OpenScreen) -> None:
    machine = Machine(three())
    screen = open_screen(machine)
    screen.pick(2)
    whole = screen.view.findChildren(QPlainTextEdit)[0]
    assert whole.toPlainText() == "python train.py"
    machine.people[0] = named(using(A, 11, 20 * GIB), "python train.py")
    screen.later(10.0)
    assert screen.table.currentIndex().row() == 0
    assert len(screen.table.selectionModel().selectedRows()) == 1
    assert whole.toPlainText() == "python train.py"


def test_rows_stand_still_while_somebody_goes_along_them_by_keyboard(
    open_screen: OpenScreen,
) -> None:
    machine = Machine(three())
    screen = open_screen(machine)
    screen.table.setFocus()
    screen.pick(1)
    press(screen.table, Qt.Key.Key_Down)
    machine.people[0] = named(using(A, 11, 20 * GIB), "python train.py")
    screen.later(2.0)
    assert screen.column("Command") == ["python serve.py", "Xorg", "python train.py"]
    assert screen.column("Memory, GiB") == ["9.00", "5.00", "20.00"]
    screen.later(4.0)
    assert screen.column("Command")[0] == "python train.py"
    assert screen.table.currentIndex().row() == 0


def test_rows_stand_still_while_a_menu_is_open(open_screen: OpenScreen) -> None:
    machine = Machine(three())
    screen = open_screen(machine)
    screen.pick(1)
    screen.table.customContextMenuRequested.emit(QPoint(40, 40))
    [menu] = [each for each in screen.view.findChildren(QMenu) if each.isVisible()]
    machine.people[0] = named(using(A, 11, 20 * GIB), "python train.py")
    screen.later(60.0)
    assert screen.column("Command")[0] == "python serve.py"
    menu.close()
    screen.later(1.0)
    assert screen.column("Command")[0] == "python train.py"


def test_a_caption_sorts_and_sorts_the_other_way(open_screen: OpenScreen) -> None:
    screen = open_screen(Machine(three()))
    captions = screen.table.headings
    [at] = [
        section
        for section in range(captions.count())
        if screen.table.model().headerData(section, Qt.Orientation.Horizontal) == "Command"
    ]
    place = QPoint(captions.sectionViewportPosition(at) + 20, 10)
    QTest.mouseClick(
        captions.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )
    assert screen.column("Command") == ["python serve.py", "python train.py", "Xorg"]
    QTest.mouseClick(
        captions.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )
    assert screen.column("Command") == ["Xorg", "python train.py", "python serve.py"]


def test_order_and_columns_are_chosen_by_menu_and_remembered(open_screen: OpenScreen) -> None:
    settings = Settings()
    screen = open_screen(Machine(three()), settings)
    menu = menu_of(screen, "Columns")
    take(menu, "Video encoder")
    menu = menu_of(screen, "Columns")
    sort = entry(menu, "Sort by").menu()
    assert isinstance(sort, QMenu)
    take(sort, "PID")
    menu.close()
    assert screen.column("PID") == ["11", "12", "13"]
    again = open_screen(Machine(three()), settings)
    assert again.column("PID") == ["11", "12", "13"]
    menu = menu_of(again, "Columns")
    assert entry(menu, "Video encoder").isChecked()
    menu.close()


def test_what_is_looked_for_is_found_and_the_filter_says_what_it_hides(
    open_screen: OpenScreen,
) -> None:
    screen = open_screen(Machine(three()))
    type_into(screen, "bea")
    assert screen.column("Command") == ["python serve.py"]
    assert any(each.startswith("1 of 3 rows shown") for each in texts(screen.view))
    type_into(screen, "nobody")
    assert "No process like “nobody”." in texts(screen.view)
    assert "3 processes are hidden by the filter." in texts(screen.view)
    click(screen.view, "Clear the filter")
    assert len(screen.column("Command")) == 3


def test_one_card_is_chosen_and_all_of_them_again(open_screen: OpenScreen) -> None:
    screen = open_screen(Machine(three()))
    take(menu_of(screen, "All cards"), "Card 1, NVIDIA TITAN RTX")
    assert screen.column("Command") == ["Xorg"]
    take(menu_of(screen, "Card 1"), "All cards")
    assert len(screen.column("Command")) == 3


def test_a_filter_by_a_card_on_which_nobody_is_names_the_card(open_screen: OpenScreen) -> None:
    screen = open_screen(Machine(three()[:2]))
    take(menu_of(screen, "All cards"), "Card 1, NVIDIA TITAN RTX")
    assert "No process on card 1." in texts(screen.view)


def test_ranks_of_one_training_stand_under_their_program(open_screen: OpenScreen) -> None:
    people = [
        named(using(on, pid, 2 * GIB), "torchrun train.py")
        for pid, on in enumerate((A, B, B), start=1)
    ]
    screen = open_screen(Machine([*people, named(using(A, 9, 1 * GIB), "Xorg")]))
    [choice] = [
        each for each in screen.view.findChildren(ToolButton) if each.text() == "By program"
    ]
    choice.click()
    assert screen.column("Command") == [*["torchrun train.py"] * 4, "Xorg"]
    assert screen.column("Memory, GiB") == ["6.00", "2.00", "2.00", "2.00", "1.00"]
    assert screen.table.isExpanded(screen.table.model().index(0, 0))
    screen.table.setFocus()
    screen.pick(0)
    press(screen.table, Qt.Key.Key_Left)
    screen.later(10.0)
    assert not screen.table.isExpanded(screen.table.model().index(0, 0))


def test_this_window_is_marked_and_what_it_holds_is_told(open_screen: OpenScreen) -> None:
    ours = named(using(A, 7, 1.5 * GIB), "gpuexplorer", ours=True)
    screen = open_screen(Machine([ours, *three()]))
    assert "gpuexplorer (this window)" in screen.column("Command")
    assert any("this window holds 1.50 GiB" in each for each in texts(screen.view))


@pytest.mark.parametrize("cards", [[card(0)], [card(0), card(1)]])
def test_where_nobody_uses_a_card_it_says_so(
    open_screen: OpenScreen, cards: list[Card]
) -> None:
    screen = open_screen(Machine((), cards))
    assert "Nobody uses a card." in texts(screen.view)


def test_before_the_first_answer_it_says_that_it_asks(open_screen: OpenScreen) -> None:
    machine = Machine()
    machine.look = lambda *_: None  # type: ignore[method-assign]  # no look was taken yet
    screen = open_screen(machine)
    assert "The driver is asked who uses the cards…" in texts(screen.view)


def test_where_it_cannot_be_told_it_says_so_and_keeps_who_was_there(
    open_screen: OpenScreen,
) -> None:
    machine = Machine(three())
    screen = open_screen(machine)
    machine.later(10.0, B)
    screen.view.pull()
    assert screen.column("Command") == ["python serve.py", "Xorg", "python train.py"]
    assert screen.column("Memory, GiB") == ["9.00", "not told just now", "3.00"]


def test_in_a_container_it_says_what_to_do(open_screen: OpenScreen) -> None:
    screen = open_screen(Machine(three(), foreign=True))
    assert set(screen.column("Command")) == {"name not visible in this container"}
    assert any("--pid=host" in each for each in texts(screen.view))
    screen.pick(0)
    assert not button(screen.view, "End…").isEnabled()
    assert any("somebody else" in each for each in texts(screen.view))


def test_simulated_processes_are_shown_and_there_is_nothing_to_end(
    open_screen: OpenScreen,
) -> None:
    machine = Machine(source=SIMULATED)
    screen = open_screen(machine)
    made_up = named(using(A, 1))
    process = made_up.process
    machine.people = []
    told = type(process)(
        A, 5, process.use, process.values, simulated_command="train", simulated_user="ada"
    )
    machine.session.process_book.take(A, [told])
    machine.names.known = {}
    screen.view.pull()
    assert any("all made up" in each for each in texts(screen.view))


def test_read_only_nothing_can_be_ended_and_the_reason_is_told(open_screen: OpenScreen) -> None:
    settings = Settings()
    screen = open_screen(Machine(three()), settings)
    screen.pick(2)
    assert button(screen.view, "End…").isEnabled()
    settings.choose(Choices(read_only=True))
    assert not [
        each
        for each in screen.view.findChildren(QPushButton)
        if each.text() == "End…" and each.isVisible()
    ]
    assert not action(screen, "End process…").isVisible()
    assert "Read-only: nothing can be ended from this window." in texts(screen.view)


def test_what_belongs_to_somebody_else_says_so_in_place_of_the_button(
    open_screen: OpenScreen,
) -> None:
    screen = open_screen(Machine(three()))
    screen.pick(1)
    assert not button(screen.view, "End…").isEnabled()
    assert "It belongs to root. Only they or an administrator may end it." in texts(screen.view)


def test_mig_instances_are_told_apart(open_screen: OpenScreen) -> None:
    whole = card(0, "NVIDIA H100")
    parts = [instance(whole, at) for at in range(2)]
    people = [
        named(using(CardId(part.id), at + 1, (at + 1) * GIB)) for at, part in enumerate(parts)
    ]
    screen = open_screen(Machine(people, [whole, *parts]))
    assert screen.column("Card") == ["0.1", "0.0"]
    assert any("2 processes on 1 card" in each for each in texts(screen.view))


def test_units_change_without_a_restart(open_screen: OpenScreen) -> None:
    settings = Settings()
    screen = open_screen(Machine(three()), settings)
    settings.choose(Choices(decimal_memory=True))
    assert screen.column("Memory, GB") == ["9.66", "5.37", "3.22"]


def test_figures_of_long_ago_are_told_as_such(open_screen: OpenScreen) -> None:
    machine = Machine(three())
    screen = open_screen(machine)
    machine.clock.advance(40.0)
    screen.view.pull()
    assert "As told 40 s ago; asked again now" in texts(screen.view)


def test_everything_is_reached_by_keyboard(open_screen: OpenScreen) -> None:
    screen = open_screen(Machine(three()))
    screen.pick(0)
    seen = set()
    screen.table.setFocus()
    for _ in range(20):
        focused = screen.window.focusWidget()
        assert focused is not None
        seen.add(focused.accessibleName() or getattr(focused, "text", lambda: "")())
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert {"Processes", "Card: All cards", "List", "Whole command", "Copy command"} <= seen
    assert any("CSV" in each for each in seen)
    assert any("Filter" in each for each in seen)


def test_a_card_is_opened_from_its_row(open_screen: OpenScreen, qtbot: QtBot) -> None:
    screen = open_screen(Machine(three()))
    screen.pick(1)
    screen.table.customContextMenuRequested.emit(QPoint(40, 40))
    [menu] = [each for each in screen.view.findChildren(QMenu) if each.isVisible()]
    with qtbot.waitSignal(
        screen.navigation.card_changed, check_params_cb=lambda found: found == B
    ):
        take(menu, "Open card 1")
