"""Runs the real `gpuexplorer lab` on files that a test writes."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 100.0
CARDS = ("--simulate", "2xTitanRTX+idle")


@dataclass(frozen=True)
class Ran:
    """What a person, or a program that reads it, is left with."""

    status: int
    out: str
    err: str

    # Any: JSON.
    @property
    def told(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads(self.out)
        return found


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "gpuexplorer", "lab", "--python", sys.executable, *words]


def surroundings(**more: str) -> dict[str, str]:
    """The package under test, from whichever folder it is started."""
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **more}


def lab(folder: Path, *words: str, typed: str = "") -> Ran:
    done = subprocess.run(
        command(*words),
        cwd=folder,
        env=surroundings(),
        input=typed,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def until(terminal: int, words: str) -> str:
    """What it shows, up to these words."""
    shown = ""
    while words not in shown:
        assert select.select([terminal], [], [], PATIENCE)[0], shown
        shown += os.read(terminal, 4096).decode()
    return shown


def notebook(path: Path, *cells: str) -> str:
    """Its name."""
    made = [
        {"cell_type": "code", "source": code, "metadata": {}, "outputs": []} for code in cells
    ]
    content = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path.name
