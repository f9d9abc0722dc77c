"""HostName: what a person or a file calls another machine, once it is known to be harmless."""

import unicodedata
from collections.abc import Callable, Sequence
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
