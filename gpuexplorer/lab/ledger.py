"""Ledger: the sum of all events. The cells, what became of each, and what the worker holds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from gpuexplorer.core.units import duration, seconds_words
from gpuexplorer.core.words import Message, tr
from gpuexplorer.lab.events import (
    BROKEN,
    Asked,
    Began,
    Device,
    Event,
    Failed,
    Finished,
    Freed,
    Hello,
    Idle,
    Loader,
    Memory,
    Pictured,
    Placed,
    Printed,
    Span,
    Spans,
    Transferred,
    Watched,
)
from gpuexplorer.lab.wire import Command, Run

# Every session's first cell, by the number 0.
IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F"

_MOST_DEVICES_TOLD = 3
# Letters of what a cell printed, far more than a session's prints: a program may go on for
# days. What is older is forgotten piece by piece.
_MOST_KEPT, _PIECE = 4_000_000, 1_000_000


@dataclass
class Cell:
    """One cell of the session: its code, and what became of it when it last ran."""

    command: Run
    by_form: bool = False  # a form or a drag wrote it
    outside: str = ""  # the file it was opened from; empty: it was written here
    prose: str = ""  # a notebook's own words before it
    state: str = "waiting"  # then "running"; then "done", "failed" or "cancelled"
    outputs: "list[Printed | Pictured]" = field(default_factory=list)
    letters: int = 0  # that it printed
    forgotten: int = 0  # of them, which are not among the outputs any more
    asked: "Asked | None" = None  # what it waits for
    transfers: "list[Transferred]" = field(default_factory=list)
    spans: "Sequence[Span]" = ()  # when devices computed, and what waited
    seen: "Watched | None" = None  # all that was watched of it, so far
    placed: "dict[str, Placed]" = field(default_factory=dict)  # by their names
    shares: "dict[str, str]" = field(default_factory=dict)  # by name: whose memory it shares
    names_before: "frozenset[str]" = frozenset()  # on the shelf
    memory_before: "Mapping[str, Memory]" = field(default_factory=dict)
    memory_after: "Mapping[str, Memory]" = field(default_factory=dict)
    finished: "Finished | None" = None
    failed: "Failed | None" = None
    cures: "int | None" = None  # the command of the failed cell that this one is to cure
    cured_by: "int | None" = None
    life: int = -1  # of the worker it last ran in, as the ledger counts them
    runs: int = 0  # so often it began
    cards: "Mapping[str, str]" = field(default_factory=dict)  # the UUIDs by that worker's names

    @property
    def id(self) -> int:
        return self.command.id

    @property
    def number(self) -> int:
        """As it stands before the cell."""
        return self.command.number

    @property
    def code(self) -> str:
        return self.command.code

    @property
    def devices(self) -> "frozenset[str]":
        """All that it worked on."""
        worked = {device for device, _ in self.finished.busy} if self.finished else set()
        for each in self.transfers:
            worked |= {each.source, each.target}
        return frozenset(worked | {e for e in self.memory_after if self.allocated_bytes(e) > 0})

    def allocated_bytes(self, device: str) -> int:
        """How much more tensors hold there than before this cell; negative where freed."""
        return _tensors(self.memory_after, device) - _tensors(self.memory_before, device)

    def say(self, output: "Printed | Pictured") -> None:
        """What a stream prints in pieces is one."""
        match (self.outputs[-1] if self.outputs else None), output:
            case (
                Printed(text=before, stream="out" | "err" as stream),
                Printed(text=text, stream=same),
            ) if stream == same and len(before) < _PIECE:
                self.outputs[-1] = replace(output, text=before + text)
            case _:
                self.outputs.append(output)
        self.letters += len(getattr(output, "text", ""))
        while self.letters - self.forgotten > _MOST_KEPT and len(self.outputs) > 1:
            self.forgotten += len(getattr(self.outputs.pop(0), "text", ""))


class Ledger:
    """Changed only by what was sent and by what the worker said. Knows no window."""

    def __init__(self) -> None:
        self.hello: Hello | None = None
        self.cells: list[Cell] = []
        self.things: dict[str, Placed] = {}
        self.shelf = 0  # counts up whenever a thing came or went
        # Of the shelf as it was last counted: by device, the size of each stretch of memory.
        self._held: tuple[int, dict[str, dict[int, int]]] = (-1, {})
        self.memory: dict[str, Memory] = {}
        self.begun: list[tuple[Cell, int]] = []  # in that order, each with which of its runs
        self.first = 0  # the cells before it belong to an earlier, given up session
        self.life = 0  # counts up whenever a worker is gone
        self._of: dict[int, Cell] = {}
        # What was sent and did not come to its end, and how those that are to run again were.
        self._open: dict[int, str] = {}

    @property
    def devices(self) -> "Sequence[Device]":
        return self.hello.devices if self.hello is not None else ()

    @property
    def running(self) -> "Cell | None":
        begun = (self._of[each] for each in self._open)
        return next((each for each in begun if each.state == "running"), None)

    @property
    def unfinished(self) -> "Sequence[int]":
        """The commands of cells that wait or run."""
        return sorted(self._open)

    @property
    def replaying(self) -> "Sequence[int]":
        """The commands of cells that are run again and did not come to their end."""
        return sorted(command for command, before in self._open.items() if before)

    @property
    def used(self) -> bool:
        """A cell of this session, whatever became of it, began in the worker there is."""
        return any(each.number and each.life == self.life for each in self.cells)

    def cell(self, command: int) -> "Cell | None":
        """Also by the command that ran it again."""
        return self._of.get(command)

    def by_number(self, number: int) -> "Cell | None":
        return next((each for each in reversed(self.cells) if each.number == number), None)

    def sent(
        self,
        command: Command,
        *,
        cures: "int | None" = None,
        by_form: bool = False,
        outside: str = "",
        prose: str = "",
    ) -> None:
        """What is run becomes a cell; a look or a cancel does not."""
        if isinstance(command, Run):
            cell = Cell(command, by_form, outside, prose, cures=cures)
            self.cells.append(cell)
            self._of[command.id], self._open[command.id] = cell, ""

    def sent_again(self, command: Run, cell: Cell) -> None:
        """It stays the same cell, and keeps what became of it until it begins."""
        self._of[command.id], self._open[command.id] = cell, cell.state
        cell.state = "waiting"

    def apply(self, event: Event) -> None:
        cell = self._of.get(event.id)
        match event:
            case Hello():
                self.hello = event
                self.lost()
            case Placed(name=name):
                self.shelf += 1
                self.things[name] = event
                if cell is not None:
                    self._note_placed(cell, event)
            case Freed(name=name):
                self.shelf += 1
                self.things.pop(name, None)
            case Finished() | Failed():
                self._end(event, cell)
            case Began() if cell is not None:
                self._begin(cell)
            case Printed() | Pictured() if cell is not None:
                cell.say(event)
            case Asked() if cell is not None:
                cell.asked = event
            case Transferred() if cell is not None:
                cell.transfers.append(event)
            case Spans(spans=spans) if cell is not None:
                cell.spans = spans
            case Watched() if cell is not None:
                if event.devices and self.hello is not None:
                    # A program's worker does not look for cards before the program does.
                    self.hello = replace(self.hello, devices=event.devices)
                    cell.cards = self._uuids()
                cell.seen = event if cell.seen is None else merged(cell.seen, event)
                if all(each.row for each in cell.transfers):
                    # Else each copy was said before, by itself.
                    cell.transfers[:] = _replaced(cell.transfers, event.copies)
            case _:
                pass

    def lost(self) -> None:
        """The worker is gone, and what was on the shelf with it; the cells are kept."""
        self.shelf += 1
        self.life += 1
        self.things.clear()
        self.memory.clear()

    def start_over(self) -> None:
        """What was on the shelf is given up. The cells that made it only stay to be read."""
        self.lost()
        self.first = len(self.cells)

    def done(self) -> "list[Cell]":
        """Those that succeeded since the session was begun."""
        return [each for each in self.cells[self.first :] if each.state == "done"]

    def gone(self, cell: Cell) -> bool:
        """It was carried out, and what it made went with its worker."""
        return cell.state == "done" and cell.life != self.life

    def replay(self, upto: "int | None" = None) -> "list[Cell]":
        """The cells to run again, to the end or to the one of that number."""
        return [e for e in self.done() if e.number and (upto is None or e.number <= upto)]

    def worked_on(self, cards: "Sequence[str]") -> "list[Cell]":
        """What was done there."""
        return [each for each in self.done() if each.devices.intersection(cards)]

    def leave_out(self, cards: "Sequence[str]") -> None:
        """These cards are lost: the cells that worked on them cannot run again."""
        said = Message.counted(
            "{cards} is lost, and what this cell made went with it.",
            "{cards} are lost, and what this cell made went with them.",
            len(cards),
            cards=", ".join(cards),
        )
        hint = Message("Run it on another card, or when the card is back.")
        for each in self.worked_on(cards):
            each.state = "failed"
            each.failed = Failed(each.id, "device lost", "", "", said, hint, lost=tuple(cards))

    def held_bytes(self, device: str) -> int:
        """What the shelf's names hold there, each stretch of memory counted once."""
        if self._held[0] != self.shelf:  # each beat asks, of thousands of things
            self._held = self.shelf, {}
            for each in (held for thing in self.things.values() for held in thing.holds):
                sizes = self._held[1].setdefault(each.device, {})
                sizes[each.storage] = max(each.bytes, sizes.get(each.storage, 0))
        return sum(self._held[1].get(device, {}).values())

    def unnamed_bytes(self, device: str) -> int:
        """What PyTorch holds there for nothing on the shelf: graphs, and forgotten results."""
        return max(0, _tensors(self.memory, device) - self.held_bytes(device))

    def _begin(self, cell: Cell) -> None:
        """It runs now, for the first time or again; what it did before is forgotten."""
        new = Cell(cell.command, cell.by_form, cell.outside, cell.prose, "running")
        new.cures, new.cured_by = cell.cures, cell.cured_by
        new.life, new.runs = self.life, cell.runs + 1
        new.memory_before, new.names_before = dict(self.memory), frozenset(self.things)
        new.cards = self._uuids()
        vars(cell).update(vars(new))
        self.begun.append((cell, cell.runs))

    def _note_placed(self, cell: Cell, placed: Placed) -> None:
        cell.placed[placed.name] = placed
        stretches = {(each.device, each.storage) for each in placed.holds if each.storage}
        for name, other in self.things.items():
            same = any((each.device, each.storage) in stretches for each in other.holds)
            if same and name != placed.name:
                cell.shares[placed.name] = name
                break

    def _end(self, event: "Finished | Failed", cell: "Cell | None") -> None:
        before = self._open.pop(event.id, "")
        if event.memory:
            # Real cards tell no context; what was found out of it holds for the worker's life.
            known = {name: each.context_bytes for name, each in self.memory.items()}
            self.memory = {each.device: each for each in event.memory}
            for name, each in self.memory.items():
                if each.context_bytes is None:
                    self.memory[name] = replace(each, context_bytes=known.get(name))
        if isinstance(event, Failed) and event.cause in ("worker lost", *BROKEN):
            self.lost()
        if cell is None:
            return
        if isinstance(event, Failed) and cell.state == "waiting" and before:
            cell.state = before  # it is what it was, and may run again
            return
        cell.asked = None
        if event.memory:
            cell.memory_after = dict(self.memory)
        if isinstance(event, Failed):
            cell.failed = event
            cell.state = "cancelled" if event.cause == "cancelled" else "failed"
        else:
            cell.finished, cell.state = event, "done"
            if cell.cures is not None and cell.cures in self._of:
                self._of[cell.cures].cured_by = cell.id

    def _uuids(self) -> "Mapping[str, str]":
        return {each.name: each.uuid for each in self.devices if each.uuid}


