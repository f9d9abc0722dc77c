"""The window at ten readings and ten frames a second: does memory grow?

`python -m bench.window_soak [SECONDS] [SPEC]`
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from bench.child import OURS
from bench.table import Figure, show

_SETTLING = 300.0
_LOOK_EVERY = 5.0
_GOAL = 5e6
_SETTINGS = "[choices]\ninterval=0.1\n"
# The past fills memory that was set aside at the start, which is no leak: as much as this.
_PAST_ALONE = """
import psutil, sys
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.history import History
from gpuexplorer.core.metrics import Cadence, metrics_of
spec, settled, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
backend, history = simulated(spec), History(0.1)
dues = ((Cadence.FAST, 1), (Cadence.SLOW, 50), (Cadence.ON_DEMAND, 20))
said = [
    (every, backend.read(card.id, metrics_of(card, [cadence])))
    for card in backend.cards()
    for cadence, every in dues
]
def fill(start, end):
    for step in range(round(start * 10), round(end * 10)):
        for every, sample in said:
            if step % every == 0:
                history.append(sample._replace(at=step / 10))
fill(0, settled)
before = psutil.Process().memory_info().rss
fill(settled, seconds)
print(psutil.Process().memory_info().rss - before)
"""


def run(seconds: float, spec: str) -> list[Figure]:
    """What came in the first five minutes, or the first quarter, does not count as growth."""
    settled = min(_SETTLING, seconds / 4)
    seen: list[tuple[float, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "gpuexplorer"
        settings.mkdir()
        (settings / "settings.ini").write_text(_SETTINGS)
        words = ["--simulate", spec, "--size", "1600x1000", "--diagnostics", "-"]
        child = subprocess.Popen(
            [*OURS, *words, "--quit-after", f"{seconds:g}"],
            env=os.environ | {"XDG_CONFIG_HOME": folder, "QT_QPA_PLATFORM": "offscreen"},
            stdout=subprocess.PIPE,
            text=True,
        )
        began, process = time.perf_counter(), psutil.Process(child.pid)
        while child.poll() is None:
            seen.append((time.perf_counter() - began, _resident(process)))
            time.sleep(_LOOK_EVERY)
        told = json.loads(child.communicate()[0])
    after = [memory for at, memory in seen if at >= settled and memory]
    grown = max(after[-3:]) - min(after[:3])
    asked = [sys.executable, "-c", _PAST_ALONE, spec, f"{settled:g}", f"{seconds:g}"]
    past = int(subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout)
    frame, drawn = told["frames"]["cpu_ms"], told["frames"]["drawn"]
    lasted = told["seconds"] - told["first_reading_seconds"]
    return [
        Figure(
            f"memory grown after the first {settled:.0f} s, without the past that fills up",
            f"{grown / 1e6:.1f} - {past / 1e6:.1f} = {(grown - past) / 1e6:+.1f} MB",
            "under 5 MB in an hour",
            grown - past < _GOAL,
        ),
        Figure("memory, first reading and end", _megabytes(told)),
        Figure("frames a second", f"{drawn / told['seconds']:.1f}"),
        Figure("a frame: median, 99 %", f"{frame['median']:.1f}, {frame['p99']:.1f} ms"),
        Figure("beats taken, missed", f"{told['beats']['taken']}, {told['beats']['missed']}"),
        Figure(
            "processor",
            f"{told['cpu_seconds_after_first_reading'] / lasted * 100:.1f} % of a core",
        ),
    ]


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:  # it has just ended
        return 0


def _megabytes(told: dict[str, dict[str, float]]) -> str:
    resident = told["resident_bytes"]
    return f"{resident['first_reading'] / 1e6:.0f}, {resident['now'] / 1e6:.0f} MB"


if __name__ == "__main__":
    length = float(sys.argv[1]) if len(sys.argv) > 1 else 3600.0
    cards = sys.argv[2] if len(sys.argv) > 2 else "8xH100+nvlink"
    show(f"{cards} at ten a second for {length:.0f} s", run(length, cards))
