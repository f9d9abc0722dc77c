"""Company: a rank on each host, over ssh or here, and what they tell; ended together."""

import queue
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeVar

from gpuexplorer.core.harmless import line_of, record_in
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab import packaged
from gpuexplorer.ranks.wire import BEAT, TOLD, Elsewhere, Expects, Failed, Here, Order, Told
from gpuexplorer.remote.link import Link
from gpuexplorer.remote.parcel import Kind, parcel
from gpuexplorer.remote.refusals import Ending
from gpuexplorer.remote.ssh import HostName, Launch

T = TypeVar("T")
PATIENCE = 15.0  # with what takes no time worth mentioning
STARTING = 90.0  # a disk over there may be slow, and PyTorch is large
SILENT = 10.0
_SLOWER = 3.0  # than it was expected to be
_GRACE = 1.5  # for the real reason, which may come after the others' complaints
_GLANCE = 0.25


class Member(NamedTuple):
    """One host that is asked for. `name` is what people read; two may be one host."""

    name: str
    host: HostName
    launch: Launch
    python: str


def here(name: str, python: str | Path | None) -> Member:
    """This computer, without ssh. Where that Python has no PyTorch, its rank finds one that
    has. Raises Trouble where no rank can run.
    """
    if sys.platform == "win32":
        raise Trouble(
            "Windows cannot be one of the machines between which copies are measured.",
            "Between others it can: name those.",
        )
    path = Path(python or sys.executable)
    asked = "python3" if packaged.is_this_program(path) else str(path)
    return Member(name, HostName("localhost"), lambda _, command: ["sh", "-c", command], asked)


def told_apart(names: Sequence[str]) -> Sequence[str]:
    """The second a is called "a (2)", or by the next number where that is another's name."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name} ({number})" for number in count(2))
        free = (each for each in numbered if each not in found and each not in names)
        found.append(next(free) if name in found else name)
    return found


class CancelledError(Exception):
    """Somebody wants no more of it."""


class Company:
    """Use it with `with`. What waits raises Trouble as soon as one of them fails."""

    def __init__(
        self,
        members: Sequence[Member],
        silent: float = SILENT,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Who is not heard of for so many seconds is gone. Once it is `cancelled`, whoever
        waits gets a CancelledError.
        """
        self.members, self._silent, self._cancelled = members, silent, cancelled
        self._said: queue.SimpleQueue[tuple[int, Told | Ending]] = queue.SimpleQueue()
        self._links: dict[int, Link] = {}
        self._moved: set[int] = set()  # to another Python
        self._heard: dict[int, float] = {}  # from the first that each has told
        self._knocked = 0.0

    def __enter__(self) -> "Company":
        return self

    def __exit__(self, *_: object) -> None:
        with ThreadPoolExecutor(max(1, len(self._links))) as at_once:
            list(at_once.map(Link.stop, self._links.values()))

    def start(self) -> Mapping[int, Here]:
        """Raises Trouble where one has no PyTorch, or cannot be reached."""
        for rank, member in enumerate(self.members):
            self._start(rank, member.python)
        late = mark("PyTorch was not ready on {late} within {seconds:.0f} s.")
        return self.answers(Here, range(len(self.members)), STARTING, late, "")

    def tell(self, rank: int, order: Order) -> None:
        self._links[rank].send(line_of(order))

    def answers(
        self,
        kind: type[T],
        ranks: Sequence[int],
        seconds: float,
        late: str,
        hint: str = mark("A firewall between the hosts may do this."),
    ) -> Mapping[int, T]:
        """One of each of them. `late` is what it means when no answer comes in so many
        `seconds`, or in as many more as they expect: a template that may name the `hosts`,
        and those of them that are `late`.
        """
        answers: dict[int, T] = {}
        until = time.monotonic() + seconds
        while missing := [self.members[each].name for each in ranks if each not in answers]:
            rank, told = self._next()
            now = time.monotonic()
            match told:
                case Failed() | Ending():
                    raise self._real_reason(rank, told)
                case Elsewhere(python):
                    self._move(rank, python)
                case Expects(more):
                    until = max(until, now + PATIENCE + _SLOWER * more)
                case _ if isinstance(told, kind) and rank in ranks:
                    answers[rank] = told
                    continue
            if now > until:
                hosts = ", ".join(self.members[each].name for each in ranks)
                raise Trouble(late, hint, hosts=hosts, late=", ".join(missing), seconds=seconds)
        return answers

    def _start(self, rank: int, python: str) -> None:
        member, sent = self.members[rank], parcel(Kind.RANK)

        def on_line(line: bytes) -> None:
            with suppress(UnreadableError):  # a library printed it
                self._said.put((rank, record_in(line, TOLD)))

        command = member.launch(member.host, sent.command(python))
        link = Link(member.host, command, sent.preamble, sent.mark, on_line)
        link.start(lambda ending: self._said.put((rank, ending)))
        self._links[rank] = link

    def _move(self, rank: int, python: str) -> None:
        if rank in self._moved:
            raise Trouble(
                "The Python that {host} named has no PyTorch either.",
                host=self.members[rank].name,
            )
        self._moved.add(rank)
        self._links[rank].stop()
        self._heard.pop(rank)
        self._start(rank, python)

    def _next(self) -> tuple[int, Told | Ending | None]:
        """None where nobody has said anything. Lets all hear that we are there."""
        if self._cancelled():
            raise CancelledError
        now = time.monotonic()
        if now - self._knocked > BEAT:
            self._knocked = now
            for link in self._links.values():
                link.send(b"\n")  # for the rank's keeper
        try:
            rank, told = self._said.get(timeout=_GLANCE)
        except queue.Empty:
            for rank, heard in self._heard.items():
                if now - heard > self._silent:
                    raise Trouble(
                        "{host} has not been heard of for {seconds:.0f} s.",
                        "It is off the network, or its rank was stopped. It ends by itself.",
                        host=self.members[rank].name,
                        seconds=self._silent,
                    ) from None
            return 0, None
        self._heard[rank] = time.monotonic()
        return rank, told

    def _real_reason(self, rank: int, told: Failed | Ending) -> Trouble:
        """One that is gone makes all others complain, and these may be heard first."""
        until = time.monotonic() + _GRACE
        while not isinstance(told, Ending) and time.monotonic() < until:
            other, later = self._next()
            if isinstance(later, Ending):
                rank, told = other, later
        # What the host calls itself is not what was typed.
        values = {**told.why.values, "host": self.members[rank].name}
        return Trouble(Message(told.why.template, **values), told.hint)
