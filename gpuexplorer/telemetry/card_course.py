"""HappeningLog: what took place and when, told once each, found by comparing samples and lists
of processes; with one rule for what holds and one for what is wrong, neither told at a flicker.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import takewhile
from typing import Protocol

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import BEGINNING_OF, BEGINNINGS, Happening, Kind
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
    {Absence.NOT_YET, Absence.NEEDS_TWO, Absence.NOT_ASKED, Absence.NO_NEW_SAMPLE}
)
_BUSY, _LAST_FAST_STATE = 0.5, 2.0
_IN_VIRTUAL_MACHINE = frozenset({1.0, 2.0})  # handed through, or a part of a card


def why_no_figures(
    values: Mapping[MetricId, float], missing: Mapping[MetricId, Absence]
) -> Absence | None:
    """Why there is none of the figures that a person could use; None where there is one, where
    the next reading brings one, or where nobody asked.
    """
    if any(metric in values for metric in USABLE):
        return None
    reasons = Counter(missing[metric] for metric in USABLE if metric in missing)
    return next((why for why, _ in reasons.most_common() if why not in _PASSING), None)


def state_of(reading: Reading) -> str:
    """For programs: a card that answers, and gives no figure to use, does not work."""
    if reading.state is CardState.WORKING and why_no_figures(reading.values, reading.missing):
        return NO_FIGURES
    return reading.state.value


def at_work(values: Mapping[MetricId, float]) -> bool:
    """Whether a card is under load, so that its link should be at its fastest.

    Drawing a desktop on several displays keeps one busy too, but in a low performance state.
    """
    busy = values.get(m.GPU_UTILIZATION, 0.0) >= _BUSY
    return busy and values.get(m.PERFORMANCE_STATE, 0.0) <= _LAST_FAST_STATE


def in_virtual_machine(values: Mapping[MetricId, float]) -> bool:
    """Whether somebody else decides how many lanes the card gets: some machines of a cloud have
    eight for a card of sixteen, and no slot to look at.
    """
    return values.get(m.VIRTUALIZATION_MODE) in _IN_VIRTUAL_MACHINE


def _slow_link(values: Mapping[MetricId, float]) -> Message | None:
    """How the PCIe link falls short of what card and slot can do; None where it does not."""
    now, most = values.get(m.PCIE_WIDTH, 0.0), values.get(m.PCIE_WIDTH_MAX, 0.0)
    if now < most and not in_virtual_machine(values):
        return Message(
            "The PCIe link runs at x{now:.0f} of x{most:.0f}: look at the slot",
            now=now,
            most=most,
        )
    most = values.get(m.PCIE_GENERATION_MAX, 0.0)
    if (now := values.get(m.PCIE_GENERATION, most)) < most:
        return Message(
            "The PCIe link runs at generation {now:.0f} of {most:.0f} under load",
            now=now,
            most=most,
        )
    return None


# Every other state says for certain that no figure will come.
MAY_PASS = frozenset({CardState.WORKING, CardState.NO_ANSWER, CardState.NO_CONNECTION})
# What began again after it was not known is told only when it could be read for so long:
# readings too may come and go.
_SURE_AFTER = 30.0
TWICE = 1e-6  # seconds that only two readings in a row make


class Holding:
    """Whether one thing holds, as a person is told: it neither begins nor ends at a flicker,
    and never without a reading. Seconds that were not read do not count.
    """

    def __init__(self, gap: float, over_after: float, at_all_after: float = 0.0) -> None:
        """Not known when it was not read for a `gap`; over when it clearly did not hold for
        `over_after`, or did not hold at all for `at_all_after`.
        """
        self.on = False
        self.since = self.seen = 0.0  # when it held first and last
        self._gap, self._over_after = gap, over_after
        self._at_all_after = at_all_after or over_after
        self._held_for: float | None = None
        self._read_at: float | None = None  # unless the last answer had no figure
        self._missing_at: float | None = None
        self._sure_at = float("-inf")
        self._ceased_at: float | None = None
        self._clearly_at: float | None = None

    def read(self, at: float, held: bool, after: float = 0.0, *, clearly: bool = True) -> bool:
        """True when it begins, having held for `after` seconds, or ends."""
        passed = 0.0 if self._read_at is None else at - self._read_at
        self._read_at, self._missing_at = at, None
        self._sure_at = min(self._sure_at, at + _SURE_AFTER)
        if held:
            if self._held_for is None:
                self.since, self._held_for, passed = at, 0.0, 0.0
            self.seen, self._held_for = at, self._held_for + passed
            self._ceased_at = self._clearly_at = None
            begins = not self.on and self._held_for >= after and at >= self._sure_at
            self.on = self.on or begins
            return begins
        if not self.on:
            self._held_for = None
            return False
        if self._ceased_at is None:
            self._ceased_at = at
        if not clearly:
            self._clearly_at = None
        elif self._clearly_at is None:
            self._clearly_at = at
        over = self._clearly_at is not None and at - self._clearly_at >= self._over_after
        if not over and at - self._ceased_at < self._at_all_after:
            return False
        self.on, self._held_for = False, None
        return True

    def missed(self, at: float, *, for_good: bool = False) -> bool:
        """True when it held, and it is not known any more whether it still does."""
        self._read_at = self._ceased_at = self._clearly_at = None
        if self._missing_at is None:
            self._missing_at = at
        # One reading that fails is no reason, even where they come a minute apart.
        if not for_good and at - self._missing_at < self._gap:
            return False
        if self.on or self._sure_at > at:
            self._sure_at = float("inf")
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


# How it begins, how it ends, and how it comes and goes.
_WORDS = {
    Kind.CARD_LOST: (
        Message("The card is lost"),
        Message("The card is back"),
        Message("The card is lost and comes back again and again"),
    ),
    Kind.CARD_UNLISTED: (
        Message("The driver no longer lists the card"),
        Message("The driver lists the card again"),
        Message("The driver lists the card only now and then"),
    ),
    Kind.NO_ACCESS: (
        Message("The driver gives no access to the card"),
        Message("The driver gives access to the card"),
        Message("The driver gives access to the card only now and then"),
    ),
    Kind.NO_ANSWER: (
        Message("The card does not answer"),
        Message("The card answers again"),
        Message("The card answers only now and then"),
    ),
    Kind.DRIVER_GONE: (
        Message("The driver is gone"),
        Message("The driver is back"),
        Message("The driver goes and comes back again and again"),
    ),
    Kind.CONNECTION_LOST: (
        Message("The connection to the computer is lost"),
        Message("The computer is connected again"),
        Message("The connection to the computer comes and goes"),
    ),
    Kind.ASLEEP: (
        Message("The card sleeps"),
        Message("The card woke"),
        Message("The card falls asleep and wakes up again and again"),
    ),
    Kind.NO_FIGURES: (
        Message(mark("The card gives no usable figure: {why}")),
        Message("The card gives figures again"),
        Message("The card gives figures only now and then"),
    ),
    Kind.PROCESSES_UNKNOWN: (
        Message("It is not known which programs use the card"),
        Message("It is known again which programs use the card"),
        Message("It is known only now and then which programs use the card"),
    ),
}


class _Say(Protocol):
    """`since`: when it began, or when what ends was last seen to be so; else now."""

    def __call__(
        self, kind: Kind, sentence: Message, since: float | None = None, about: str = ""
    ) -> None: ...


class _Condition:
    """Follows one thing that can be in one of several kinds of trouble, each called by the
    `Kind` that begins it; None where all is well.
    """

    def __init__(self, say: _Say, about: str = "") -> None:
        self._say, self._about = say, about
        self.told: Kind | None = None
        self.seen: Kind | None = None
        self.restless = False
        self._since = 0.0
        self._changes: deque[float] = deque(maxlen=_RESTLESS)

    @property
    def well(self) -> bool:
        """Nothing is wrong, and nothing was a moment ago."""
        return self.told is None and not self.restless

    def consider(
        self, at: float, seen: Kind | None, why: Message = NOTHING, grace: float | None = None
    ) -> None:
        """`why` there are no figures."""
        changes = self._changes
        if seen is not self.seen:
            trouble = seen or self.seen
            self.seen, self._since = seen, at
            changes.append(at)
            often = len(changes) == _RESTLESS and at - changes[0] <= _WITHIN
            if often and not self.restless and trouble is not None:
                self.restless = True
                self._say(Kind.RESTLESS, _WORDS[trouble][2], at, self._about)
        if self.restless:
            apart = (changes[-1] - changes[0]) / (_RESTLESS - 1)
            grace = min(max(_CALM_AFTER * apart, _WELL_AFTER), _LONGEST_CALM)
        elif grace is None:
            grace = _GRACE.get(seen, 0.0)
        if at - self._since >= grace:
            self.turn(why)

    def over(self, at: float) -> None:
        """What it is about is no longer there, and so is in no trouble."""
        self.seen, self._since = None, at
        self.turn(NOTHING)

    def turn(self, why: Message) -> None:
        """From what was told last to what is seen now."""
        since, before, self.told = self._since, self.told, self.seen
        if self.restless:
            self.restless = False
            self._changes.clear()
            calm = Message("What came and went has been steady for a while")
            self._say(Kind.CALM, calm, since, self._about)
        if before is not None and self.told is None:
            self._say(_END_OF[before], _WORDS[before][1], since)
        if self.told is not None and self.told is not before:
            began = _WORDS[self.told][0]
            if self.told is Kind.NO_FIGURES:
                began = Message(began.template, why=why)
            self._say(self.told, began, since)


# Reasons to throttle flicker when a card runs along its limit; after so long without it, it is
# over, and after so long without a reading not known.
_OVER_AFTER, _UNKNOWN_AFTER = 2.0, 5.0
_SLOWDOWN = m.throttle("hw_slowdown")
_ITS_CAUSES = (m.throttle("hw_thermal_slowdown"), m.throttle("hw_power_brake_slowdown"))
# A slow link that came right for a shorter time is the same slow link.
_LINK_RIGHT_FOR = 60.0
_TROUBLE = {
    CardState.LOST: Kind.CARD_LOST,
    CardState.UNLISTED: Kind.CARD_UNLISTED,
    CardState.REFUSED: Kind.NO_ACCESS,
    CardState.NO_ANSWER: Kind.NO_ANSWER,
    CardState.ASLEEP: Kind.ASLEEP,
}
# Every card says so, and it is true of all: a person wants to hear it once.
_OF_ALL = {
    CardState.NO_DRIVER: Kind.DRIVER_GONE,
    CardState.NO_CONNECTION: Kind.CONNECTION_LOST,
}


class _CardCourse:
    """What one card says from sample to sample, and what of it is worth telling."""

    def __init__(self, say: _Say) -> None:
        self._say = say
        self.condition = _Condition(say)
        self.of_all: Kind | None = None  # the trouble that it says all cards are in
        self._gave_figures = self._at_work = False
        self._why = NOTHING
        self._reasons = {each: Holding(_UNKNOWN_AFTER, _OVER_AFTER) for each in HARMFUL}
        self._slow_link = Holding(float("inf"), _LINK_RIGHT_FOR)
        self._errors = float("inf")
        # The programs that use it, by their pids, as of the last look that told.
        self._listing = _Condition(say, "processes")
        self._programs: dict[int, Message] | None = None
        self._listed_at = 0.0

    def throttling(self, sample: Sample, wall: Callable[[float], float], *, well: bool) -> None:
        for metric, reason in self._reasons.items():
            if metric in sample.values:
                self._throttled(metric, reason, sample, well=well)
            elif metric in sample.missing and reason.missed(
                sample.at, for_good=sample.state not in MAY_PASS
            ):
                unknown = Message(
                    "{reason}: not known since {moment} ({why})",
                    reason=METRICS[metric].label,
                    moment=time.strftime("%H:%M:%S", time.localtime(wall(reason.seen))),
                    why=sample.missing[metric].sentence,
                )
                self._say(Kind.THROTTLING_UNKNOWN, unknown, reason.seen, metric)

    def states(self, sample: Sample) -> None:
        """How the card itself is, unless it says something of all; and its memory and link."""
        if self.of_all is None:
            self.condition.consider(sample.at, self._trouble(sample), self._why)
        if sample.state is CardState.WORKING:
            self._memory_errors(sample)
            self._link(sample)

    def _throttled(
        self, metric: MetricId, reason: Holding, sample: Sample, *, well: bool
    ) -> None:
        # NVML's header says that this is also reported for a moment while the clocks or the
        # performance state change.
        caused = metric != _SLOWDOWN or any(sample.values.get(each) for each in _ITS_CAUSES)
        held = bool(sample.values[metric]) and (reason.on or well)
        if not reason.read(sample.at, held, 0.0 if caused else TWICE):
            return
        label = METRICS[metric].label
        if reason.on:
            self._say(Kind.THROTTLING_BEGAN, label, reason.since, metric)
        else:
            # It was over when it was last seen, and is told only now that this is sure.
            over = Message("{reason}: ended", reason=label)
            self._say(Kind.THROTTLING_ENDED, over, reason.seen, metric)

    def _trouble(self, sample: Sample) -> Kind | None:
        if sample.state is not CardState.WORKING:
            return _TROUBLE[sample.state]
        if not sample.values.keys().isdisjoint(USABLE):
            self._gave_figures = True
            return None
        why = why_no_figures(sample.values, sample.missing)
        if why is None:  # another round tells
            return Kind.NO_FIGURES if self.condition.seen is Kind.NO_FIGURES else None
        self._why = why.sentence
        # Whoever never gave any has not stopped: its tile says why.
        return Kind.NO_FIGURES if self._gave_figures else None

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
        slow = _slow_link(sample.values)
        if slow is not None and not self._at_work:
            self._slow_link.missed(sample.at)
        elif self._slow_link.read(sample.at, slow is not None, TWICE) and slow is not None:
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
        self._programs = now | {pid: name for pid, name in (before or {}).items() if pid in now}
        if before is not None:
            for pid in sorted(now.keys() - before.keys()):
                came = Message("{program} uses the card", program=now[pid])
                self._say(Kind.PROCESS_APPEARED, came, at, str(pid))
            for pid in sorted(before.keys() - now.keys()):
                went = Message("{program} no longer uses the card", program=before[pid])
                self._say(Kind.PROCESS_ENDED, went, self._listed_at, str(pid))
        self._listed_at = at


_LONGEST_NAME = 48


def _called(named: NamedProcess) -> Message:
    """Enough of its command to know it again: what runs, and what of."""
    pid, words = named.process.pid, (named.command or "").split()
    if not words:
        return Message("Process {pid}", pid=pid)
    flags = list(takewhile(lambda word: word.startswith("-"), words[1:]))
    given = words[1 + len(flags) :][:1]
    parts = [words[0], *(flag for flag in flags if flag == "-m"), *given]
    name = " ".join(each.rstrip("/").rsplit("/", 1)[-1] for each in parts)
    return Message("{name} ({pid})", name=name[:_LONGEST_NAME], pid=pid)


_KEPT = 10_000


class HappeningLog:
    """Compares each sample with the one before. Called from the threads that read."""

    def __init__(self, clock: Clock, told: Callable[[Happening], None] | None = None) -> None:
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
            course.of_all = _OF_ALL.get(sample.state)
            # A driver that says something else of a card is back.
            grace = None if sample.state is CardState.WORKING else 0.0
            self._all.consider(sample.at, self._of_all(), grace=grace)
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
        if self._told is not None:
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
