"""Happenings: what took place and when, told once each, found by comparing samples."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.catalogue import clocks, health, links
from gpuexplorer.core.catalogue.utilization import GPU_UTILIZATION
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import Message, mark
from gpuexplorer.telemetry.backend import HardwareFault
from gpuexplorer.telemetry.processes import CardProcess

# Reasons flicker when a card runs along its limit; after so long without it, it is over.
_OVER_AFTER = 2.0
# A slow card answers now and then; it answers again when it has done so for this long.
_STEADY_AFTER = 5.0
_KEPT = 10_000
_LONGEST_NAME = 48


class Kind(StrEnum):
    """What kind of thing took place. Files hold the value; windows translate it."""

    CARD_LOST = mark("card lost")
    CARD_BACK = mark("card back")
    NO_ANSWER = mark("no answer")
    ANSWERS_AGAIN = mark("answers again")
    DRIVER_GONE = mark("driver gone")
    DRIVER_BACK = mark("driver back")
    ASLEEP = mark("asleep")
    AWAKE = mark("awake")
    XID = mark("xid")
    THROTTLING_BEGAN = mark("throttling began")
    THROTTLING_ENDED = mark("throttling ended")
    MEMORY_ERROR = mark("memory error")
    SLOW_LINK = mark("slow link")
    PROCESS_APPEARED = mark("process appeared")
    PROCESS_ENDED = mark("process ended")
    ALERT_BEGAN = mark("alert began")
    ALERT_ENDED = mark("alert ended")


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that took place. `at` is steady seconds, `wall` the time of day."""

    at: float
    wall: float
    kind: Kind
    card: CardId | None  # None: it is about the whole driver
    sentence: Message
    about: str = ""  # what it began and ends under, where a card can have several at once
    lasted: float | None = None  # seconds, where something ended that was seen to begin


# What ends, and as what it began.
BEGINNING_OF = {
    Kind.CARD_BACK: Kind.CARD_LOST,
    Kind.ANSWERS_AGAIN: Kind.NO_ANSWER,
    Kind.DRIVER_BACK: Kind.DRIVER_GONE,
    Kind.AWAKE: Kind.ASLEEP,
    Kind.THROTTLING_ENDED: Kind.THROTTLING_BEGAN,
    Kind.PROCESS_ENDED: Kind.PROCESS_APPEARED,
    Kind.ALERT_ENDED: Kind.ALERT_BEGAN,
}
_BEGINNINGS = frozenset(BEGINNING_OF.values())


@dataclass(slots=True)
class _Past:
    state: CardState = CardState.WORKING
    state_known: bool = False
    throttled: dict[MetricId, float] = field(default_factory=dict)  # last seen at
    errors: float | None = None
    busy: float = 0.0
    slow_link_seen: int = 0
    slow_link_told: bool = False
    pids: frozenset[int] | None = None
    called: dict[int, str] = field(default_factory=dict)  # the programs that use the card
    answering_since: float | None = None  # after a silence that was told


HARMFUL = tuple(
    clocks.throttle(reason)
    for reason in clocks.THROTTLE_REASONS
    if reason not in clocks.HARMLESS_REASONS
)


