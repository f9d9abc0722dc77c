"""What the trial tries: a program as somebody installed it, beside Pythons of people's own."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bare_system import System, ended
from bundle.sizes import Size

ROOT = Path(__file__).resolve().parents[1]

DIST = Path(os.environ.get("TRIAL_DIST", ROOT / "dist"))
PLACE = ROOT / "build" / "trial"  # the bare Debian, pictures
SIMULATED = ("--simulate", "2xTitanRTX")
ANCIENT = """exec /usr/bin/python3 -c '
import sys
code = sys.argv[2]
sys.version_info = (3, 9, 18, "final", 0)
sys.argv = ["-c", *sys.argv[3:]]
exec(compile(code, "<string>", "exec"))
' "$@"
"""


@dataclass(frozen=True)
class Program:
    """As somebody installed it."""

    system: System
    size: Size
    path: str = "gpuexplorer"

    # Any: whatever `System.start` takes.
    def start(self, *words: str, **how: Any) -> "subprocess.Popen[str]":
        return self.system.start(self.path, *words, **how)

    def run(self, *words: str, **how: Any) -> str:
        return self.system.run(self.path, *words, **how)

    # Any: whatever JSON holds.
    def told(self, *words: str, **how: Any) -> Any:
        return json.loads(self.run(*words, **how))

    def picture(self, name: str) -> Path:
        folder = PLACE / "pictures" / self.size.name
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{name}.png"


def newest(size: Size, ending: str) -> Path:
    found = [path for mark in "-_" for path in DIST.glob(f"{size.package}{mark}[0-9]*{ending}")]
    if not found:
        pytest.skip(f"There is no {size.package}…{ending} in {DIST}. Type first: make package")
    return max(found, key=lambda path: path.stat().st_mtime)


def refusal(program: Program, python: str = "") -> str:
    chosen = ("--python", python) if python else ()
    asked = program.start("copies", "--devices", "cpu,cpu", *chosen)
    said = " ".join(ended(asked, 1)[1].split())
    assert said.endswith((".", "`", "4xRTX4090")), said
    print(f"It says: {said}")
    return said


def script(program: Program, name: str, code: str) -> str:
    path = program.system.at(f"/var/tmp/{name}")
    path.write_text(f"#!/bin/sh\n{code}\n")
    path.chmod(0o755)
    return f"/var/tmp/{name}"


def with_torch(program: Program, name: str, version: str, code: str) -> str:
    """A stand-in: a Python whose PyTorch is of this version, and begins like this."""
    folder = program.system.at(f"/var/tmp/{name}-modules/torch")
    folder.mkdir(parents=True)
    (folder / "version.py").write_text(f"__version__ = '{version}'\ncuda = None\n")
    (folder / "__init__.py").write_text(code)
    start = f'PYTHONPATH=/var/tmp/{name}-modules exec /usr/bin/python3 "$@"'
    return script(program, name, start)
