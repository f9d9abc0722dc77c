"""Rooms full of machines that a test has made up, and the screen that shows them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.reasons import StateMark, state_mark
from gpuexplorer.gui.machines.heat_map import HeatMap
from gpuexplorer.gui.machines.view import MachinesView
from gpuexplorer.gui.state.groups import CardCell, CellKey, HostGroup, MachinesSource
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.gui.widgets.line import Line
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.session import remembering, session_on
from tests.gui.desks import desk_of
from tests.gui.hands import shown, the

GIB = float(1 << 30)
HOT = StateMark("Too warm", Tone.WARN, Icon.WARNING)


def cell(
    host: str,
    number: int,
    busy: float | None = 0.5,
    used: float = 20 * GIB,
    users: Sequence[str] = (),
) -> CardCell:
    """Without `busy` the card does not report it."""
    values, missing = {m.MEMORY_USED: used, m.MEMORY_TOTAL: 80 * GIB, m.TEMPERATURE: 50.0}, {}
    values |= {m.POWER_DRAW: 300.0, m.POWER_LIMIT: 700.0}
    if busy is None:
        missing[m.GPU_UTILIZATION] = Absence.NOT_SUPPORTED
    else:
        values[m.GPU_UTILIZATION] = busy
    key, name = CellKey(host, CardId(f"{host}/{number}")), "NVIDIA H100 80GB HBM3"
    return CardCell(
        *(key, str(number), name, CardState.WORKING, values, missing, 80 * GIB),
        *(frozenset(users), len(users)),
    )


def lost_cell(host: str, number: int) -> CardCell:
    state, missing = CardState.LOST, {m.GPU_UTILIZATION: Absence.LOST}
    return cell(host, number)._replace(
        state=state, values={}, missing=missing, users=None, processes=0, mark=state_mark(state)
    )


def group(
    name: str, cards: Sequence[CardCell] = (), standing: Standing = Standing.UP, place: str = ""
) -> HostGroup:
    return HostGroup(
        *(name, name, standing), for_seconds=372.0, cards=tuple(cards), place=place, age=0.4
    )


def room(machines: int, racks: int = 0) -> Sequence[HostGroup]:
    """Of eight cards each, and all of them answer."""
    made = []
    for host in range(machines):
        name, place = f"gpu-{host + 1:02}", f"rack {host * racks // machines + 1}"
        busy = [(host * 7 + number * 3) % 11 / 10 for number in range(8)]
        cells = [cell(name, number, share) for number, share in enumerate(busy)]
        made.append(group(name, cells, place=place if racks else ""))
    return made


def with_troubles(groups: Sequence[HostGroup]) -> Sequence[HostGroup]:
    """This computer without a card, one that never came, one that broke, one that refuses."""
    here = replace(group("laptop"), standing=Standing.HERE, shown=True)
    broken, some, *rest = groups
    broken = replace(
        broken,
        standing=Standing.BROKEN,
        why=Message("The connection broke: the server does not respond."),
        retry_in=12.0,
        age=131.0,
        for_seconds=131.0,
        cards=tuple(each.silent() for each in broken.cards),
    )
    no_figure = cell(some.key, 1, None)
    some = replace(some, cards=(lost_cell(some.key, 0), no_figure, *some.cards[2:]))
    connecting = group("gpu-lab.example.org", standing=Standing.CONNECTING)
    refused = replace(
        group("root@old", standing=Standing.REFUSED),
        why=Message("The host key of old has changed."),
        hint=Message("Remove the old one with ssh-keygen -R old."),
        age=None,
    )
    return [here, broken, some, connecting, refused, *rest]


class Room(MachinesSource):
    """Hands out what a test has made, and remembers what was opened."""

    def __init__(self, groups: Sequence[HostGroup]) -> None:
        self.of_fleet = False
        self.listed = groups
        self.opened: list[tuple[str, ...]] = []
        self.looked = False

    def groups(self) -> Sequence[HostGroup]:
        return self.listed

    def look(self, *, looking: bool) -> None:
        self.looked = looking

    def open_machine(self, key: str) -> None:
        self.opened.append((key,))

    def open_card(self, key: str, card: CardId) -> None:
        self.opened.append((key, card))


class Screen:
    """What a person has before them."""

    def __init__(self, groups: Sequence[HostGroup]) -> None:
        self.room = Room(groups)
        self.settings = Settings()
        self.window = QWidget()
        session = remembering(session_on(NoCards()))
        desk = desk_of(session, self.window, settings=self.settings)
        self.view = MachinesView(desk, self.room)
        column(self.view, within=self.window)
        self.window.setStyleSheet(look().style_sheet())
        self.window.resize(1392, 900)

    @property
    def map(self) -> HeatMap:
        return the(HeatMap, self.view)

    @property
    def sums(self) -> str:
        return ". ".join(each.accessibleName() for each in self.view.findChildren(Line)) + "."

    @property
    def spoken(self) -> str:
        """Of the cell at which the keyboard is."""
        return str(self.map.currentIndex().data())

    @property
    def rows(self) -> list[list[str]]:
        """Of the table that is seen."""
        model = shown(Table, self.view).model()
        return [
            [str(model.index(row, at).data()) for at in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

    def show(self, groups: Sequence[HostGroup]) -> None:
        """This is how they are from now on."""
        self.room.listed = groups
        self.view.pull()


OpenScreen = Callable[[Sequence[HostGroup]], Screen]


@pytest.fixture
def open_screen(qtbot: QtBot) -> Iterator[OpenScreen]:
    screens: list[Screen] = []

    def open_one(groups: Sequence[HostGroup]) -> Screen:
        screen = Screen(groups)
        qtbot.addWidget(screen.window)
        screens.append(screen)
        with qtbot.waitExposed(screen.window):
            screen.window.show()
        return screen

    yield open_one
    for screen in screens:
        screen.view.stop()
