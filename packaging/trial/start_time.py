"""How long the installed program takes to its first reading, beside the one run from source."""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from trial.program import Program, as_json, expect
from trial.refusal import CannotTryError
from trial.report import Step
from trial.root import Inside

_ROUNDS = 7
_MOST = 1.5
_WORDS = ("--simulate", "8xH100", "--diagnostics", "-", "--quit-after", "0.5")
_OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen"}
_SOURCE = Path(__file__).resolve().parents[2]


def step(program: Program) -> Step:
    return Step(
        f"start, at most {_MOST} times the source's", lambda: taken(program), ("install",)
    )


def taken(program: Program, rounds: int = _ROUNDS) -> str:
    """In turn, since machines drift; the first of each is to fill the caches."""
    ours, theirs = [], []
    for round_ in range(rounds + 1):
        source, installed = _from_source(), _installed(program)
        if round_:
            theirs.append(source)
            ours.append(installed)
    return judged(ours, theirs)


def judged(ours: Sequence[float], sources: Sequence[float]) -> str:
    ratio = statistics.median(a / b for a, b in zip(ours, sources, strict=True))
    said = (
        f"First reading after {statistics.median(ours):.2f} s, from source after "
        f"{statistics.median(sources):.2f} s (medians of {len(ours)}); in turn, the median of "
        f"the ratios is {ratio:.2f}."
    )
    expect(ratio <= _MOST, said)
    return said


def _installed(program: Program) -> float:
    told = program.told(*_WORDS, inside=Inside(_OFFSCREEN))
    return float(told["first_reading_seconds"])


def _from_source() -> float:
    usual = {
        name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, "-m", "gpuexplorer", *_WORDS],
            env={**usual, **_OFFSCREEN, "HOME": home, "XDG_CONFIG_HOME": home},
            cwd=_SOURCE,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        raise CannotTryError(f"The source does not start here: {done.stderr[-300:]}")
    return float(as_json(done.stdout, "the source")["first_reading_seconds"])
