"""Fleet: who is there by which labels, what each says, and what nobody says."""

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.identity import Chosen
from gpuexplorer.fleet.selector import match, quoted
from tests.fleet.fake_prometheus import FakePrometheus, card

_BUSY, _USED, _TOTAL = (
    MetricId(each) for each in ("gpu_utilization", "memory_used", "memory_total")
)
_FIRST = CardId("GPU-0000")


@pytest.fixture
def fleet(client: Prometheus) -> Fleet:
    return Fleet(client)


def test_figures_are_in_our_units_and_as_old_as_prometheus_says(fleet: Fleet) -> None:
    fleet.look_for_cards()
    now = fleet.now()
    assert len(now.cards) == 16
    assert now.values[_BUSY][_FIRST] == 0.4
    assert now.values[_USED][_FIRST] == 2.0**30
    assert now.values[_TOTAL][_FIRST] == 2.0**33
    assert now.values[MetricId("memory_free")][_FIRST] == 7 * 2.0**30
    assert now.ages[_FIRST] == 3.0
    assert now.state(_FIRST) is CardState.WORKING


def test_free_memory_is_told_by_exporters_that_do_not_know_what_is_reserved(
    server: FakePrometheus, fleet: Fleet
) -> None:
    del server.series["DCGM_FI_DEV_FB_RESERVED"]
    fleet.look_for_cards()
    now = fleet.now()
    assert _TOTAL not in now.values
    assert now.values[MetricId("memory_free")][_FIRST] == 7 * 2.0**30


def test_a_card_is_known_by_the_labels_of_its_exporter(fleet: Fleet) -> None:
    fleet.look_for_cards()
    known = fleet.now().cards[CardId("GPU-0009")]
    assert (known.host, known.number, known.name) == ("node-1", "1", "NVIDIA H100 80GB HBM3")
    assert known.bus_id == "0000:3b:00.0"


def test_no_question_is_open_and_the_selector_is_in_all(
    server: FakePrometheus, client: Prometheus
) -> None:
    fleet = Fleet(client, match("{job='dcgm'}"))
    fleet.look_for_cards()
    fleet.now()
    fleet.look_back()
    assert server.queries()
    for query in server.queries():
        assert "{job='dcgm'}" in query
        assert "DCGM_FI_DEV_" in query


def test_two_jobs_that_show_one_card_show_it_once(server: FakePrometheus, fleet: Fleet) -> None:
    for name, series in server.series.items():
        series += [
            (labels | {"job": "again", "instance": "x:1"}, value) for labels, value in series
        ]
        assert name
    fleet.look_for_cards()
    now = fleet.now()
    assert len(now.cards) == 16
    assert now.values[MetricId("power_draw")][_FIRST] == 300.0
    assert "16 cards are shown by more than one job" in now.notes[0]


def test_a_uuid_that_two_places_of_one_job_tell_is_said(
    server: FakePrometheus, fleet: Fleet
) -> None:
    for series in server.series.values():
        series.append((card(0, Hostname="other", instance="10.0.0.9:9400\x1b[2J"), 1.0))
    fleet.look_for_cards()
    (note,) = fleet.now().notes
    assert "GPU-0000 is told of at two places, 10.0.0.0:9400 and 10.0.0.9:9400 [2J: " in note


def test_a_simulated_card_is_known_as_one_without_its_label(
    server: FakePrometheus, fleet: Fleet
) -> None:
    server.series["DCGM_FI_DEV_GPU_UTIL"].append((card(0, UUID="SIM-0-there-9410"), 1.0))
    fleet.look_for_cards()
    cards = fleet.now().cards.values()
    assert [each.uuid for each in cards if each.simulated] == ["SIM-0-there-9410"]


def test_what_an_exporter_does_not_tell_is_missing_with_that_reason(
    server: FakePrometheus, fleet: Fleet
) -> None:
    server.series["DCGM_FI_DEV_GPU_UTIL"][0] = card(0), float("nan")
    server.series["DCGM_FI_DEV_GPU_TEMP"][0] = card(0), 9e9
    fleet.look_for_cards()
    now = fleet.now()
    first = now.cards[_FIRST]
    assert _FIRST not in now.values[_BUSY]
    assert now.why(first, _BUSY) is Absence.NO_NEW_VALUE
    assert now.why(first, MetricId("fan_speed")) is Absence.NOT_TOLD
    assert now.why(first, MetricId("temperature")) is Absence.IMPOSSIBLE


