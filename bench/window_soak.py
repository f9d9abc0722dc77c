"""The window at ten readings and ten frames a second: does memory grow, does anything wear out?

`python -m bench.window_soak [SECONDS]`, or the last of `make bench ARGS="--soak 3600"`
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.table import Figure, show

_CARDS = "8xH100+nvlink"
_SCREENS = ("overview", "card")
_SETTLING = 300.0
_GOAL = 5e6
# So many a frame are chance: caches that were filled or emptied.
_LOST = 0.05
_SETTINGS = "[choices]\ninterval=0.1\n"
# Where `None` can be freed, which is so up to Python 3.11, a reference that is lost with each
# frame ends the program; where it cannot, its count stands still and says nothing (decision 1).
_WATCHED = """
import json, sys, time
from PySide6.QtCore import QTimer
import gpuexplorer.app as app
from gpuexplorer.__main__ import main
from gpuexplorer.gui.measuring.diagnostics import resident_bytes
make, seen = app.App.__init__, []
def watched(self, *needs, **more):
    make(self, *needs, **more)
    frames, began = self.window.diagnostics, time.perf_counter()
    def look():
        now = time.perf_counter() - began
        memory = resident_bytes()
        seen.append((now, memory, sys.getrefcount(None), frames.drawn))
    QTimer(self.window, interval=5000, timeout=look).start()
app.App.__init__ = watched
status = main(sys.argv[1:])
print(json.dumps(seen))
raise SystemExit(status)
"""
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


def figures(seconds: float) -> list[Figure]:
    """What came in the first five minutes, or the first quarter, does not count as growth."""
    settled = min(_SETTLING, seconds / 4)
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "gpuexplorer"
        settings.mkdir()
        (settings / "settings.ini").write_text(_SETTINGS)
        windows = {screen: _open(screen, seconds, folder) for screen in _SCREENS}
        said = {screen: window.communicate()[0] for screen, window in windows.items()}
    asked = [sys.executable, "-c", _PAST_ALONE, _CARDS, f"{settled:g}", f"{seconds:g}"]
    past = int(subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return [row for screen in _SCREENS for row in _rows(screen, said[screen], settled, past)]


def _open(screen: str, seconds: float, folder: str) -> "subprocess.Popen[str]":
    words = ["--simulate", _CARDS, "--size", "1600x1000", "--view", screen]
    words += ["--quit-after", f"{seconds:g}", "--diagnostics", "-"]
    return subprocess.Popen(
        [sys.executable, "-c", _WATCHED, *words],
        env=os.environ | {"XDG_CONFIG_HOME": folder, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
    )


def _rows(screen: str, said: str, settled: float, past: int) -> list[Figure]:
    diagnostics, _, looks = said.rstrip().rpartition("\n")
    told: Mapping[str, Any] = json.loads(diagnostics)  # of every kind; made numbers below
    seen = [each for each in json.loads(looks) if each[0] >= settled]
    memory = [int(each[1]) for each in seen]
    grown = max(memory[-3:]) - min(memory[:3])
    (_, _, before, first), (_, _, after, last) = seen[0], seen[-1]
    each_frame = (after - before) / (last - first)
    frame, resident, beats = told["frames"]["cpu_ms"], told["resident_bytes"], told["beats"]
    lasted = told["seconds"] - told["first_reading_seconds"]
    return [
        Figure(
            f"{screen}: memory grown after the first {settled:.0f} s, less the past that fills",
            f"{grown / 1e6:.1f} - {past / 1e6:.1f} = {(grown - past) / 1e6:+.1f} MB",
            "under 5 MB in an hour",
            grown - past < _GOAL,
        ),
        Figure(
            f"{screen}: references to None, in {last - first} frames",
            f"{after - before:+d}, {each_frame:+.2f} a frame",
            "never fewer",
            each_frame > -_LOST,
        ),
        Figure(
            f"{screen}: memory, first reading and end",
            f"{resident['first_reading'] / 1e6:.0f}, {resident['now'] / 1e6:.0f} MB",
        ),
        Figure(
            f"{screen}: frames a second; a frame: median, 99 %",
            f"{told['frames']['drawn'] / told['seconds']:.1f}; "
            f"{frame['median']:.1f}, {frame['p99']:.1f} ms",
        ),
        Figure(f"{screen}: beats taken, missed", f"{beats['taken']}, {beats['missed']}"),
        Figure(
            f"{screen}: processor",
            f"{told['cpu_seconds_after_first_reading'] / lasted * 100:.1f} % of a core",
        ),
    ]


if __name__ == "__main__":
    length = float(sys.argv[1]) if len(sys.argv) > 1 else 3600.0
    show(f"{_CARDS} at ten a second for {length:.0f} s", figures(length))
