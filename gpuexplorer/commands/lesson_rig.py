"""The lab in which the command line plays a lesson: a worker, and the cards that it uses."""

import itertools
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Self

from gpuexplorer.commands.lab_answers import Answers
from gpuexplorer.commands.lab_cards import LabCards
from gpuexplorer.commands.lab_worker import LabWorker
from gpuexplorer.commands.source import Opened
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.metrics import metrics_of
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Hello
from gpuexplorer.lab.ledger import IMPORTS, Ledger, event_id
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Command, Evaluate, Run
from gpuexplorer.lessons.values import Read, Readings
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.patience import Asked

_READING_PATIENCE = 3.0  # of a card
_START_PATIENCE = 120.0  # of a worker, and of what was sent before
_ONCE_MORE = 3.0  # seconds: what is interrupted and does not end is interrupted again


class CommandRig:
    """No worker is started before something has to be carried out. Leaving ends it."""

    def __init__(self, start: Callable[[], Start], backend: Backend, patience: float) -> None:
        """`start` raises Trouble where there is no PyTorch; a command may take `patience`."""
        self.ledger = Ledger()
        self.simulated = isinstance(backend, SimulatedBackend)
        self.late = False  # the newest command took too long
        self.ending = False  # its worker is about to say why it has ended
        self._start = start
        self._backend = backend
        self._patience = patience
        self._host = HostReader()
        self._ids = itertools.count(1)
        self._worker: LabWorker | None = None
        self._said: Iterator[Event] = iter(())
        self._sent = -1  # the newest command
        self._watch: threading.Timer | None = None
        self._asked: dict[CardId, Asked[Sample]] = {}  # the newest question to each card
        self._silent: set[CardId] = set()
        self._cards = LabCards(Opened(backend))
        self._leaving = ExitStack()

    @property
    def gone(self) -> bool:
        """Its worker has ended, and there will be no other."""
        return self._worker is not None and bool(self._worker.end)

    @property
    def interrupted(self) -> bool:
        return self._worker is not None and self._worker.interrupted

    def events(self) -> Iterator[Event]:
        """What the worker says, once the ledger and the cards know of it; waits for the next.
        Ends with the worker.
        """
        for event in self._said:
            self.ledger.apply(event)
            self._cards.apply(event)
            if event_id(event) == self._sent:
                self._watch_over(event)
            yield event

    def run(self, code: str) -> int:
        self._begin()
        command = Run(next(self._ids), code, len(self.ledger.cells))
        self._send(command)
        return command.id

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        self._begin()
        command = Evaluate(next(self._ids), tuple(sources), json.dumps(values))
        self._send(command)
        return command.id

    def measure(self, then: Callable[[Readings], None]) -> None:
        cards = [each for each in self._backend.cards() if each.kind is CardKind.GPU]
        for each in cards:
            if each.id not in self._asked or self._asked[each.id].answered:
                self._asked[each.id] = Asked(self._reading(each))
                self._silent.discard(each.id)
        read = [Read(each, self._answer(each)) for each in cards]
        host = self._host.card
        then(Readings(read, Read(host, self._host.read(metrics_of(host)))))

    def limit(self, source: str, target: str) -> float | None:
        way = self._cards.way(source, target)
        return None if way is None else way.limit

    def _begin(self) -> None:
        if self._worker is not None:
            return
        start, answers = self._cards.given(self._start()), Answers(self._backend)
        self._worker = self._leaving.enter_context(LabWorker(start, answers))
        self._said = self._worker.said()
        self._send(Run(0, IMPORTS))
        # Which cards it has decides what all that follows is told.
        if not any(isinstance(each, Hello) for each in self.events()):
            if self.interrupted:
                raise KeyboardInterrupt
            raise self._worker.never_began

    def _send(self, command: Command) -> None:
        assert self._worker is not None
        command = self._cards.told(command)
        self.ledger.sent(command)
        self._sent, self.late = command.id, False
        self._wait_for(max(self._patience, _START_PATIENCE))
        self._worker.send(command)

    def _watch_over(self, event: Event) -> None:
        match event:
            case Began():
                self._wait_for(self._patience)
            case Finished() | Failed():
                self._sent = -1
                self._stop_watch()
                self.ending = isinstance(event, Failed) and event.cause == "worker lost"
            case _:
                pass

    def _wait_for(self, seconds: float) -> None:
        self._stop_watch()
        self._watch = threading.Timer(seconds, self._interrupt, [self._sent])
        self._watch.daemon = True
        self._watch.start()

    def _stop_watch(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    def _interrupt(self, command: int) -> None:
        """In a thread of its own. What has ended meanwhile is let alone."""
        if self._worker is None or command != self._sent:
            return
        self.late = True
        self._worker.interrupt()
        self._wait_for(_ONCE_MORE)

    def _reading(self, card: Card) -> Callable[[], Sample]:
        return lambda: self._backend.read(card.id, metrics_of(card))

    def _answer(self, card: Card) -> Sample:
        """One that hangs is waited for once."""
        asked = self._asked[card.id]
        if asked.answered_within(0.0 if card.id in self._silent else _READING_PATIENCE):
            return asked.result()
        self._silent.add(card.id)
        silent = dict.fromkeys(metrics_of(card), Absence.NO_ANSWER)
        return Sample(card.id, 0.0, {}, silent, CardState.NO_ANSWER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop_watch()
        self._leaving.close()
