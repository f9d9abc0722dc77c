"""LabCourse: what became of the lab's session, and when: the sum of all that was noted."""

from collections.abc import Callable, Sequence

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.words import NOTHING
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.state.lab.cell_flags import CellFlags
from gpuexplorer.gui.state.lab.program_state import ProgramCourse
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.events import Began, Finished
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.recording.lab_said import (
    Answered,
    Forgot,
    Gone,
    Noted,
    OfProgram,
    Opened,
    Sent,
    StartedOver,
)


class LabCourse:
    """The same comes out of the same, whether it happens now or is read from a recording."""

    def __init__(self, devices: Callable[["LabCourse"], Sequence[BenchDevice]]) -> None:
        self._devices = devices
        self._begin()

    def _begin(self) -> None:
        self.ledger = Ledger()
        # The newest of each job, in the order in which they were first measured.
        self.copies: dict[CopyJob, CopyResult] = {}
        self.sentence = NOTHING  # why the last worker ended, or why none can be started
        self.began_at: dict[int, float] = {}  # by the command, on the clock of the session
        self.newest_began: float | None = None
        self.done_at = 0.0  # when a cell was last done
        self.flags = CellFlags(self.ledger, self.began_at.get, lambda: self._devices(self))
        self.program = ProgramCourse()  # of a recording; else it has a state of its own
        self._past: set[int] = set()

    def take(self, what: Noted, at: float) -> None:
        ledger = self.ledger
        match what:
            case Opened():
                self._begin()
            case Sent():
                before = ledger.by_number(what.number) if what.again else None
                if before is not None:
                    ledger.sent_again(what.command, before)
                else:
                    ledger.sent(
                        what.command,
                        cures=what.cures,
                        by_form=what.by_form,
                        outside=what.outside,
                    )
                self._past |= {what.id} if what.past else set()
            case Answered(id=command):
                cell = ledger.cell(command)
                if cell is not None:
                    ledger.answered(cell)
            case Gone(why=why, lost=lost, released=released):
                ledger.leave_out(lost)
                ledger.lost()
                ledger.hello = None if released else ledger.hello
                self.sentence = why
            case StartedOver():
                ledger.start_over()
            case CopyResult():
                self.copies[what.job] = what
            case Forgot():
                self.copies.clear()
            case OfProgram(what=of_program):
                self.program.take(of_program, at)
            case _:
                if isinstance(what, Began) and what.id not in self._past:
                    self.newest_began = self.began_at[what.id] = at
                elif isinstance(what, Finished):
                    self.done_at = at
                ledger.apply(what)
                self.flags.note(what)
