"""Runs the real `gpuexplorer lab` and `gpuexplorer lesson run` on files that a test writes."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

AtTerminal: TypeAlias = "AbstractContextManager[tuple[subprocess.Popen[bytes], int]]"
PATIENCE = 100.0
CARDS = ("--simulate", "2xTitanRTX+idle")
# Standard input becomes the terminal of all that follows.
_AT_A_TERMINAL = (
    "import fcntl, os, sys, termios; "
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)
HEAD = "# A lesson of `one's own`\n\n```lesson\nminutes: 5\nneeds: pytorch\n```\n\nAbout it.\n"


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


def command(verb: str, *words: str) -> list[str]:
    """With the Python of these tests."""
    python = ("--python", sys.executable)
    return [sys.executable, "-m", "gpuexplorer", *verb.split(), *python, *words]


def surroundings(**more: str) -> dict[str, str]:
    """The package under test, from whichever folder it is started."""
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **more}


def _ran(words: list[str], folder: Path | None, typed: str) -> Ran:
    done = subprocess.run(
        words,
        cwd=folder,
        env=surroundings(),
        input=typed,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def lab(folder: Path, *words: str, typed: str = "") -> Ran:
    return _ran(command("lab", *words), folder, typed)


def played(lesson: Path | str, *words: str, cards: tuple[str, ...] = CARDS) -> Ran:
    return _ran(command("lesson run", str(lesson), *words, *cards), None, "")


@contextmanager
def at_terminal(
    *words: str, cwd: Path | None = None, stderr: int | None = None
) -> "Iterator[tuple[subprocess.Popen[bytes], int]]":
    """The command, and the terminal at which it runs."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", _AT_A_TERMINAL, *words],
        cwd=cwd,
        env=surroundings(TERM="dumb", COLUMNS="80"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs if stderr is None else stderr,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            yield process, ours
        finally:
            process.kill()
    os.close(ours)


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


def lesson(folder: Path, *steps: str) -> Path:
    """Each step is what stands under its heading; `python` and others begin a block."""
    titled = [f"\n## Step {number}\n\n{each}\n" for number, each in enumerate(steps, 1)]
    (folder / "lesson.md").write_text(HEAD + "".join(titled), encoding="utf-8")
    return folder


def block(kind: str, text: str) -> str:
    return f"```{kind}\n{text.strip()}\n```\n\n"
