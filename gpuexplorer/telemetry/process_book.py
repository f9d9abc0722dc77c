"""Processes: whose they are, by name, or why that is not known; ending one; and the book of who
uses which card, and what each of them did in the last minutes.
"""

import math
import os
import re
import sys
import threading
import time
from array import array
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.telemetry.processes import (
    Ancestor,
    CardProcess,
    NamedProcess,
    ProcessFigure,
    Way,
)
from gpuexplorer.telemetry.system import psutil

ELSEWHERE = Message("pid of the host; its name is not visible in this container")
GONE = Message("has ended, or may not be looked at")
SIMULATED = Message("simulated")
_ENDED = Message("It has ended already.")
UNCOLLECTED = Message("has ended, and what started it has not collected it yet")
# The number Linux gives the first pid namespace; containers have others.
_FIRST_PID_NAMESPACE = 0xEFFFFFFC
_CONTAINER = re.compile(
    r"(?:docker|libpod|crio|cri-containerd|containerd)[-/:]([0-9a-f]{12,64})"
    r"|/(?:lxc|lxc\.payload)[./]([^/\n]+)"
    r"|/machine\.slice/(?:systemd-nspawn@)?([^/\n]+?)\.(?:service|scope)"
)
# Where a chain of parents says nothing any more.
_OF_THE_SYSTEM = re.compile(r"^(?:\S*/)?(?:systemd|init|launchd)\b")
_FIRST = 1  # takes in whatever outlived the process that started it, whoever that was
_MOST_ANCESTORS = 8
# Some are given whole files as arguments.
_LONGEST_COMMAND = 8192
# Programs rename themselves, but not at every look.
_ASKED_AGAIN_AFTER = 5
# One pid on eight cards is looked up once in a round: its share of the processor is since
# the look before, and that must not be a millisecond ago.
_SAME_ROUND = 1.0

# Windows has no way to ask a program without a window: there it is ended at once.
CAN_ASK = sys.platform != "win32"

LOOKS = 120  # four minutes at one look in two seconds
# A row that vanished under the eye could not be told from one that moved: three looks long
# it stays and says that it ended.
ENDED_STAYS = 6.0
# Who lets a card go and takes it again within a minute goes on with the same history.
_REMEMBERED = 60.0
_MOST_ENDED = 256


@dataclass(slots=True)
class _Known:
    """What rarely changes about a process is not asked at every look."""

    named: NamedProcess  # by the look before
    looks: int = 0
    worked: float = 0.0  # seconds of processor time, when last asked
    asked_at: float = 0.0


