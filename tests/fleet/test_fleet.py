"""Fleet: who is there by which labels, what each says, and what nobody says."""

from copy import deepcopy
from pathlib import Path

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Login, Prometheus, address
from gpuexplorer.fleet.fleet import Fleet, FleetNow, match
from tests.fleet.fake_prometheus import FakePrometheus, card

_BUSY, _USED, _FREE, _TOTAL, _POWER, _HEAT = (
    MetricId(each)
    for each in (
        *("gpu_utilization", "memory_used", "memory_free", "memory_total"),
        *("power_draw", "temperature"),
    )
)
_FIRST = CardId("GPU-0000")


@pytest.fixture
def fleet(client: Prometheus) -> Fleet:
    return Fleet(client)


def _now(fleet: Fleet) -> FleetNow:
    fleet.look_for_cards()
    return fleet.now()


def test_cards_and_figures_are_as_their_exporter_labels_and_tells_them(fleet: Fleet) -> None:
    now = _now(fleet)
    assert len(now.cards) == 16
    known = now.cards[CardId("GPU-0009")]
    assert (known.host, known.number, known.name) == ("node-1", "1", "NVIDIA H100 80GB HBM3")
    assert known.bus_id == "0000:3b:00.0"
    figures = [now.values[each][_FIRST] for each in (_BUSY, _USED, _TOTAL, _FREE)]
    assert figures == [0.4, 2.0**30, 2.0**33, 7 * 2.0**30]
    assert now.ages[_FIRST] == 3.0
    assert now.state(_FIRST) is CardState.WORKING


def test_what_is_reserved_is_not_free_and_without_knowing_it_free_is_what_is_told_to_be(
    server: FakePrometheus, fleet: Fleet
) -> None:
    server.series["DCGM_FI_DEV_FB_RESERVED"].pop(1)
    nvidia = {"uuid": "a", "instance": "one:9835"}
    for name, value in (("gpu_info", 1.0), ("memory_total_bytes", 100.0)):
        server.series[f"nvidia_smi_{name}"] = [(nvidia, value)]
    for name, value in (("used", 60.0), ("reserved", 10.0), ("free", 40.0)):
        server.series[f"nvidia_smi_memory_{name}_bytes"] = [(nvidia, value)]
    now = _now(fleet)
    assert now.values[_FREE][CardId("a")] == 30.0
    assert CardId("GPU-0001") not in now.values[_TOTAL]
    assert now.values[_FREE][CardId("GPU-0001")] == 7 * 2.0**30


def test_a_uuid_that_two_places_of_one_job_tell_is_said(
    server: FakePrometheus, fleet: Fleet
) -> None:
    for series in server.series.values():
        series.append((card(0, Hostname="other", instance="10.0.0.9:9400\x1b[2J"), 1.0))
    (note,) = _now(fleet).notes
    assert "dcgm 10.0.0.0:9400 and dcgm 10.0.0.9:9400\ufffd[2J: that card is shown" in note


