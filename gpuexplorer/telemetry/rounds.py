"""Round: all cards read in turn, on a beat, whatever a driver does meanwhile."""

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import Clock
from gpuexplorer.telemetry.beat import Beat, BeatCount

Answer = TypeVar("Answer")

# So many quick answers in a row, and a card that was slow is read with the others again.
_QUICK_ENOUGH = 3


class _Step(NamedTuple):
    """Of a sweep: one card is read, or only prepared for it."""

    card: CardId
    only_prepare: bool = False


class _Lane:
    """A thread that reads: all cards, or the one that kept it waiting and is its own now."""

    def __init__(self, rest: Sequence[_Step] = ()) -> None:
        self.rest = rest  # what a hung sweep left to do
        self.thread: threading.Thread | None = None
        self.own: CardId | None = None
        self.hung = False  # until the answer comes that made the lane the card's own
        # Replaced whole, so readable from anywhere.
        self.waiting_for: tuple[CardId, float] | None = None


class Round(Generic[Answer]):
    """Reads cards one after another in a shared lane.

    A driver call cannot be interrupted. A card that keeps the lane waiting longer than the
    patience gets that lane for itself, and a new lane goes on with the others; when it answers
    quickly again it comes back. `watch` has to be called often, from one other thread.

    Where there is something to `prepare`, all cards are prepared before the first is read.
    """

    def __init__(
        self,
        name: str,
        period: float,
        clock: Clock,
        patience: float,
        cards: Callable[[], Sequence[CardId]],
        read: Callable[[CardId], Answer | None],
        deliver: Callable[[CardId, Answer, bool], None],
        silent: Callable[[CardId], None],
        prepare: Callable[[CardId], None] | None = None,
    ) -> None:
        self._name = name
        self._clock = clock
        self._patience = patience
        self._cards = cards
        self._read = read
        self._deliver = deliver
        self._silent = silent
        self._prepare = prepare
        self._lock = threading.Lock()
        self._swept = threading.Condition()
        self._sweeps = 0
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._beat = Beat(period, clock.now())
        self._new_period: float | None = None
        self._shared = _Lane()
        self._own: dict[CardId, _Lane] = {}

    def start(self) -> None:
        self._beat.change(self._beat.period, self._clock.now())
        self._launch()

    def ask_to_stop(self) -> None:
        self._stopping.set()
        self._wake.set()

    def ended(self, until: float) -> bool:
        """True when nothing of it runs any more; False when a driver call still hangs."""
        with self._lock:
            threads = [lane.thread for lane in (self._shared, *self._own.values())]
        alive = False
        for thread in threads:
            if thread is not None and thread is not threading.current_thread():
                thread.join(max(0.0, until - self._clock.now()))
                alive |= thread.is_alive()
        return not alive

    def set_period(self, period: float) -> None:
        self._new_period = period
        self._wake.set()

    @property
    def period(self) -> float:
        return self._beat.period

    def count(self) -> BeatCount:
        return self._beat.count

    def silence(self, card: CardId) -> float | None:
        """Seconds since a card was asked that has not answered within the patience."""
        lane = self._own.get(card)
        waiting = lane.waiting_for if lane is not None else None
        if waiting is None:
            return None
        seconds = self._clock.now() - waiting[1]
        return seconds if (lane is not None and lane.hung) or seconds > self._patience else None

    def wait_for_sweep(self, number: int, seconds: float) -> bool:
        """Wait until so many sweeps over all cards are over."""
        with self._swept:
            return self._swept.wait_for(lambda: self._sweeps >= number, seconds)

    def watch(self) -> None:
        """Free the others from a card that keeps them waiting."""
        with self._lock:
            lane = self._shared
            waiting = lane.waiting_for
            if waiting is None or self._stopping.is_set():
                return
            card, since = waiting
            # Where several cards hang at once, the driver hangs: do not wait for each in full.
            patience = max(self._patience / (1 + len(self._own)), self._patience / 10)
            if self._clock.now() - since < patience:
                return
            lane.own = card
            lane.hung = True
            self._own[card] = lane
            rest = lane.rest
        self._launch(rest, mid_sweep=True)

    def _launch(self, rest: Sequence[_Step] = (), mid_sweep: bool = False) -> None:
        lane = _Lane(rest)
        lane.thread = threading.Thread(
            target=self._run, args=(lane, mid_sweep), name=f"{self._name} round", daemon=True
        )
        with self._lock:  # whoever ends it meanwhile finds it begun, or not there at all
            lane.thread.start()
            self._shared = lane

    def _run(self, lane: _Lane, mid_sweep: bool) -> None:
        if mid_sweep:
            self._sweep(lane, lane.rest)
        while lane.own is None and self._wait_for_beat():
            self._sweep(lane, self._steps())
        if lane.own is not None:
            self._run_alone(lane, lane.own)

    def _wait_for_beat(self) -> bool:
        """False when it is time to stop. Applies a new period as soon as it is wanted."""
        while not self._stopping.is_set():
            now = self._clock.now()
            if self._new_period is not None:
                self._beat.change(self._new_period, now)
                self._new_period = None
            ahead = self._beat.due() - now
            if ahead <= 0:
                self._beat.take(now)
                return True
            self._clock.wait(self._wake, ahead)
            self._wake.clear()
        return False

    def _steps(self) -> Sequence[_Step]:
        cards = self._cards()
        first = [_Step(card, only_prepare=True) for card in cards if self._prepare is not None]
        return [*first, *map(_Step, cards)]

    def _sweep(self, lane: _Lane, steps: Sequence[_Step]) -> None:
        for position, step in enumerate(steps):
            card = step.card
            if card in self._own:
                continue
            lane.rest = steps[position + 1 :]
            lane.waiting_for = (card, self._clock.now())
            if step.only_prepare:
                self._make_ready(card)
                late = not self._finished_reading(lane)
            else:
                answer = self._ask(card)
                late = not self._finished_reading(lane)
                self._hand_over(card, answer, late)
            if late or self._stopping.is_set():
                return
        self._end_sweep()

    def _ask(self, card: CardId) -> Answer | None:
        """None where a bug of ours threw: it is reported, and the round goes on."""
        try:
            return self._read(card)
        except Exception:
            _report()
            return None

    def _make_ready(self, card: CardId) -> None:
        try:
            if self._prepare is not None:
                self._prepare(card)
        except Exception:
            _report()

    def _hand_over(self, card: CardId, answer: Answer | None, late: bool) -> None:
        try:
            if answer is None:
                self._silent(card)
            else:
                self._deliver(card, answer, late)
        except Exception:
            _report()

    def _finished_reading(self, lane: _Lane) -> bool:
        """False when the lane was given to the card meanwhile, and the answer comes late."""
        with self._lock:
            lane.waiting_for = None
            lane.hung = False
            return lane.own is None

    def _end_sweep(self) -> None:
        with self._lock:
            cards = list(self._own)
        for card in cards:
            if self.silence(card) is not None:
                self._hand_over(card, None, late=False)
        with self._swept:
            self._sweeps += 1
            self._swept.notify_all()

    def _run_alone(self, lane: _Lane, card: CardId) -> None:
        beat = Beat(self._beat.period, self._clock.now())
        quick = 0
        while quick < _QUICK_ENOUGH:
            if beat.period != self._beat.period:
                beat.change(self._beat.period, self._clock.now())
            beat.take(self._clock.now())
            if self._clock.wait(self._stopping, max(0.0, beat.due() - self._clock.now())):
                return
            if card not in self._cards():
                break
            began = self._clock.now()
            lane.waiting_for = (card, began)
            answer = self._ask(card)
            lane.waiting_for = None
            took = self._clock.now() - began
            quick = quick + 1 if took < self._patience / 2 else 0
            self._hand_over(card, answer, took > self._patience)
        with self._lock:
            self._own.pop(card, None)


def _report() -> None:
    """Hand the exception to whoever shows bugs to people; the thread goes on."""
    kind, error, trace = sys.exc_info()
    if kind is not None:
        threading.excepthook(
            threading.ExceptHookArgs((kind, error, trace, threading.current_thread()))
        )
