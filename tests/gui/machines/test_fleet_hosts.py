"""The hosts of a fleet in the window: as groups, and as machines once they are opened."""

from collections.abc import Iterator

import pytest

from gpuexplorer.core.cards import CardState
from gpuexplorer.fleet.client import Prometheus, address
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.host import Watching
from gpuexplorer.gui.state.groups import FleetHosts
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.remote.link import LinkState
from tests.clocks import ManualClock
from tests.fleet.fake_prometheus import FakePrometheus, card, fake_prometheus


@pytest.fixture
def server() -> Iterator[FakePrometheus]:
    with fake_prometheus() as made:
        for name in ("DEV_GPU_UTIL", "DEV_GPU_TEMP"):
            made.series[f"DCGM_FI_{name}"] = [
                (card(each, rack="r1", simulated="true"), 40.0) for each in range(16)
            ]
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
    server.series["DCGM_FI_DEV_XID_ERRORS"] = [(card(0), 79.0)]
    labels = {"alertname": "Down", "severity": "critical", "Hostname": "node-1"}
    server.alerts = [{"labels": labels, "annotations": {}, "state": "firing"}]
    watching.look()
    groups = hosts.groups
    assert all(each.alerts for each in groups)
    assert sorted([each.gravity for each in groups]) == [3, 4]
    assert [each.name for each in sorted(groups, key=lambda each: -each.gravity)] == [
        "node-1",
        "node-0",
    ]


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
    said = []
    for passed in (3.0, 10.0, 12.0):
        clock.advance(passed)
        said.append(hosts.groups[0].sentence)
    assert [each.split(":")[0] for each in said] == [
        f"No connection for {seconds} s" for seconds in (3, 13, 25)
    ]
    assert ["Next try in 12 s." in said[0], "Next try in 2 s." in said[1]] == [True, True]
    assert [each.age for each in hosts.groups] == [25.0, 25.0]
