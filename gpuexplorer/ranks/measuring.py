"""Measuring between machines: a rank on each, over ssh or here; how they reach each other, and
what moves the bytes; then each pair, and all together, a size at a time; the results by
nccl-tests' definitions, as JSON and CSV.
"""

import queue
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from gpuexplorer.copies.result_json import COLUMNS as COPIES_COLUMNS
from gpuexplorer.copies.result_json import SCHEMA, Json, gigabytes
from gpuexplorer.core.harmless import csv_of, line_of, record_in
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab import packaged
from gpuexplorer.ranks.wire import (
    TOLD,
    Address,
    Begin,
    Begun,
    Elsewhere,
    Expects,
    Failed,
    Here,
    Order,
    Other,
    Reach,
    Reached,
    Take,
    Taken,
    Told,
    Way,
)
from gpuexplorer.remote.link import Ending, Link
from gpuexplorer.remote.parcel import Kind, parcel
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
        free = (each for each in numbered if each not in {*found, *names})
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

    def __enter__(self) -> "Company":
        return self

    def __exit__(self, *_: object) -> None:
        with ThreadPoolExecutor() as at_once:
            list(at_once.map(Link.stop, self._links.values()))

    def start(self) -> Mapping[int, Here]:
        """Raises Trouble where one has no PyTorch, or cannot be reached."""
        for rank, member in enumerate(self.members):
            self._start(rank, member.python)
        return self.answers(Here, range(len(self.members)), STARTING)

    def tell(self, rank: int, order: Order) -> None:
        self._links[rank].send(line_of(order))

    def answers(
        self, kind: type[T], ranks: Sequence[int], seconds: float = PATIENCE
    ) -> Mapping[int, T]:
        """One of each of them, in so many seconds, or in as many more as they expect."""
        answers: dict[int, T] = {}
        until = time.monotonic() + seconds
        while missing := [self.members[each].name for each in ranks if each not in answers]:
            rank, told = self._next()
            now = time.monotonic()
            match told:
                case Failed() | Ending():
                    raise self._real_reason(rank, told)
                case Elsewhere(python):
                    self._links[rank].stop()
                    self._start(rank, python)
                case Expects(more):
                    until = max(until, now + PATIENCE + _SLOWER * more)
                case _ if isinstance(told, kind) and rank in ranks:
                    answers[rank] = told
                case _ if now > until:
                    raise Trouble(
                        "{hosts}: no answer within {seconds:.0f} s, only signs of life.",
                        "A firewall between the hosts may do this, or PyTorch on a slow disk.",
                        hosts=", ".join(missing),
                        seconds=seconds,
                    )
        return answers

    def _start(self, rank: int, python: str) -> None:
        heard: float | None = None  # from the first that it has told

        def on_line(line: bytes) -> None:
            nonlocal heard
            with suppress(UnreadableError):  # a library printed it
                self._said.put((rank, record_in(line, TOLD)))
                heard = time.monotonic()

        def on_look() -> Ending | None:
            link.send(b"\n")  # for the rank's keeper
            if heard is None or time.monotonic() - heard <= self._silent:
                return None
            silent = mark("{host} has not been heard of for {seconds:.0f} s.")
            hint = "It is off the network, or its rank was stopped. It ends by itself."
            return Ending(
                Message(silent, host=member.name, seconds=self._silent), Message(hint)
            )

        member, sent = self.members[rank], parcel(Kind.RANK)
        command = member.launch(member.host, sent.command(python))
        link = self._links[rank] = Link(member.host, command, sent, on_line, on_look)
        link.start(lambda ending: self._said.put((rank, ending)))

    def _next(self) -> tuple[int, Told | Ending | None]:
        """None where nobody has said anything."""
        if self._cancelled():
            raise CancelledError
        with suppress(queue.Empty):
            return self._said.get(timeout=_GLANCE)
        return 0, None

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


ALL = "all"
_OURS = ("lower_s", "upper_s", "bus_rate_gbs", "ranks", "backend")
_WRONG = Message("It arrived WRONG: a wrong copy has no rate.")
_MOST_ADDRESSES = 8
_SLOWEST = 500_000.0  # bytes per second that PyTorch's own time-out allows for
Row: TypeAlias = "dict[str, Json]"


class Asked(NamedTuple):
    ways: Sequence[Way]
    sizes: Sequence[int]


class Between(NamedTuple):
    """The way between two ranks, as both ends see it."""

    here: Address
    there: Address

    @property
    def inside(self) -> bool:
        """Both ends are one computer: nothing leaves it."""
        return self.here.text == self.there.text

    @property
    def promised(self) -> float | None:
        """Bytes per second."""
        return None if self.inside else narrowest([each.promised for each in self])

    @property
    def words(self) -> Message:
        if self.inside:
            return Message("inside one computer")
        return Message(
            "{interface} {address} to {other_interface} {other}",
            interface=self.here.interface or "?",
            address=self.here.text,
            other_interface=self.there.interface or "?",
            other=self.there.text,
        )


