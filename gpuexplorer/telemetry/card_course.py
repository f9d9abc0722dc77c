"""HappeningLog: what took place and when, told once each, found by comparing samples and lists
of processes; with one rule for what holds and one for what is wrong, neither told at a flicker.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import (
    BEGINNING_OF,
    BEGINNINGS,
    OF_ALL_CARDS,
    OF_STATE,
    Happening,
    Kind,
)
from gpuexplorer.telemetry.pcie_link import at_work, slow_link
from gpuexplorer.telemetry.processes import NamedProcess

# A card that tells none of these tells nothing a person could use.
USABLE = (m.GPU_UTILIZATION, m.MEMORY_USED, m.TEMPERATURE, m.POWER_DRAW)
HARMFUL = tuple(each for each in m.THROTTLES if each not in m.HARMLESS)
# Where there is no room for their labels.
BRIEFLY = {
    m.throttle("sw_power_cap"): mark("Power limit"),
    m.throttle("sync_boost"): mark("Held back"),
    m.throttle("hw_slowdown"): mark("Slowdown"),
    m.throttle("hw_thermal_slowdown"): mark("Too hot"),
}
NO_FIGURES = "no figures"
# The next reading brings a figure, or there is nothing to bring.
_PASSING = frozenset(
    {None, Absence.NOT_YET, Absence.NEEDS_TWO, Absence.NOT_ASKED, Absence.NO_NEW_SAMPLE}
)


def why_no_figures(
    values: Mapping[MetricId, float], missing: Mapping[MetricId, Absence]
) -> Absence | None:
    """Why there is none of the figures that a person could use; None where there is one, where
    the next reading brings one, or where nobody asked.
    """
    if any(metric in values for metric in USABLE):
        return None
    reasons = [missing[each] for each in USABLE if missing.get(each) not in _PASSING]
    return max(reasons, key=reasons.count, default=None)


def state_of(reading: Reading) -> str:
    """For programs: a card that answers, and gives no figure to use, does not work."""
    if reading.state is CardState.WORKING and why_no_figures(reading.values, reading.missing):
        return NO_FIGURES
    return reading.state.value


# Every other state says for certain that no figure will come.
MAY_PASS = frozenset({CardState.WORKING, CardState.NO_ANSWER, CardState.NO_CONNECTION})
# What began again after it was not known is told only when it could be read for so long:
# readings too may come and go.
_SURE_AFTER = 30.0
TWICE = 1e-6  # seconds that only two readings in a row make
_NOT = float("inf")  # when what has not happened happened first


@dataclass(slots=True)
class Holding:
    """Whether one thing holds, as a person is told: it neither begins nor ends at a flicker,
    and never without a reading. Seconds that were not read do not count.
    """

    gap: float  # not read for so long, it is not known
    over_after: float  # not clearly held for so long, it is over
    at_all_after: float = _NOT  # or not held at all for that long
    on: bool = False
    since: float = 0.0  # when it held first
    seen: float = 0.0  # and last
    _held_for: float | None = None
    _read_at: float = _NOT
    _missing_at: float = _NOT
    _ceased_at: float = _NOT
    _clearly_at: float = _NOT
    _sure_at: float = -_NOT

    def read(self, at: float, held: bool, after: float = 0.0, *, clearly: bool = True) -> bool:
        """True when it begins, having held for `after` seconds, or ends."""
        passed, self._read_at = max(0.0, at - self._read_at), at
        self._missing_at, self._sure_at = _NOT, min(self._sure_at, at + _SURE_AFTER)
        before = self.on
        if held:
            if self._held_for is None:
                self.since, self._held_for, passed = at, 0.0, 0.0
            self.seen, self._held_for = at, self._held_for + passed
            self._ceased_at = self._clearly_at = _NOT
            self.on = before or (self._held_for >= after and at >= self._sure_at)
            return self.on is not before
        self._ceased_at = min(self._ceased_at, at)
        self._clearly_at = min(self._clearly_at, at) if clearly else _NOT
        clearly_over = at - self._clearly_at >= self.over_after
        if not before or clearly_over or at - self._ceased_at >= self.at_all_after:
            self.on, self._held_for = False, None
        return self.on is not before

    def missed(self, at: float, *, for_good: bool = False) -> bool:
        """True when it held, and it is not known any more whether it still does."""
        self._read_at = self._ceased_at = self._clearly_at = _NOT
        self._missing_at = min(self._missing_at, at)
        # One reading that fails is no reason, even where they come a minute apart.
        if not for_good and at - self._missing_at < self.gap:
            return False
        if self.on or self._sure_at > at:
            self._sure_at = _NOT
        held, self.on, self._held_for = self.on, False, None
        return held


# What answers now and then is well again when it has been so for this long; and one reading
# that fails is no news where the next one comes anyway.
_WELL_AFTER = 5.0
_GRACE = dict.fromkeys((None, Kind.NO_FIGURES, Kind.PROCESSES_UNKNOWN), _WELL_AFTER)
# So many changes in so many seconds: from then on nothing is told but what lasts.
_RESTLESS, _WITHIN = 6, 300.0
# What changed every ten seconds is calm after thirty.
_CALM_AFTER, _LONGEST_CALM = 3.0, 100.0
_END_OF = {began: ended for ended, began in BEGINNING_OF.items()}
# Called with the kind, the sentence, since when it is so, and what pairs it with its end.
_Say = Callable[..., None]


@dataclass(slots=True)
class _Condition:
    """Follows one thing that can be in one of several kinds of trouble, each called by the
    `Kind` that begins it; None where all is well.
    """

    say: _Say
    about: str = ""
    told: Kind | None = None
    seen: Kind | None = None
    restless: bool = False
    _since: float = 0.0
    _changes: "deque[float]" = field(default_factory=partial(deque, maxlen=_RESTLESS))

    @property
    def well(self) -> bool:
        """Nothing is wrong, and nothing was a moment ago."""
        return self.told is None and not self.restless

    def consider(
        self, at: float, seen: Kind | None, why: Message = NOTHING, grace: float | None = None
    ) -> None:
        """`why` it is so, where that is known."""
        changes = self._changes
        if seen is not self.seen:
            trouble, self.seen, self._since = seen or self.seen, seen, at
            changes.append(at)
            often = len(changes) == _RESTLESS and at - changes[0] <= _WITHIN
            if often and not self.restless and trouble is not None:
                self.restless = True
                sentence = Message("{what}; this comes and goes", what=trouble.sentence)
                self.say(Kind.RESTLESS, sentence, at, self.about)
        if self.restless:
            apart = (changes[-1] - changes[0]) / (_RESTLESS - 1)
            grace = min(max(_CALM_AFTER * apart, _WELL_AFTER), _LONGEST_CALM)
        elif grace is None:
            grace = _GRACE.get(seen, 0.0)
        if at - self._since >= grace:
            self._turn(why)

    def over(self, at: float) -> None:
        """What it is about is no longer there, and so is in no trouble."""
        self.seen, self._since = None, at
        self._turn(NOTHING)

    def _turn(self, why: Message) -> None:
        """From what was told last to what is seen now."""
        since, before, self.told = self._since, self.told, self.seen
        if self.restless:
            self.restless = False
            self._changes.clear()
            self.say(Kind.CALM, Kind.CALM.sentence, since, self.about)
        if before is not None and self.told is None:
            self.say(_END_OF[before], _END_OF[before].sentence, since)
        if self.told is not None and self.told is not before:
            said = self.told.sentence
            because = Message("{what}: {why}", what=said, why=why) if why else said
            self.say(self.told, because, since)


# Reasons to throttle flicker when a card runs along its limit; after so long without it, it is
# over, and after so long without a reading not known.
_OVER_AFTER, _UNKNOWN_AFTER = 2.0, 5.0
_SLOWDOWN = m.throttle("hw_slowdown")
_ITS_CAUSES = (m.throttle("hw_thermal_slowdown"), m.throttle("hw_power_brake_slowdown"))
# A slow link that came right for a shorter time is the same slow link.
_LINK_RIGHT_FOR = 60.0


class _CardCourse:
    """What one card says from sample to sample, and what of it is worth telling."""

    def __init__(self, say: _Say) -> None:
        self._say = say
        self.condition = _Condition(say)
        self.of_all: Kind | None = None  # the trouble that it says all cards are in
        self._gave_figures = self._at_work = False
        self._reasons = {each: Holding(_UNKNOWN_AFTER, _OVER_AFTER) for each in HARMFUL}
        self._slow_link = Holding(_NOT, _LINK_RIGHT_FOR)
        self._errors = float("inf")
        # The programs that use it, by their pids, as of the last look that told.
        self._listing = _Condition(say, "processes")
        self._programs: dict[int, Message] | None = None
        self._listed_at = 0.0

    def throttling(self, sample: Sample, wall: Callable[[float], float], *, well: bool) -> None:
        at, values, missing = sample.at, sample.values, sample.missing
        for metric, reason in self._reasons.items():
            label = METRICS[metric].label
            if metric in values:
                # NVML's header says that a slowdown is also reported for a moment while the
                # clocks or the performance state change.
                caused = metric != _SLOWDOWN or any(values.get(each) for each in _ITS_CAUSES)
                held = bool(values[metric]) and (reason.on or well)
                if not reason.read(at, held, 0.0 if caused else TWICE):
                    continue
                if reason.on:
                    self._say(Kind.THROTTLING_BEGAN, label, reason.since, metric)
                else:
                    # It was over when it was last seen, and is told only now that this is sure.
                    over = Message("{reason}: ended", reason=label)
                    self._say(Kind.THROTTLING_ENDED, over, reason.seen, metric)
            elif metric in missing and reason.missed(at, for_good=sample.state not in MAY_PASS):
                unknown = Message(
                    "{reason}: not known since {moment} ({why})",
                    reason=label,
                    moment=time.strftime("%H:%M:%S", time.localtime(wall(reason.seen))),
                    why=missing[metric].sentence,
                )
                self._say(Kind.THROTTLING_UNKNOWN, unknown, reason.seen, metric)

    def states(self, sample: Sample) -> None:
        """How the card itself is, unless it says something of all; and its memory and link."""
        working, seen = sample.state is CardState.WORKING, OF_STATE.get(sample.state)
        why = why_no_figures(sample.values, sample.missing) if working else None
        told = not sample.values.keys().isdisjoint(USABLE)
        self._gave_figures |= working and told
        if why and self._gave_figures:  # whoever never gave any has not stopped
            seen = Kind.NO_FIGURES
        # Else another round tells.
        if self.of_all is None and (seen or told or self.condition.seen is not Kind.NO_FIGURES):
            self.condition.consider(sample.at, seen, why.sentence if why else NOTHING)
        if working:
            self._memory_errors(sample)
            self._link(sample)

    def _memory_errors(self, sample: Sample) -> None:
        before, now = self._errors, sample.values.get(m.ECC_UNCORRECTED, self._errors)
        self._errors = now
        if now > before:
            sentence = Message.counted(
                "{count} memory error could not be repaired",
                "{count} memory errors could not be repaired",
                round(now - before),
            )
            self._say(Kind.MEMORY_ERROR, sentence)

    def _link(self, sample: Sample) -> None:
        """A slow link only counts under load: at rest it is slow by design, to save power."""
        if m.GPU_UTILIZATION in sample.values or m.GPU_UTILIZATION in sample.missing:
            self._at_work = at_work(sample.values)
        if m.PCIE_WIDTH not in sample.values:
            return
        slow = slow_link(sample)
        if slow and not self._at_work:
            self._slow_link.missed(sample.at)
        elif self._slow_link.read(sample.at, bool(slow), TWICE) and slow:
            self._say(Kind.SLOW_LINK, slow)

    def programs(
        self, at: float, processes: Sequence[NamedProcess] | None, *, all_well: bool
    ) -> None:
        """Which came and which went, from look to look."""
        before = self._programs
        if processes is None:
            # Of a card that does not work nobody expects to know it.
            well = all_well and self.condition.well and self.condition.seen is None
            if before is not None and well:
                self._listing.consider(at, Kind.PROCESSES_UNKNOWN)
            return
        self._listing.consider(at, None)
        now = {each.process.pid: _called(each) for each in processes}
        if before is not None:
            for pid in sorted(now.keys() - before.keys()):
                came = Message("{program} uses the card", program=now[pid])
                self._say(Kind.PROCESS_APPEARED, came, at, str(pid))
            for pid in sorted(before.keys() - now.keys()):
                went = Message("{program} no longer uses the card", program=before.pop(pid))
                self._say(Kind.PROCESS_ENDED, went, self._listed_at, str(pid))
        # Who renames itself ends under the name it came with.
        self._programs = now | (before or {})
        self._listed_at = at


_LONGEST_NAME = 48


def _called(named: NamedProcess) -> Message:
    """Enough of its command to know it again: what runs, and what of."""
    pid, words = named.process.pid, (named.command or "").split()
    if not words:
        return Message("Process {pid}", pid=pid)
    what = [word for word in words[1:] if not word.startswith("-")]
    name = " ".join(each.rstrip("/").rsplit("/", 1)[-1] for each in (words[0], *what[:1]))
    return Message("{name} ({pid})", name=name[:_LONGEST_NAME], pid=pid)


_KEPT = 10_000


class HappeningLog:
    """Compares each sample with the one before. Called from the threads that read."""

    def __init__(
        self, clock: Clock, told: Callable[[Happening], None] = lambda _: None
    ) -> None:
        self._clock, self._told = clock, told
        self._lock = threading.Lock()
        self._now = 0.0  # of what is considered
        self._untold: list[Happening] = []
        self._all = _Condition(partial(self._say, None))
        self._cards: dict[CardId, _CardCourse] = {}
        self._log: deque[Happening] = deque(maxlen=_KEPT)
        self._began: dict[tuple[Kind, CardId | None, str], float] = {}

    def log(self) -> Sequence[Happening]:
        """All of them, oldest first."""
        with self._lock:
            return list(self._log)

    def consider(self, sample: Sample) -> None:
        with self._at(sample.at):
            course, before = self._course(sample.card), self._all.told
            well = self._all.well and course.condition.well
            # What makes the rest unknown is told last, and so stands on top.
            course.throttling(sample, self._wall, well=well)
            kind = OF_STATE.get(sample.state)
            course.of_all = kind if kind in OF_ALL_CARDS else None
            # A driver that says something else of a card is back.
            self._all.consider(sample.at, self._of_all(), grace=0.0 if kind else None)
            if self._all.told not in (before, None):
                # When that is over, each card says anew whether it is well.
                for each in self._cards.values():
                    each.condition.told = None
            course.states(sample)

    def consider_processes(
        self, card: CardId, processes: Sequence[NamedProcess] | None
    ) -> None:
        """As they are now, or None where they are not known."""
        with self._at(self._clock.now()):
            all_well = self._all.well and self._all.seen is None
            self._course(card).programs(self._now, processes, all_well=all_well)

    def gone(self, card: CardId) -> None:
        """It is listed no more, or under its own name by now: what it was in is over."""
        with self._at(self._clock.now()):
            if (course := self._cards.pop(card, None)) is not None:
                course.condition.over(self._now)
                if course.of_all is not None and self._of_all() is None:
                    self._all.over(self._now)

    def tell(
        self,
        kind: Kind,
        card: CardId | None,
        sentence: Message,
        about: str = "",
        since: float | None = None,
    ) -> None:
        """For what comparing samples cannot find: what the driver reports by itself, an alert
        that a person asked for. `about` pairs a beginning with its end.
        """
        with self._at(self._clock.now()):
            self._say(card, kind, sentence, since, about)

    @contextmanager
    def _at(self, now: float) -> Iterator[None]:
        with self._lock:
            self._now = now
            yield
            untold, self._untold = self._untold, []
        for happening in untold:
            self._told(happening)

    def _say(
        self,
        card: CardId | None,
        kind: Kind,
        sentence: Message,
        since: float | None = None,
        about: str = "",
    ) -> None:
        at, began = self._now, None
        since = at if since is None else since
        if kind in BEGINNINGS:
            self._began[kind, card, about] = since
        elif kind in BEGINNING_OF:
            began = self._began.pop((BEGINNING_OF[kind], card, about), None)
        lasted = None if began is None else max(0.0, since - began)
        happening = Happening(at, self._wall(at), kind, card, sentence, about, lasted)
        self._log.append(happening)
        self._untold.append(happening)

    def _course(self, card: CardId) -> _CardCourse:
        if card not in self._cards:
            self._cards[card] = _CardCourse(partial(self._say, card))
        return self._cards[card]

    def _of_all(self) -> Kind | None:
        return next((each.of_all for each in self._cards.values() if each.of_all), None)

    def _wall(self, at: float) -> float:
        return self._clock.wall() - self._clock.now() + at
