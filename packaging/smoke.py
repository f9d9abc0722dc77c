"""Tries a built program, on any system: it answers in the terminal, and draws its screens.

    python packaging/smoke.py build/slim/gpuexplorer/gpuexplorer --expect 0.1.0

Standard library only, so that the Python that runs it may be any.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

CARDS = "2xTitanRTX"
_PATIENCE = 300.0


class FailedError(Exception):
    """What was tried, and what came of it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", nargs="+", help="the program, and words that belong to it")
    parser.add_argument("--expect", metavar="VERSION", help="the version it has to tell")
    parser.add_argument("--window", metavar="FILE", help="a program that only opens the window")
    arguments = parser.parse_args()
    try:
        try_all(arguments.program, arguments.expect, arguments.window)
    except FailedError as failed:
        print(failed, file=sys.stderr)
        return 1
    print("The program works as far as this looks.")
    return 0


def try_all(program: Sequence[str], version: str | None, window: str | None) -> None:
    look("tells its version", lambda: _version(program, version))
    look("reads simulated cards", lambda: _snapshot(program))
    look("measures simulated copies", lambda: _copies(program))
    look("says what is wrong with this computer", lambda: _doctor(program))
    look("draws its screens", lambda: _pictures(program))
    opened = [window] if window is not None else program
    look("opens its window", lambda: _window(opened))


def look(what: str, check: Callable[[], str]) -> None:
    print(f"It {what}: {check()}", flush=True)


def _version(program: Sequence[str], version: str | None) -> str:
    said = _said(program, "--version").strip()
    if not said or (version is not None and said != version):
        raise FailedError(f"It says its version is {said!r}, and not {version!r}.")
    return said


def _snapshot(program: Sequence[str]) -> str:
    told = _json(program, "snapshot", "--simulate", CARDS, "--json")
    if len(told["cards"]) != 2 or told["simulated"] is not True:
        raise FailedError(f"These are not the two simulated cards: {told}")
    return ", ".join(card["name"] for card in told["cards"])


def _copies(program: Sequence[str]) -> str:
    told = _json(program, "copies", "--simulate", CARDS, "--json")
    if told["complete"] is not True:
        raise FailedError(f"The copies were not all measured: {told}")
    return "complete"


def _doctor(program: Sequence[str]) -> str:
    """1 says that something is amiss, which on a computer without cards is the truth."""
    done = _run(program, "doctor")
    if done.returncode not in {0, 1} or not done.stdout.strip():
        raise FailedError(f"The doctor ended with {done.returncode}: {done.stderr}")
    return f"{len(done.stdout.splitlines())} lines"


def _pictures(program: Sequence[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        _said(program, "--simulate", CARDS, "--view", "all", "--screenshot", folder)
        sizes = [path.stat().st_size for path in Path(folder).glob("*.png")]
    if len(sizes) < 10 or min(sizes) < 5000:
        raise FailedError(f"These are not pictures of every screen: {sizes}")
    return f"{len(sizes)} pictures"


def _window(program: Sequence[str]) -> str:
    _said(program, "--simulate", CARDS, "--quit-after", "3")
    return "and ends when it shall"


# Any: it is JSON, and what is looked for in it may not be there.
def _json(program: Sequence[str], *words: str) -> dict[str, Any]:
    text = _said(program, *words)
    try:
        told: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise FailedError(f"This is no JSON ({error}): {text[:2000]}") from None
    return told


def _said(program: Sequence[str], *words: str) -> str:
    done = _run(program, *words)
    if done.returncode != 0:
        raise FailedError(
            f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        )
    return done.stdout


def _run(program: Sequence[str], *words: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            [*program, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except OSError as error:
        raise FailedError(f"{program[0]} cannot be started: {error}") from None
    except subprocess.TimeoutExpired:
        raise FailedError(f"{' '.join(words)} did not end in {_PATIENCE:g} s.") from None


if __name__ == "__main__":
    sys.exit(main())
