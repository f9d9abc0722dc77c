"""gpuexplorer serve, as Prometheus, a curious neighbour and a hostile one meet it."""

import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpuexplorer.__main__ import main
from gpuexplorer.commands.serve import Readings, Server
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.nvml_stub.stub import environment

Out = pytest.CaptureFixture[str]

Labels = Mapping[str, str]
Told = Mapping[str, Sequence[tuple[Labels, float]]]


class Served:
    """The program as a process of its own, and what it shows."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        assert process.stdout is not None
        self.first = process.stdout.readline()
        self.url = self.first.strip().rpartition(" ")[2]

    def page(self, url: str = "") -> str:
        with urllib.request.urlopen(url or self.url, timeout=10) as answer:
            told: bytes = answer.read()
        return told.decode()

    def ended(self, by: signal.Signals) -> str:
        """What it said besides, to its end, which is to be a good one."""
        self.process.send_signal(by)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        said = self.process.stdout.read()
        assert (self.process.wait(20), self.process.stderr.read()) == (0, "")
        return said


@contextmanager
def serve(*words: str, at: str = "127.0.0.1:0", stub: str | None = None) -> Iterator[Served]:
    process = subprocess.Popen(
        [sys.executable, "-m", "gpuexplorer", "serve", "--prometheus", at, *words],
        env=None if stub is None else environment(stub),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield Served(process)
    finally:
        process.kill()
        process.communicate()


def samples(page: str) -> dict[str, list[tuple[Labels, float]]]:
    found: dict[str, list[tuple[Labels, float]]] = {}
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


@pytest.fixture(autouse=True)
def _signals_as_they_were() -> Iterator[None]:
    """The verb leaves them ignored, as its process ends then; here other tests follow."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    spec = ("--simulate", "2xTitanRTX", "--interval", "0.1", "--fault", "lost:1@0s")
    with serve(*spec) as shown:
        yield shown


@pytest.fixture(scope="module")
def told(served: Served) -> Told:
    return samples(served.page())


def test_figures_have_the_names_labels_and_units_of_the_dcgm_exporter() -> None:
    with serve(stub="cards=2 kind=h100 util=0:55 power=0:312000") as shown:
        told = samples(shown.page())
    labels, busy = told["DCGM_FI_DEV_GPU_UTIL"][0]
    assert busy == 55
    assert set(labels) == {"gpu", "UUID", "pci_bus_id", "device", "modelName", "hostname"}
    assert labels["gpu"] == "0"
    assert labels["device"] == "nvidia0"
    assert labels["hostname"] == socket.gethostname()
    domain, bus, rest = labels["pci_bus_id"].split(":")
    assert (len(domain), len(bus), len(rest)) == (8, 2, 4)
    parts = [told[f"DCGM_FI_DEV_FB_{part}"][0][1] for part in ("USED", "FREE", "RESERVED")]
    whole = told["gpuexplorer_memory_total_bytes"][0][1] / 2**20
    assert sum(parts) == pytest.approx(whole)
    assert 1 < told["DCGM_FI_DEV_POWER_USAGE"][0][1] < 1000
    assert 100 < told["DCGM_FI_DEV_SM_CLOCK"][0][1] < 5000
    assert "simulated" not in str(labels)
    assert told["gpuexplorer_info"][0][0]["simulated"] == "false"


def test_simulated_series_say_so(told: Told) -> None:
    assert told["gpuexplorer_info"][0][0]["simulated"] == "true"
    for name, those in told.items():
        of_a_card = [labels for labels, _ in those if "gpu" in labels]
        assert all(labels["simulated"] == "true" for labels in of_a_card), name
    assert "simulated" not in told["gpuexplorer_host_memory_used_bytes"][0][0]


