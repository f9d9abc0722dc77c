"""Session: one stream of facts, and what they come to: the newest that is known of each card,
who uses it, what happened, and the past.
"""

import threading
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import Backend, HardwareFault, Source
from gpuexplorer.telemetry.card_course import USABLE, HappeningLog, why_no_figures
from gpuexplorer.telemetry.facts import (
    Attempt,
    Cards,
    Fact,
    Notes,
    Reading,
    Stream,
    Tell,
    Users,
    Watch,
    round_of,
)
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.local import HOST_AT_LEAST, PATIENCE, Local

if TYPE_CHECKING:  # they import psutil, or numpy
    from gpuexplorer.telemetry.history import History
    from gpuexplorer.telemetry.process_book import ProcessBook
    from gpuexplorer.telemetry.trace import Past

SHORTEST, LONGEST = 0.1, 60.0
# Read all the time, so that their past has no holes: 0.7 ms of processor and 25 ms of waiting
# in the card's own thread, every two seconds. The same of each link while somebody looks.
_TRAFFIC = frozenset(
    {ids.PCIE_RECEIVE, ids.PCIE_TRANSMIT, ids.NVLINK_RECEIVE, ids.NVLINK_TRANSMIT}
)


class BeatCount(NamedTuple):
    """How many readings were taken, and how many moments passed without one."""

    taken: int = 0
    missed: int = 0


Want = Watch  # what somebody wants to know, for as long as this is held