def test_a_login_that_others_can_read_is_said_above_the_map(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Prometheus(address("http://prom.example.org"), Login(bearer_file=Path("token")))
    monkeypatch.setattr(Prometheus, "exposed", there.exposed)
    (note,) = _now(fleet).notes
    assert note.startswith("The login goes to prom.example.org over plain http, and whoever")


def test_a_missing_figure_has_a_reason_and_that_of_serve_where_it_tells_one(
    server: FakePrometheus, fleet: Fleet
) -> None:
    server.series["DCGM_FI_DEV_GPU_UTIL"][0] = card(0), float("nan")
    server.series["DCGM_FI_DEV_GPU_TEMP"][0] = card(0), 9e9
    now = _now(fleet)
    first = now.cards[_FIRST]
    assert _FIRST not in now.values[_BUSY]
    assert now.why(first, _BUSY) is Absence.NO_NEW_VALUE
    assert now.why(first, MetricId("fan_speed")) is Absence.NOT_TOLD
    assert now.why(first, _HEAT) is Absence.IMPOSSIBLE
    server.series["gpuexplorer_card_state"] = [(card(0, state="working"), 1.0)]
    server.series["gpuexplorer_missing_info"] = [
        (card(0, metric="DCGM_FI_DEV_POWER_USAGE", reason="no permission"), 1.0),
        (card(0, metric="DCGM_FI_DEV_GPU_UTIL", reason="a strange one"), 1.0),
    ]
    del server.series["DCGM_FI_DEV_POWER_USAGE"][0]
    now = _now(fleet)
    assert now.why(first, _POWER) is Absence.NO_PERMISSION
    assert now.why(now.cards[_FIRST], _BUSY) is Absence.NO_NEW_VALUE


def test_a_card_that_fell_silent_stays_for_an_hour_and_one_that_comes_is_found(
    server: FakePrometheus, client: Prometheus
) -> None:
    fleet = Fleet(client)
    _now(fleet)
    server.before = deepcopy(server.series)
    for series in server.series.values():
        series[0] = card(99), 1.0
    now = fleet.now()
    assert CardId("GPU-0099") in now.cards
    assert now.state(_FIRST) is CardState.NO_ANSWER
    assert not now.notes
    server.before.clear()
    assert _FIRST not in _now(fleet).cards


def test_hosts_are_called_as_a_person_chooses_or_by_the_likeliest_label(
    server: FakePrometheus, client: Prometheus
) -> None:
    server.series["DCGM_FI_DEV_GPU_UTIL"] = [
        (card(0, hostname="new", node="k8s", rack="7"), 1.0),
        (card(1, Hostname="localhost"), 1.0),
        (card(2, Hostname=" "), 1.0),
    ]
    cards = _now(Fleet(client)).cards.values()
    assert [each.host for each in cards] == ["new", "10.0.0.0", "10.0.0.0"]
    assert [each.rack for each in cards] == ["7", "", ""]
    assert next(iter(_now(Fleet(client, "", "node")).cards.values())).host == "k8s"


def test_other_exporters_are_understood(server: FakePrometheus, fleet: Fleet) -> None:
    server.series = {
        "nvidia_smi_gpu_info": [({"uuid": "a", "name": "RTX", "instance": "one:9835"}, 1.0)],
        "nvidia_smi_utilization_gpu_ratio": [({"uuid": "a", "instance": "one:9835"}, 0.5)],
        "gpu_utilization_Percentage": [({"uuid": "b", "hostname": "two", "index": "1"}, 25.0)],
        "gpu_memory_used_MiB": [({"uuid": "b", "hostname": "two", "index": "1"}, 1.0)],
        "gpuexplorer_card_state": [
            ({"UUID": "c", "hostname": "three", "gpu": "0", "state": "working"}, 0.0),
            ({"UUID": "c", "hostname": "three", "gpu": "0", "state": "lost"}, 1.0),
        ],
    }
    now = _now(fleet)
    assert {each.host for each in now.cards.values()} == {"one", "two", "three"}
    assert now.values[_BUSY] == {"a": 0.5, "b": 0.25}
    assert now.states == {"c": CardState.LOST}


def test_alerts_that_fire_there_come_worst_first_and_then_oldest_first(
    server: FakePrometheus, fleet: Fleet
) -> None:
    def alert(name: str, severity: str, state: str = "firing", **of: str) -> dict[str, object]:
        labels = {"alertname": name, "severity": severity, **of}
        notes = {"summary": f"{name} \x1b[2J"}
        since = f"2026-11-28T17:0{len(name)}:00Z"
        return {"labels": labels, "annotations": notes, "state": state, "activeAt": since}

    server.alerts = [
        alert("Cold", "warning", UUID="GPU-0001"),
        alert("Hot", "warning", UUID="GPU-0001"),
        alert("Down", "critical", instance="10.0.0.1:9400", Hostname="node-1"),
        alert("Soon", "critical", "pending", UUID="GPU-0001"),
        alert("Elsewhere", "critical", instance="db:1"),
    ]
    told = _now(fleet).alerts
    assert [(each.name, each.host, each.urgent) for each in told] == [
        ("Down", "node-1", True),
        ("Hot", "node-0", False),
        ("Cold", "node-0", False),
    ]
    assert told[0].text == "Down \ufffd[2J"


def test_a_prometheus_without_cards_says_what_is_needed(
    server: FakePrometheus, fleet: Fleet
) -> None:
    server.series = {"up": [({"job": "x"}, 1.0)]}
    with pytest.raises(Trouble, match="No graphics card is to be seen"):
        fleet.look_for_cards()


@pytest.mark.parametrize("text", ["a='b'", "{a='b'}", " { a='b', } "])
def test_a_selector_may_stand_in_braces(text: str) -> None:
    assert match(text).strip() == "a='b'"
