"""A window on a Prometheus: its hosts on the screen of machines, and one of them opened."""

import argparse
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.app import App
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.client import Prometheus, address
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.gui.machines.view import MachinesView
from gpuexplorer.gui.rail import PythonFoot
from gpuexplorer.gui.screens import Screens
from gpuexplorer.gui.state.copies.between_machines import between
from gpuexplorer.gui.state.copies.copies_state import bench_maker
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.groups import FleetHosts
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.bars.notices import Notices
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.session import Session
from tests.fleet.fake_prometheus import FakePrometheus, card, fake_prometheus
from tests.gui.hands import the

_PATIENCE = 30_000


@pytest.fixture
def server() -> Iterator[FakePrometheus]:
    with fake_prometheus() as made:
        for name in ("DEV_GPU_UTIL", "DEV_GPU_TEMP"):
            made.series[f"DCGM_FI_{name}"] = [(card(each), 40.0) for each in range(16)]
        yield made


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


def test_the_window_opens_on_the_hosts_the_worst_first(
    app: App, server: FakePrometheus, qtbot: QtBot
) -> None:
    labels = {"alertname": "Hot", "Hostname": "node-1"}
    server.alerts = [{"labels": labels, "annotations": {}, "state": "firing"}]
    assert app.window.navigation.screen == "machines"
    (view,) = app.window.findChildren(MachinesView)
    _hosts(app).watching.ask_now()
    qtbot.waitUntil(lambda: any(each.alerts for each in _hosts(app).groups), timeout=_PATIENCE)
    view.show_page("list")
    table = next(each for each in view.findChildren(Table) if each.isVisible())
    assert table.model().index(0, 0).data() == "node-1"


def test_what_prometheus_warns_of_stands_above_the_hosts(
    app: App, server: FakePrometheus, qtbot: QtBot
) -> None:
    (view,) = app.window.findChildren(MachinesView)
    body = b'{"status":"success","data":{"alerts":[]},"warnings":["a shard is <b>missing</b>"]}'
    server.special["/api/v1/alerts"] = 200, {}, body
    _hosts(app).watching.ask_now()
    (notes,) = view.findChildren(ElidedLabel, "machines.notes")
    qtbot.waitUntil(notes.isVisible, timeout=_PATIENCE)
    assert notes.text() == "Prometheus warns: a shard is <b>missing</b>"
    del server.special["/api/v1/alerts"]
    _hosts(app).watching.ask_now()
    qtbot.waitUntil(notes.isHidden, timeout=_PATIENCE)


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
