"""Prometheus: what it may answer instead of figures, and what a login keeps to itself."""

import json
import math
import threading
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Address, Prometheus, PrometheusError, address, read_login
from tests.fleet.fake_prometheus import FakePrometheus

_QUERY = "max by (UUID) (DCGM_FI_DEV_GPU_UTIL{})"
_ASKS = 'user = "a"'
_SUCCESS = b'{"status":"success","data":'


def _said(client: Prometheus) -> PrometheusError:
    with pytest.raises(PrometheusError) as raised:
        client.table(_QUERY)
    return raised.value


def test_values_come_with_their_labels_over_one_connection(
    server: FakePrometheus, client: Prometheus
) -> None:
    server.series["DCGM_FI_DEV_GPU_UTIL"].append(({"UUID": 'a "b"\\é'}, math.nan))
    for _ in range(3):
        told = client.table(_QUERY)
    assert len(told) == 17
    assert told[3] == ({"UUID": "GPU-0003"}, 40.0)
    assert told[16][0] == {"UUID": 'a "b"\\é'}
    assert math.isnan(told[16][1])
    assert len(server.asked) == 3
    assert server.connections == 1


@pytest.mark.parametrize(
    ("status", "error", "sentence", "way_out"),
    [
        (400, "parse error: }", "does not understand the question: parse error", "--match"),
        (401, "", "wants to know who asks", "--prometheus-login"),
        (403, "", "does not let this login read", "right to read"),
        (404, "", "is no Prometheus, or something changes its answers on the way: Not", "path"),
        (302, "", "is no Prometheus", "Nothing was sent to where it may lead"),
        (422, "query would load too many samples", "could not work", "fewer cards"),
        (429, "", "too busy, or is just starting: Too Many Requests", "asked again"),
        (503, "query timed out", "too busy, or is just starting: query timed", "asked again"),
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


def test_a_login_goes_along_and_is_shown_nowhere(
    server: FakePrometheus, tmp_path: Path
) -> None:
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
        ('pasword = "x"', "is no login: pasword"),
        ("user = 7", "is no login: user"),
        ("]", "is no login: "),
        ('bearer_file = "none-there"', "cannot be read"),
        ('user = "a"\npassword = "x"\nbearer_file = "login.toml"', "does not go together"),
        ('key_file = "login.toml"', "does not go together"),
    ],
)
def test_a_login_that_cannot_be_used_is_refused_with_a_reason(
    tmp_path: Path, text: str, sentence: str
) -> None:
    file = tmp_path / "login.toml"
    file.write_text(text)
    file.chmod(0o644)
    if text == _ASKS:  # where there is somebody
        assert read_login(file, ask=lambda user: f"of {user}").password == "of a"
    with pytest.raises(Trouble) as raised:
        read_login(file)
    assert sentence in raised.value.sentence
    assert raised.value.hint


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("prometheus:9090", Address(secure=False, host="prometheus", port=9090)),
        (
            "https://a.example/prom/",
            Address(secure=True, host="a.example", port=443, prefix="/prom"),
        ),
        ("http://[::1]:9090", Address(secure=False, host="::1", port=9090)),
    ],
)
def test_an_address_is_read_as_people_write_it(text: str, where: Address) -> None:
    assert address(text) == where
    assert address(where.url) == where


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(Trouble) as raised:
        address("http://me:sesame@x:9090")
    assert "sesame" not in str(raised.value)
