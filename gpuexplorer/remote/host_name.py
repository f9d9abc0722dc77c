"""HostName: what a person or a file calls another machine, once it is known to be harmless."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gpuexplorer.core.trouble import Trouble

_LONGEST = 320  # a user of 64, "@", and a name of 255
# A ProxyCommand of a person's own may hand the name to a shell; newer ssh refuse these as well.
_TO_A_SHELL = {*"'`\"$\\;&<>|(){}"}
_HIDDEN = ("C", "Z")  # Unicode's controls, unknown ones, and what separates


class HostName(NamedTuple):
    """user@server, as it was typed; it may be an alias of ~/.ssh/config."""

    text: str

    def __str__(self) -> str:
        return self.text


# How a command line is run over there. The real one is ssh; tests hand in others.
Launch = Callable[[HostName, str], Sequence[str]]


def host_name(text: str) -> HostName:
    """Raises Trouble for what ssh could take for something else than a name."""
    name = text.strip(" ")
    hint = "Write it as for ssh: server, user@server, or a name of ~/.ssh/config."
    if not name:
        raise Trouble("The name of a machine is missing.", hint)
    if len(name) > _LONGEST:
        raise Trouble(
            "This name of a machine is too long: {start}…",
            hint,
            start=_shown(name[:40]),
        )
    if name.startswith("-"):
        raise Trouble(
            "The name of a machine cannot begin with a hyphen: {name}.",
            "ssh would take it for an option.",
            name=_shown(name),
        )
    if any(unicodedata.category(each)[0] in _HIDDEN for each in name):
        raise Trouble(
            "The name of a machine cannot hold spaces or control characters: {name}.",
            hint,
            name=_shown(name),
        )
    if "," in name:
        raise Trouble(
            "Machines are named one at a time, and not with commas: {name}.", hint, name=name
        )
    user, _, server = name.rpartition("@")
    lacking = not server or ("@" in name and not user)
    if lacking or server.startswith("-") or _TO_A_SHELL & {*server, *user.replace("\\", "")}:
        raise Trouble("This is no name of a machine: {name}.", hint, name=name)
    return HostName(name)


def _shown(name: str) -> str:
    return "".join("�" if unicodedata.category(each)[0] == "C" else each for each in name)


_LONGEST_FILE = 1_000_000  # bytes
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
            return file.read(_LONGEST_FILE).decode("utf-8", "replace").splitlines()
    except OSError:
        return ()
