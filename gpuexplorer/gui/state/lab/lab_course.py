"""LabCourse: what became of the lab's session, and when: the sum of all that was noted."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.state.lab.devices import BenchDevice
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


class CellFlags:
    """Kept as things happen: the next worker may give the same cards other numbers."""

    def __init__(
        self,
        ledger: Ledger,
        began_at: Callable[[int], float | None],
        devices: Callable[[], Sequence[BenchDevice]],
    ) -> None:
        self._ledger = ledger
        self._began_at = began_at
        self._devices = devices
        self.cards: dict[str, CardId] = {}  # by the UUIDs that the workers said
        self._cards: Mapping[str, CardId] = {}
        self._flags: dict[int, CellFlag] = {}

    def show(self, other: "CellFlags") -> None:
        """From now on what that one knows: who draws flags keeps to this one."""
        vars(self).update(vars(other))

    def of(self, card: CardId, start: float, end: float) -> Sequence[CellFlag]:
        """Those of a stretch of time, in their order."""
        found = []
        for each in reversed(self._flags.values()):
            if each.at < start:
                break
            if each.at <= end and card in each.cards:
                found.append(each)
        return found[::-1]

    def note(self, event: Event) -> None:
        """When the ledger knows of it."""
        match event:
            case Hello():
                named = {each.name: each.card for each in self._devices() if each.usable}
                self._cards = {name: card for name, card in named.items() if card is not None}
                of_uuid = ((each.uuid, self._cards.get(each.name)) for each in event.devices)
                self.cards |= {
                    uuid: card for uuid, card in of_uuid if uuid and card is not None
                }
            case Began() | Finished() | Failed():
                self._note_cell(event.id, failed=isinstance(event, Failed))
            case _:
                pass

    def _note_cell(self, command: int, *, failed: bool) -> None:
        cell, at = self._ledger.cell(command), self._began_at(command)
        if cell is None or at is None:
            return
        devices = touched_devices(cell, self._ledger)
        cards = frozenset(self._cards[each] for each in devices if each in self._cards)
        before = self._flags.get(command)
        if before is not None:
            self._flags[command] = replace(before, cards=cards, failed=failed)
        else:
            self._flags[command] = CellFlag(cell.id, cell.number, at, cell.code, cards, failed)


_NAMED = re.compile(r"\bcuda:(\d+)")
_SHORT = re.compile(r"""(?:\.cuda|\bgpu|\btry_gpu)\(\s*(\d*)\s*\)|["']cuda["']""")
# PyTorch's own words where a card is full.
_FULL = re.compile(r"\bGPU (\d+)\b")


def touched_devices(cell: Cell, ledger: Ledger) -> frozenset[str]:
    """As PyTorch names them: "cuda:0". Of a cell that is not done, what it speaks of."""
    found = {each for copy in cell.transfers for each in (copy.source, copy.target)}
    found |= _of_things(cell.placed, ledger)
    if cell.finished is not None:
        found |= _of_finished(cell, cell.finished)
    else:
        found |= devices_in(cell.code) | _of_things(names_read(cell.code), ledger)
    if cell.failed is not None:
        found |= _of_failed(cell.failed)
    return frozenset(found)


def devices_in(code: str) -> frozenset[str]:
    """The cards that a cell names; `"cuda"` is the first."""
    found = {f"cuda:{number}" for number in _NAMED.findall(code)}
    found |= {f"cuda:{number or 0}" for number in _SHORT.findall(code)}
    return frozenset(found)


def _of_finished(cell: Cell, finished: Finished) -> set[str]:
    worked = {device for device, seconds in finished.busy if seconds > 0}
    before, after = cell.memory_before, cell.memory_after
    return worked | {
        device for device in after if _held(before.get(device)) != _held(after[device])
    }


def _of_failed(failed: Failed) -> set[str]:
    named = {f"cuda:{number}" for number in _NAMED.findall(failed.message)}
    return named | {f"cuda:{number}" for number in _FULL.findall(failed.message)}


def _of_things(names: Iterable[str], ledger: Ledger) -> set[str]:
    found: set[str] = set()
    for name in names:
        thing = ledger.things.get(name)
        if thing is not None:
            found |= {held.device for held in thing.holds} or {thing.device}
    return found


def _held(memory: Memory | None) -> tuple[int, int]:
    if memory is None:
        return 0, 0
    return memory.tensors_bytes or 0, memory.context_bytes or 0


def strip_order(
    devices: Sequence[BenchDevice], memory: Mapping[str, Memory], room: int
) -> Sequence[BenchDevice]:
    """In PyTorch's order; where not all have room, those that hold something come first."""
    cards = [each for each in devices if each.is_card and each.name]
    if len(cards) <= room:
        return cards
    return sorted(cards, key=lambda each: not _holds(memory.get(each.name)))


def _holds(memory: Memory | None) -> bool:
    return memory is not None and bool(memory.reserved_bytes or memory.context_bytes)


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