class ProcessNames:
    """Looks pids up, and keeps what it needs for the processor share."""

    def __init__(
        self,
        proc: Path = Path("/proc"),
        told_of: Callable[[NamedProcess], NamedProcess] | None = None,
    ) -> None:
        """`told_of`: adds what is known of a simulated process."""
        self._proc, self._told_of = proc, told_of
        self._lock = threading.Lock()
        self._known: dict[int, _Known] = {}
        self._pids: dict[CardId, set[int]] = {}
        # Whether pids are the host's and mean nothing in here.
        self.elsewhere = False
        if sys.platform == "linux":
            with suppress(OSError):
                namespace = (proc / "self" / "ns" / "pid").stat().st_ino
                self.elsewhere = namespace != _FIRST_PID_NAMESPACE

    def of_card(self, card: CardId, processes: Sequence[CardProcess]) -> Sequence[NamedProcess]:
        """All there are on it; what is on no card any more is forgotten."""
        with self._lock:
            just_now, found = time.monotonic() - _SAME_ROUND, []
            for each in processes:
                known = self._known.get(each.pid)
                if known and known.asked_at > just_now:
                    found.append(replace(known.named, process=each))
                else:
                    found.append(self.one(each))
            self._pids[card] = {each.pid for each in processes}
            there = set().union(*self._pids.values())
            self._known = {pid: known for pid, known in self._known.items() if pid in there}
        return found

    def one(self, process: CardProcess) -> NamedProcess:
        unknown = NamedProcess(process, resolved=False, reason=GONE)
        if (command := process.simulated_command) is not None:
            user = process.simulated_user
            named = replace(unknown, reason=SIMULATED, user=user, command=command)
            return self._told_of(named) if self._told_of else named
        if self.elsewhere:
            # The driver tells the host's pid; the same number here is somebody else.
            return replace(unknown, reason=ELSEWHERE, elsewhere=True)
        try:
            return self._look_up(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
            return unknown

    def _look_up(self, process: CardProcess) -> NamedProcess:
        known = self._known.get(process.pid)
        if known is None or not known.named.identity.is_running():
            named = self._facts(process, psutil.Process(process.pid))
            known = self._known[process.pid] = _Known(named)
        who, before = known.named.identity, known.asked_at
        held = int(who.memory_info().rss)
        if not held and who.status() == psutil.STATUS_ZOMBIE:
            # Its figures are zeros, which nobody measured, and its command is gone.
            return replace(
                known.named,
                process=process,
                reason=UNCOLLECTED,
                cpu=None,
                memory_bytes=None,
                ended=True,
            )
        if known.looks and known.looks % _ASKED_AGAIN_AFTER == 0:
            known.named = self._facts(process, who)
        # By hand: psutil takes twice as long for it.
        times, known.asked_at = who.cpu_times(), time.monotonic()
        more, known.worked = times.user + times.system - known.worked, times.user + times.system
        cpu = max(0.0, more / (known.asked_at - before)) if known.looks else None
        known.looks += 1
        known.named = replace(known.named, process=process, cpu=cpu, memory_bytes=held)
        return known.named

    def _facts(self, process: CardProcess, who: psutil.Process) -> NamedProcess:
        user, root = None, sys.platform != "win32" and os.geteuid() == 0
        with suppress(psutil.AccessDenied, KeyError):
            user = who.username()
        return NamedProcess(
            process,
            resolved=True,
            user=user,
            command=_command(who),
            started_at=who.create_time(),
            container=self._container(process.pid),
            ours=process.pid == os.getpid(),
            of_this_user=root or user == psutil.Process().username(),
            ancestors=_ancestors(who),
            identity=who,
        )

    def _container(self, pid: int) -> str | None:
        try:
            text = (self._proc / str(pid) / "cgroup").read_text("utf-8", "replace")
        except OSError:
            return None
        found = _CONTAINER.search(text)
        name = found and next(filter(None, found.groups()))
        return name[:12] if name and re.fullmatch(r"[0-9a-f]{64}", name) else name


def _command(process: psutil.Process) -> str | None:
    words = []
    with suppress(psutil.AccessDenied, psutil.ZombieProcess):
        words = process.cmdline()
    text = (" ".join(words) or process.name())[:_LONGEST_COMMAND]
    return "".join(letter if letter.isprintable() else " " for letter in text).strip() or None


def _ancestors(process: psutil.Process) -> tuple[Ancestor, ...]:
    found: list[Ancestor] = []
    with suppress(psutil.Error):  # of one that may not be looked at the chain ends there
        for each in process.parents()[:_MOST_ANCESTORS]:
            command = _command(each)
            if each.pid == _FIRST or command is None or _OF_THE_SYSTEM.match(command):
                break
            found.append(Ancestor(each.pid, command))
    return tuple(found)


def refusal(named: NamedProcess) -> Message:
    """Why it cannot be ended from here, as a sentence; empty where it can."""
    if named.simulated:
        why = Message("This simulated process cannot be ended from here.")
        return why if named.identity is None else NOTHING
    if named.elsewhere:
        return Message(
            "Its number is one of the host's. In this container the same number may be "
            "another process, so it cannot be ended from here."
        )
    if not named.resolved or named.identity is None:
        return Message("It has ended already, or may not be looked at.")
    if named.ended:
        return _ENDED
    if named.ours:
        return Message("This is GPU Explorer itself. Close the window to end it.")
    if named.process.pid <= _FIRST:
        return Message("The whole system depends on this process.")
    if named.of_this_user:
        return NOTHING
    whose = named.user or Message("another user")
    return Message(
        "It belongs to {user}. Only they or an administrator may end it.", user=whose
    )


def end(named: NamedProcess, way: Way) -> None:
    """Sends the wish and does not wait. Raises Trouble when it cannot be sent."""
    if why_not := refusal(named):
        raise Trouble(why_not)
    who = named.identity
    try:  # neither is sent to another process that got its number
        (who.terminate if way is Way.ASK else who.kill)()
    except psutil.NoSuchProcess as error:
        raise Trouble(_ENDED) from error
    except (psutil.AccessDenied, PermissionError) as error:
        raise Trouble(
            "There is no permission to end process {pid}.",
            "An administrator may end it.",
            pid=named.process.pid,
        ) from error


def has_ended(named: NamedProcess) -> bool:
    """Whether it runs no more; a process of which only the entry is left holds no card."""
    who = named.identity
    try:
        running = who is not None and who.is_running()
        return not running or who.status() == psutil.STATUS_ZOMBIE
    except psutil.Error as error:
        return isinstance(error, psutil.NoSuchProcess)


def refused(named: NamedProcess) -> Trouble | None:
    """Why it was not ended after all, where that is heard only after a while: on another
    computer.
    """
    why_not: Trouble | None = getattr(named.identity, "refused", None)
    return why_not


class Standing(StrEnum):
    """How a row of the book is to be read."""

    THERE = "there"
    UNKNOWN = mark("not known just now")  # its card does not say who uses it
    LEFT = mark("no longer on this card")
    ENDED = mark("has ended")


@dataclass(frozen=True, slots=True)
class BookRow:
    """One process on one card, there or there a moment ago."""

    named: NamedProcess
    standing: Standing
    since: float  # steady seconds: when it came, or when it ended or ceased to be told
    last_told: CardProcess  # to keep its place among others; its figures may be true no more

    @property
    def key(self) -> tuple[CardId, int]:
        return self.named.process.card, self.named.process.pid

    @property
    def over(self) -> bool:
        return self.standing in (Standing.LEFT, Standing.ENDED)


@dataclass(frozen=True, slots=True)
class ProcessPast:
    """The last looks at one process on one card, oldest first; NaN where nothing was told."""

    times: Sequence[float] = ()  # steady seconds
    sm: Sequence[float] = ()
    memory: Sequence[float] = ()
    cpu: Sequence[float] = ()  # cores' worth of the computer's processor
    host_memory: Sequence[float] = ()


_FIGURES = len(fields(ProcessPast))


@dataclass(slots=True)
class _Entry:
    row: BookRow
    told_by: CardId  # the card that was looked at, where the row may be of an instance of it
    # Five figures a look, one look after another: small, however many processes there are.
    past: "array[float]"


class ProcessBook:
    """`take` comes from the threads that read; everything else is for any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[tuple[CardId, int], _Entry] = {}
        self._looked_at: dict[CardId, float] = {}
        self._rows: tuple[BookRow, ...] = ()
        self._living: tuple[NamedProcess, ...] = ()

    def take(self, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        """What a look at one card brought; None where the card did not tell."""
        now = self._clock.now()
        there = {(each.process.card, each.process.pid): each for each in named or ()}
        with self._lock:
            for key, entry in self._entries.items():
                if entry.told_by == card and key not in there:
                    entry.row = _absent(entry.row, now, told=named is not None)
            for key, each in there.items():
                self._write(card, key, each, now)
            if named is not None:
                self._looked_at[card] = now
            self._put_together(now)

    def keep(self, cards: Collection[CardId]) -> None:
        """Only these are listed any more."""
        with self._lock:
            self._entries = {k: each for k, each in self._entries.items() if k[0] in cards}
            self._looked_at = {c: at for c, at in self._looked_at.items() if c in cards}
            self._put_together(self._clock.now())

    def rows(self) -> Sequence[BookRow]:
        """Also who ended a moment ago. The very same object until something changes."""
        return self._rows

    def living(self) -> Sequence[NamedProcess]:
        """Who uses a card as of the last look. The very same object until something changes."""
        return self._living

    def past(self, card: CardId, pid: int) -> ProcessPast:
        with self._lock:
            entry = self._entries.get((card, pid))
            return ProcessPast(*(entry.past[n::_FIGURES] for n in range(_FIGURES) if entry))

    def looked_at(self, card: CardId) -> float | None:
        """When this card last told, in steady seconds; None before it did."""
        return self._looked_at.get(card)

    def _write(
        self, card: CardId, key: tuple[CardId, int], named: NamedProcess, now: float
    ) -> None:
        process, entry = named.process, self._entries.get(key)
        was = entry and entry.row.named.identity
        if entry is None or (was and named.identity and was != named.identity):
            # Nobody had its number before, or another process.
            entry = self._entries[key] = _Entry(_row(named, now), card, array("d"))
        stays = entry.row.standing is Standing.THERE
        entry.row = _row(named, entry.row.since if stays else now)
        told = map(process.values.get, (ProcessFigure.SM, ProcessFigure.MEMORY))
        for figure in (now, *told, named.cpu, named.memory_bytes):
            entry.past.append(math.nan if figure is None else figure)
        del entry.past[: -_FIGURES * LOOKS]

    def _put_together(self, now: float) -> None:
        over = [(x.row.since, key) for key, x in self._entries.items() if x.row.over]
        for place, (since, key) in enumerate(sorted(over, reverse=True)):
            if now - since > _REMEMBERED or place >= _MOST_ENDED:
                del self._entries[key]
        rows = [entry.row for entry in self._entries.values()]
        self._rows = tuple(x for x in rows if not x.over or now - x.since < ENDED_STAYS)
        self._living = tuple(x.named for x in rows if x.standing is Standing.THERE)


def _row(named: NamedProcess, since: float) -> BookRow:
    return BookRow(named, Standing.THERE, since, named.process)


def _absent(row: BookRow, now: float, *, told: bool) -> BookRow:
    """Of one that its card did not list, or of a card that did not tell."""
    if told:
        ended = row.standing is Standing.ENDED or has_ended(row.named)
        standing = Standing.ENDED if ended else Standing.LEFT
        return replace(row, standing=standing, since=row.since if row.over else now)
    if row.standing is not Standing.THERE:
        return row
    # Without figures that may be true no more.
    missing = dict.fromkeys(ProcessFigure, Absence.NOT_YET)
    process = row.named.process._replace(values={}, missing=missing)
    named = replace(row.named, process=process)
    return replace(row, named=named, standing=Standing.UNKNOWN, since=now)
