"""A worker and a ledger, as the window holds them; and a ledger that is told of cells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gpuexplorer.lab.events import Began, Device, Event, Failed, Finished, Hello, Printed
from gpuexplorer.lab.ledger import IMPORTS, Cell, Ledger
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Command, Run
from tests.lab.processes import CARD, Worker

TWO_CARDS = [CARD, {**CARD, "uuid": "SIM-1"}]


class Session:
    """Runs cells in a real worker; the ledger hears of every event, in its order.

    Without simulated cards it has the real devices. Cell 0 ran when it is there.
    """

    def __init__(
        self, seed: int = 3, cards: Sequence[Mapping[str, object]] = TWO_CARDS
    ) -> None:
        self._start = Start(cards=cards, seed=seed)
        self._number = 0
        self.ledger = Ledger()
        self.start()

    def start(self) -> None:
        """A new worker; what the ledger knows stays."""
        self.worker = Worker(self._start)
        self._heard = 0
        _ = self.worker.listener.hello
        self._begin()

    def stop(self) -> None:
        self.worker.process.stop()

    def run(self, *cells: str, by_form: bool = False, cures: int | None = None) -> Cell:
        """One after another; the last."""
        for code in cells:
            self._number += 1
            command = Run(self._number, code, len(self.ledger.cells))
            self.ledger.sent(command, cures=cures, by_form=by_form)
            self._finish(command)
        return self.ledger.cells[-1]

    def look(self, make: Callable[[int], Command]) -> Finished | Failed:
        """A command that is no part of the session."""
        self._number += 1
        return self._finish(make(self._number))

    def forget(self) -> None:
        """A ledger that knows of nothing, and none of the cells' names."""
        names = "[n for n in globals() if not n.startswith('_')]"
        self.look(lambda number: Run(number, f"for n in {names}: del globals()[n]\ndel n"))
        self.ledger = Ledger()
        self.ledger.apply(self.worker.listener.hello)
        self._begin()

    def again(self, cells: Sequence[Cell]) -> None:
        for cell in cells:
            self._number += 1
            command = replace(cell.command, id=self._number)
            self.ledger.sent_again(command, cell)
            self._finish(command)

    def text(self, code: str) -> str:
        """The value of an expression, or what a cell prints; no part of the session."""
        before = len(self.worker.listener.events)
        self.look(lambda number: Run(number, code))
        said = self.worker.listener.events[before:]
        return "".join(each.text for each in said if isinstance(each, Printed))

    def _begin(self) -> None:
        first = Run(0, IMPORTS)
        if self.ledger.cells:
            self.ledger.sent_again(first, self.ledger.cells[0])
        else:
            self.ledger.sent(first)
        self._finish(first)

    def _finish(self, command: Command) -> Finished | Failed:
        heard = len(self.worker.listener.events)
        self.worker.process.send(command)
        outcome = self.worker.listener.outcome(command.id, heard)
        events = self.worker.listener.events
        for event in events[self._heard :]:
            self.ledger.apply(event)
        self._heard = len(events)
        return outcome


CARDS = (
    Device("cpu", "x86_64", total_bytes=64 << 30),
    Device("cuda:0", "NVIDIA TITAN RTX", "SIM-0", 24 << 30),
    Device("cuda:1", "NVIDIA TITAN RTX", "SIM-1", 24 << 30),
)


class Told:
    """Cell 0 ran when it is there."""

    def __init__(self, *codes: str, seed: int = 0, simulated: bool = False) -> None:
        self.ledger = Ledger()
        hello = Hello(0, "3.11", "2.13", "CPU", simulated, CARDS, seed)
        self.ledger.apply(hello)
        for code in (IMPORTS, *codes):
            self.run(code)

    def run(
        self,
        code: str,
        *events: Event,
        by_form: bool = False,
        failing: str = "",
        busy: str = "",
    ) -> Cell:
        """`failing`: of what; `busy`: the card that it worked on."""
        number = len(self.ledger.cells)
        self.ledger.sent(Run(number, code, number), by_form=by_form)
        return self.go_on(number, *events, failing=failing, busy=busy)

    def go_on(self, command: int, *events: Event, failing: str = "", busy: str = "") -> Cell:
        """The command is carried out."""
        for each in (Began(command), *events):
            self.ledger.apply(each)
        worked = ((busy, 1e-6),) if busy else ()
        failed = Failed(command, failing, "RuntimeError", "It did not work.")
        self.ledger.apply(failed if failing else Finished(command, 0.0, busy=worked))
        cell = self.ledger.cell(command)
        assert cell is not None
        return cell

    def codes_again(self, upto: int | None = None) -> list[str]:
        """Of the cells that a replay would run."""
        return [each.code for each in self.ledger.replay(upto)]
