"""HappeningLog: what took place and when, told once each, found by comparing samples, and lists
of processes.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault
from gpuexplorer.telemetry.card_course import CardCourse, Condition, News
from gpuexplorer.telemetry.happenings import (
    BEGINNING_OF,
    BEGINNINGS,
    OF_ALL_CARDS,
    Happening,
    Kind,
)
from gpuexplorer.telemetry.processes import NamedProcess

_KEPT = 10_000
_LONGEST_NAME = 48
_ABOUT = "processes"


class HappeningLog:
    """Compares each sample with the one before. Called from the sampler's threads."""

    def __init__(self, clock: Clock, told: Callable[[Happening], None] | None = None) -> None:
        self._clock = clock
        self._told = told
        self._lock = threading.Lock()
        self._cards: dict[CardId, CardCourse] = {}
        self._programs: dict[CardId, ProgramCourse] = {}
        self._log: deque[Happening] = deque(maxlen=_KEPT)
        self._of_all: frozenset[Kind] = frozenset()  # what all cards are said to be in
        self._began: dict[tuple[Kind, CardId | None, str], float] = {}

    def log(self) -> Sequence[Happening]:
        """All of them, oldest first."""
        with self._lock:
            return list(self._log)

    def consider(self, sample: Sample) -> None:
        with self._lock:
            found = self._course(sample.card).consider(sample)
            noted = self._note(sample.at, sample.card, found)
        self._tell(noted)

    def consider_processes(
        self,
        card: CardId,
        processes: Sequence[NamedProcess] | None,
    ) -> None:
        """As they are now, or None where they are not known."""
        at = self._clock.now()
        with self._lock:
            programs = self._programs.setdefault(card, ProgramCourse())
            if processes is None:
                condition = self._course(card).condition
                well = condition.well and condition.seen is None
                found = programs.unknown(at, card_well=well)
            else:
                found = programs.consider(at, processes)
            noted = self._note(at, card, found)
        self._tell(noted)

    def gone(self, card: CardId) -> None:
        """It is listed no more, or under its own name by now: what it was in is over."""
        at = self._clock.now()
        with self._lock:
            course = self._cards.pop(card, None)
            self._programs.pop(card, None)
            noted = [] if course is None else self._note(at, card, course.condition.over(at))
        self._tell(noted)

    def consider_fault(self, fault: HardwareFault) -> None:
        self.tell(Kind.XID, fault.card, fault.sentence)

    def tell(
        self,
        kind: Kind,
        card: CardId | None,
        sentence: Message,
        about: str = "",
        since: float | None = None,
    ) -> None:
        """For what comparing samples cannot find: an alert that a person asked for. `about`
        pairs a beginning with its end; `since` is when it began, or when what ends was last
        seen; else now.
        """
        at = self._clock.now()
        with self._lock:
            found = News(kind, sentence, at if since is None else since, about)
            noted = self._note(at, card, [found])
        self._tell(noted)

    def _tell(self, noted: Sequence[Happening]) -> None:
        if self._told is not None:
            for happening in noted:
                self._told(happening)

    def _course(self, card: CardId) -> CardCourse:
        course = self._cards.get(card)
        if course is None:
            course = self._cards[card] = CardCourse(self._wall)
        return course

    def _wall(self, at: float) -> float:
        return self._clock.wall() - self._clock.now() + at

    def _note(
        self, at: float, card: CardId | None, found: Sequence[News]
    ) -> Sequence[Happening]:
        noted = [self._happening(at, card, each) for each in found if self._is_news(each.kind)]
        self._log.extend(noted)
        return noted

    def _is_news(self, kind: Kind) -> bool:
        """What every card says is told once."""
        if kind not in OF_ALL_CARDS:
            return True
        began = BEGINNING_OF.get(kind, kind)
        before, now = began in self._of_all, kind is began
        self._of_all = self._of_all | {began} if now else self._of_all - {began}
        return before is not now

    def _happening(self, at: float, card: CardId | None, found: News) -> Happening:
        if found.kind in OF_ALL_CARDS:
            card = None
        lasted = None
        if found.kind in BEGINNINGS:
            self._began[found.kind, card, found.about] = found.since
        elif found.kind in BEGINNING_OF:
            began = self._began.pop((BEGINNING_OF[found.kind], card, found.about), None)
            lasted = None if began is None else max(0.0, found.since - began)
        return Happening(
            at, self._wall(at), found.kind, card, found.sentence, found.about, lasted
        )


class ProgramCourse:
    """Which programs use one card, from look to look: which came, and which went. Not for
    several threads: its owner has a lock.
    """

    def __init__(self) -> None:
        self._condition = Condition(_ABOUT)
        self._called: dict[int, str] | None = None  # None: never told
        self._listed_at = 0.0
        self._listed = True

    def consider(self, at: float, processes: Sequence[NamedProcess]) -> list[News]:
        by_pid = {each.process.pid: each for each in processes}
        before = self._called
        found = self._condition.consider(at, None)
        self._called = {
            pid: before[pid] if before and pid in before else _called(named.command)
            for pid, named in by_pid.items()
        }
        if before is not None:
            # What ended while nobody saw it was last seen before that.
            seen = at if self._listed else self._listed_at
            for pid in sorted(by_pid.keys() - before.keys()):
                began = _uses(self._called[pid], pid)
                found.append(News(Kind.PROCESS_APPEARED, began, at, str(pid)))
            for pid in sorted(before.keys() - by_pid.keys()):
                ended = _uses_no_more(before[pid], pid)
                found.append(News(Kind.PROCESS_ENDED, ended, seen, str(pid)))
        self._listed_at, self._listed = at, True
        return found

    def unknown(self, at: float, *, card_well: bool) -> list[News]:
        """Of a card that does not work nobody expects to know it."""
        self._listed = False
        if self._called is None or not card_well:
            return []
        return self._condition.consider(at, Kind.PROCESSES_UNKNOWN)


def _uses(program: str, pid: int) -> Message:
    if not program:
        return Message("Process {pid} uses the card", pid=pid)
    return Message("{program} ({pid}) uses the card", program=program, pid=pid)


def _uses_no_more(program: str, pid: int) -> Message:
    if not program:
        return Message("Process {pid} no longer uses the card", pid=pid)
    return Message("{program} ({pid}) no longer uses the card", program=program, pid=pid)


def _called(command: str | None) -> str:
    """Enough of the command to know it again; empty where it is not known."""
    words = (command or "").split()
    if not words:
        return ""
    name = [words[0].rsplit("/", 1)[-1]]
    for word in words[1:]:
        if word == "-m" or not word.startswith("-"):
            name.append(word.rstrip("/").rsplit("/", 1)[-1])
        if not word.startswith("-"):
            break
    return " ".join(name)[:_LONGEST_NAME]
