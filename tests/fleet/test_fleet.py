"""A fleet as a Prometheus tells of it: questions and answers, who is there, one host of it."""

import json
import threading
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Login, Prometheus, PrometheusError, address, read_login
from gpuexplorer.fleet.fleet import Fleet, FleetNow
from gpuexplorer.fleet.host import HostPast, Watching, host_session
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.session import Session
from tests.clocks import ManualClock
from tests.fleet.fake_prometheus import FakePrometheus, card, fake_prometheus

_QUERY = "max by (UUID) (DCGM_FI_DEV_GPU_UTIL{})"
_ASKS = 'user = "a"'
_SUCCESS = b'{"status":"success","data":'
_BUSY, _USED, _FREE, _TOTAL, _POWER, _HEAT = (
    MetricId(each)
    for each in (
        *("gpu_utilization", "memory_used", "memory_free", "memory_total"),
        *("power_draw", "temperature"),
    )
)
_FIRST = CardId("GPU-0000")
_FAN = MetricId("fan_speed")
_EIGHTH = CardId("GPU-0008")
_PATIENCE = 30.0


@pytest.fixture
def server() -> Iterator[FakePrometheus]:
    """With two hosts of eight cards, as the DCGM exporter tells of them."""
    with fake_prometheus() as made:
        for name, value in (
            ("DEV_GPU_UTIL", 40.0),
            ("DEV_FB_USED", 1024.0),
            ("DEV_FB_FREE", 7168.0),
            ("DEV_FB_RESERVED", 0.0),
            ("DEV_GPU_TEMP", 55.0),
            ("DEV_POWER_USAGE", 300.0),
        ):
            made.series[f"DCGM_FI_{name}"] = [(card(each), value) for each in range(16)]
        yield made


@pytest.fixture
def client(server: FakePrometheus) -> Iterator[Prometheus]:
    made = Prometheus(address(server.url), patience=30.0)
    yield made
    made.end()


def _said(client: Prometheus) -> PrometheusError:
    with pytest.raises(PrometheusError) as raised:
        client.table(_QUERY)
    return raised.value


@pytest.mark.parametrize(
    ("status", "error", "sentence", "way_out"),
    [
        (400, "parse error: }", "does not understand the question: parse error", "--match"),
        (401, "", "wants to know who asks", "--prometheus-login"),
        (403, "", "does not let this login read", "right to read"),
        (302, "", "is no Prometheus", "Nothing was sent to where it may lead"),
        (429, "", "too busy, or is just starting: Too Many Requests", "asked again"),
        (502, "", "answered with status 502: Bad Gateway", "log"),
    ],
)
def test_each_refusal_is_a_sentence_with_a_way_out(
    server: FakePrometheus,
    client: Prometheus,
    status: int,
    error: str,
    sentence: str,
    way_out: str,
) -> None:
    body = json.dumps({"status": "error", "errorType": "bad_data", "error": error}).encode()
    server.special["*"] = status, {}, body
    told = _said(client)
    assert sentence in told.sentence
    assert way_out in told.hint


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Grafana</html>",
        b"\xff\xfe\x00",
        b"7",
        b'{"status":"error","data":{}}',
        _SUCCESS + b"[" * 100_000,
        _SUCCESS + b'{"resultType":"vector","result":{"a":1}}}',
        _SUCCESS + b'{"resultType":"vector","result":[{"metric":{"UUID":7},"value":[1,"2"]}]}}',
        _SUCCESS + b'{"resultType":"vector","result":[{"metric":{},"value":[1,"many"]}]}}',
        _SUCCESS + b'{"resultType":"matrix","result":[{"metric":{},"values":[[{},"1"]]}]}}',
    ],
)
def test_what_is_no_answer_of_prometheus_is_said_to_be_none(
    server: FakePrometheus, client: Prometheus, body: bytes
) -> None:
    server.special["*"] = 200, {}, body
    for ask in (client.table, lambda query: client.range(query, 0, 1, 1)):
        with pytest.raises(PrometheusError, match="is no Prometheus"):
            ask(_QUERY)


def test_a_server_that_holds_its_answer_back_is_not_waited_for(server: FakePrometheus) -> None:
    free = threading.Event()
    server.hold = lambda: free.wait(30.0)
    client = Prometheus(address(server.url), patience=0.2)
    assert "did not answer in full within 0 s" in _said(client).sentence
    free.set()