class Session:
    """Everything but `start` and `stop` is for any thread. `take` is called by the stream's."""

    # Only where the session remembers: what is shown, and what is kept here.
    past: "Past"
    history: "History"
    source: Source
    simulated: bool
    bare: bool  # only the computer itself is read

    def __init__(self, stream: Stream, interval: float = 1.0, *, host: bool = True) -> None:
        """`host`: whether the computer itself is read in that rhythm too."""
        self.stream, self.clock = stream, stream.clock
        # By which simulated cards are known, and other machines.
        # Any: a Backend, or the stream of another machine.
        self.backend: Any = stream.backend if isinstance(stream, Local) else stream
        # The time of whoever looks: in an opened recording it is not the machine's.
        self.desk: Clock = stream.clock
        self.interval = check_interval(interval)
        self._host = host
        self._wanting, self._changed = threading.Lock(), threading.Condition()
        self._wants: list[Want] = []
        self.watched = Watch(host=host)  # by anybody; replaced whole
        self._asked: frozenset[Cadence] = frozenset()
        self._cards: Sequence[Card] = ()
        self._notes: Sequence[Message] = ()
        self._samples: dict[CardId, dict[Cadence, Sample]] = {}  # the newest of each round
        self._readings: dict[CardId, Reading] = {}
        self._users_known: dict[CardId, bool] = {}
        self._beating: frozenset[CardId] = frozenset()  # the cards of the fast round
        self._told_of: set[CardId] = set()  # in it
        self._beat_at: float | None = None
        self._beats = BeatCount()
        self._takers: tuple[Tell, ...] = ()
        self.happening_log = HappeningLog(self.clock, self._hand_on)
        stream.listen(self.take)

    @cached_property
    def process_book(self) -> "ProcessBook":
        from gpuexplorer.telemetry.process_book import ProcessBook  # noqa: PLC0415 - psutil

        return ProcessBook(self.clock)

    @property
    def computer(self) -> str:
        return self.stream.computer

    @property
    def host(self) -> Card:
        return self.stream.host

    @property
    def host_period(self) -> float:
        """Seconds between two readings of the computer itself."""
        return max(self.interval, HOST_AT_LEAST)

    def cards(self) -> Sequence[Card]:
        """Cards and, after each, its MIG instances."""
        return self._cards

    def notes(self) -> Sequence[Message]:
        return self._notes

    def happenings(self) -> Sequence[Happening]:
        return self.happening_log.log()

    def attach(self, taker: Tell) -> None:
        """From now on it is told every fact, once the session has taken it in."""
        self._takers = (*self._takers, taker)

    def detach(self, taker: Tell) -> None:
        self._takers = tuple(each for each in self._takers if each != taker)

    def start(self) -> None:
        self.stream.start()

    def stop(self, seconds: float = 0.3) -> bool:
        return self.stream.stop(seconds)

    def set_interval(self, seconds: float) -> None:
        """Raises Trouble when out of range."""
        self.interval = check_interval(seconds)
        self._beat_at = None
        self._sum_up()

    def want(
        self, cadences: Collection[Cadence] = tuple(Cadence), processes: bool = True
    ) -> Want:
        """Everything of these cadences, until it is released."""
        return self.want_metrics(_of(cadences), processes)

    def want_always(self) -> Want:
        """What is read whatever a person looks at."""
        return self.want_metrics(_of((Cadence.FAST, Cadence.SLOW)) | _TRAFFIC)

    def want_metrics(self, metrics: Collection[MetricId], processes: bool = False) -> Want:
        want = Want(frozenset(metrics), processes)
        with self._wanting:
            self._wants.append(want)
        self._sum_up()
        return want

    def release(self, want: Want) -> None:
        """What nobody wants any more is no longer read. Harmless when called twice."""
        with self._wanting:
            self._wants = [each for each in self._wants if each is not want]
        self._sum_up()

    def reading(self, card: CardId) -> Reading | None:
        """The newest that is known; None before the first answer."""
        return self._readings.get(card)

    def state_sentence(self, card: CardId) -> Message:
        """How the card is, in words, with the seconds when it does not answer."""
        silence, reading = self.stream.silence(card), self.reading(card)
        if silence is not None:
            return Message("no answer for {seconds:.0f} s", seconds=silence)
        if reading is None:
            return Message("not read yet")
        if reading.state is not CardState.WORKING or reading.values.keys() & USABLE:
            return reading.state.sentence
        if (why := why_no_figures(reading.values, reading.missing)) is None:
            return Message("no usable figure")
        return Message("no usable figure ({why})", why=why.sentence)

    def processes_unknown(self) -> Sequence[CardId]:
        """Cards of which nobody can tell just now who uses them."""
        gpus = (card.id for card in self.cards() if card.kind is CardKind.GPU)
        return [card for card in gpus if not self._users_known.get(card, True)]

    def beats(self) -> BeatCount:
        """Of the fast round, which is the one a person set."""
        return self._beats

    def wait_for_sweeps(self, number: int, seconds: float, *, fast: bool = False) -> bool:
        """Wait until the fast round went over all cards so many times, and all that is wanted
        was told, but for the fast round alone.
        """

        def swept() -> bool:
            often = self._beats.taken >= number or not self._beating
            return often and (fast or self._all_told())

        with self._changed:
            return self._changed.wait_for(swept, seconds)

    def _all_told(self) -> bool:
        watch = self.watched
        return (not watch.host or HOST_ID in self._samples) and all(
            (not watch.users or card.id in self._users_known)
            and {METRICS[each].cadence for each in watch.metrics & metrics_of(card)}
            <= self._samples.get(card.id, {}).keys()
            for card in self.cards()
        )

    def take(self, fact: Fact) -> None:
        match fact:
            case Cards(cards=cards, source=source):
                before, now = ({each.id for each in some} for some in (self._cards, cards))
                self._cards, self.source = cards, source
                self.simulated, self.bare = source.simulated, not source.cards
                for gone in before - now:
                    self.happening_log.gone(gone)
                if "process_book" in vars(self):
                    self.process_book.keep(now)
                self._round_up()
            case Notes(notes=notes):
                self._notes = notes
            case Sample():
                self._take_sample(fact)
            case Users(card=card, processes=named):
                self._users_known[card] = named is not None
                self.process_book.take(card, named)
                self.happening_log.consider_processes(card, named)
            case HardwareFault():
                self.happening_log.tell(Kind.XID, fact.card, fact.sentence)
        with self._changed:
            self._changed.notify_all()
        self._hand_on(fact)

    def _take_sample(self, sample: Sample) -> None:
        cadence = round_of(sample)
        if cadence is None:
            return
        self._keep(sample, cadence)
        if sample.card == HOST_ID:
            return
        self.happening_log.consider(sample)
        if cadence is Cadence.FAST:
            self._count(sample)

    def _count(self, sample: Sample) -> None:
        """The fast round is over when each card of it was told of."""
        with self._changed:
            self._told_of.add(sample.card)
            if self._told_of >= self._beating:
                self._told_of.clear()
                before = sample.at - self.interval if self._beat_at is None else self._beat_at
                missed = max(0, round((sample.at - before) / self.interval) - 1)
                # Where it was due: late ones in a row are not forgotten.
                self._beat_at = before + (1 + missed) * self.interval
                self._beats = BeatCount(self._beats.taken + 1, self._beats.missed + missed)

    def _keep(self, sample: Sample, cadence: Cadence) -> None:
        """What is of a round that nobody wants any more is not known any more."""
        kept = self._samples.get(sample.card, {}) | {cadence: sample}
        asked = {cadence, *(self._asked or Cadence)}  # before anybody asks, all is kept
        kept = self._samples[sample.card] = {each: kept[each] for each in kept if each in asked}
        newest = max(kept.values(), key=lambda each: each.at)
        reason = Absence.NOT_YET
        if newest.state is not CardState.WORKING:
            reason = next(iter(newest.missing.values()), reason)
        values: dict[MetricId, float] = {}
        missing: dict[MetricId, Absence] = {}
        for each in kept.values():
            if each.state is newest.state:
                values |= each.values
                missing |= each.missing
            else:  # a slower round has not noticed yet: what it knew is no longer so
                missing |= dict.fromkeys((*each.values, *each.missing), reason)
        self._readings[sample.card] = newest._replace(values=values, missing=missing)

    def _hand_on(self, fact: Fact) -> None:
        for taker in self._takers:
            taker(fact)

    def _sum_up(self) -> None:
        with self._wanting:
            metrics = frozenset().union(*(want.metrics for want in self._wants))
            users = any(want.users for want in self._wants)
            watch = Watch(metrics, users, self.interval, self._host)
            if watch == self.watched:
                return
            self.watched = watch
            self._asked = frozenset(METRICS[each].cadence for each in metrics)
            self._round_up()
            self.stream.watch(watch)

    def _round_up(self) -> None:
        fast = {card.id: metrics_of(card, (Cadence.FAST,)) for card in self.cards()}
        self._beating = frozenset(each for each in fast if fast[each] & self.watched.metrics)


