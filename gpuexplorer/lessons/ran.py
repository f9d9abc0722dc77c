"""Ran: which cells of a lesson have run in the session there is, and how they ended."""

from collections.abc import Callable, Sequence

from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.printed import error_words
from gpuexplorer.lessons.lesson import Code
from gpuexplorer.lessons.step_play import StepPlay, StepState

NEVER_MEANT = ("cancelled", "worker lost")  # causes of a failure
STOPPED = Message("The cell was stopped before its end. It can be run again.")
_SUCCEEDED = Message(
    "This cell was there to fail, and it did not. Run the cells of this step again, in order."
)


class Ran:
    """`ledger` is asked for each time: a rig may have got another."""

    def __init__(self, steps: Sequence[StepPlay], ledger: Callable[[], Ledger]) -> None:
        self._steps = steps
        self._ledger = ledger

    def cell(self, part: Code) -> Cell | None:
        """What the ledger has of it."""
        command = next((e.cells[part.line] for e in self._steps if part.line in e.cells), None)
        return None if command is None else self._ledger().cell(command)

    def of(self, step: StepPlay) -> Sequence[Cell]:
        cells = [self.cell(each) for each in step.step.cells]
        return [each for each in cells if each is not None]

    def is_right(self, part: Code) -> bool:
        """It ran in the session there is, and came to the end that the lesson means."""
        cell = self.cell(part)
        if cell is None or cell.life != self._ledger().life:
            return False
        if cell.state == "failed" and cell.failed is not None:
            return part.fails and cell.failed.cause not in NEVER_MEANT
        return cell.state == "done" and not part.fails

    def going_on(self) -> bool:
        """Whether one of them waits or runs."""
        cells = [cell for each in self._steps for cell in self.of(each)]
        return any(each.state in ("waiting", "running") for each in cells)

    def place(self, cell: Cell) -> tuple[StepPlay, Code] | None:
        """Which of the lesson's cells that is."""
        for each in self._steps:
            for part in each.step.cells:
                if each.cells.get(part.line) == cell.id:
                    return each, part
        return None

    def missing(self, before: int) -> Sequence[tuple[StepPlay, Code]]:
        """Cells of the steps before, whose names are not in the session: nobody ran them, or
        what they made went with its worker.
        """
        ledger = self._ledger()
        there = {
            each.code.strip()
            for each in ledger.cells
            if each.state == "done" and each.life == ledger.life
        }
        return [
            (step, part)
            for step in self._steps[:before]
            if step.state is not StepState.SKIPPED
            and not (step.state is StepState.AHEAD and step.step.needs)
            for part in step.step.cells
            if not part.fails and part.source.strip() not in there
        ]


def why_wrong(cell: Cell) -> Message:
    """A sentence, for one that did not end as the lesson means it."""
    failed = cell.failed
    if failed is None or cell.state == "done":
        return _SUCCEEDED
    if failed.cause == "cancelled":
        return STOPPED
    words = error_words(failed).partition("\n")[0]
    if not words:
        return failed.told
    if words[-1] not in ".!?":
        words += "."
    return told(Message("The cell failed: {error}", error=words), failed.told)
