"""The machines of a window as groups of cards: over their sessions, and hosts of a fleet."""

import argparse
from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.app import App
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED, Cadence, throttle
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.client import Prometheus, address
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.host import Watching
from gpuexplorer.gui.rail import PythonFoot
from gpuexplorer.gui.screens import Screens
from gpuexplorer.gui.state.copies.between_machines import between
from gpuexplorer.gui.state.copies.copies_state import bench_maker
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.groups import FleetHosts, MachinesSource
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machines import HERE, MachineRow, MachinesState, Standing
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.notices import Notices
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.remote.link import LinkState
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, remembering
from tests.clocks import ManualClock
from tests.fleet.fake_prometheus import FakePrometheus, fake_prometheus
from tests.fleet.fake_prometheus import card as fleet_card
from tests.gui.fakes import Answer, FakeBackend, card, working
from tests.gui.hands import the

_PATIENCE = 30_000


class Listed(MachinesState):
    """Machines as a test lists them."""

    def __init__(self, here: Session, rows: Sequence[MachineRow]) -> None:
        super().__init__(Settings(), here)
        self.listed = rows
        self.clock = ManualClock(100.0)

    def rows(self) -> Sequence[MachineRow]:
        return self.listed


def session_of(*answers: Answer) -> Session:
    stream = Local(FakeBackend({card(at): answer for at, answer in enumerate(answers)}))
    session = remembering(Session(stream))
    stream.read_now((Cadence.FAST, Cadence.SLOW), users=True)
    return session


OpenSource = Callable[[Sequence[MachineRow]], MachinesSource]


@pytest.fixture
def source_of(qtbot: QtBot, request: pytest.FixtureRequest) -> OpenSource:
    def open_one(rows: Sequence[MachineRow]) -> MachinesSource:
        state = Listed(next(filter(None, (each.session for each in rows))), rows)
        request.addfinalizer(state.stop)
        return MachinesSource(state, Navigation())

    return open_one


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


def test_machines_over_ssh_stand_beside_the_hosts_of_a_fleet(qtbot: QtBot) -> None:
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
    navigation = Navigation()
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
        *("ant", "ant", Standing.BROKEN), for_seconds=60.0, retry_in=4.0, session=session
    )
    [group] = source_of([row]).groups()
    assert [(each.state, dict(each.values)) for each in group.cards] == [
        (CardState.NO_ANSWER, {})
    ]
    assert (group.for_seconds, group.retry_in) == (60.0, 4.0)
    assert group.together.busy is None


@pytest.fixture
def server() -> Iterator[FakePrometheus]:
    with fake_prometheus() as made:
        for name in ("DEV_GPU_UTIL", "DEV_GPU_TEMP"):
            made.series[f"DCGM_FI_{name}"] = [(fleet_card(each), 40.0) for each in range(16)]
        yield made


@pytest.fixture
def watching(server: FakePrometheus) -> Iterator[Watching]:
    made = Watching(Fleet(Prometheus(address(server.url))), clock=ManualClock())
    yield made
    made.stop()


def test_a_server_that_never_answered_says_why(
    server: FakePrometheus, watching: Watching
) -> None:
    hosts = FleetHosts(watching)
    assert [each.standing for each in hosts.groups] == [Standing.CONNECTING]
    server.special["*"] = 401, {}, b""
    watching.look()
    (group,) = hosts.groups
    assert group.standing is Standing.BROKEN
    assert "wants to know who asks" in group.why
    assert "--prometheus-login" in group.hint
    assert group.retry_in == 60.0


def test_a_host_that_fell_silent_says_so(server: FakePrometheus, watching: Watching) -> None:
    hosts = FleetHosts(watching)
    watching.look()
    for series in server.series.values():
        del series[:8]
    watching.look()
    one, other = hosts.groups
    assert one.standing is Standing.BROKEN
    assert "no new value of its cards" in one.why
    assert {each.state for each in one.cards} == {CardState.NO_ANSWER}
    assert other.standing is Standing.UP


def test_a_critical_alert_comes_before_an_error_of_a_card(
    server: FakePrometheus, watching: Watching
) -> None:
    hosts = FleetHosts(watching)
    server.series["DCGM_FI_DEV_XID_ERRORS"] = [(fleet_card(0), 79.0)]
    labels = {"alertname": "Down", "severity": "critical", "Hostname": "node-1"}
    server.alerts = [{"labels": labels, "annotations": {}, "state": "firing"}]
    watching.look()
    groups = hosts.groups
    assert all(each.alerts for each in groups)
    assert {each.name: each.gravity for each in groups} == {"node-0": 3, "node-1": 4}


def test_what_was_known_stays_when_the_server_breaks_and_its_outage_is_counted(
    server: FakePrometheus, watching: Watching
) -> None:
    clock = watching.clock
    assert isinstance(clock, ManualClock)
    hosts = FleetHosts(watching)
    watching.look()
    server.special["*"] = 503, {}, b""
    watching.look()
    groups = hosts.groups
    assert len(groups) == 2
    assert all(each.standing is Standing.BROKEN and each.cards for each in groups)
    assert "too busy" in groups[0].why
    assert (hosts.link.state, hosts.link.why) == (LinkState.BROKEN, groups[0].why)
    for passed, seconds, retry in ((3.0, 3, "Next try in 12 s."), (10.0, 13, "in 2 s.")):
        clock.advance(passed)
        said = hosts.groups[0].sentence
        assert said.startswith(f"No connection for {seconds} s:")
        assert said.endswith(retry)
    assert [each.age for each in hosts.groups] == [13.0, 13.0]


