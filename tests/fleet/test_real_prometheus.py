"""The questions, asked of Debian's Prometheus, which reads exporters of this very process."""

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Prometheus, address
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.host import WEEK, HostPast, Watching
from gpuexplorer.telemetry.exporter_names import EXPORTER_NAMES
from gpuexplorer.telemetry.trace import empty_trace

PROMETHEUS = shutil.which("prometheus")
pytestmark = pytest.mark.skipif(
    PROMETHEUS is None, reason="needs a `prometheus` on the path, such as Debian's"
)
_CARDS = 8  # of each host
_TRIES = 300
_BUSY = MetricId("gpu_utilization")
_CONFIG = """
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - {job_name: dcgm, metrics_path: /0000, static_configs: [{targets: ["TARGET"]}]}
  - {job_name: dcgm1, metrics_path: /0001, static_configs: [{targets: ["TARGET"]}]}
"""


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Half of what there could be: a share is then one half, whatever the unit."""
        names = {e.dcgm.name: e.dcgm.factor for e in EXPORTER_NAMES.values() if e.dcgm}
        host = self.path.strip("/")
        labels = (
            f'gpu="{n}",UUID="GPU-{host}-{n}",pci_bus_id="00000000:{n + 24:02X}:00.0",'
            f'Hostname="gpu-{host}",modelName="NVIDIA H100",rack="r00",simulated="true"'
            for n in range(_CARDS)
        )
        cards = [f"{{{each}}}" for each in labels]
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        for name, factor in names.items():
            rows = "".join(f"{name}{each} {factor / 2}\n" for each in cards)
            self.wfile.write(f"# TYPE {name} gauge\n{rows}".encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two hosts of eight cards behind two targets, all of which were read."""
    assert PROMETHEUS is not None
    folder = tmp_path_factory.mktemp("prometheus")
    exporter = ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    thread = threading.Thread(target=exporter.serve_forever)
    thread.start()
    config = _CONFIG.replace("TARGET", f"127.0.0.1:{exporter.server_address[1]}")
    (folder / "prometheus.yml").write_text(config)
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    words = [f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder}/data"]
    words += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    server = subprocess.Popen([PROMETHEUS, *words], stderr=subprocess.DEVNULL)
    try:
        _wait_for_cards(f"http://127.0.0.1:{port}", 2 * _CARDS)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)
        exporter.shutdown()
        exporter.server_close()
        thread.join()


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
