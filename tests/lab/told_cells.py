"""A ledger that is told of cells, without a worker."""

from gpuexplorer.lab.events import Began, Device, Event, Failed, Finished, Hello
from gpuexplorer.lab.ledger import IMPORTS, Cell, Ledger
from gpuexplorer.lab.wire import Run

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