def test_why_a_figure_is_missing_is_read_where_serve_tells_it(
    server: FakePrometheus, fleet: Fleet
) -> None:
    server.series["gpuexplorer_card_state"] = [(card(0, state="working"), 1.0)]
    server.series["gpuexplorer_missing_info"] = [
        (card(0, metric="DCGM_FI_DEV_POWER_USAGE", reason="no permission"), 1.0),
        (card(0, metric="DCGM_FI_DEV_GPU_TEMP", reason="a strange one"), 1.0),
    ]
    for name in ("POWER_USAGE", "GPU_TEMP"):
        del server.series[f"DCGM_FI_DEV_{name}"][0]
    fleet.look_for_cards()
    now = fleet.now()
    first = now.cards[_FIRST]
    assert now.why(first, MetricId("power_draw")) is Absence.NO_PERMISSION
    assert now.why(first, MetricId("temperature")) is Absence.NO_NEW_VALUE


def test_xid_errors_are_told_by_the_card(server: FakePrometheus, fleet: Fleet) -> None:
    server.series["DCGM_FI_DEV_XID_ERRORS"] = [(card(0), 79.0), (card(1), 0.0)]
    server.series["nvidia_smi_gpu_info"] = [({"uuid": "GPU-0002", "instance": "a:1"}, 1.0)]
    server.series["nvidia_smi_xid_errors_total"] = [({"uuid": "GPU-0002", "xid": "48"}, 2.0)]
    fleet.look_for_cards()
    assert fleet.now().xids == {_FIRST: 79, CardId("GPU-0002"): 48}


def test_a_card_that_nobody_tells_of_any_more_stays_and_does_not_answer(
    server: FakePrometheus, fleet: Fleet
) -> None:
    fleet.look_for_cards()
    for series in server.series.values():
        del series[0]
    now = fleet.now()
    assert _FIRST in now.cards
    assert now.state(_FIRST) is CardState.NO_ANSWER


def test_a_card_that_comes_later_is_found(server: FakePrometheus, fleet: Fleet) -> None:
    fleet.look_for_cards()
    for series in server.series.values():
        series.append((card(99), 1.0))
    assert CardId("GPU-0099") in fleet.now().cards


def test_a_card_that_nobody_tells_of_for_an_hour_is_gone(
    server: FakePrometheus, client: Prometheus
) -> None:
    wall = [1e9]
    fleet = Fleet(client, wall=lambda: wall[0])
    fleet.look_for_cards()
    fleet.now()
    for name in server.series:
        server.series[name] = server.series[name][1:]
    wall[0] += 1800.0
    fleet.look_for_cards()
    assert _FIRST in fleet.now().cards
    wall[0] += 1801.0
    fleet.look_for_cards()
    now = fleet.now()
    assert _FIRST not in now.cards
    assert len(now.cards) == 15


