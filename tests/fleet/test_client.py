"""Prometheus: what it may answer instead of figures, and what a login keeps to itself."""

import gzip
import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import (
    Address,
    Login,
    Prometheus,
    PrometheusError,
    address,
    read_login,
)
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


@pytest.mark.parametrize("packed", [False, True])
def test_more_than_is_worth_reading_is_not_read(
    server: FakePrometheus, client: Prometheus, packed: bool
) -> None:
    body = b" " * 65_000_000
    if packed:
        body = gzip.compress(body, compresslevel=1)
    server.special["*"] = 200, {"Content-Encoding": "gzip"} if packed else {}, body
    told = _said(client)
    assert "answered with more than 64 MB" in told.sentence
    assert "--match" in told.hint


def test_a_server_that_holds_its_answer_back_is_not_waited_for(server: FakePrometheus) -> None:
    free = threading.Event()
    server.hold = lambda: free.wait(30.0)
    client = Prometheus(address(server.url), patience=0.2)
    assert "did not answer in full within 0 s" in _said(client).sentence
    free.set()


def test_a_question_can_be_given_up_from_another_thread(
    server: FakePrometheus, client: Prometheus
) -> None:
    asked, free = threading.Event(), threading.Event()

    def hold() -> None:
        asked.set()
        free.wait(30.0)

    server.hold = hold
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(_said, client)
        assert asked.wait(30.0)
        client.end()
        assert "was given up" in said.result(30.0).sentence
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
    ("where", "login", "exposed"),
    [
        ("http://prom:9090", Login("ali", "word"), True),
        ("http://prom:9090", Login(bearer_file=Path("token")), True),
        ("http://prom:9090", Login(), False),
        ("https://prom:9090", Login("ali", "word"), False),
        ("http://127.0.0.1:9090", Login("ali", "word"), False),
        ("localhost:9090", Login("ali", "word"), False),
    ],
)
def test_a_login_that_others_can_read_on_its_way_is_said_to_be_one(
    where: str, login: Login, exposed: bool
) -> None:
    assert ("over plain http" in Prometheus(address(where), login).exposed) is exposed


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
