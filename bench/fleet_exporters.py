"""Simulated DCGM exporters, and an hour of theirs made beforehand, for a real Prometheus."""

import math
import sys
import threading
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

CARDS_EACH, HOSTS, TARGETS = 8, 1000, 20

# Name, lowest and highest of a figure: twenty of the exporter's usual ones.
METRICS = (
    ("GPU_UTIL", 0, 100),
    ("MEM_COPY_UTIL", 0, 100),
    ("ENC_UTIL", 0, 20),
    ("DEC_UTIL", 0, 20),
    ("FB_USED", 400, 79000),
    ("FB_FREE", 800, 80000),
    ("FB_RESERVED", 600, 700),
    ("GPU_TEMP", 30, 82),
    ("MEMORY_TEMP", 30, 90),
    ("POWER_USAGE", 70, 690),
    ("TOTAL_ENERGY_CONSUMPTION", 0, 1e12),
    ("SM_CLOCK", 345, 1980),
    ("MEM_CLOCK", 1593, 2619),
    ("PCIE_REPLAY_COUNTER", 0, 1),
    ("XID_ERRORS", 0, 0),
    ("CORRECTABLE_REMAPPED_ROWS", 0, 1),
    ("UNCORRECTABLE_REMAPPED_ROWS", 0, 1),
    ("ROW_REMAP_FAILURE", 0, 0),
    ("POWER_VIOLATION", 0, 1e9),
    ("NVLINK_BANDWIDTH_TOTAL", 0, 400),
)


def uuid(card: int) -> str:
    return f"GPU-{card:08x}-51de-4000-8000-{card * 7919:012x}"


@cache
def labels(card: int) -> str:
    host, number = divmod(card, CARDS_EACH)
    return (
        f'gpu="{number}",UUID="{uuid(card)}",pci_bus_id="00000000:{number + 24:02X}:00.0",'
        f'device="nvidia{number}",modelName="NVIDIA H100 80GB HBM3 (simulated)",'
        f'Hostname="gpu-{host:04d}",rack="r{host // 50:02d}",simulated="true"'
    )


def figure(metric: int, card: int, at: float) -> float:
    """Made up, and smooth."""
    _, low, high = METRICS[metric]
    wave = math.sin(card * 0.7 + metric + at / (90 + card % 60)) / 2 + 0.5
    return round(low + (high - low) * wave, 2)


def page(cards: range, at: float) -> str:
    parts = []
    for metric, (name, _, _) in enumerate(METRICS):
        parts.append(f"# TYPE DCGM_FI_DEV_{name} gauge\n")
        parts += [
            f"DCGM_FI_DEV_{name}{{{labels(card)}}} {figure(metric, card, at)}\n"
            for card in cards
        ]
    return "".join(parts)


def hour(path: Path, cards: range, names: tuple[str, ...], since: float, until: float) -> None:
    """As promtool reads it."""
    with path.open("w") as file:
        file.writelines(_hour(cards, names, since, until))
        file.write("# EOF\n")


def _hour(cards: range, names: tuple[str, ...], since: float, until: float) -> Iterator[str]:
    for metric, (name, _, _) in enumerate(METRICS):
        if name not in names:
            continue
        yield f"# TYPE DCGM_FI_DEV_{name} gauge\n"
        for card in cards:
            of = f'DCGM_FI_DEV_{name}{{{labels(card)},job="dcgm",instance="{target(card)}"}}'
            times = (since + 15 * step for step in range(int((until - since) / 15)))
            yield "".join(f"{of} {figure(metric, card, at)} {at:.0f}\n" for at in times)


def target(card: int) -> str:
    """The name under which Prometheus keeps the exporter of a card."""
    return f"exporter-{card * TARGETS // (HOSTS * CARDS_EACH):02d}"


class Exporters(ThreadingHTTPServer):
    """All of them behind one port; which is meant stands in the question."""

    daemon_threads = True

    def __init__(self, hosts: int, targets: int) -> None:
        super().__init__(("127.0.0.1", 0), _Page)
        each = hosts * CARDS_EACH // targets
        self.pages = [
            page(range(number * each, (number + 1) * each), 0.0).encode()
            for number in range(targets)
        ]


class _Page(BaseHTTPRequestHandler):
    server: Exporters

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        told = self.server.pages[int(asked["number"][0])]
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        """Nothing."""


if __name__ == "__main__":
    exporters = Exporters(int(sys.argv[1]), int(sys.argv[2]))
    threading.Thread(target=exporters.serve_forever, daemon=True).start()
    print(exporters.server_address[1], flush=True)  # noqa: T201 - whoever started it reads it
    sys.stdin.read()  # until that one ends