class Met(NamedTuple):
    backend: str  # nccl or gloo
    paths: Mapping[tuple[int, int], Between]
    remarks: Sequence[Message]


@dataclass(frozen=True)
class RankResult:
    """`source` and `target` are machines; of all together both are ALL."""

    way: Way
    source: str
    target: str
    bytes: int
    seconds: Sequence[float]  # of each time
    intact: bool
    ranks: int
    backend: str
    path: str = ""
    promised: float | None = None  # by the narrowest wire, bytes per second

    @property
    def quartiles(self) -> tuple[float, float, float]:
        low, middle, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return low, middle, high

    @property
    def rate(self) -> float | None:
        """algbw: bytes by time. What is wrong has none."""
        return self.bytes / self.quartiles[1] if self.intact else None

    @property
    def bus_rate(self) -> float | None:
        """busbw: what a wire has to carry for it, whatever the number of ranks."""
        together = self.way is Way.ALL_REDUCE
        factor = 2 * (self.ranks - 1) / self.ranks if together else 1.0
        return None if self.rate is None else self.rate * factor

    @property
    def share(self) -> float | None:
        if self.bus_rate is None or self.promised is None:
            return None
        return self.bus_rate / self.promised

    def as_json(self) -> Row:
        """The fields of a copy, empty where it has none such, and a few more."""
        low, middle, high = self.quartiles
        return {
            **dict.fromkeys(COPIES_COLUMNS),
            "source": self.source,
            "target": self.target,
            "bytes": self.bytes,
            "mode": "copy" if self.way is Way.ONE_WAY else self.way.value,
            "direction": "one",
            "samples_s": list(self.seconds),
            "median_s": middle,
            "min_s": min(self.seconds),
            "max_s": max(self.seconds),
            "lower_s": low,
            "upper_s": high,
            "rate_gbs": gigabytes(self.rate),
            "bus_rate_gbs": gigabytes(self.bus_rate),
            "limit_gbs": gigabytes(self.promised),
            "share_of_limit": self.share,
            "path": self.path,
            "intact": self.intact,
            "ranks": self.ranks,
            "backend": self.backend,
            "simulated": False,
            "modelled": False,
            "notes": [] if self.intact else [_WRONG],
        }


def as_json(hosts: Sequence[str], results: Sequence[RankResult], *, complete: bool) -> Row:
    return {
        "schema": SCHEMA,
        "simulated": False,
        "modelled": False,
        "hosts": list(hosts),
        "results": [each.as_json() for each in results],
        "complete": complete,
    }


def as_csv(results: Sequence[RankResult]) -> str:
    """The columns of copies in their places, and ours behind them."""
    rows = [{**each.as_json(), "notes": "" if each.intact else _WRONG} for each in results]
    return csv_of((*COPIES_COLUMNS, *_OURS), rows)