def session_on(
    backend: Backend,
    attempts: Sequence[Attempt] = (),
    interval: float = 1.0,
    clock: Clock | None = None,
    *,
    patience: float = PATIENCE,
) -> Session:
    """Of this computer's cards; it remembers nothing, and needs no numpy."""
    return Session(Local(backend, attempts, clock, patience), interval)


def remembering(
    session: Session, full_seconds: float = 3600.0, day_seconds: float = 86400.0
) -> Session:
    """From now on each sample of it is kept."""
    from gpuexplorer.telemetry.history import History  # noqa: PLC0415 - needs numpy

    session.past = session.history = history = History(
        session.interval, full_seconds, day_seconds
    )
    session.attach(lambda fact: history.append(fact) if isinstance(fact, Sample) else None)
    return session


def _of(cadences: Collection[Cadence]) -> frozenset[MetricId]:
    return frozenset(each.id for each in METRICS.values() if each.cadence in cadences)


def check_interval(seconds: float) -> float:
    """The interval itself, or Trouble that names the range."""
    if not SHORTEST <= seconds <= LONGEST:
        raise Trouble(
            "An interval of {seconds:g} s is not possible.",
            "It may be from {shortest:g} to {longest:g} seconds.",
            seconds=seconds,
            shortest=SHORTEST,
            longest=LONGEST,
        )
    return seconds


def card_numbers(cards: Sequence[Card]) -> Mapping[CardId, str]:
    """How people name cards in a row: "0", "1", and "1.2" for the third instance of card 1."""
    whole = {card.id: f"{card.index}." for card in cards}
    return {card.id: f"{whole.get(card.parent or HOST_ID, '')}{card.index}" for card in cards}
