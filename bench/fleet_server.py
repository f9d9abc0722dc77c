"""Debian's Prometheus over simulated exporters, in a folder of its own."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.fleet_exporters import CARDS_EACH, hour, target

PROMETHEUS, PROMTOOL = shutil.which("prometheus"), shutil.which("promtool")
_PATIENCE, _HOUR = 120.0, 3600.0
_CONFIG = """
global: {{scrape_interval: {beat}s, scrape_timeout: {beat}s, evaluation_interval: {beat}s}}
scrape_configs:
  - job_name: dcgm
    static_configs:
{targets}
    relabel_configs:
      - {{source_labels: [number], target_label: __param_number}}
      - {{regex: number, action: labeldrop}}
rule_files: [rules.yml]
"""
_RULES = """
groups:
  - name: cards
    rules:
      - alert: CardIsHot
        expr: DCGM_FI_DEV_GPU_TEMP > 81.9
        labels: {severity: warning}
        annotations: {summary: "A card is hotter than 81.9 °C"}
"""


@contextmanager
def prometheus(
    folder: Path, hosts: int, targets: int, past: tuple[str, ...] = (), beat: int = 15
) -> Iterator[tuple[str, int]]:
    """Its address and the number of its process; `past`: of which metrics an hour is made."""
    assert PROMETHEUS is not None
    # A process of its own, so that what it costs is nobody else's.
    exporters = subprocess.Popen(
        [sys.executable, "-m", "bench.fleet_exporters", str(hosts), str(targets)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert exporters.stdout is not None
    where = f"127.0.0.1:{int(exporters.stdout.readline())}"
    each_has = hosts * CARDS_EACH // targets
    told = [
        f'      - {{targets: ["{where}"], labels: {{number: "{each}",'
        f' instance: "{target(each * each_has)}"}}}}'
        for each in range(targets)
    ]
    (folder / "prometheus.yml").write_text(_CONFIG.format(targets="\n".join(told), beat=beat))
    (folder / "rules.yml").write_text(_RULES)
    if past:
        _make_past(folder, range(each_has * targets), past)
    port = _free_port()
    server = subprocess.Popen(
        [
            PROMETHEUS,
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=error",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}", server.pid
    finally:
        server.terminate()
        server.wait(_PATIENCE)
        exporters.communicate()  # which closes its pipe, and so ends it


def _make_past(folder: Path, cards: range, names: tuple[str, ...]) -> None:
    assert PROMTOOL is not None
    until = time.time() // 15 * 15 - 15
    source = folder / "past.txt"
    hour(source, cards, names, until - _HOUR, until)
    subprocess.run(
        [PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", source, folder / "data"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    source.unlink()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def memory_of(pid: int) -> int:
    """Bytes that a process holds just now."""
    told = Path(f"/proc/{pid}/status").read_text()
    line = next(each for each in told.splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) * 1024