class Happenings:
    """Compares each sample with the one before. Called from the sampler's threads."""

    def __init__(self, clock: Clock, told: Callable[[Happening], None] | None = None) -> None:
        self._clock = clock
        self._told = told
        self._lock = threading.Lock()
        self._past: dict[CardId, _Past] = {}
        self._log: deque[Happening] = deque(maxlen=_KEPT)
        self._driver_gone = False
        self._began: dict[tuple[Kind, CardId | None, str], float] = {}

    def log(self) -> Sequence[Happening]:
        """All of them, oldest first."""
        with self._lock:
            return list(self._log)

    def consider(self, sample: Sample) -> None:
        with self._lock:
            past = self._past.setdefault(sample.card, _Past())
            found = self._state(past, sample)
            if sample.state is CardState.WORKING:
                found += self._throttling(past, sample)
                found += self._errors(past, sample)
                found += self._link(past, sample)
            self._log.extend(found)
        self._tell(found)

    def consider_processes(
        self,
        card: CardId,
        processes: Sequence[CardProcess],
        command: Callable[[CardProcess], str | None] = lambda _: None,
    ) -> None:
        """As they are now; `command` tells how a program was started, where that is known."""
        at = self._clock.now()
        pids = frozenset(process.pid for process in processes)
        by_pid = {process.pid: process for process in processes}
        with self._lock:
            past = self._past.setdefault(card, _Past())
            before, past.pids = past.pids, pids
            found = []
            if before is not None:
                for pid in sorted(pids - before):
                    past.called[pid] = _called(command(by_pid[pid]))
                    began = _uses(past.called[pid], pid)
                    found.append(self._seen(at, Kind.PROCESS_APPEARED, card, began, str(pid)))
                for pid in sorted(before - pids):
                    ended = _uses_no_more(past.called.pop(pid, ""), pid)
                    found.append(self._seen(at, Kind.PROCESS_ENDED, card, ended, str(pid)))
            else:
                past.called = {pid: _called(command(by_pid[pid])) for pid in pids}
            self._log.extend(found)
        self._tell(found)

    def consider_fault(self, fault: HardwareFault) -> None:
        with self._lock:
            happening = self._seen(self._clock.now(), Kind.XID, fault.card, fault.sentence)
            self._log.append(happening)
        self._tell([happening])

    def tell(self, kind: Kind, card: CardId | None, sentence: Message, about: str) -> None:
        """For what comparing samples cannot find: an alert that a person asked for."""
        with self._lock:
            happening = self._seen(self._clock.now(), kind, card, sentence, about)
            self._log.append(happening)
        self._tell([happening])

    def _tell(self, found: Sequence[Happening]) -> None:
        if self._told is not None:
            for happening in found:
                self._told(happening)

    def _seen(
        self,
        at: float,
        kind: Kind,
        card: CardId | None,
        sentence: Message,
        about: str = "",
        over_since: float = 0.0,
    ) -> Happening:
        lasted = None
        if kind in _BEGINNINGS:
            self._began[kind, card, about] = at
        elif kind in BEGINNING_OF:
            began = self._began.pop((BEGINNING_OF[kind], card, about), None)
            lasted = None if began is None else at - over_since - began
        wall = self._clock.wall() - self._clock.now() + at
        return Happening(at, wall, kind, card, sentence, about, lasted)

    def _state(self, past: _Past, sample: Sample) -> list[Happening]:
        if past.state is CardState.NO_ANSWER and not self._steady(past, sample):
            return []
        before, past.state = past.state, sample.state
        known, past.state_known = past.state_known, True
        card = sample.card
        if before is sample.state and known:
            return []
        found = []
        match sample.state:
            case CardState.NO_DRIVER:
                # Every card says so; a person wants to hear it once.
                if not self._driver_gone:
                    self._driver_gone = True
                    gone = Message("The driver is gone")
                    found.append(self._seen(sample.at, Kind.DRIVER_GONE, None, gone))
            case CardState.LOST:
                lost = Message("The card is lost")
                found.append(self._seen(sample.at, Kind.CARD_LOST, card, lost))
            case CardState.UNLISTED:
                unlisted = Message("The driver no longer lists the card")
                found.append(self._seen(sample.at, Kind.CARD_LOST, card, unlisted))
            case CardState.REFUSED:
                refused = Message("The driver gives no access to the card")
                found.append(self._seen(sample.at, Kind.NO_ANSWER, card, refused))
            case CardState.NO_ANSWER:
                silent = Message("The card does not answer")
                found.append(self._seen(sample.at, Kind.NO_ANSWER, card, silent))
            case CardState.ASLEEP:
                asleep = Message("The card sleeps")
                found.append(self._seen(sample.at, Kind.ASLEEP, card, asleep))
            case CardState.WORKING:
                found += self._working_again(before, card, sample.at)
        return found

    def _steady(self, past: _Past, sample: Sample) -> bool:
        """Whether a card that was silent has answered for long enough to say so."""
        if sample.state is not CardState.WORKING:
            past.answering_since = None
            return sample.state is not CardState.NO_ANSWER
        if past.answering_since is None:
            past.answering_since = sample.at
        if sample.at - past.answering_since < _STEADY_AFTER:
            return False
        past.answering_since = None
        return True

    def _working_again(self, before: CardState, card: CardId, at: float) -> list[Happening]:
        found = []
        if self._driver_gone:
            self._driver_gone = False
            back = Message("The driver is back")
            found.append(self._seen(at, Kind.DRIVER_BACK, None, back))
        match before:
            case CardState.LOST:
                back = Message("The card is back")
                found.append(self._seen(at, Kind.CARD_BACK, card, back))
            case CardState.UNLISTED:
                back = Message("The driver lists the card again")
                found.append(self._seen(at, Kind.CARD_BACK, card, back))
            case CardState.REFUSED:
                access = Message("The driver gives access to the card")
                found.append(self._seen(at, Kind.ANSWERS_AGAIN, card, access))
            case CardState.NO_ANSWER:
                again = Message("The card answers again")
                found.append(self._seen(at, Kind.ANSWERS_AGAIN, card, again))
            case CardState.ASLEEP:
                found.append(self._seen(at, Kind.AWAKE, card, Message("The card woke")))
            case CardState.NO_DRIVER | CardState.WORKING:
                pass
        return found

    def _throttling(self, past: _Past, sample: Sample) -> list[Happening]:
        found = []
        for metric in HARMFUL:
            flag = sample.values.get(metric)
            if flag is None:
                continue
            reason = METRICS[metric].label
            if flag:
                if metric not in past.throttled:
                    began = Kind.THROTTLING_BEGAN
                    found.append(self._seen(sample.at, began, sample.card, reason, metric))
                past.throttled[metric] = sample.at
            elif metric in past.throttled and sample.at - past.throttled[metric] >= _OVER_AFTER:
                ended = Kind.THROTTLING_ENDED
                # It was over when it was last seen, and is told only now that this is sure.
                since = sample.at - past.throttled.pop(metric)
                over = Message("{reason}: over", reason=reason)
                found.append(self._seen(sample.at, ended, sample.card, over, metric, since))
        return found

    def _errors(self, past: _Past, sample: Sample) -> list[Happening]:
        errors = sample.values.get(health.ECC_UNCORRECTED)
        if errors is None:
            return []
        before, past.errors = past.errors, errors
        if before is None or errors <= before:
            return []
        sentence = Message.counted(
            "{count} memory error could not be repaired",
            "{count} memory errors could not be repaired",
            round(errors - before),
        )
        return [self._seen(sample.at, Kind.MEMORY_ERROR, sample.card, sentence)]

    def _link(self, past: _Past, sample: Sample) -> list[Happening]:
        """A slow link only counts under load: at rest it is slow by design, to save power."""
        busy = sample.values.get(GPU_UTILIZATION)
        if busy is not None:
            past.busy = busy
        sentence = slow_link(sample)
        if links.PCIE_WIDTH not in sample.values:
            return []
        if sentence is None or past.busy < 0.5:
            past.slow_link_seen = 0
            past.slow_link_told &= sentence is not None
            return []
        past.slow_link_seen += 1
        if past.slow_link_seen < 2 or past.slow_link_told:
            return []
        past.slow_link_told = True
        return [self._seen(sample.at, Kind.SLOW_LINK, sample.card, sentence)]


def slow_link(sample: Sample) -> Message | None:
    """How the PCIe link falls short of what card and slot can do; None where it does not."""
    value = sample.values.get
    width, width_max = value(links.PCIE_WIDTH), value(links.PCIE_WIDTH_MAX)
    if width is not None and width_max is not None and width < width_max:
        return Message(
            "The PCIe link runs at x{now:.0f} of x{most:.0f}: look at the slot",
            now=width,
            most=width_max,
        )
    now, most = value(links.PCIE_GENERATION), value(links.PCIE_GENERATION_MAX)
    if now is not None and most is not None and now < most:
        return Message(
            "The PCIe link runs at generation {now:.0f} of {most:.0f} under load",
            now=now,
            most=most,
        )
    return None


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
