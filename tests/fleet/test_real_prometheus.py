"""The questions, asked of Debian's Prometheus, which reads exporters of this very process."""

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Prometheus, PrometheusError, address
from gpuexplorer.fleet.fleet import Fleet, match
from gpuexplorer.fleet.host import WEEK, HostPast, Watching
from gpuexplorer.telemetry.exporter_names import EXPORTER_NAMES
from gpuexplorer.telemetry.trace import empty_trace

PROMETHEUS = shutil.which("prometheus")
pytestmark = pytest.mark.skipif(
    PROMETHEUS is None, reason="needs a `prometheus` on the path, such as Debian's"
)
_CARDS = 8  # of each host
_CONFIG = """
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: dcgm
    static_configs: [targets: [TARGETS]]
"""


@contextmanager
def prometheus(folder: Path, hosts: int) -> Iterator[str]:
    """Its address."""
    assert PROMETHEUS is not None
    exporters = [_Exporter(number) for number in range(hosts)]
    threads = [threading.Thread(target=each.serve_forever) for each in exporters]
    for thread in threads:
        thread.start()
    targets = ", ".join(f'"127.0.0.1:{each.server_address[1]}"' for each in exporters)
    (folder / "prometheus.yml").write_text(_CONFIG.replace("TARGETS", targets))
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    words = [f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder}/data"]
    words += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    server = subprocess.Popen([PROMETHEUS, *words], stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)
        for exporter in exporters:
            exporter.shutdown()
            exporter.server_close()
        for thread in threads:
            thread.join()


class _Exporter(ThreadingHTTPServer):
    """Of one host: each name that the DCGM exporter has for a metric, of each card."""

    daemon_threads = True

    def __init__(self, host: int) -> None:
        super().__init__(("127.0.0.1", 0), _Page)
        self.host = host

    def page(self) -> str:
        """Half of what there could be: a share is then one half, whatever the unit."""
        names = {
            each.dcgm.name: each.dcgm.factor for each in EXPORTER_NAMES.values() if each.dcgm
        }
        parts = []
        for name, factor in names.items():
            parts.append(f"# TYPE {name} gauge\n")
            parts += [
                f'{name}{{gpu="{card}",UUID="GPU-{self.host:04d}-{card}",'
                f'pci_bus_id="00000000:{card + 24:02X}:00.0",Hostname="gpu-{self.host:04d}",'
                f'modelName="NVIDIA H100 80GB HBM3 (simulated)",rack="r00",simulated="true"}}'
                f" {factor / 2}\n"
                for card in range(_CARDS)
            ]
        return "".join(parts)


class _Page(BaseHTTPRequestHandler):
    server: _Exporter

    def do_GET(self) -> None:
        told = self.server.page().encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        """Nothing."""


_TRIES = 300
_BUSY = MetricId("gpu_utilization")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two hosts of eight cards behind two targets, all of which were read."""
    folder = tmp_path_factory.mktemp("prometheus")
    with prometheus(folder, hosts=2) as where:
        _wait_for_cards(where, 16)
        yield where


def _wait_for_cards(where: str, number: int) -> None:
    client = Prometheus(address(where))
    last: object = None
    for _ in range(_TRIES):
        try:
            fleet = Fleet(client)
            fleet.look_for_cards()
            if len(fleet.now().cards) == number:
                client.end()
                return
        except Trouble as trouble:
            last = trouble
        threading.Event().wait(0.1)
    raise AssertionError(last)


@pytest.fixture
def fleet(url: str) -> Iterator[Fleet]:
    client = Prometheus(address(url))
    yield Fleet(client)
    client.end()


def test_cards_values_ages_and_alerts_are_told(fleet: Fleet) -> None:
    fleet.look_for_cards()
    now = fleet.now()
    first = next(iter(now.cards.values()))
    assert {each.host for each in now.cards.values()} == {"gpu-0000", "gpu-0001"}
    assert first.simulated
    assert first.rack == "r00"
    assert 0 <= now.values[_BUSY][first.id] <= 1
    assert now.values.keys() >= {"memory_total", "memory_free"}
    assert max(now.ages.values()) < 60


def test_one_host_tells_now_and_before(fleet: Fleet) -> None:
    fleet.look_for_cards()
    cards = [each for each in fleet.now().cards.values() if each.host == "gpu-0001"]
    told = fleet.told(METRICS, cards)
    assert told.ages.keys() == {each.id for each in cards}
    assert sum(len(told.values[each]) == 8 for each in METRICS) > 10
    watching = Watching(fleet)
    past = HostPast(watching, lambda: cards)
    end = past.began + WEEK
    trace = empty_trace()
    for _ in range(_TRIES):
        trace = past.trace(cards[0].id, _BUSY, end - 60, end + 60, 200)
        if len(trace):
            break
        while watching.run_order():
            """Until none is left."""
    assert 0 <= trace.means[trace.counts > 0][-1] <= 1


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("job='none'", "No graphics card is to be seen"),
        ("job=~'('", "does not understand the question"),
    ],
)
def test_a_selector_that_finds_no_card_is_said_to(url: str, selector: str, why: str) -> None:
    client = Prometheus(address(url))
    with pytest.raises(PrometheusError, match=why):
        Fleet(client, match(selector)).look_for_cards()
    client.end()
