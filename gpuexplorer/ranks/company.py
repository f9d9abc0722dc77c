"""Company: a rank on each host, over ssh or here, and what they tell; ended together."""

import contextlib
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.ranks.wire import (
    KNOCKS_EVERY,
    Elsewhere,
    Failed,
    Here,
    Knock,
    Order,
    Told,
    line_of,
    said_in,
)
from gpuexplorer.remote.ending import Ending
from gpuexplorer.remote.host_name import HostName, Launch
from gpuexplorer.remote.link import Link
from gpuexplorer.remote.parcel import Kind, parcel

T = TypeVar("T")
PATIENCE = 15.0  # with what takes no time worth mentioning
STARTING = 90.0  # a disk over there may be slow, and PyTorch is large
SILENT = 10.0
_GRACE = 1.5  # for the real reason, which may come after the others' complaints
_GLANCE = 0.25
_CHANGES_ITS_MIND = mark("{host} changes its mind.")


class Member(NamedTuple):
    """One host that is asked for. `name` is what people read; two may be one host."""

    name: str
    host: HostName
    launch: Launch
    python: str


class CancelledError(Exception):
    """Somebody wants no more of it."""


class _Said(NamedTuple):
    rank: int
    start: int  # the how-manieth of that rank
    told: "Told | Ending"


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
        self._said: queue.SimpleQueue[_Said] = queue.SimpleQueue()
        self._links: dict[int, Link] = {}
        self._starts: dict[int, int] = {}
        self._heard: dict[int, float] = {}
        self._knocked = 0.0

    def __enter__(self) -> "Company":
        return self

    def __exit__(self, *_: object) -> None:
        if self._links:
            with ThreadPoolExecutor(len(self._links)) as at_once:
                list(at_once.map(Link.stop, self._links.values()))

    def start(self, on_here: Callable[[int], None] = lambda _: None) -> Mapping[int, Here]:
        """Raises Trouble where one has no PyTorch, or cannot be reached."""
        for rank, member in enumerate(self.members):
            self._start(rank, member.python)
        moved: set[int] = set()
        here: dict[int, Here] = {}
        until = time.monotonic() + STARTING
        while len(here) < len(self.members):
            said = self._next()
            if said is not None and isinstance(said.told, Elsewhere):
                if said.rank in moved:
                    raise self._trouble(said.rank, Failed(Message(_CHANGES_ITS_MIND)))
                moved.add(said.rank)
                self._links[said.rank].stop()
                self._start(said.rank, said.told.python)
            elif said is not None and isinstance(said.told, Here):
                here[said.rank] = said.told
                on_here(len(here))
            elif said is not None and isinstance(said.told, (Failed, Ending)):
                raise self._trouble(said.rank, said.told)
            elif time.monotonic() > until:
                late = next(each for each in range(len(self.members)) if each not in here)
                raise Trouble(
                    "PyTorch was not ready on {host} within {seconds:.0f} s.",
                    host=self.members[late].name,
                    seconds=STARTING,
                )
        return here

    def tell(self, rank: int, order: Order) -> None:
        self._links[rank].send(line_of(order))

    def answers(
        self,
        kind: type[T],
        ranks: Sequence[int],
        seconds: float,
        late: Message,
        longer: Callable[[int, Told], float] = lambda _rank, _told: 0.0,
    ) -> Mapping[int, T]:
        """One of each of them. `longer` hears what else is told, and may give more seconds.
        `late` is what it means when all are there and no answer comes.
        """
        answers: dict[int, T] = {}
        until = time.monotonic() + seconds
        self._heard = dict.fromkeys(self._links, time.monotonic())
        while any(each not in answers for each in ranks):
            said = self._next()
            now = time.monotonic()
            if said is None:
                self._miss_nobody(now)
            elif isinstance(said.told, (Failed, Ending)):
                raise self._real_reason(said)
            elif isinstance(said.told, kind):
                if said.rank in ranks:
                    answers[said.rank] = said.told
                continue
            elif more := longer(said.rank, said.told):
                until = max(until, now + more)
            if now > until:
                raise Trouble(late, "A firewall between the hosts may do this.")
        return answers

    def _start(self, rank: int, python: str) -> None:
        member = self.members[rank]
        sent = parcel(Kind.RANK)
        command = member.launch(member.host, sent.command(python))
        start = self._starts[rank] = self._starts.get(rank, 0) + 1

        def on_line(line: bytes) -> None:
            with contextlib.suppress(UnreadableError):  # what a library printed
                self._said.put(_Said(rank, start, said_in(line)))

        def on_end(ending: Ending) -> None:
            self._said.put(_Said(rank, start, ending))

        self._links[rank] = Link(
            member.host, command, sent.preamble, sent.mark, on_line, on_end
        )

    def _next(self, patience: float = _GLANCE) -> _Said | None:
        """Of the links that count; knocks meanwhile."""
        if self._cancelled():
            raise CancelledError
        now = time.monotonic()
        if now - self._knocked > KNOCKS_EVERY:
            self._knocked = now
            for rank in self._links:
                self.tell(rank, Knock())
        try:
            said = self._said.get(timeout=patience)
        except queue.Empty:
            return None
        if said.start != self._starts[said.rank]:
            return None
        self._heard[said.rank] = time.monotonic()
        return said

    def _miss_nobody(self, now: float) -> None:
        for rank, heard in self._heard.items():
            if now - heard > self._silent:
                raise Trouble(
                    "{host} has not been heard of for {seconds:.0f} s.",
                    "It is off the network, or its rank was stopped. It ends by itself.",
                    host=self.members[rank].name,
                    seconds=self._silent,
                )

    def _real_reason(self, first: _Said) -> Trouble:
        """One that is gone makes all others complain, and these may be heard first."""
        until = time.monotonic() + _GRACE
        said: _Said | None = first
        while time.monotonic() < until:
            if said is not None and isinstance(said.told, Ending):
                return self._trouble(said.rank, said.told)
            said = self._next()
        assert isinstance(first.told, Failed)
        return self._trouble(first.rank, first.told)

    def _trouble(self, rank: int, told: Failed | Ending) -> Trouble:
        if isinstance(told, Ending):
            return Trouble(told.why, told.hint)
        name = self.members[rank].name
        try:
            why = Message(told.why.template, **{**told.why.values, "host": name})
        except (ValueError, LookupError):  # not as one of ours would say it
            why = told.why
        return Trouble(why, told.hint)