def test_more_cards_than_can_be_shown_are_refused(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpuexplorer.fleet.roster._MOST_CARDS", 15)
    with pytest.raises(Trouble, match="tells of 16 cards, and at most 15 can be shown"):
        fleet.look_for_cards()


def test_other_cards_all_the_time_do_not_add_up(
    server: FakePrometheus, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpuexplorer.fleet.roster._MOST_CARDS", 50)
    for turn in range(10):
        for name in server.series:
            server.series[name] = [(card(16 * turn + each), 1.0) for each in range(16)]
        fleet.look_for_cards()
        assert len(fleet.now().cards) <= 50 + 16


def test_a_blank_is_no_name_of_a_host(server: FakePrometheus, fleet: Fleet) -> None:
    for name in server.series:
        server.series[name] = [(card(0, Hostname=" "), 1.0)]
    fleet.look_for_cards()
    assert {each.host for each in fleet.now().cards.values()} == {"10.0.0.0"}


def test_hosts_are_called_as_a_person_chooses_or_by_the_likeliest_label(
    server: FakePrometheus, client: Prometheus
) -> None:
    server.series["DCGM_FI_DEV_GPU_UTIL"] = [
        (card(0, hostname="new", node="k8s"), 1.0),
        (card(1, Hostname="localhost"), 1.0),
        (card(2, Hostname="", row="7"), 1.0),
    ]
    told = Fleet(client)
    told.look_for_cards()
    assert [each.host for each in told.now().cards.values()] == ["new", "10.0.0.0", "10.0.0.0"]
    told = Fleet(client, chosen=Chosen(host="node", rack="row"))
    told.look_for_cards()
    cards = list(told.now().cards.values())
    assert cards[0].host == "k8s"
    assert cards[2].rack == "7"


def test_parts_of_a_card_are_told_apart_from_it(server: FakePrometheus, fleet: Fleet) -> None:
    part = card(0, GPU_I_ID="3", GPU_I_PROFILE="1g.10gb")
    server.series["DCGM_FI_DEV_FB_USED"].append((part, 512.0))
    server.series["DCGM_FI_DEV_GPU_UTIL"].append((part, float("nan")))
    fleet.look_for_cards()
    now = fleet.now()
    known = now.cards[CardId("GPU-0000/3")]
    assert (known.kind, known.number) == (CardKind.MIG, "0.3")
    assert now.values[_USED][known.id] == 2.0**29
    assert now.values[_USED][_FIRST] == 2.0**30


def test_other_exporters_are_understood(server: FakePrometheus, client: Prometheus) -> None:
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
    fleet = Fleet(client)
    fleet.look_for_cards()
    now = fleet.now()
    assert {each.host for each in now.cards.values()} == {"one", "two", "three"}
    assert now.values[_BUSY] == {"a": 0.5, "b": 0.25}
    assert now.states == {"c": CardState.LOST}


def test_alerts_that_fire_there_come_worst_first(server: FakePrometheus, fleet: Fleet) -> None:
    def alert(
        name: str, severity: str, state: str = "firing", **labels: str
    ) -> dict[str, object]:
        return {
            "labels": {"alertname": name, "severity": severity, **labels},
            "annotations": {"summary": f"{name} \x1b[2J"},
            "state": state,
            "activeAt": "2026-11-23T10:00:00.123456789Z",
        }

    server.alerts = [
        alert("Warm", "warning", UUID="GPU-0001"),
        alert("Down", "critical", instance="10.0.0.1:9400", Hostname="node-1"),
        alert("Soon", "critical", "pending", UUID="GPU-0001"),
        alert("Elsewhere", "critical", instance="db:1"),
        {"labels": 7},
    ]
    fleet.look_for_cards()
    told = fleet.now().alerts
    assert [(each.name, each.host) for each in told] == [("Down", "node-1"), ("Warm", "node-0")]
    assert "\x1b" not in told[0].text
    assert told[0].since is not None


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"<html>Log in</html>", "is no Prometheus, or something changes its answers"),
        (b" " * 17_000_000, "answered with more than 16 MB"),
    ],
)
def test_alerts_that_cannot_be_read_keep_nobody_from_the_cards(
    server: FakePrometheus, fleet: Fleet, answer: bytes, why: str
) -> None:
    fleet.look_for_cards()
    server.special["/api/v1/alerts"] = 200, {}, answer
    now = fleet.now()
    assert len(now.values[_BUSY]) == 16
    assert any("Alerts are not told here" in each and why in each for each in now.notes)


def test_rows_whose_labels_are_no_texts_are_refused(
    server: FakePrometheus, fleet: Fleet
) -> None:
    fleet.look_for_cards()
    body = b'{"status":"success","data":{"resultType":"vector","result":['
    body += b'{"metric":{"UUID":7},"value":[1,"2"]}]}}'
    server.special["/api/v1/query"] = 200, {}, body
    with pytest.raises(Trouble, match="is no Prometheus"):
        fleet.now()


def test_a_prometheus_without_cards_says_what_is_needed(
    server: FakePrometheus, fleet: Fleet
) -> None:
    server.series = {"up": [({"job": "x"}, 1.0)]}
    with pytest.raises(Trouble, match="Nobody tells this Prometheus of graphics cards"):
        fleet.look_for_cards()


@pytest.mark.parametrize(
    "text",
    ["", "{}", "a", 'a="b', 'a="b"} or vector(1) #', '__name__="x"', "a='b'x", "metric{a='b'}"],
)
def test_a_selector_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Trouble):
        match(text)


def test_a_selector_holds_whatever_a_text_may_hold() -> None:
    assert match('{a="x\\"}",b!~`{},`, c=\'d\'}') == 'a="x\\"}",b!~`{},`,c=\'d\''
    assert quoted('a"b\\c\nd') == '"a\\"b\\\\c\\nd"'
