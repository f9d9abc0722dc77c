"""LabCourse: what became of the lab's session, and when: the sum of all that was noted."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.state.lab.cell_flags import CellFlags
from gpuexplorer.gui.state.lab.program_state import ProgramCourse
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Peeked
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.recording.lab_said import (
    Answered,
    Forgot,
    Gone,
    LabBegan,
    Noted,
    OfProgram,
    Sent,
    StartedOver,
)


class Cause(NamedTuple):
    """The cell after which there was more memory without a name than before."""

    cell: int
    number: int


class LabCourse:
    """The same comes out of the same, whether it happens now or is read from a recording."""

    def __init__(
        self,
        devices: Callable[["LabCourse"], Sequence[BenchDevice]],
        units: Callable[[], Units],
    ) -> None:
        self._devices, self._units = devices, units
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
        self.meanings: dict[int, Message] = {}  # of failures, by the cell
        self.causes: dict[str, Cause] = {}  # of memory without a name, by the device
        self.peeked: dict[str, Peeked] = {}  # what was last seen of a thing's values
        self._unnamed: dict[str, int] = {}
        self._past: set[int] = set()

    def take(self, what: Noted, at: float) -> None:
        ledger = self.ledger
        match what:
            case LabBegan():
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
                    cell.asked = None  # it does not wait for that any more
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
                self._note(what)

    def _note(self, event: Event) -> None:
        """What is true of this very moment only."""
        cell = self.ledger.cell(event.id)
        match event:
            case Failed() if cell is not None:
                from gpuexplorer.lab.meaning import meaning  # noqa: PLC0415 - takes long

                self.meanings[cell.id] = meaning(event, cell, self.ledger, self._units())
            case Finished() if cell is not None:
                self._find_causes(cell)
            case Peeked(what=name) if name in self.ledger.things:
                self.peeked[name] = event
            case _:
                pass

    def _find_causes(self, cell: Cell) -> None:
        unnamed = {device: self.ledger.unnamed_bytes(device) for device in self.ledger.memory}
        for device, size in unnamed.items():
            if not size:
                self.causes.pop(device, None)
            elif size > self._unnamed.get(device, 0):
                self.causes[device] = Cause(cell.id, cell.number)
        self._unnamed = unnamed