def _tensors(memory: "Mapping[str, Memory]", device: str) -> int:
    return (memory[device].tensors_bytes or 0) if device in memory else 0


def time_words(cell: Cell) -> list[str]:
    """Short labels: how long the cards worked, how long the host, and how that was taken."""
    finished = cell.finished
    ended = finished or cell.failed
    if ended is None or ended.host_seconds is None:
        return []
    said = []
    if finished is not None:
        busy = sorted(finished.busy, key=lambda each: -each[1])[:_MOST_DEVICES_TOLD]
        said = [f"{name} {duration(seconds)}" for name, seconds in busy]
        if finished.device_seconds is not None and len(busy) < 2:
            whole = duration(finished.device_seconds)
            said = [f"{busy[0][0]} {whole}" if busy else tr("device {time}", time=whole)]
    said.append(tr("host {time}", time=duration(ended.host_seconds)))
    if ended.modelled:
        said.append(tr("modelled"))
    if finished is not None and not finished.watched:
        said.append(tr("not watched"))
    elif finished is not None and finished.watch_seconds:
        watching = seconds_words(finished.watch_seconds)
        said.append(tr("of which watching about {time}", time=watching))
    return said


Row = TypeVar("Row", Transferred, Idle, Loader)


def merged(before: Watched, new: Watched) -> Watched:
    """Rows by their number, in the order in which they were first said. What is no row counts
    from the beginning, and is as it was said last; devices are said once.
    """
    trips = {(e.out, e.row, e.device, e.changed): e for e in (*before.trips, *new.trips)}
    return replace(
        new,
        copies=_replaced(before.copies, new.copies),
        idle=_replaced(before.idle, new.idle),
        loaders=_replaced(before.loaders, new.loaders),
        trips=tuple(trips.values()),
        devices=new.devices or before.devices,
    )


def _replaced(before: Iterable[Row], new: Iterable[Row]) -> tuple[Row, ...]:
    return tuple({each.row: each for rows in (before, new) for each in rows}.values())