def test_a_login_goes_along_and_is_not_shown(server: FakePrometheus, tmp_path: Path) -> None:
    (tmp_path / "word").write_text("open sesame\n")
    file = tmp_path / "login.toml"
    file.write_text('user = "ali"\npassword_file = "word"\n')
    client = Prometheus(address(server.url), read_login(file))
    client.table(_QUERY)
    assert server.headers_seen[0]["Authorization"] == "Basic YWxpOm9wZW4gc2VzYW1l"
    server.special["*"] = 401, {}, b""
    told = _said(client)
    assert "sesame" not in repr((read_login(file), told, told.__context__, told.__cause__))
    client.end()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (_ASKS, "does not go together"),
        ('user = "a"\npassword = "x"', "other users may read"),
        ("user = 7", "is no login: user"),
        ('bearer_file = "none-there"', "cannot be read"),
        ('user = "a"\npassword = "x"\nbearer_file = "login.toml"', "does not go together"),
    ],
)
def test_an_unusable_login_has_a_reason(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "login.toml"
    file.write_text(text)
    file.chmod(0o644)
    if text == _ASKS:  # where there is somebody
        assert read_login(file, ask=lambda user: f"of {user}").password == "of a"
    with pytest.raises(Trouble) as raised:
        read_login(file)
    assert sentence in raised.value.sentence
    assert raised.value.hint


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(Trouble) as raised:
        address("http://me:sesame@x:9090")
    assert "sesame" not in str(raised.value)


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


def test_a_uuid_that_two_places_tell_is_said(server: FakePrometheus, fleet: Fleet) -> None:
    for series in server.series.values():
        series.append((card(0, Hostname="other", instance="10.0.0.9:9400\x1b[2J"), 1.0))
    (note,) = _now(fleet).notes
    assert "dcgm 10.0.0.0:9400 and dcgm 10.0.0.9:9400\ufffd[2J: that card is shown" in note


def test_a_login_others_see_is_told(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_alerts_come_worst_and_oldest_first(server: FakePrometheus, fleet: Fleet) -> None:
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


def test_a_prometheus_without_cards_says_so(server: FakePrometheus, fleet: Fleet) -> None:
    server.series = {"up": [({"job": "x"}, 1.0)]}
    with pytest.raises(Trouble, match="No graphics card is to be seen"):
        fleet.look_for_cards()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(wall=1_764_000_000.0)


@pytest.fixture
def watching(client: Prometheus, clock: ManualClock) -> Iterator[Watching]:
    made = Watching(Fleet(client), clock=clock)
    made.look()
    yield made
    made.stop(_PATIENCE)


@pytest.fixture
def session(watching: Watching) -> Iterator[Session]:
    made = host_session(watching, "node-1")
    made.start()
    made.want_metrics({_BUSY, _FAN})
    yield made
    made.stop(_PATIENCE)


def _beat(session: Session, watching: Watching) -> Reading:
    """What is then known of the first card."""
    watching.look()
    reading = session.reading(_EIGHTH)
    assert reading is not None
    return reading


def test_serves_own_reasons_and_an_xid_error_are_told_of_a_host(
    server: FakePrometheus, session: Session, watching: Watching
) -> None:
    server.series["gpuexplorer_card_state"] = [(card(8, state="working"), 1.0)]
    fan = card(8, metric="gpuexplorer_fan_speed_ratio", reason="no such part")
    server.series["gpuexplorer_missing_info"] = [(fan, 1.0)]
    server.series["DCGM_FI_DEV_XID_ERRORS"] = [(card(8), 79.0)]
    watching.fleet.look_for_cards()
    assert _beat(session, watching).missing[_FAN] is Absence.NO_PART
    assert "Card 0: Xid error 79." in session.notes()


def test_a_connection_that_breaks_is_the_reason_at_each_figure(
    server: FakePrometheus, session: Session, watching: Watching
) -> None:
    server.special["*"] = 503, {}, b""
    told = _beat(session, watching)
    assert told.state is CardState.NO_CONNECTION
    assert told.missing == dict.fromkeys((_BUSY, _FAN), Absence.NO_CONNECTION)
    server.special.clear()
    assert _beat(session, watching).values == {_BUSY: 0.4}


@pytest.fixture
def past(session: Session) -> HostPast:
    assert isinstance(session.past, HostPast)
    return session.past


def test_who_draws_the_past_never_waits_and_gets_it_with_a_later_frame(
    past: HostPast, watching: Watching, clock: ManualClock
) -> None:
    now = clock.now()
    assert len(past.trace(_EIGHTH, _BUSY, now - 300, now)) == 0
    while watching.run_order():
        """Until none is left."""
    trace = past.trace(_EIGHTH, _BUSY, now - 300, now)
    assert set(trace.means) == {0.4}
    assert trace.times[0] <= now - 270
    assert now - 60 < trace.times[-1] <= now


def test_a_long_stretch_is_told_by_lowest_highest_and_mean_and_asked_for_once(
    server: FakePrometheus, past: HostPast, watching: Watching, clock: ManualClock
) -> None:
    now = clock.now()
    for _ in range(2):
        trace = past.trace(_EIGHTH, _BUSY, now - 180_000, now - 86_400, 200)
        while watching.run_order():
            """Until none is left."""
    asked = "".join(each for each in server.queries() if "_over_time" in each)
    assert all(f"{how}_over_time(" in asked for how in ("min", "max", "avg"))
    assert trace.column_seconds > 60
    assert trace.minima[0] == trace.means[0] == trace.maxima[0] == 0.4
    server.asked.clear()
    for move in range(20):
        past.trace(_EIGHTH, _BUSY, now - 180_000 - move, now - 86_400 - move, 200)
        while watching.run_order():
            """Until none is left."""
    assert len(server.queries()) <= 6  # the piece before it, at most


def test_a_server_that_breaks_is_said_with_since_when_and_asked_more_and_more_slowly(
    server: FakePrometheus, watching: Watching, clock: ManualClock
) -> None:
    watching.look()
    began, waits = clock.now(), []
    server.special["*"] = 503, {}, b'{"error":"overloaded"}'
    for _ in range(7):
        watching.look()
        assert watching.broken is not None
        waits.append((watching.broken.retry_at or 0.0) - clock.now())
        clock.advance(10.0)
    assert watching.broken is not None
    assert waits == [15.0, 30.0, 60.0, 120.0, 240.0, 300.0, 300.0]
    assert watching.broken.since == began
    assert "too busy" in watching.broken.why
    assert watching.now is not None  # what was known stays to be looked at
    server.special.clear()
    watching.look()
    assert watching.broken is None
