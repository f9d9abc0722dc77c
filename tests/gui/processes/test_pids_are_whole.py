"""A pid is never cut: a part of it would be the pid of another process."""

from pytestqt.qtbot import QtBot

from gpuexplorer.gui.overview.lists import ProcessesPanel
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.tables.cell import PADDING
from gpuexplorer.gui.theme.look import look
from tests.gui.fakes import card, session_of, working
from tests.gui.processes.conftest import OpenScreen
from tests.gui.processes.programs import A, Machine, named, using

LONGEST = 4194303  # the greatest that Linux gives


def test_the_processes_screen_has_room_for_the_longest_however_narrow_it_is(
    open_screen: OpenScreen,
) -> None:
    screen = open_screen(Machine([named(using(A, LONGEST))]))
    assert screen.column("PID") == [str(LONGEST)]
    keys = [column.key for column in screen.table.listed.columns]
    for width in (1400, 1000, 560):
        screen.window.resize(width, 700)
        room = screen.table.columnWidth(keys.index("pid")) - 2 * PADDING
        assert room >= screen.look.letters.body.width(str(LONGEST))


def test_the_overview_has_room_for_the_longest_wherever_it_shows_pids(qtbot: QtBot) -> None:
    machine = MachineState(session_of({card(0): working()}), Settings())
    panel = ProcessesPanel(machine, TimeWindow())
    qtbot.addWidget(panel)
    table = panel.table
    at = [column.key for column in table.listed.columns].index("pid")
    room = look().letters.body.width(str(LONGEST)) + 2 * PADDING
    panel.show()
    for width in range(300, 1200, 50):
        panel.resize(width, 300)
        assert table.isColumnHidden(at) or table.columnWidth(at) >= room
