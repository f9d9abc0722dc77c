"""The machines of a window, read over their sessions, become groups of cards."""

from collections.abc import Callable, Iterator, Sequence

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import MEMORY_USED, Cadence, throttle
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.client import Prometheus, address
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.host import Watching
from gpuexplorer.gui.state.groups import FleetHosts, MachinesSource
from gpuexplorer.gui.state.machines import HERE, MachineRow, MachinesState, Standing
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, remembering
from tests.clocks import ManualClock
from tests.fleet.fake_prometheus import card as fleet_card
from tests.fleet.fake_prometheus import fake_prometheus
from tests.gui.fakes import Answer, FakeBackend, card, working

FAST = (Cadence.FAST, Cadence.SLOW)


class Listed(MachinesState):
    """Machines as a test lists them."""

    def __init__(self, here: Session, rows: Sequence[MachineRow]) -> None:
        super().__init__(Settings(), here)
        self.listed = rows
        self.clock = ManualClock(100.0)

    def rows(self) -> Sequence[MachineRow]:
        return self.listed

    def show(self, key: str) -> None:
        if any(each.key == key and each.session is not None for each in self.rows()):
            self.shown = key


def session_of(*answers: Answer) -> Session:
    backend = FakeBackend({card(at): answer for at, answer in enumerate(answers)})
    stream = Local(backend)
    session = remembering(Session(stream))
    stream.read_now(FAST, users=True)
    return session


OpenSource = Callable[[Sequence[MachineRow]], MachinesSource]


@pytest.fixture
def navigation() -> Navigation:
    return Navigation()


@pytest.fixture
def source_of(qtbot: QtBot, navigation: Navigation) -> Iterator[OpenSource]:
    states = []

    def open_one(rows: Sequence[MachineRow]) -> MachinesSource:
        here = next((each.session for each in rows if each.session), None)
        state = Listed(here or session_of(), rows)
        navigation.machine_asked.connect(state.show)
        states.append(state)
        return MachinesSource(state, navigation)

    yield open_one
    for state in states:
        state.stop()


def test_a_card_of_a_machine_has_what_its_session_read(source_of: OpenSource) -> None:
    hot = working(busy=0.9)
    hot.values = {**hot.values, throttle("hw_thermal_slowdown"): 1.0}
    silent = Answer(otherwise=Absence.NOT_SUPPORTED)
    session = session_of(working(busy=0.0, used=0.5), hot, silent)
    rows = [
        MachineRow(HERE, "desk", Standing.HERE, session=session),
        MachineRow("ant", "ant", Standing.CONNECTING),
    ]
    source = source_of(rows)
    asked = []
    for looking in (True, False):
        source.look(looking=looking)
        asked.append(session.watched.users)
    assert asked == [True, False]
    group, ant = source.groups()
    assert group.name == "desk"
    assert [each.idle for each in group.cards] == [True, False, False]
    assert [each.number for each in group.cards] == ["0", "1", "2"]
    assert [each.mark is not None for each in group.cards] == [False, True, False]
    assert group.cards[2].missing[MEMORY_USED] is Absence.NOT_SUPPORTED
    assert group.together.cards == 3
    assert group.age is not None
    assert (ant.cards, ant.age) == ((), None)


def test_machines_over_ssh_stand_beside_the_hosts_of_a_fleet(
    qtbot: QtBot, navigation: Navigation
) -> None:
    over_ssh, of_fleet = "node-0", "node-1 (Prometheus)"
    rows = [
        MachineRow(HERE, "desk", Standing.HERE),
        MachineRow(over_ssh, over_ssh, Standing.CONNECTING),
        MachineRow(of_fleet, of_fleet, Standing.UP, of_fleet=True),
    ]
    with fake_prometheus() as server:
        server.series["DCGM_FI_DEV_GPU_UTIL"] = [(fleet_card(each), 40.0) for each in range(16)]
        watching = Watching(Fleet(Prometheus(address(server.url))))
        state = Listed(session_of(), rows)
        state.fleet = FleetHosts(watching)
        watching.look()
        watching.stop()
    source = MachinesSource(state, navigation)
    listed = [(each.name, each.standing) for each in source.groups()]
    assert listed == [(over_ssh, Standing.CONNECTING), ("node-1", Standing.UP)]
    for host, key in ((over_ssh, over_ssh), ("node-1", of_fleet)):
        with qtbot.waitSignal(navigation.machine_asked) as asked:
            source.open_machine(host)
        assert asked.args == [key]
    state.stop()


def test_a_broken_link_leaves_no_figure_standing(source_of: OpenSource) -> None:
    session = session_of(working(busy=0.9))
    row = MachineRow(
        "ant",
        "ant",
        Standing.BROKEN,
        Message("Nobody answers."),
        for_seconds=60.0,
        retry_in=4.0,
        session=session,
    )
    [group] = source_of([row]).groups()
    assert [(each.state, dict(each.values)) for each in group.cards] == [
        (CardState.NO_ANSWER, {})
    ]
    assert (group.for_seconds, group.retry_in) == (60.0, 4.0)
    assert group.together.busy is None
