"""LabCourse: what became of the lab's session, and when: the sum of all that was noted."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.state.lab.devices import BenchDevice, named_cards
from gpuexplorer.gui.state.lab.program_state import ProgramCourse
from gpuexplorer.lab.cell_source import names_read
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Hello, Memory, Peeked
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


class Selection(QObject):
    """A cell and the things it is about: its code, blocks, flags and rows light up together.

    Cells are named by the number of their command.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cell: int | None = None
        self.things: frozenset[str] = frozenset()

    @property
    def thing(self) -> str | None:
        """The name, where it is about one thing."""
        return next(iter(self.things)) if len(self.things) == 1 else None

    def cell_in(self, ledger: Ledger) -> int | None:
        """Where only a thing is selected, the cell that placed it last."""
        if self.cell is not None or self.thing is None:
            return self.cell
        placed = (each.id for each in reversed(ledger.cells) if self.thing in each.placed)
        return next(placed, None)

    def choose(self, cell: int | None = None, things: Collection[str] = ()) -> None:
        chosen = (cell, frozenset(things))
        if chosen != (self.cell, self.things):
            self.cell, self.things = chosen
            self.changed.emit()


@dataclass(frozen=True, slots=True)
class CellFlag:
    """One cell on the time axis of the cards it had to do with."""

    cell: int  # the number of its command, as the selection names it
    number: int  # as it stands before the cell
    at: float  # on the steady clock of the plots
    code: str
    cards: frozenset[CardId]
    failed: bool = False


_NAMED = re.compile(r"""\bcuda:(\d+)|(?:\.cuda|\bgpu|\btry_gpu)\(\s*(\d*)\s*\)|["']cuda["']""")
# In PyTorch's own words; the second is of a card that is full.
_FAILED = re.compile(r"\b(?:cuda:|GPU )(\d+)\b")


def touched_devices(cell: Cell, ledger: Ledger) -> frozenset[str]:
    """As PyTorch names them: "cuda:0". Of a cell that is not done, what it speaks of."""
    found = {each for copy in cell.transfers for each in (copy.source, copy.target)}
    names = set(cell.placed)
    if cell.finished is not None:
        found |= {device for device, seconds in cell.finished.busy if seconds > 0}
        before, after = cell.memory_before, cell.memory_after
        found |= {each for each in after if _held(before.get(each)) != _held(after[each])}
    else:
        found |= devices_in(cell.code)
        names |= names_read(cell.code)
    if cell.failed is not None:
        found |= {f"cuda:{number}" for number in _FAILED.findall(cell.failed.message)}
    for thing in filter(None, map(ledger.things.get, names)):
        found |= {held.device for held in thing.holds} or {thing.device}
    return frozenset(found)


def devices_in(code: str) -> frozenset[str]:
    """The cards that a cell names; `"cuda"` is the first."""
    return frozenset(f"cuda:{one or other or 0}" for one, other in _NAMED.findall(code))


def _held(memory: Memory | None) -> tuple[int, int]:
    return (memory.tensors_bytes or 0, memory.context_bytes or 0) if memory else (0, 0)


def strip_order(
    devices: Sequence[BenchDevice], memory: Mapping[str, Memory], room: int
) -> Sequence[BenchDevice]:
    """In PyTorch's order; where not all have room, those that hold something come first."""
    cards = [each for each in devices if each.is_card and each.name]
    if len(cards) <= room:
        return cards
    holding = {
        name for name, each in memory.items() if each.reserved_bytes or each.context_bytes
    }
    return sorted(cards, key=lambda each: each.name not in holding)


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
        self.done_at = 0.0  # when a cell was last done
        self.flags: dict[int, CellFlag] = {}  # by the command
        self.cards: dict[str, CardId] = {}  # by the UUIDs that the workers said
        self.program = ProgramCourse()  # of a recording; else it has a state of its own
        self.meanings: dict[int, Message] = {}  # of failures, by the cell
        self.peeked: dict[str, Peeked] = {}  # what was last seen of a thing's values
        self._cards: Mapping[str, CardId] = {}
        self._past: set[int] = set()

    def flags_of(self, cards: set[CardId], start: float, end: float) -> Sequence[CellFlag]:
        """Those of a stretch of time, in their order. Kept as things happen: the next worker
        may give the same cards other numbers.
        """
        found = []
        for each in reversed(self.flags.values()):
            if each.at < start:
                break
            if each.at <= end and not cards.isdisjoint(each.cards):
                found.append(each)
        return found[::-1]

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
                        prose=what.prose,
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
            case OfProgram():
                self.program.take(what, at)
            case _:
                if isinstance(what, Began) and what.id not in self._past:
                    self.began_at[what.id] = at
                elif isinstance(what, Finished):
                    self.done_at = at
                ledger.apply(what)
                self._note(what, ledger.cell(what.id))

    def _note(self, event: Event, cell: Cell | None) -> None:
        """What is true of this very moment only."""
        if isinstance(event, Hello):
            self._cards = named_cards(self._devices(self))
            known = ((each.uuid, self._cards.get(each.name)) for each in event.devices)
            self.cards |= {uuid: card for uuid, card in known if uuid and card is not None}
        elif isinstance(event, Peeked) and event.what in self.ledger.things:
            self.peeked[event.what] = event
        if cell is None or not isinstance(event, Began | Finished | Failed):
            return
        failed, at = isinstance(event, Failed), self.began_at.get(event.id)
        if at is not None:
            touched = touched_devices(cell, self.ledger) & self._cards.keys()
            cards = frozenset(self._cards[each] for each in touched)
            flag = CellFlag(cell.id, cell.number, at, cell.code, cards, failed)
            self.flags[event.id] = flag
        if isinstance(event, Failed):
            from gpuexplorer.lab.meaning import meaning  # noqa: PLC0415 - takes long

            self.meanings[cell.id] = meaning(event, cell, self.ledger, self._units())
