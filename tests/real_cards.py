"""For tests marked `gpu`: what is said of the real cards here, and what keeps one at work."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any, Self  # Any: JSON is whatever the program printed

import pytest

Snapshot = dict[str, Any]


def snapshots(*arguments: str) -> list[Snapshot]:
    """Of `gpuexplorer snapshot`, one after the other, as it prints them for programs."""
    done = subprocess.run(
        [sys.executable, "-m", "gpuexplorer", "snapshot", "--json", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text, found, at = done.stdout.strip(), [], 0
    while at < len(text):
        one, at = json.JSONDecoder().raw_decode(text, at)
        found.append(one)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


def whole_cards(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Skips the test where there are none, or one sleeps: nvidia-smi would wake it."""
    cards = [each for each in snapshot["cards"] if each["kind"] == "gpu"]
    if not cards or snapshot["simulated"]:
        pytest.skip("the driver has no card here")
    if any(each["state"] == "asleep" for each in cards):
        pytest.skip("a card is asleep")
    return cards


def smi(query: str, fields: str) -> list[list[str]] | None:
    """The rows of its answer, or None where this nvidia-smi does not know what is asked."""
    program = shutil.which("nvidia-smi") or shutil.which(
        "nvidia-smi", path="/usr/lib/wsl/lib:/usr/local/nvidia/bin"
    )
    if program is None:
        pytest.skip("nvidia-smi is not here")
    done = subprocess.run(
        [program, f"--query-{query}={fields}", "--format=csv,noheader,nounits"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        if "is not a valid field" in done.stdout + done.stderr:
            return None
        pytest.skip(f"nvidia-smi does not answer: {done.stdout or done.stderr}".strip())
    return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(done.stdout))]


PIECE = 64 << 20  # bytes of one copy
_PATIENCE = 60.0
# Monotonic seconds are the same in all processes of a computer.
_SCRIPT = """
import sys, time
import torch
what, piece = sys.argv[1], int(sys.argv[2])
card = torch.ones(piece, dtype=torch.uint8, device="cuda")
if what == "hold":
    print(time.monotonic(), 0, torch.cuda.memory_reserved(), flush=True)
    sys.stdin.read()
    sys.exit()
if what == "multiply":
    left = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
    out = torch.empty_like(left)
    work, times, size = lambda: torch.mm(left, left, out=out), 64, 1
else:
    host = torch.ones(piece, dtype=torch.uint8).pin_memory()
    source, target = (host, card) if what == "send" else (card, host)
    work, times, size = lambda: target.copy_(source, non_blocking=True), 8, piece
done = 0
while True:
    for _ in range(times):
        work()
    torch.cuda.synchronize()
    done += times * size
    print(time.monotonic(), done, torch.cuda.memory_reserved(), flush=True)
"""


class AtWork:
    """`what`: "send" to the card, "fetch" from it, "multiply" on it, or "hold" memory there.

    Raises RuntimeError where PyTorch cannot use the card.
    """

    def __init__(self, card: str, what: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, what, str(PIECE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
            env={**os.environ, "CUDA_VISIBLE_DEVICES": card},
        )
        self._said: list[tuple[float, float, int]] = []
        self._ended = False
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        with self._more:
            self._more.wait_for(lambda: bool(self._said) or self._ended, _PATIENCE)
        if not self._said:
            self.__exit__()
            raise RuntimeError("PyTorch cannot use this card")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._reader.join()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def began(self) -> float:
        """When its first work was done, or its memory held."""
        return self._said[0][0]

    @property
    def reserved_bytes(self) -> int:
        """As PyTorch counts it."""
        return self._said[-1][2]

    def rate(self, begin: float, end: float) -> float:
        """Bytes copied, or products made, per second between two moments of the past."""
        with self._more:
            self._more.wait_for(lambda: self._said[-1][0] >= end or self._ended, _PATIENCE)
            said = list(self._said)
        return (_done(said, end) - _done(said, begin)) / (end - begin)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                at, done, reserved = line.split()
                with self._more:
                    self._said.append((float(at), float(done), int(reserved)))
                    self._more.notify_all()
        with self._more:
            self._ended = True
            self._more.notify_all()


def _done(said: list[tuple[float, float, int]], at: float) -> float:
    """By then, as if it went on evenly between two words."""
    for (begin, before, _), (end, after, _) in pairwise(said):
        if begin <= at <= end:
            return before + (after - before) * (at - begin) / (end - begin)
    raise AssertionError("it did not work at that moment")
