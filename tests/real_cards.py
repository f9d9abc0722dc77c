"""For tests marked `gpu`: what the program and nvidia-smi say of the real cards here."""

import csv
import io
import json
import shutil
import subprocess
import sys
from typing import Any  # JSON is whatever the program printed

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
