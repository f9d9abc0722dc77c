"""Elsewhere: another computer on which a worker runs. The lab knows not how it is reached."""

from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Protocol

from gpuexplorer.core.words import Message

if TYPE_CHECKING:
    from gpuexplorer.lab.start import Start

# An empty line so often says that somebody is there; a worker over there that heard nothing for
# so long is ended, since the end of its pipe may never be told.
SIGN_EVERY = 2.0
ALONE = 20.0


class Begun(Protocol):
    """One process here that leads to a worker over there. Its pipes are that worker's."""

    @property
    def command(self) -> "list[str]": ...

    @property
    def variables(self) -> "Mapping[str, str]":
        """For the process here, beside those it has anyway."""

    @property
    def preamble(self) -> bytes:
        """Is written before the first command."""

    def lines(self, said: "IO[bytes]") -> "Iterator[str]":
        """What the worker says, and nothing that others said before it."""

    def complaints(self, said: "IO[bytes]") -> "Iterator[str]": ...

    def why(self, status: int) -> Message:
        """It ended; empty where the worker did, whose status this is."""

    def close(self) -> None:
        """It is over. Harmless when called twice."""


class Elsewhere(Protocol):
    @property
    def asked_as(self) -> str:
        """How a command line names it."""

    def begin(self, start: "Start") -> Begun:
        """Never waits. Raises Trouble where there is no way to that computer."""
