"""A worker and a ledger together, as the window holds them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gpuexplorer.lab.events import Failed, Finished, Printed
from gpuexplorer.lab.ledger import Entry, Ledger
from gpuexplorer.lab.wire import Command, Forget, Run
from gpuexplorer.lab.worker_process import Start
from tests.lab.processes import CARD, Worker

TWO_CARDS = [CARD, {**CARD, "uuid": "SIM-1"}]


class Session:
    """Runs lines in a real worker; the ledger hears of every event, in its order.

    Without simulated cards it has the real devices.
    """

    def __init__(
        self, seed: int = 3, cards: Sequence[Mapping[str, object]] = TWO_CARDS
    ) -> None:
        self.ledger = Ledger()
        self._start = Start(cards=cards, seed=seed)
        self._number = 0
        self.start()

    def start(self) -> None:
        """A new worker; what the ledger knows stays."""
        self.worker = Worker(self._start)
        self._heard = 0
        self.worker.listener.wait(lambda: bool(self.worker.listener.events))

    def stop(self) -> None:
        self.worker.process.stop()

    def run(self, *lines: str) -> Entry:
        for line in lines:
            entry = self.command(lambda number, line=line: Run(number, line))  # type: ignore[misc]  # mypy cannot infer this default
        return entry

    def command(
        self,
        make: Callable[[int], Command],
        *,
        cures: int | None = None,
        undoes: int | None = None,
    ) -> Entry:
        self._number += 1
        command = make(self._number)
        self.ledger.sent(command, cures=cures, undoes=undoes)
        self._finish(command)
        return self.ledger.entries[-1]

    def forget(self) -> None:
        """An empty shelf, and a ledger that knows of nothing."""
        self._number += 1
        self._finish(Forget(self._number))
        self.ledger = Ledger()
        self.ledger.apply(self.worker.listener.hello)

    def again(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._number += 1
            command = replace(entry.command, id=self._number)
            self.ledger.sent_again(command, entry)
            assert isinstance(self._finish(command), Finished)

    def text(self, line: str) -> str:
        """What a line prints; as a look that is no part of the session."""
        self._number += 1
        command = Run(self._number, line)
        self._finish(command)
        said = [each for each in self.worker.listener.events if isinstance(each, Printed)]
        return said[-1].text

    def _finish(self, command: Command) -> Finished | Failed:
        self.worker.process.send(command)
        outcome = self.worker.listener.outcome(command.id)
        events = self.worker.listener.events
        for event in events[self._heard :]:
            self.ledger.apply(event)
        self._heard = len(events)
        return outcome
