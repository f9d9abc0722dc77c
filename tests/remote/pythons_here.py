"""The Pythons of this computer by their version, for what has to run in any of them."""

import functools
import os
from pathlib import Path

import pytest

from gpuexplorer.lab.pythons import ask, candidates

SUITABLE = ("3.10", "3.11", "3.12", "3.13", "3.14")
TOO_OLD = ("2.7", "3.6", "3.7", "3.8", "3.9")


def python_here(release: str) -> Path:
    """Where there is none of this release, the test is left out, and says which is missing."""
    found = _by_release().get(release)
    if found is None:
        pytest.skip(f"there is no Python {release} on this computer")
    return found


@functools.cache
def _by_release() -> dict[str, Path]:
    home = Path("~").expanduser()
    # A shim is a script that asks for a Python somewhere else.
    paths = [each for each in candidates(_SURROUNDINGS, home) if "shims" not in each.parts]
    found: dict[str, Path] = {}
    for each in _older(home) | dict.fromkeys(paths):
        release = ask(each).release
        if release:
            found.setdefault(release, each)
    return found


def _older(home: Path) -> dict[Path, None]:
    """Such as `python`, where an environment of pyenv has no `python3`."""
    return dict.fromkeys(sorted((home / ".pyenv" / "versions").glob("*/bin/python")))


_SURROUNDINGS = {"PATH": os.environ.get("PATH", os.defpath)}
