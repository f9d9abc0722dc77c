"""The names of ~/.ssh/config, to choose from. What they mean is ssh's business alone."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.host_name import host_name

_LONGEST = 1_000_000  # bytes of a file
_FILES = 64  # in all, however they include each other
_NAMES = 1_000
_LINE = re.compile(r"\s*(host|include)(?:\s*=\s*|\s+)(.*)", re.IGNORECASE)
_WORD = re.compile(r'"([^"]*)"|([^\s"]+)')


def names_to_choose(config: "Path | None" = None) -> Sequence[str]:
    """In the order in which they stand there. A file that cannot be read has none."""
    found: dict[str, None] = {}
    for word in _named(config or Path("~/.ssh/config").expanduser()):
        if any(each in word for each in "*?!"):
            continue
        try:
            found[host_name(word).text] = None
        except Trouble:
            continue  # nobody could connect to it either
        if len(found) == _NAMES:
            break
    return list(found)


def _named(config: Path) -> Iterator[str]:
    waiting, seen = [config], set[Path]()
    while waiting and len(seen) < _FILES:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        included: list[Path] = []
        for line in _lines(path):
            if not (match := _LINE.fullmatch(line)):
                continue
            words = [quoted or bare for quoted, bare in _WORD.findall(match.group(2))]
            if match.group(1).lower() == "host":
                yield from words
                continue
            for each in words:
                included += _meant(config.parent / os.path.expanduser(each))  # noqa: PTH111
        waiting = included + waiting


def _meant(pattern: Path) -> Sequence[Path]:
    """Patterns only in the file's own name: a whole disk is not searched."""
    if not str(pattern).isprintable():
        return ()
    try:
        return sorted(islice(pattern.parent.glob(pattern.name), _FILES))
    except (OSError, ValueError, NotImplementedError):
        return ()


def _lines(path: Path) -> Sequence[str]:
    try:
        if not path.is_file():  # a pipe would never end
            return ()
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return ()
