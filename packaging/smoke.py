"""Tries a built program, on any system: it answers in the terminal, and draws its screens.

    python packaging/smoke.py build/slim/gpuexplorer/gpuexplorer --expect 0.1.0

Standard library only, so that the Python that runs it may be any.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

CARDS = "2xTitanRTX"
_PATIENCE = 300.0
# An `ssh` that leads back here. The program's own libraries are nothing for the real one.
_SSH = """\
#!/bin/sh
case "$LD_LIBRARY_PATH" in *_internal*) exit 255 ;; esac
while [ $# -gt 2 ]; do shift; done
exec sh -c "$2"
"""


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
    def said(*words: str, status: Collection[int] = (0,), path: str | None = None) -> str:
        return _said([*program, *words], status, path)

    def told(*words: str) -> dict[str, Any]:  # Any: what is looked for may not be there
        found: dict[str, Any] = json.loads(said(*words, "--simulate", CARDS, "--json"))
        return found

    own = said("--version").strip()
    look("tells its version", own, holds=own == version if version else own)
    found = told("snapshot")
    names = [card["name"] for card in found["cards"]]
    look("reads simulated cards", names, holds=found["simulated"] and len(names) == 2)
    found = told("copies")
    look("measures simulated copies", len(found["results"]), holds=found["complete"])
    # 1 says that something is amiss, which on a computer without cards is the truth.
    lines = len(said("doctor", status=(0, 1)).splitlines())
    look("says in lines what is wrong with this computer", lines, holds=lines)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "one.gpurec"))
        said("record", "--duration", "2", "--simulate", CARDS, file)
        lines = len(said("export", "--format", "jsonl", file).splitlines())
        look("records, and reads lines of it again", lines, holds=lines > 5)
        lines = _served([*program, "serve", "--prometheus", "127.0.0.1:0", "--simulate", CARDS])
        look("shows lines of readings to Prometheus", lines, holds=lines > 100)
        if sys.platform == "linux" and sys.version_info >= (3, 10):
            ssh = Path(folder, "ssh")
            ssh.write_text(_SSH, encoding="utf-8")
            ssh.chmod(0o755)
            words = ["snapshot", "--json", "--host", "titan", "--simulate", CARDS]
            text = said(*words, "--host-python", sys.executable, path=folder)
            count = len(json.loads(text)["cards"])
            look("reads the cards of another machine", count, holds=count == 2)
        said("--simulate", CARDS, "--view", "all", "--screenshot", folder)
        sizes = [path.stat().st_size for path in Path(folder).glob("*.png")]
        look("draws its screens", len(sizes), holds=len(sizes) >= 10 and min(sizes) > 5000)
    opened = program if window is None else [window]
    _said([*opened, "--simulate", CARDS, "--quit-after", "3"], (0,))
    look("opens its window", "and it ends when it shall", holds=True)


def look(what: str, seen: object, *, holds: object) -> None:
    if not holds:
        raise FailedError(f"It should be able to do this: it {what}. Seen: {seen}.")
    print(f"It {what}: {seen}", flush=True)


def _served(command: Sequence[str]) -> int:
    """The lines of a page."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        try:
            first = server.stdout.readline() if server.stdout is not None else ""
            with urlopen(first.rpartition(" ")[2].strip(), timeout=30) as answer:
                return len(answer.read().splitlines())
        except (OSError, ValueError) as error:
            raise FailedError(f"{' '.join(command)} said {first!r}: {error}") from None
        finally:
            server.terminate()


def _said(words: Sequence[str], status: Collection[int], path: str | None = None) -> str:
    """`path`: a folder whose programs come before all others."""
    usual = os.environ.get("PATH", os.defpath)
    more = {} if path is None else {"PATH": os.pathsep.join([path, usual])}
    try:
        done = subprocess.run(
            words,
            env={**os.environ, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except OSError as error:
        raise FailedError(f"{words[0]} cannot be started: {error}") from None
    except subprocess.TimeoutExpired:
        raise FailedError(f"{' '.join(words)} did not end in {_PATIENCE:g} s.") from None
    if done.returncode not in status:
        said = f"{done.stdout}\n{done.stderr}"
        raise FailedError(f"{' '.join(words)} ended with {done.returncode}:\n{said}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
