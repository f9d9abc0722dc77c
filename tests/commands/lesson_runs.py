"""Runs the real `gpuexplorer lesson run` on lessons that a test writes."""

import subprocess
import sys
from pathlib import Path

from tests.commands.lab_runs import CARDS, PATIENCE, Ran, surroundings

HEAD = "# A lesson of `one's own`\n\n```lesson\nminutes: 5\nneeds: pytorch\n```\n\nAbout it.\n"


def lesson(folder: Path, *steps: str) -> Path:
    """Each step is what stands under its heading; `python` and others begin a block."""
    titled = [f"\n## Step {number}\n\n{each}\n" for number, each in enumerate(steps, 1)]
    (folder / "lesson.md").write_text(HEAD + "".join(titled), encoding="utf-8")
    return folder


def block(kind: str, text: str) -> str:
    return f"```{kind}\n{text.strip()}\n```\n\n"


def command(*words: str) -> list[str]:
    python = ("--python", sys.executable)
    return [sys.executable, "-m", "gpuexplorer", "lesson", "run", *words, *python]


def played(lesson: Path | str, *words: str, cards: tuple[str, ...] = CARDS) -> Ran:
    done = subprocess.run(
        command(str(lesson), *words, *cards),
        env=surroundings(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