def test_what_a_lost_card_lacks_is_absent(told: Told) -> None:
    assert [labels["gpu"] for labels, _ in told["DCGM_FI_DEV_GPU_UTIL"]] == ["0"]
    reasons = {
        labels["reason"]
        for labels, _ in told["gpuexplorer_missing_info"]
        if (labels.get("gpu"), labels["metric"]) == ("1", "DCGM_FI_DEV_GPU_UTIL")
    }
    assert reasons == {"card lost"}
    states = {
        (labels["gpu"], labels["state"])
        for labels, value in told["gpuexplorer_card_state"]
        if value
    }
    assert states == {("0", "working"), ("1", "lost")}
    assert all(0 <= age < 10 for _, age in told["gpuexplorer_reading_age_seconds"])
    uuids = {labels["UUID"] for labels, _ in told["gpuexplorer_card_state"]}
    assert uuids == {f"SIM-{n}-{socket.gethostname()}-0" for n in (0, 1)}
    [(labels, code)] = told["DCGM_FI_DEV_XID_ERRORS"]
    assert (labels["gpu"], code) == ("1", 79)


@pytest.mark.parametrize(
    ("config", "states"),
    [("refused=all", ["no figures"] * 2), ("fault=every@1:999", ["working", "no access"])],
)
def test_a_card_without_figures_is_not_called_working(config: str, states: list[str]) -> None:
    with serve(stub=f"cards=2;{config}") as shown:
        told = samples(shown.page())["gpuexplorer_card_state"]
    assert [labels["state"] for labels, value in told if value] == states


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
@pytest.mark.parametrize(
    "by", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)]
)
def test_ctrl_c_and_sigterm_end_it_well(by: signal.Signals) -> None:
    with serve("--simulate", "2xT4") as shown:
        shown.page()
        said = shown.ended(by)
    assert "made up" in said
    assert "Anybody" not in said


@pytest.fixture
def readings() -> Iterator[Readings]:
    session = remembering(session_on(simulated("1xT4"), interval=0.1))
    session.want()
    session.start()
    assert session.wait_for_sweeps(1, 10)
    yield Readings(session)
    assert session.stop(10)


@contextmanager
def listening(readings: Readings) -> Iterator[Server]:
    with Server("127.0.0.1", 0, readings) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def place(server: Server) -> tuple[str, int]:
    host, port = server.socket.getsockname()[:2]
    return host, port


def test_a_port_that_is_taken_is_a_sentence_with_another(capsys: Out) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--prometheus", str(port), "--simulate", "1xT4"]) == 1
    complaint = capsys.readouterr().err
    assert f"Nothing can be shown at port {port} of 127.0.0.1: Address already" in complaint
    assert f"such as {port + 1}" in complaint


def answer(url: str, method: str, path: str, **headers: str) -> tuple[int, bytes]:
    place = urlsplit(url)
    assert place.hostname is not None
    connection = HTTPConnection(place.hostname, place.port, timeout=10)
    connection.request(method, path, headers=headers)
    with connection.getresponse() as response:
        return response.status, response.read()


def test_nothing_but_reading_is_answered(served: Served) -> None:
    assert answer(served.url, "GET", "/metrics?name[]=x")[0] == 200
    for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "X"):
        assert answer(served.url, method, "/metrics")[0] == 405
    assert b"root" not in answer(served.url, "GET", "/../../etc/passwd")[1]
    assert answer(served.url, "GET", "/metrics", Host="elsewhere.example")[0] == 421


@pytest.mark.parametrize(
    "words",
    [
        b"\x00\xff\xfe\r\n\r\n",
        b"GET " + b"/" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nHost: [::\r\n\r\n",
        b"",
    ],
)
def test_a_hostile_request_does_nothing(readings: Readings, words: bytes) -> None:
    with listening(readings) as server:
        with socket.create_connection(place(server)) as hostile, suppress(OSError):
            hostile.sendall(words)
            hostile.shutdown(socket.SHUT_WR)
            while hostile.recv(65536):
                pass
        assert answer(server.url, "GET", "/metrics")[0] == 200
