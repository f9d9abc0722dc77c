"""Ledger: the sum of all events. The cells, what became of each, and what the worker holds."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from gpuexplorer.core.units import duration, seconds_words
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.lab.cell_source import names_made, names_read
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


def values_bytes(things: "Iterable[Placed]") -> int:
    """Counts the values, not the blocks they lie in; a view has none of its own."""
    counted: set[tuple[str, int]] = set()
    total = 0
    for thing in sorted(things, key=lambda each: -each.bytes):
        parts = {(each.device, each.storage): each for each in thing.holds}
        new = [part for place, part in parts.items() if place not in counted]
        new = [part for part in new if part.device != "meta"]
        counted |= parts.keys()
        values = sum(part.bytes for part in new if part.what == "values")
        total += min(thing.bytes, values) if thing.bytes else values
        total += sum(part.bytes for part in new if part.what != "values")
    return total


_MOST_DEVICES_TOLD = 3
_MOST_KEPT = 4_000_000  # letters of what a cell printed; far more than a session's prints

# Every session's first cell, by the number 0.
IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F"

_LOST = ("worker lost", *BROKEN)
_JOINED = ("out", "err")  # streams that come in pieces


@dataclass
class Cell:
    """One cell of the session: its code, and what became of it when it last ran."""

    command: Run
    by_form: bool = False  # a form or a drag wrote it
    outside: str = ""  # the file it was opened from; empty: it was written here
    state: str = "waiting"  # then "running"; then "done", "failed" or "cancelled"
    outputs: "list[Printed | Pictured]" = field(default_factory=list)
    letters: int = 0  # that it printed, as far as they were said
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
        before, after = self.memory_before.get(device), self.memory_after.get(device)
        return _tensors(after) - _tensors(before)

    def begin(self, memory: "Mapping[str, Memory]", life: int) -> None:
        """It runs now, for the first time or again; what it did before is forgotten."""
        new = Cell(self.command, self.by_form, self.outside, "running")
        new.cures, new.cured_by = self.cures, self.cured_by
        new.life, new.runs = life, self.runs + 1
        new.memory_before = dict(memory)
        vars(self).update(vars(new))

    def say(self, output: "Printed | Pictured") -> None:
        self.letters += _letters(output)
        last = self.outputs[-1] if self.outputs else None
        stream = output.stream if isinstance(output, Printed) else ""
        if isinstance(last, Printed) and last.stream == stream and stream in _JOINED:
            assert isinstance(output, Printed)
            self.outputs[-1] = replace(last, text=last.text + output.text)
        else:
            self.outputs.append(output)
        if self.letters - self.forgotten > _MOST_KEPT:
            self._forget()

    def _forget(self) -> None:
        """The older half of what it printed, as a program may go on for days."""
        room = self.letters - self.forgotten - _MOST_KEPT // 2
        while room > 0:
            first = self.outputs.pop(0)
            gone = _letters(first)
            if isinstance(first, Printed) and first.stream in _JOINED and gone > room:
                self.outputs.insert(0, replace(first, text=first.text[room:]))
                gone = room
            room -= gone
            self.forgotten += gone


def _letters(output: "Printed | Pictured") -> int:
    return len(output.text) if isinstance(output, Printed) else 0


class Ledger:
    """Changed only by what was sent and by what the worker said. Knows no window."""

    def __init__(self) -> None:
        self.hello: Hello | None = None
        self.cells: list[Cell] = []
        self.things: dict[str, Placed] = {}
        self.shelf = 0  # counts up whenever a thing came or went
        self.memory: dict[str, Memory] = {}
        self.begun: list[tuple[Cell, int]] = []  # in that order, each with which of its runs
        self.first = 0  # the cells before it belong to an earlier, given up session
        self.life = 0  # counts up whenever a worker is gone
        self._of: dict[int, Cell] = {}
        self._by_number: dict[int, Cell] = {}
        self._before: dict[int, str] = {}  # of those that are to run again: how they were
        self._open: set[int] = set()  # was sent, and did not come to its end

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
    def busy(self) -> bool:
        return bool(self._open)

    @property
    def replaying(self) -> "Sequence[int]":
        """The commands of cells that are run again and did not come to their end."""
        return sorted(self._open & self._before.keys())

    def cell(self, command: int) -> "Cell | None":
        """Also by the command that ran it again."""
        return self._of.get(command)

    def by_number(self, number: int) -> "Cell | None":
        return self._by_number.get(number)

    def sent(
        self,
        command: Command,
        *,
        cures: "int | None" = None,
        by_form: bool = False,
        outside: str = "",
    ) -> None:
        """What is run becomes a cell; a look or a cancel does not."""
        if isinstance(command, Run):
            cell = Cell(command, by_form, outside, cures=cures)
            self.cells.append(cell)
            self._by_number[cell.number] = cell
            self._of[command.id] = cell
            self._open.add(command.id)

    def sent_again(self, command: Run, cell: Cell) -> None:
        """It stays the same cell, and keeps what became of it until it begins."""
        self._of[command.id] = cell
        self._open.add(command.id)
        self._before[command.id] = cell.state
        cell.state = "waiting"

    def apply(self, event: Event) -> None:
        match event:
            case Hello():
                self.hello = event
                self.lost()
            case Placed(name=name):
                self.shelf += 1
                self.things[name] = event
            case Freed(name=name):
                self.shelf += 1
                self.things.pop(name, None)
            case Finished() | Failed():
                self._open.discard(event.id)
                if event.memory:
                    # Real cards tell no context; what was found out of it holds for the
                    # worker's life.
                    contexts = {name: each.context_bytes for name, each in self.memory.items()}
                    self.memory = {
                        each.device: each
                        if each.context_bytes is not None
                        else replace(each, context_bytes=contexts.get(each.device))
                        for each in event.memory
                    }
                if isinstance(event, Failed) and event.cause in _LOST:
                    self.lost()
            case _:
                pass
        cell = self._of.get(event.id)
        if cell is not None:
            self._note(cell, event)

    def context_found(self, device: str, size: int) -> None:
        """What a process holds on a card beside PyTorch's memory, whoever can tell it says."""
        self.memory[device] = replace(self.memory[device], context_bytes=size)

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

    @property
    def used(self) -> bool:
        """A cell of this session, whatever became of it, began in the worker there is."""
        return any(each.number and each.life == self.life for each in self.cells)

    def replay(self, upto: "int | None" = None, with_failed: bool = False) -> "list[Cell]":
        """The cells to run again, to the end or to the one of that number."""
        wanted = ("done", "failed", "cancelled") if with_failed else ("done",)
        return [
            each
            for each in self.cells[self.first :]
            if each.state in wanted and each.number and (upto is None or each.number <= upto)
        ]

    def worked_on(self, cards: "Sequence[str]") -> "list[Cell]":
        """What was done there."""
        return [each for each in self.done() if each.devices.intersection(cards)]

    def leave_out(self, cards: "Sequence[str]") -> "list[Cell]":
        """These cards are lost: the cells that worked on them, which cannot run again."""
        lost, left = tuple(cards), self.worked_on(cards)
        said = Message.counted(
            "{cards} is lost, and what this cell made went with it.",
            "{cards} are lost, and what this cell made went with them.",
            len(lost),
            cards=", ".join(lost),
        )
        hint = Message("Run it on another card, or when the card is back.")
        for each in left:
            each.state = "failed"
            each.failed = Failed(each.id, "device lost", "", "", said, hint, lost=lost)
        return left

    def held_bytes(self, device: str) -> int:
        """What the shelf's names hold there, each stretch of memory counted once."""
        sizes: dict[int, int] = {}
        for each in (held for thing in self.things.values() for held in thing.holds):
            if each.device == device:
                sizes[each.storage] = max(each.bytes, sizes.get(each.storage, 0))
        return sum(sizes.values())

    def unnamed_bytes(self, device: str) -> int:
        """What PyTorch holds there for nothing on the shelf: graphs, and forgotten results."""
        return max(0, _tensors(self.memory.get(device)) - self.held_bytes(device))

    def twins(self, name: str) -> "list[str]":
        """Other names for the very same object."""
        first = self.things[name].same_as or name
        same = [each for each, thing in self.things.items() if thing.same_as == first]
        return [each for each in (first, *same) if each != name]

    def _note(self, cell: Cell, event: Event) -> None:
        match event:
            case Began():
                cell.begin(self.memory, self.life)
                cell.cards = _uuids(self.devices)
                cell.names_before = frozenset(self.things)
                self.begun.append((cell, cell.runs))
            case Printed() | Pictured():
                cell.say(event)
            case Asked():
                cell.asked = event
            case Transferred():
                cell.transfers.append(event)
            case Spans(spans=spans):
                cell.spans = spans
            case Watched():
                if event.devices and self.hello is not None:
                    # A program's worker does not look for cards before the program does.
                    self.hello = replace(self.hello, devices=event.devices)
                    cell.cards = _uuids(event.devices)
                cell.seen = event if cell.seen is None else merged(cell.seen, event)
                if all(each.row for each in cell.transfers):
                    # Else each copy was said before, by itself.
                    cell.transfers[:] = replaced(cell.transfers, event.copies)
            case Placed(name=name):
                cell.placed[name] = event
                stretches = _stretches(event)
                others = (each for each in self.things.values() if each is not event)
                owner = next((e for e in others if stretches & _stretches(e)), None)
                if owner is not None:
                    cell.shares[name] = owner.name
            case Finished():
                self._end(cell, "done", event)
                cell.finished = event
                failed = self._of.get(cell.cures) if cell.cures is not None else None
                if failed is not None:
                    failed.cured_by = cell.id
            case Failed() if cell.state == "waiting" and event.id in self._before:
                cell.state = self._before[event.id]  # it is what it was, and may run again
            case Failed(cause=cause):
                self._end(cell, "cancelled" if cause == "cancelled" else "failed", event)
                cell.failed = event
            case _:
                pass

    def _end(self, cell: Cell, state: str, event: "Finished | Failed") -> None:
        cell.state, cell.asked = state, None
        if event.memory:
            cell.memory_after = dict(self.memory)