@pytest.fixture
def app(server: FakePrometheus, qtbot: QtBot) -> Iterator[App]:
    arguments = argparse.Namespace(
        **dict.fromkeys(("simulate", "view", "theme", "size", "screenshot", "open")),
        or_simulate=False,
        fault="",
        seed=0,
        fleet=Fleet(Prometheus(address(server.url))),
    )
    nobody = Attempt("NVIDIA", Message("There is no driver."), Message("Install one."))
    made = App(arguments, lambda: (None, [nobody]), patience=1.0)
    qtbot.addWidget(made.window)
    made.window.show()
    yield made
    made.window.close()
    made.stop()


def _hosts(app: App) -> FleetHosts:
    hosts = app.window.machines.state.fleet
    assert hosts is not None
    return hosts


def _open_a_host(app: App, qtbot: QtBot) -> Session:
    qtbot.waitUntil(lambda: len(_hosts(app).groups) == 2, timeout=_PATIENCE)
    machines = app.window.machines.state
    app.window.navigation.open_machine(_hosts(app).open("node-1", machines))
    qtbot.waitUntil(lambda: machines.session.computer == "node-1", timeout=_PATIENCE)
    return machines.session


@pytest.mark.long
def test_what_prometheus_warns_of_stands_above_the_hosts(
    app: App, server: FakePrometheus, qtbot: QtBot
) -> None:
    assert app.window.navigation.screen == "machines"
    (notes,) = app.window.findChildren(ElidedLabel, "machines.notes")

    def told(*, seen: bool) -> bool:
        _hosts(app).watching.ask_now()
        return notes.isVisible() is seen

    body = b'{"status":"success","data":{"alerts":[]},"warnings":["a shard is <b>missing</b>"]}'
    server.special["/api/v1/alerts"] = 200, {}, body
    qtbot.waitUntil(lambda: told(seen=True), timeout=_PATIENCE)
    assert notes.text() == "Prometheus warns: a shard is <b>missing</b>"
    del server.special["/api/v1/alerts"]
    qtbot.waitUntil(lambda: told(seen=False), timeout=_PATIENCE)


def test_a_server_that_breaks_is_said_below_the_host_and_takes_no_keyboard_along(
    app: App, server: FakePrometheus, qtbot: QtBot
) -> None:
    _open_a_host(app, qtbot)
    server.special["*"] = 503, {}, b""
    (strip,) = app.window.findChildren(Notices)
    _hosts(app).watching.ask_now()
    qtbot.waitUntil(strip.isVisible, timeout=_PATIENCE)
    retry = next(each for each in strip.findChildren(QPushButton) if each.isVisible())
    retry.setFocus()
    server.special.clear()
    _hosts(app).watching.ask_now()
    qtbot.waitUntil(strip.isHidden, timeout=_PATIENCE)
    # Enter does nothing that was not asked for.
    (screens,) = app.window.findChildren(Screens)
    assert screens.isAncestorOf(app.window.focusWidget())


def test_nothing_is_started_here_for_a_host_that_only_tells_figures(
    app: App, qtbot: QtBot
) -> None:
    session = _open_a_host(app, qtbot)
    lab = app.window.machines.lab(session)
    with qtbot.waitSignal(
        lab.stage_changed, timeout=_PATIENCE, check_params_cb=lambda: lab.stage is Stage.FAILED
    ):
        lab.run("1 + 1")
    assert "Prometheus" in lab.sentence
    with qtbot.waitSignal(lab.pythons.changed, timeout=_PATIENCE):
        assert bench_maker(lab, Ways(lab.machine, lab.cards))() is None
    assert lab.pythons.python is None
    _, host = between(app.window.machines.state, lambda _: None).hosts
    assert host.why_not == session.source.figures_alone


def test_a_host_opens_as_a_machine_and_says_on_each_screen_what_is_not_told(
    app: App, qtbot: QtBot
) -> None:
    foot = the(PythonFoot, app.window)
    session = _open_a_host(app, qtbot)
    assert _open_a_host(app, qtbot) is session
    first = session.cards()[0].id
    qtbot.waitUntil(lambda: session.reading(first) is not None, timeout=_PATIENCE)
    reading = session.reading(first)
    assert reading is not None
    assert reading.values[GPU_UTILIZATION] == 0.4
    names = [each.name for each in app.window.machines.state.rows()]
    assert names[1:] == ["node-1 (Prometheus)"]
    assert foot.isHidden()

    def said() -> bool:
        shown = [each.text() for each in app.window.findChildren(QLabel) if each.isVisible()]
        return session.source.figures_alone in shown

    for screen in ("overview", "card", "events"):
        app.window.navigation.open_screen(screen)
        assert not said()
    for screen in ("processes", "topology", "lab", "copies"):
        app.window.navigation.open_screen(screen)
        qtbot.waitUntil(said, timeout=_PATIENCE)
