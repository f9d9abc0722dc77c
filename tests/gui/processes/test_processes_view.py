"""What a person sees and does on the processes screen."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.processes.view import EndDialog
from gpuexplorer.gui.state.choices import Choices
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.telemetry.processes import Ancestor, NamedProcess
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import GIB, card, instance
from tests.gui.hands import button, choose, click, press, search, shown, table_called, texts
from tests.gui.processes.conftest import A, B, Machine, OpenScreen, Screen, named, using

HINT = Qt.ItemDataRole.ToolTipRole
# Only the screen without a screen says so.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def three() -> list[NamedProcess]:
    return [
        named(using(A, 11, 3 * GIB), "python train.py"),
        named(using(A, 12, 9 * GIB), "python serve.py", user="bea"),
        named(using(B, 13, 5 * GIB), "Xorg", user="root", of_this_user=False),
    ]


def cells_of(screen: Screen, name: str) -> list[str]:
    """What a table of one row says, and of a curve what it shows."""
    model = table_called(screen.view, name).model()
    first = [model.index(0, at) for at in range(model.columnCount())]
    return [each.data() or each.data(HINT) for each in first if each.isValid()]


def job() -> list[NamedProcess]:
    """A launcher with an agent for each node; one agent's worker has a helper on the card."""
    shell = Ancestor(50, "bash")
    launcher = Ancestor(100, "slurmstepd")
    agents = Ancestor(110, "torchrun a"), Ancestor(120, "torchrun b")
    worker = Ancestor(111, "python train.py")
    a, b = ((each, launcher, shell) for each in agents)
    return [
        named(using(A, 111, 2 * GIB), "python train.py", ancestors=a),
        named(using(B, 112, 3 * GIB), "python train.py", ancestors=a),
        named(using(A, 113, 1 * GIB), "python load.py", ancestors=(worker, *a)),
        named(using(B, 121, 4 * GIB), "python train.py", ancestors=b),
        named(using(A, 9, 1 * GIB), "Xorg"),
    ]


def test_a_tree_is_as_deep_as_processes_started_each_other(open_screen: OpenScreen) -> None:
    screen = open_screen(Machine(job()))
    choose(screen.view, "Tree")
    # What has one child and no card, as the shell and the second agent, has no row.
    assert list(zip(screen.column("PID"), screen.column("Memory, GiB"), strict=True)) == [
        ("100", "10.00"),
        ("110", "6.00"),
        ("111", "3.00"),
        ("111", "2.00"),
        ("113", "1.00"),
        ("112", "3.00"),
        ("121", "4.00"),
        ("9", "1.00"),
    ]
    assert screen.column("Command")[:3] == [
        "slurmstepd (parent)",
        "torchrun a (parent)",
        "python train.py",
    ]
    press(screen.table, Qt.Key.Key_C, control=True)
    assert "8 rows copied." in texts(screen.view)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 1 + 8
    choose(screen.view, "List")
    assert "100" not in screen.column("PID")


def test_what_a_chosen_process_took_is_drawn_over_time_and_said_on_all_its_cards(
    open_screen: OpenScreen,
) -> None:
    shares = {A: (3 * GIB, 0.4), B: (1 * GIB, 0.9)}
    machine = Machine([named(using(card, 11, *its), cpu=1.5) for card, its in shares.items()])
    screen = open_screen(machine)
    machine.people = [named(using(card, 11, *its)) for card, its in shares.items()]
    screen.later()
    screen.pick(0)
    assert cells_of(screen, "Last 4 minutes") == [
        *("40–90", "40 to 90 %, 65 % on average in 2 looks"),
        *("4.00", "1.00 to 3.00 GiB, 2.00 GiB on average in 2 looks"),
        *("50", "50 to 150 %, 100 % on average in 2 looks"),
        *("2.00", "2.00 to 2.00 GiB, 2.00 GiB on average in 2 looks"),
    ]
    screen.table.clearSelection()
    assert cells_of(screen, "Last 4 minutes") == []


