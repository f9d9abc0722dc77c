"""8 000 cards with 20 metrics each through a real Prometheus: our time beside the server's."""

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from bench.fleet_exporters import CARDS_EACH, HOSTS, TARGETS
from bench.fleet_server import PROMETHEUS, memory_of, prometheus
from bench.http_cost import Meter
from bench.panning import moving
from bench.stage import let_run, stage
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Prometheus, address
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.gui.machines.view import MachinesView
from gpuexplorer.gui.state.groups import FleetHosts

_CARDS = HOSTS * CARDS_EACH
_PAST = ("GPU_UTIL", "GPU_TEMP")
_PATIENCE, _MINUTE, _HOUR, _WEEK = 300.0, 60.0, 3600.0, 7 * 86_400.0
_BEATS = 9


def figures() -> Sequence[Figure]:
    if PROMETHEUS is None:
        return [Figure("no `prometheus` on the path: nothing was measured", "")]
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with prometheus(Path(folder), HOSTS, TARGETS, _PAST) as (url, server):
            _wait_for_cards(url)
            made = time.perf_counter() - began
            fleet, meter = Fleet(Prometheus(address(url))), Meter()
            began = time.perf_counter()
            with stage(None, screen="machines", fleet=fleet) as app:
                return [
                    Figure("an hour of two metrics made, server started", f"{made:.0f} s"),
                    _first_picture(app, meter, began),
                    *_beats(app, meter),
                    *_minute(),
                    *_week(app),
                    _memory(),
                    Figure("the server's memory", f"{memory_of(server) / 1e6:.0f} MB"),
                ]


def _wait_for_cards(url: str) -> None:
    client, until = Prometheus(address(url)), time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            fleet = Fleet(client)
            fleet.look_for_cards()
            if len(fleet.now().cards) == _CARDS:
                client.end()
                return
        except Trouble:
            pass  # it starts, or has read nobody yet
        time.sleep(1.0)
    raise RuntimeError("The simulated exporters were not read in time.")


def _view(app: App) -> MachinesView:
    (view,) = app.window.findChildren(MachinesView)
    return view


def _hosts(app: App) -> FleetHosts:
    hosts = app.window.machines.state.fleet
    assert hosts is not None
    return hosts


def _first_picture(app: App, meter: Meter, began: float) -> Figure:
    """From before there was a window until all cards stand on the map."""
    until = time.monotonic() + _PATIENCE
    while len(_hosts(app).groups) < HOSTS and time.monotonic() < until:
        let_run(0.01)
    _view(app).pull()
    _view(app).repaint()
    took = time.perf_counter() - began
    server = meter.cost.waited
    what = f"first picture of {_CARDS} cards, beside the server's {server:.2f} s"
    return Figure(what, f"+{took - server:.2f} s", "+1 s", took - server <= 1.0)


def _beats(app: App, meter: Meter) -> Sequence[Figure]:
    """Asked here, in turns with the window, so that each part has its own time."""
    watching = _hosts(app).watching
    ours, theirs, carried, pulls = [], [], [], []
    for _ in range(_BEATS):
        let_run(0.5)
        before, began = meter.cost, time.perf_counter()
        cpu = time.thread_time()
        watching.look()
        cpu = time.thread_time() - cpu
        after, took = meter.cost, time.perf_counter() - began
        theirs.append(after.waited - before.waited)
        carried.append(after.bytes - before.bytes)
        ours.append((cpu, took - theirs[-1]))
        began = time.thread_time()
        _view(app).pull()
        pulls.append(time.thread_time() - began)
    cpu, wall = (statistics.median(each[way] for each in ours) for way in (0, 1))
    pull = statistics.median(pulls)
    server = statistics.median(theirs)
    size = statistics.median(carried) / 1e6
    return [
        Figure(
            f"a beat of all figures ({size:.1f} MB), beside the server's {server * 1e3:.0f} ms",
            f"+{cpu * 1e3:.0f} ms ({wall * 1e3:.0f} by the clock)",
            "+50 ms",
            cpu <= 0.05,
        ),
        Figure(
            "the same, the window's own part", f"{pull * 1e3:.0f} ms", "50 ms", pull <= 0.05
        ),
    ]


def _minute() -> Sequence[Figure]:
    own = psutil.Process()
    before = own.cpu_times()
    let_run(_MINUTE)
    after = own.cpu_times()
    used = after.user + after.system - before.user - before.system
    return [
        Figure("a minute of the map, processor", f"{used:.1f} s", "5 s", used <= 5.0),
    ]


def _week(app: App) -> Sequence[Figure]:
    """One card of one host, an hour seen."""
    machines, hosts = app.window.machines.state, _hosts(app)
    host = hosts.groups[0].key
    app.window.navigation.open_machine(hosts.open(host, machines))
    until = time.monotonic() + _PATIENCE
    while machines.session is machines.here and time.monotonic() < until:
        let_run(0.05)
    session = machines.session
    app.window.navigation.open_card(session.cards()[0].id)
    let_run(3.0)
    window, end = app.window.time_window, session.clock.now()

    def pan(step: float) -> None:
        start = end - _WEEK + step * (_WEEK - _HOUR)
        window.look_at(start, start + _HOUR)

    def pan_hour(step: float) -> None:
        window.look_at(end - 1.5 * _HOUR + step * _HOUR / 2, end - _HOUR / 2 + step * _HOUR / 2)

    return [
        *moving(app, "card of one host, panning a week", pan),
        *moving(app, "the same, panning the hour that has values", pan_hour),
    ]


def _memory() -> Figure:
    held = psutil.Process().memory_info().rss
    return Figure("memory at the end", f"{held / 1e6:.0f} MB", "300 MB", held <= 300e6)
