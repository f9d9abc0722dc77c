"""Whole programs on the stand-in with eight cards: ours beside nvitop and gpustat, in turn."""

import importlib.util
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.table import Figure
from tests.nvml_stub.stub import environment

_OURS = [sys.executable, "-m", "gpuexplorer"]
_ROUNDS = 9
_LOOP_SECONDS = 20
# What nvitop's table shows of a card and its programs, once with everything due, once between.
_SAME_COLUMNS = """
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
backend = NvmlBackend()
backend.open()
names = "gpu_utilization memory_utilization memory_used memory_free memory_total temperature \
power_draw power_limit fan_speed performance_state ecc_uncorrected compute_mode \
persistence_mode mig_mode display_active"
columns = frozenset(MetricId(name) for name in names.split())
fast = frozenset(name for name in columns if METRICS[name].cadence is Cadence.FAST)
def beat(wanted):
    for card in backend.cards():
        backend.read(card.id, wanted)
        backend.processes(card.id)
full, between = lambda: beat(columns), lambda: beat(fast)
"""
_NVITOP = """
from nvitop.tui.library.device import Device
devices = Device.all()
def beat():
    for device in devices:
        device.as_snapshot()
        device.processes()
full = between = beat
"""
_COUNTED = """
import ctypes, sys
library = ctypes.CDLL("libnvidia-ml.so.1")
library.stub_calls.restype = ctypes.c_ulong
for call in (full, between):
    library.stub_reset_calls()
    call()
    sys.stderr.write(f"{library.stub_calls()} ")
"""


def figures() -> list[Figure]:
    return [*_snapshot(), *_calls(), *_loop(), *_imports()]


def _peer(name: str) -> list[str] | None:
    path = Path(sys.executable).parent / name
    return [str(path)] if importlib.util.find_spec(name) and path.exists() else None


def _snapshot() -> list[Figure]:
    programs = {"gpuexplorer snapshot --json": [*_OURS, "snapshot", "--json"]}
    for name, words in (("nvitop", ["-1"]), ("gpustat", [])):
        peer = _peer(name)
        if peer is not None:
            programs[" ".join([name, *words])] = [*peer, *words]
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(_ROUNDS):
        for name, words in programs.items():
            began = time.perf_counter()
            _run(words)
            times[name].append(time.perf_counter() - began)
    rows = []
    for name, taken in times.items():
        middle = statistics.median(taken)
        ours = name.startswith("gpuexplorer")
        rows.append(
            Figure(
                f"{name}, 8 cards, whole program",
                f"{middle:.3f} s",
                "under 0.2 s" if ours else "",
                middle < 0.2 if ours else None,
            )
        )
    mine, *peers = times
    for name in peers:
        share = statistics.median(a / b for a, b in zip(times[mine], times[name], strict=True))
        met = share <= 1 if name.startswith("nvitop") else None
        goal = "" if met is None else "at most 1"
        rows.append(Figure(f"{mine} / {name}", f"{share:.2f}", goal, met))
    return rows


def _calls() -> list[Figure]:
    ours = _count(_SAME_COLUMNS)
    if _peer("nvitop") is None:
        return [Figure("NVML calls for nvitop's columns, ours", str(ours))]
    theirs = _count(_NVITOP)
    return [
        Figure(
            f"NVML calls for nvitop's columns, {when}: ours / nvitop",
            f"{mine} / {other}",
            "fewer than nvitop",
            mine < other,
        )
        for when, mine, other in zip(("all due", "between"), ours, theirs, strict=True)
    ]


def _count(code: str) -> list[int]:
    return [int(word) for word in _run([sys.executable, "-c", code + _COUNTED]).split()]


def _loop() -> list[Figure]:
    """Processor time of a minute, from a shorter stretch, less what starting costs."""
    once = _processor_seconds([*_OURS, "snapshot", "--loop", "1", "--count", "1"])
    count = str(_LOOP_SECONDS + 1)
    long = _processor_seconds([*_OURS, "snapshot", "--loop", "1", "--count", count])
    minute = (long - once) / _LOOP_SECONDS * 60
    return [
        Figure(
            "snapshot --loop 1, 8 cards, processor per minute",
            f"{minute:.2f} s",
            "under 1.1 s",
            minute < 1.1,
        )
    ]


def _processor_seconds(words: list[str]) -> float:
    before = os.times()
    _run(words)
    after = os.times()
    return (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


def _imports() -> list[Figure]:
    code = (
        "import sys; from gpuexplorer.__main__ import main; main(['snapshot', '--json']);"
        "heavy = [m for m in ('PySide6', 'torch', 'numpy', 'pyqtgraph') if m in sys.modules];"
        "sys.stderr.write(','.join(heavy) or 'none')"
    )
    done = _run([sys.executable, "-c", code])
    return [
        Figure("Qt, torch, numpy imported by a snapshot", done, "none", done == "none"),
    ]


def _run(words: list[str], more: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        words,
        env={**environment("cards=8"), "TERM": "xterm", **(more or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stderr.strip()