def _stretches(thing: Placed) -> "set[tuple[str, int]]":
    """Device and number of the storage, where it is known."""
    return {(each.device, each.storage) for each in thing.holds if each.storage}


def _uuids(devices: "Sequence[Device]") -> "Mapping[str, str]":
    return {each.name: each.uuid for each in devices if each.uuid}


def _tensors(memory: "Memory | None") -> int:
    return (memory.tensors_bytes or 0) if memory is not None else 0


def time_words(cell: Cell) -> list[str]:
    """Short labels: how long the cards worked, how long the host, and how that was taken."""
    finished, failed = cell.finished, cell.failed
    if finished is None:
        if failed is None or failed.host_seconds is None:
            return []
        host = tr("host {time}", time=duration(failed.host_seconds))
        return [host, tr("modelled")] if failed.modelled else [host]
    said = []
    busy = sorted(finished.busy, key=lambda each: -each[1])
    if len(busy) == 1 and finished.device_seconds is not None:
        busy = [(busy[0][0], finished.device_seconds)]
    if busy:
        said += [f"{name} {duration(seconds)}" for name, seconds in busy[:_MOST_DEVICES_TOLD]]
    elif finished.device_seconds is not None:
        said.append(tr("device {time}", time=duration(finished.device_seconds)))
    said.append(tr("host {time}", time=duration(finished.host_seconds)))
    if finished.modelled:
        said.append(tr("modelled"))
    if not finished.watched:
        said.append(tr("not watched"))
    elif finished.watch_seconds:
        watching = seconds_words(finished.watch_seconds)
        said.append(tr("of which watching about {time}", time=watching))
    return said


