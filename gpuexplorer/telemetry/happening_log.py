"""HappeningLog: what took place and when, told once each, found by comparing samples."""

import threading
from collections import deque
from collections.abc import Callable, Sequence

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault
from gpuexplorer.telemetry.card_course import CardCourse
from gpuexplorer.telemetry.condition import News
from gpuexplorer.telemetry.happenings import BEGINNING_OF, BEGINNINGS, Happening, Kind
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.program_course import ProgramCourse

_KEPT = 10_000


class HappeningLog:
    """Compares each sample with the one before. Called from the sampler's threads."""

    def __init__(self, clock: Clock, told: Callable[[Happening], None] | None = None) -> None:
        self._clock = clock
        self._told = told
        self._lock = threading.Lock()
        self._cards: dict[CardId, CardCourse] = {}
        self._programs: dict[CardId, ProgramCourse] = {}
        self._log: deque[Happening] = deque(maxlen=_KEPT)
        self._driver_gone = False
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
        processes: Sequence[CardProcess] | None,
        command: Callable[[CardProcess], str | None] = lambda _: None,
    ) -> None:
        """As they are now, or None where they are not known; `command` says how a program was
        started, where that is known.
        """
        at = self._clock.now()
        with self._lock:
            programs = self._programs.setdefault(card, ProgramCourse())
            if processes is None:
                condition = self._course(card).condition
                well = condition.well and condition.seen is None
                found = programs.unknown(at, card_well=well)
            else:
                found = programs.consider(at, processes, command)
            noted = self._note(at, card, found)
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
        """For what comparing samples cannot find: an alert that a person asked for. `since` is
        when it began, or when what ends was last seen; else now.
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
        """Every card says so of the driver; a person wants to hear it once."""
        if kind not in (Kind.DRIVER_GONE, Kind.DRIVER_BACK):
            return True
        gone, self._driver_gone = self._driver_gone, kind is Kind.DRIVER_GONE
        return gone is not self._driver_gone

    def _happening(self, at: float, card: CardId | None, found: News) -> Happening:
        if found.kind in (Kind.DRIVER_GONE, Kind.DRIVER_BACK):
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