def measure(
    company: Company,
    asked: Asked,
    on_met: Callable[[Met], None],
    on_result: Callable[[RankResult], None],
    on_progress: Callable[[Message], None],
) -> None:
    """To the end, in this thread. Raises Trouble as soon as a host fails."""
    names = [each.name for each in company.members]
    ranks = range(len(names))
    on_progress(Message("Starting PyTorch on {count} hosts", count=len(names)))
    here = company.start()
    on_progress(Message("Looking how the hosts reach each other"))
    met = meet(company, here, max(asked.sizes))
    on_met(met)
    jobs: list[Take] = []
    for way in asked.ways:
        if way is Way.ALL_REDUCE:  # of numbers, of four bytes each
            jobs += [Take(way, max(4, size // 4 * 4)) for size in asked.sizes]
        else:
            jobs += [
                Take(way, size, *pair) for pair in sorted(met.paths) for size in asked.sizes
            ]
    for number, job in enumerate(jobs, 1):
        who, source, target = [*ranks], ALL, ALL
        between, path = [*met.paths.values()], NOTHING
        words = mark("{number} of {all}: all-reduce, {size}")
        if job.way is Way.ONE_WAY:
            who = [job.source, job.target]
            source, target = (names[each] for each in who)
            between = [met.paths[job.source, job.target]]
            path = between[0].words
            words = mark("{number} of {all}: {source} to {target}, {size}")
        known = {"number": number, "all": len(jobs), "size": bytes_words(job.bytes)}
        on_progress(Message(words, **known, source=source, target=target))
        for rank in who:
            company.tell(rank, job)
        told = company.answers(Taken, who, 2 * PATIENCE).values()
        # Of all who took times, the slowest each time: it is not over before.
        taken = [each.seconds for each in told if each.seconds]
        slowest = [max(each) for each in zip(*taken, strict=True)]
        intact = all(each.intact for each in told)
        ends = job.way, source, target, job.bytes
        promised = narrowest([each.promised for each in between])
        on_result(RankResult(*ends, slowest, intact, len(who), met.backend, path, promised))


def narrowest(promises: Sequence[float | None]) -> float | None:
    """None where one does not say."""
    known = [each for each in promises if each is not None]
    return min(known) if len(known) == len(promises) else None


def meet(company: Company, here: Mapping[int, Here], most_bytes: int) -> Met:
    """Raises Trouble where two cannot reach each other, or do not suit."""
    names, ranks = [each.name for each in company.members], range(len(here))
    remarks = []

    def told(values: Sequence[str]) -> str:
        return ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True))

    # What they say to each other changes; nobody promises that it does not.
    versions = [here[rank].torch for rank in ranks]
    if len({tuple(each.split(".")[:2]) for each in versions}) > 1:
        differ = mark("Versions of PyTorch differ, which may not work: {told}.")
        remarks.append(Message(differ, told=told(versions)))
    paths = _paths(company, here, names)
    # NCCL takes a card of its own for each rank, also of those that share a computer.
    cards = [sum(paths[rank, each].inside for each in range(rank)) for rank in ranks]
    lacks = [rank for rank in ranks if cards[rank] >= len(here[rank].cards)]
    nccl = [here[rank].nccl for rank in ranks]
    backend = "gloo"
    if lacks:
        by = Message(
            "By gloo, from memory to memory: NCCL needs a card for each, and {host} has "
            "{count}.",
            host=names[lacks[0]],
            count=len(here[lacks[0]].cards),
        )
    elif len({each.rpartition(".")[0] for each in nccl}) > 1:
        differ = mark("By gloo, from memory to memory: versions of NCCL differ ({told}).")
        by = Message(differ, told=told(nccl))
    else:
        backend = "nccl"
        by = Message(
            "By NCCL, from card to card ({cards}); it may take faster wires than the one that "
            "is named.",
            cards=told([here[rank].cards[cards[rank]] for rank in ranks]),
        )
    patience = PATIENCE + 2 * len(ranks) * most_bytes / _SLOWEST
    for rank in ranks:
        interface = paths[(rank + 1) % len(ranks), rank].there.interface
        where = rank, len(ranks), paths[1, 0].there.text, here[0].port, interface
        card = cards[rank] if backend == "nccl" else None
        company.tell(rank, Begin(*where, card, PATIENCE, patience))
    company.answers(Begun, ranks, 2 * PATIENCE)
    return Met(backend, paths, [*remarks, by])


def _paths(
    company: Company, here: Mapping[int, Here], names: Sequence[str]
) -> Mapping[tuple[int, int], Between]:
    """Each one tries all others, at all addresses that these may have. Of each, PyTorch uses
    one, which all others have to reach.
    """
    ranks, paths = range(len(here)), {}
    candidates = [_candidates(here, rank) for rank in ranks]
    for rank in ranks:
        others = [
            Other(other, address, here[other].port, here[other].word)
            for other in ranks
            for address in candidates[other]
            if other != rank
        ]
        company.tell(rank, Reach(others))
    told = company.answers(Reached, ranks)
    for other in ranks:
        ours: dict[int, Mapping[str, str]] = {}  # of each rank, from where it comes there
        for rank in {*ranks} - {other}:
            ways = [each for each in told[rank].found if each.rank == other]
            ours[rank] = {each.address: each.ours for each in ways if each.ours}
            if not ours[rank]:
                why = ", ".join(f"{each.address} ({each.why})" for each in ways)
                raise Trouble(
                    "{host} does not reach {other}: {why}.",
                    "The hosts have to reach each other at any port; a firewall may forbid it.",
                    host=names[rank],
                    other=names[other],
                    why=why or "it has no address",
                )
        shared = (at for at in candidates[other] if all(at in each for each in ours.values()))
        if (at := next(shared, None)) is None:
            raise Trouble(
                "{other} has no address at which all others reach it.",
                "PyTorch needs one network that all hosts share.",
                other=names[other],
            )
        for rank, found in ours.items():
            paths[rank, other] = Between(_known(here[rank], found[at]), _known(here[other], at))
    return paths


def _candidates(here: Mapping[int, Here], rank: int) -> Sequence[str]:
    """First those by which ssh came there, or by which it came from there to others. The
    loopback only where there is nothing else.
    """
    own = [each.text for each in here[rank].addresses]
    from_there = [each.called[1] for each in here.values() if each.called]
    first = (*here[rank].called[:1], *(each for each in from_there if each in own))
    known = dict.fromkeys((*first, *own))
    outside = [text for text in known if not text.startswith(("127.", "::1"))]
    return (outside or list(known))[:_MOST_ADDRESSES]


def _known(here: Here, text: str) -> Address:
    """One that it does not know itself is a translated one."""
    return next((each for each in here.addresses if each.text == text), Address(text))
