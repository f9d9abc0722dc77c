"""Watching: asks a fleet at a beat, in a thread of its own, and remembers the newest answer."""

import math
import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import NamedTuple

from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.client import PrometheusError
from gpuexplorer.fleet.fleet import Fleet, FleetNow

BEAT = 15.0  # seconds, as often as exporters are read by default
# A look for new cards every so many beats.
_LOOK_EVERY = 40
_MOST_PATIENT, _LASTING = 300.0, 60.0
_WAITING = 64  # what was asked for before is no longer looked at


class Broken(NamedTuple):
    """The server does not answer. Times are the clock's."""

    since: float
    why: Message
    hint: Message
    retry_at: float


class Watching:
    """Who listens is called from its thread, with every answer and every failure."""

    def __init__(self, fleet: Fleet, beat: float = BEAT, clock: Clock | None = None) -> None:
        self.fleet, self.beat = fleet, beat
        self.clock = clock or SystemClock()
        self.now: FleetNow | None = None
        self.answered_at: float | None = None
        self.broken: Broken | None = None
        self._listeners: list[Callable[[], None]] = []
        self._wake, self._ended = threading.Event(), False
        self._failures = self._beats = 0
        self._due = 0.0
        self._orders: dict[Hashable, Callable[[], None]] = {}
        self._ordering = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="fleet", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float = 0.5) -> bool:
        """True when it ended: whatever was asked is given up."""
        self._ended = True
        self._wake.set()
        self.fleet.server.end()
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def listen(self, on_change: Callable[[], None]) -> None:
        self._listeners.append(on_change)

    def stop_listening(self, on_change: Callable[[], None]) -> None:
        with suppress(ValueError):  # it never listened
            self._listeners.remove(on_change)

    def ask_now(self) -> None:
        """Instead of at the next beat."""
        self._due = 0.0
        self._wake.set()

    def order(self, what: Hashable, run: Callable[[], None]) -> None:
        """Runs it in the thread that asks, between the beats: once, and the newest first."""
        with self._ordering:
            self._orders.pop(what, None)
            self._orders[what] = run
            if len(self._orders) > _WAITING:
                del self._orders[next(iter(self._orders))]
        self._wake.set()

    def run_orders(self) -> None:
        """All, in this very thread."""
        while self._run_newest():
            pass

    def look(self) -> None:
        """One beat in this very thread."""
        try:
            if self._beats % _LOOK_EVERY == 0:
                self.fleet.look_for_cards()
            elif self._beats == 1:
                # After the first picture, since it takes longer.
                self.fleet.look_back()
            self.now, self.answered_at = self.fleet.now(), self.clock.now()
        except Trouble as trouble:
            if self._ended:
                return
            now = self.clock.now()
            wait = min(_MOST_PATIENT, self.beat * 2.0 ** min(self._failures, 10))
            if isinstance(trouble, PrometheusError) and trouble.lasting:
                wait = max(wait, _LASTING)
            since = now if self.broken is None else self.broken.since
            self.broken = Broken(since, trouble.sentence, trouble.hint, now + wait)
            self._failures += 1
            self._beats = 0  # what is there then, is looked for anew
        else:
            self.broken, self._failures = None, 0
            self._beats += 1
        for each in tuple(self._listeners):
            each()

    def _run(self) -> None:
        while not self._ended:
            self._wake.clear()
            began = self.clock.now()
            if began >= self._due:
                self._due = math.inf
                self.look()
                now = self.clock.now()
                due = began + self.beat if self.broken is None else self.broken.retry_at
                # A server that is slower than the beat is left alone as long as it took.
                self._due = min(self._due, max(due, 2 * now - began))
            elif not self._run_newest():
                self.clock.wait(self._wake, self._due - began)

    def _run_newest(self) -> bool:
        with self._ordering:
            run = self._orders.popitem()[1] if self._orders else None
        if run is not None:
            run()
        return run is not None