def thing_called(ledger: Ledger, path: str) -> "Placed | None":
    """By its name on the shelf, or by its path in a container: "nets[0]"."""
    for each in ledger.things.values():
        if each.name == path:
            return each
        for part in each.elements if path.startswith(each.name) else ():
            if part.path == path:
                kind, place = part.kind, part.device
                return Placed(each.id, path, kind, place, part.text, bytes=part.bytes)
    return None


def root_of(path: str) -> str:
    """The name that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def made_by(ledger: Ledger, name: str) -> "int | None":
    """The number of the cell that made this name stand for what it does."""
    made = [each for each in _cells(ledger) if name in each.placed]
    named = [each for each in made if name in names_made(each.code)]
    return (named or made)[-1].number if made else None


def read_by(ledger: Ledger, name: str) -> "Sequence[int]":
    """The numbers of the cells that used it since."""
    since = made_by(ledger, name) or 0
    cells = [each for each in _cells(ledger) if each.number > since]
    return [each.number for each in cells if name in names_read(each.code)]


def _cells(ledger: Ledger) -> "Sequence[Cell]":
    return [each for each in ledger.cells if each.state == "done"]


_WORTH_COMPARING = 1e-4  # seconds that a card worked
_WITHOUT_PAUSES = 0.9  # of a stretch: in the rest of it a card may have rested
Row = TypeVar("Row", Transferred, Idle, Loader)


def merged(before: Watched, new: Watched) -> Watched:
    """Rows by their number, in the order in which they were first said. What is no row counts
    from the beginning, and is as it was said last; devices are said once.
    """
    trips = {(e.out, e.row, e.device, e.changed): e for e in (*before.trips, *new.trips)}
    return replace(
        new,
        copies=replaced(before.copies, new.copies),
        idle=replaced(before.idle, new.idle),
        loaders=replaced(before.loaders, new.loaders),
        trips=tuple(trips.values()),
        devices=new.devices or before.devices,
    )


def replaced(before: Iterable[Row], new: Iterable[Row]) -> tuple[Row, ...]:
    return tuple({each.row: each for rows in (before, new) for each in rows}.values())


class AtOnce(NamedTuple):
    """Cards that worked in one cell, in seconds."""

    cards: "list[str]"
    together: float  # two or more of them; 0 where one worked after the other
    whole: float  # any of them


def at_once(spans: "Sequence[Span]") -> "AtOnce | None":
    """None where it cannot be told whether they worked at the same time."""
    worked: dict[str, list[Span]] = {}
    for each in spans:
        if not each.waits_for and each.device != "cpu":
            worked.setdefault(each.device, []).append(each)
    busy = {card: sum(each.busy for each in of) for card, of in worked.items()}
    cards = sorted(card for card, seconds in busy.items() if seconds >= _WORTH_COMPARING)
    stretches = [each for card in cards for each in worked[card]]
    length = sum(each.end - each.begin for each in stretches)
    if len(cards) < 2 or sum(each.busy for each in stretches) < _WITHOUT_PAUSES * length:
        return None
    edges = [(each.begin, 1) for each in stretches] + [(each.end, -1) for each in stretches]
    together = whole = last = 0.0
    working = 0
    for moment, change in sorted(edges):
        whole += (moment - last) if working else 0.0
        together += (moment - last) if working > 1 else 0.0
        working, last = working + change, moment
    return AtOnce(cards, together if together >= _WORTH_COMPARING / 10 else 0.0, whole)


def left_out_words(numbers: "Sequence[int]", cards: "Sequence[str]") -> Message:
    """Empty where there are none."""
    if not numbers:
        return NOTHING
    return Message.counted(
        "Cell {cells} needs a card that is lost ({cards}) and is left out.",
        "Cells {cells} need a card that is lost ({cards}) and are left out.",
        len(numbers),
        cells=", ".join(str(each) for each in numbers),
        cards=", ".join(cards),
    )


def not_again_words(numbers: "Sequence[int]", first: Failed) -> Message:
    """Which cells failed in a replay, and why the first of them did."""
    return Message.counted(
        "Cell {cells} could not be run again: {why}",
        "Cells {cells} could not be run again. The first: {why}",
        len(numbers),
        cells=", ".join(str(each) for each in numbers),
        why=first.sentence or first.message,
    )
