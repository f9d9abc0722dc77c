"""Debian's Prometheus, which reads simulated exporters in this very process."""

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from gpuexplorer.telemetry.exporter_names import EXPORTER_NAMES

PROMETHEUS = shutil.which("prometheus")
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
