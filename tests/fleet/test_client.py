"""Prometheus: what it may answer instead of figures, and what a login keeps to itself."""

import gzip
import json
import math
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet import login
from gpuexplorer.fleet.address import Address, address
from gpuexplorer.fleet.client import Prometheus, aligned
from gpuexplorer.fleet.login import Login, read_login
from gpuexplorer.fleet.refusals import PrometheusError, unreachable
from tests.fleet.fake_prometheus import FakePrometheus

_CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBLjCB4aADAgECAhRo5Vb4ii9tjJNdYyz809l5/6sJ7TAFBgMrZXAwDDEKMAgG
A1UEAwwBYTAgFw0yNjExMjMxNjI2NDJaGA8yMTI2MTAzMDE2MjY0MlowDDEKMAgG
A1UEAwwBYTAqMAUGAytlcAMhAPh19XsZb8jvQTLtepEQVfXACNv5ianaI7mI1L0a
RXUIo1MwUTAdBgNVHQ4EFgQUUBZb5bL6vOOQb1LMiuxWRRFmQnkwHwYDVR0jBBgw
FoAUUBZb5bL6vOOQb1LMiuxWRRFmQnkwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
QQDooB0ZaSzJTltt60gQYLOY7MOGjzKn21t50qL0vOJGYSgc1gR4KL+rGapz7RpY
mEQihvKcJ+VBrxQy9wS3mpgB
-----END CERTIFICATE-----
"""
_QUERY = "max by (UUID) (DCGM_FI_DEV_GPU_UTIL{})"


def _said(client: Prometheus) -> PrometheusError:
    with pytest.raises(PrometheusError) as raised:
        client.table(_QUERY)
    return raised.value


def test_values_come_with_their_labels(client: Prometheus) -> None:
    told = list(client.table(_QUERY).pairs())
    assert len(told) == 16
    assert told[3] == ({"UUID": "GPU-0003"}, 40.0)


def test_a_connection_is_used_again(server: FakePrometheus, client: Prometheus) -> None:
    for _ in range(3):
        client.table(_QUERY)
    assert len(server.asked) == 3
    assert server.connections == 1


@pytest.mark.parametrize(
    ("status", "error", "sentence", "way_out"),
    [
        (
            400,
            "parse error: unexpected }",
            "does not understand the question: parse",
            "--match",
        ),
        (401, "", "wants to know who asks", "--prometheus-login"),
        (403, "", "does not let this login read", "right to read"),
        (404, "", "There is no Prometheus at", "path"),
        (422, "query processing would load too many samples", "could not work", "fewer cards"),
        (429, "", "Too many questions", "more slowly"),
        (503, "query timed out in expression evaluation", "too busy", "asked again"),
        (502, "", "answered with status 502", "log"),
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


def test_http_where_https_is_spoken_is_said(server: FakePrometheus, client: Prometheus) -> None:
    server.special["*"] = 400, {}, b"Client sent an HTTP request to an HTTPS server.\n"
    assert _said(client).hint == "Write https:// before it."


def test_nothing_is_sent_to_where_a_server_sends_on(
    server: FakePrometheus, client: Prometheus
) -> None:
    server.special["*"] = 302, {"Location": f"{server.url}/login"}, b""
    assert "sends on to another address" in _said(client).sentence
    assert len(server.asked) == 1


_HOSTILE: Mapping[str, bytes] = {
    "no JSON": b"<html>Grafana</html>",
    "deep": b'{"status":"success","data":' + b"[" * 100_000,
    "a huge number": b'{"status":"success","data":{"resultType":"matrix",'
    b'"result":[{"metric":{},"values":[[' + b"9" * 10_000 + b',"1"]]}]}}',
    "another shape": b'{"status":"success","data":{"resultType":"vector","result":{"a":1}}}',
    "labels that are numbers": b'{"status":"success","data":{"resultType":"vector",'
    b'"result":[{"metric":{"UUID":7},"value":[1,"2"]}]}}',
    "values that are numbers": b'{"status":"success","data":{"resultType":"vector",'
    b'"result":[{"metric":{"UUID":"a"},"value":[1,2]}]}}',
    "NaN as no JSON has it": b'{"status":"success","data":NaN}',
    "an error that says success": b'{"status":"error","data":{}}',
    "no text": b"\xff\xfe\x00",
    "a bare number": b"7",
    "millions of parts": b'{"status":"success","data":[' + b"[]," * 5_000_000 + b"[]]}",
}


@pytest.mark.parametrize("what", list(_HOSTILE))
def test_what_is_no_answer_of_prometheus_is_said_to_be_none(
    server: FakePrometheus, client: Prometheus, what: str
) -> None:
    server.special["*"] = 200, {}, _HOSTILE[what]
    for ask in (client.table, client.samples):
        with pytest.raises(PrometheusError, match="is no Prometheus"):
            ask(_QUERY)


def test_an_answer_that_breaks_off_is_no_answer(
    server: FakePrometheus, client: Prometheus
) -> None:
    server.special["*"] = 200, {"Content-Length": "1000"}, b'{"status":"success"'
    assert _said(client).sentence


def test_a_packed_bomb_is_not_unpacked(server: FakePrometheus, client: Prometheus) -> None:
    bomb = gzip.compress(b" " * 200_000_000, compresslevel=1)
    server.special["*"] = 200, {"Content-Encoding": "gzip"}, bomb
    assert "answered with more than 64 MB" in _said(client).sentence


def test_what_cannot_be_read_in_pieces_is_not_read_for_long(
    server: FakePrometheus, client: Prometheus
) -> None:
    rows = b",".join([b'{"metric":{"UUID":"GPU-1"},"value":[1764000000.1,"1"]}'] * 320_000)
    head = b' {"status":"success","data":{"resultType":"vector","result":['
    server.special["*"] = 200, {}, head + rows + b"]}}"
    assert "answered with more than 16 MB" in _said(client).sentence


def test_figures_that_are_none_are_told_as_such(
    server: FakePrometheus, client: Prometheus
) -> None:
    server.series["DCGM_FI_DEV_GPU_UTIL"] = [({"UUID": "a"}, float("nan"))]
    (value,) = client.table(_QUERY).values
    assert math.isnan(value)


def test_a_server_that_holds_its_answer_back_is_not_waited_for(server: FakePrometheus) -> None:
    free = threading.Event()

    def hold() -> None:
        free.wait(30.0)

    server.hold = hold
    client = Prometheus(address(server.url), patience=0.2)
    assert "did not answer in full within 0 s" in _said(client).sentence
    free.set()


def test_a_question_can_be_given_up_from_another_thread(server: FakePrometheus) -> None:
    asked, free = threading.Event(), threading.Event()

    def hold() -> None:
        asked.set()
        free.wait(30.0)

    server.hold = hold
    client = Prometheus(address(server.url), patience=30.0)
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(_said(client).sentence))
    thread.start()
    assert asked.wait(30.0)
    client.end()
    thread.join(30.0)
    free.set()
    assert "was given up" in said[0]


def test_nobody_listening_is_a_sentence() -> None:
    assert (
        "Nothing listens at http://127.0.0.1:1"
        in _said(Prometheus(address("127.0.0.1:1"))).sentence
    )


def test_a_login_goes_along_and_is_shown_nowhere(
    server: FakePrometheus, tmp_path: Path
) -> None:
    (tmp_path / "word").write_text("open sesame\n")
    file = tmp_path / "login.toml"
    file.write_text('user = "ali"\npassword_file = "word"\n')
    login = read_login(file)
    client = Prometheus(address(server.url), login)
    client.table(_QUERY)
    client.end()
    assert server.headers_seen[0]["Authorization"] == "Basic YWxpOm9wZW4gc2VzYW1l"
    server.special["*"] = 401, {}, b""
    told = _said(Prometheus(address(server.url), login))
    assert "sesame" not in repr((login, told, told.__context__, told.__cause__))


def test_a_token_is_read_anew_for_each_question(server: FakePrometheus, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("one")
    client = Prometheus(address(server.url), Login(bearer_file=token))
    client.table(_QUERY)
    token.write_text("two")
    client.table(_QUERY)
    client.end()
    assert [each["Authorization"] for each in server.headers_seen] == [
        "Bearer one",
        "Bearer two",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('user = "a"', "names a user and no password"),
        ('user = "a"\npassword = "x"', "other users may read"),
        ('pasword = "x"', "does not have: 'pasword'"),
        ("user = 7", "does not have: 'user'"),
        ("]", "cannot be read as settings"),
        ('bearer_file = "none-there"', "cannot be read"),
        ('user = "a"\npassword = "x"\nbearer_file = "login.toml"', "both a user and a bearer"),
        ('key_file = "login.toml"', "a key and no certificate"),
    ],
)
def test_a_login_that_cannot_be_used_is_refused_with_a_reason(
    tmp_path: Path, text: str, sentence: str
) -> None:
    file = tmp_path / "login.toml"
    file.write_text(text)
    file.chmod(0o644)
    with pytest.raises(Trouble) as raised:
        read_login(file)
    assert sentence in raised.value.sentence
    assert raised.value.hint


def test_the_systems_certificates_are_found_where_our_own_openssl_does_not_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    assert not Login().tls().get_ca_certs()
    file = tmp_path / "ca-bundle.crt"
    file.write_text(_CERTIFICATE)
    monkeypatch.setattr(login, "SYSTEMS", ("/none/there", str(file)))
    assert len(Login().tls().get_ca_certs()) == 1


def test_a_password_is_asked_for_where_there_is_somebody(tmp_path: Path) -> None:
    file = tmp_path / "login.toml"
    file.write_text('user = "ali"')
    assert read_login(file, ask=lambda user: f"of {user}").password == "of ali"


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


@pytest.mark.parametrize(
    "text", ["", "ftp://x", "http://", "http://x:99999", "http://x/?a=b", "http://a b", "x\n"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(Trouble, match="is no address of a Prometheus"):
        address(text.replace("x\n", "x\ny"))


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(Trouble) as raised:
        address("http://me:sesame@x:9090")
    assert "sesame" not in str(raised.value)


def test_a_plot_that_is_moved_asks_for_the_same_moments() -> None:
    one, other = aligned(1000.4, 4600.4, 300, 15.0), aligned(1007.9, 4607.9, 300, 15.0)
    assert one[2] == other[2] == 15.0
    assert one[0] % 15 == other[0] % 15 == 0
    start, end, step = aligned(0.0, 30 * 86400.0, 1_000_000, 15.0)
    assert (end - start) / step <= 11_000


def _answered(server: FakePrometheus, found: Sequence[object]) -> None:
    data = {"resultType": "vector", "result": found}
    body = json.dumps({"status": "success", "data": data}, separators=(",", ":"))
    server.special["*"] = 200, {}, body.encode()


@pytest.mark.parametrize(
    "value", ["plain", 'with "quotes"', "{braces}", "back\\slash", '"metric"', "é,", ""]
)
def test_many_rows_are_read_as_few_are(
    server: FakePrometheus, client: Prometheus, value: str
) -> None:
    one = {"metric": {"UUID": value, "a": "b"}, "value": [1764000000.5, "2"]}
    same = {"metric": {"UUID": "1", "a": ""}, "value": [1764000000.5, "NaN"]}
    none = {"metric": {}, "value": [1, "3"]}
    less = {"metric": {"a": "c"}, "value": [1, "4"]}
    told = {"UUID": value, "a": "b"}
    empty = {"UUID": "", "a": ""}
    for found, rows in (
        ([one], [told]),
        ([one, same], [told, {"UUID": "1", "a": ""}]),
        ([one, none, less], [told, empty, {"UUID": "", "a": "c"}]),
        ([none, none], [{}, {}]),
        ([], []),
    ):
        _answered(server, found)
        table = client.table(_QUERY)
        assert list(table.rows()) == rows
        assert repr(table.values) == repr([float(each["value"][1]) for each in found])  # type: ignore[index]  # a pair


def test_a_piece_with_other_labels_is_told_with_the_rest(
    server: FakePrometheus, client: Prometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpuexplorer.fleet.answers._PIECE", 100)
    labels = [{"UUID": str(at), **({"GPU_I_ID": "1"} if at == 7 else {})} for at in range(40)]
    _answered(
        server, [{"metric": each, "value": [9, f"{at}"]} for at, each in enumerate(labels)]
    )
    table = client.table(_QUERY)
    assert list(table.labels["UUID"]) == [str(at) for at in range(40)]
    assert [at for at, part in enumerate(table.labels["GPU_I_ID"]) if part] == [7]
    assert table.values == list(range(40))


def test_what_stands_behind_the_rows_is_told_and_hides_none(
    server: FakePrometheus, client: Prometheus
) -> None:
    warning = 'a shard is missing: "]}]}'
    row = {"metric": {"UUID": '"]}]}'}, "value": [9, "1"]}
    data = {"resultType": "vector", "result": [row, row]}
    answer = {"status": "success", "data": data, "warnings": [warning], "stats": {"a": "1"}}
    server.special["*"] = 200, {}, json.dumps(answer, separators=(",", ":")).encode()
    assert client.table(_QUERY).values == [1.0, 1.0]
    assert client.warnings == [warning]


def test_a_head_that_comes_letter_by_letter_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        client = Prometheus(address(f"127.0.0.1:{listening.getsockname()[1]}"), patience=0.3)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(client.table, _QUERY)
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: 1\r\n")
                with pytest.raises(PrometheusError, match="did not answer in full within 0 s"):
                    answer.result(30)


@pytest.mark.parametrize(
    ("reason", "sentence", "hint"),
    [
        ("TLSV13_ALERT_CERTIFICATE_REQUIRED", "wants to see a certificate", "certificate_file"),
        ("TLSV1_ALERT_UNKNOWN_CA", "does not accept your certificate", "Ask whoever runs it"),
        ("WRONG_VERSION_NUMBER", "https://h does not speak https.", "write http:// before it"),
        ("INTERNAL_ERROR", "No encrypted connection to h comes about", "wants a certificate"),
    ],
)
def test_what_keeps_a_connection_from_being_encrypted_is_said(
    reason: str, sentence: str, hint: str
) -> None:
    error = ssl.SSLError()
    error.reason = reason
    refusal = unreachable(error, "https://h", "h")
    assert sentence in refusal.sentence
    assert hint in refusal.hint


@pytest.mark.parametrize(
    ("code", "hint"), [(20, "ca_file"), (10, "for this name and this day")]
)
def test_a_certificate_that_is_not_trusted_has_a_way_out(code: int, hint: str) -> None:
    error = ssl.SSLCertVerificationError()
    error.reason = "CERTIFICATE_VERIFY_FAILED"
    error.verify_code, error.verify_message = code, "for a reason"
    refusal = unreachable(error, "https://h", "h")
    assert refusal.sentence == "h shows a certificate that is not trusted: for a reason."
    assert hint in refusal.hint