def test_what_is_looked_for_is_found_and_the_filter_says_what_it_hides(
    open_screen: OpenScreen,
) -> None:
    screen = open_screen(Machine(three()))
    search(screen.view, "bea")
    assert screen.column("Command") == ["python serve.py"]
    assert any(each.startswith("1 of 3 rows shown") for each in texts(screen.view))
    search(screen.view, "nobody")
    assert "No process fits the filter." in texts(screen.view)
    assert "3 processes are hidden by the filter." in texts(screen.view)
    click(screen.view, "Clear the filter")
    assert len(screen.column("Command")) == 3


def test_what_may_not_be_ended_says_why_in_place_of_the_button(open_screen: OpenScreen) -> None:
    settings = Settings()
    screen = open_screen(Machine(three()), settings)
    screen.pick(1)
    assert not button(screen.view, "End…").isEnabled()
    assert "It belongs to root. Only they or an administrator may end it." in texts(screen.view)
    screen.pick(2)
    assert button(screen.view, "End…").isEnabled()
    settings.choose(Choices(read_only=True))
    buttons = screen.view.findChildren(QPushButton)
    assert not [each for each in buttons if each.text() == "End…" and each.isVisible()]
    assert "End process…" not in [e.text() for e in screen.view.actions() if e.isVisible()]
    press(screen.table, Qt.Key.Key_Delete)
    assert not screen.view.findChildren(EndDialog)
    assert "Read-only: nothing can be ended from this window." in texts(screen.view)


@pytest.mark.parametrize(
    ("people", "foreign", "words"),
    [
        ([], False, "No program uses a card."),
        (three(), True, "--pid=host"),
        ([named(using(A, 7, GIB), ours=True)], False, "this window holds 1.00 GiB"),
    ],
)
def test_what_is_to_be_known_is_said_beside_the_rows(
    open_screen: OpenScreen, people: list[NamedProcess], foreign: bool, words: str
) -> None:
    screen = open_screen(Machine(people, foreign=foreign))
    assert any(words in each for each in texts(screen.view))
    screen.machine.clock.advance(40.0)
    screen.view.pull()
    assert "As reported 40 s ago; asked again now" in texts(screen.view)


def test_instances_are_told_apart(open_screen: OpenScreen) -> None:
    whole = card(0, "NVIDIA H100")
    parts = [instance(whole, at) for at in range(2)]
    people = [named(using(part.id, at, (at + 1) * GIB)) for at, part in enumerate(parts)]
    assert open_screen(Machine(people, [whole, *parts])).column("Card") == ["0.1", "0.0"]


def test_a_card_is_opened_from_its_row(open_screen: OpenScreen, qtbot: QtBot) -> None:
    screen = open_screen(Machine(three()))
    screen.pick(1)
    screen.table.customContextMenuRequested.emit(QPoint(40, 40))
    [menu] = [each for each in screen.view.findChildren(QMenu) if each.isVisible()]
    with qtbot.waitSignal(
        screen.navigation.card_changed, check_params_cb=lambda found: found == B
    ):
        next(each for each in menu.actions() if each.text() == "Open card 1").trigger()
    menu.close()


def test_nothing_is_squeezed_in_the_smallest_window(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(remembering(session_on(simulated("2xTitanRTX"), interval=0.1)))
    window.navigation.open_screen("processes")
    window.resize(560, 420)
    table = shown(Table, window)
    qtbot.waitUntil(lambda: table.model().rowCount() > 2, timeout=20_000)
    field = next(each for each in window.findChildren(SearchField) if each.isVisible())
    qtbot.waitUntil(lambda: table.viewport().height() > 100)
    assert field.height() >= field.minimumSizeHint().height()
    assert "Whole command" not in {
        each.accessibleName() for each in window.findChildren(QWidget) if each.isVisible()
    }
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: button(window, "End…").isVisible())
