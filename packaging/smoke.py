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
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
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
    def said(*words: str, status: Collection[int] = (0,), of: Sequence[str] = program) -> str:
        return _said([*of, *words], status)

    def told(*words: str) -> dict[str, Any]:  # Any: what is looked for may not be there
        text = said(*words, "--simulate", CARDS, "--json")
        found = json.loads(text) if text.startswith("{") else {}
        return found if isinstance(found, dict) else {}

    def its_version() -> str:
        own = said("--version").strip()
        return expect(own, own == version if version else own, version or "a version")

    def snapshot() -> str:
        found = told("snapshot")
        cards = ", ".join(card["name"] for card in found.get("cards", []))
        both = len(found.get("cards", [])) == 2 and found.get("simulated") is True
        return expect(cards, both, "the two simulated cards")

    def copies() -> str:
        found = told("copies")
        return expect(
            f"{len(found.get('results', []))} results", found.get("complete"), "all copies"
        )

    def doctor() -> str:
        # 1 says that something is amiss, which on a computer without cards is the truth.
        lines = said("doctor", status=(0, 1)).splitlines()
        return expect(f"{len(lines)} lines", lines, "a check-up")

    def recording() -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder, "one.gpurec"))
            said("record", "--duration", "2", "--simulate", CARDS, file)
            lines = said("export", "--format", "jsonl", file).splitlines()
        return expect(f"{len(lines)} lines of it", len(lines) > 5, "a recording")

    def for_prometheus() -> str:
        command = [*program, "serve", "--prometheus", "127.0.0.1:0", "--simulate", CARDS]
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
            try:
                first = server.stdout.readline() if server.stdout is not None else ""
                with urlopen(first.rpartition(" ")[2].strip(), timeout=30) as answer:
                    lines = answer.read().splitlines()
            except (OSError, ValueError) as error:
                raise FailedError(f"{' '.join(command)} said {first!r}: {error}") from None
            finally:
                server.terminate()
        return expect(f"{len(lines)} lines", len(lines) > 100, "readings")

    def another_machine() -> str:
        with tempfile.TemporaryDirectory() as folder:
            ssh = Path(folder, "ssh")
            ssh.write_text(_SSH, encoding="utf-8")
            ssh.chmod(0o755)
            path = os.pathsep.join([folder, os.environ.get("PATH", os.defpath)])
            far = [*program, "snapshot", "--json", "--host", "titan", "--simulate", CARDS]
            text = _said([*far, "--host-python", sys.executable], (0,), {"PATH": path})
        count = len(json.loads(text)["cards"])
        return expect(f"{count} cards over there", count == 2, "the two simulated cards")

    def pictures() -> str:
        with tempfile.TemporaryDirectory() as folder:
            said("--simulate", CARDS, "--view", "all", "--screenshot", folder)
            sizes = [path.stat().st_size for path in Path(folder).glob("*.png")]
        return expect(f"{len(sizes)} pictures", len(sizes) >= 10 and min(sizes) > 5000, "all")

    def its_window() -> str:
        opened = program if window is None else [window]
        said("--simulate", CARDS, "--quit-after", "3", of=opened)
        return "and ends when it shall"

    look("tells its version", its_version)
    look("reads simulated cards", snapshot)
    look("measures simulated copies", copies)
    look("says what is wrong with this computer", doctor)
    look("records, and reads it again", recording)
    look("shows its readings to Prometheus", for_prometheus)
    if sys.platform == "linux" and sys.version_info >= (3, 10):
        look("reads another machine", another_machine)
    look("draws its screens", pictures)
    look("opens its window", its_window)


def look(what: str, check: Callable[[], str]) -> None:
    try:
        print(f"It {what}: {check()}", flush=True)
    except FailedError as failed:
        raise FailedError(f"It should be able to do this: it {what}. {failed}") from None


def expect(seen: str, holds: object, wanted: str) -> str:
    if not holds:
        raise FailedError(f"Wanted: {wanted}. Seen: {seen or 'nothing'}.")
    return seen


def _said(
    words: Sequence[str],
    status: Collection[int],
    more: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """`more` stands in its environment."""
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
