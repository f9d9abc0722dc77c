"""Ledger: the sum of all events. What is on the shelf, what runs, and what each line cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.effects import Effects, effects_of
from gpuexplorer.lab.events import (
    Began,
    Device,
    Event,
    Failed,
    Finished,
    Freed,
    Held,
    Hello,
    Memory,
    Placed,
    Printed,
    Progressed,
    Span,
    Spans,
    Transferred,
)
from gpuexplorer.lab.loops import loop_of
from gpuexplorer.lab.lost_cards import needing
from gpuexplorer.lab.recipes import Recipes, Step
from gpuexplorer.lab.undoing import taking_back
from gpuexplorer.lab.wire import Command, Run, Train

_LOST = ("worker lost", "device broken")
_Stretch = tuple[str, int]  # the device, and PyTorch's number of the storage


@dataclass
class Entry:
    """One line of the session: the code, and what became of it."""

    command: Union[Run, Train]  # noqa: UP007 - Python 3.10
    state: str = "waiting"  # then "running", "done" or "failed"
    finished: "Finished | None" = None
    failed: "Failed | None" = None
    cures: "int | None" = None  # the failed line that this one is to cure
    cured_by: "int | None" = None
    undoes: "int | None" = None
    printed: "list[str]" = field(default_factory=list)
    placement: "list[str]" = field(default_factory=list)  # where its operations ran
    transfers: "list[Transferred]" = field(default_factory=list)
    spans: "Sequence[Span]" = ()  # when devices computed, and who waited
    losses: "list[float]" = field(default_factory=list)
    placed: "list[str]" = field(default_factory=list)
    models: "frozenset[str]" = frozenset()  # the names that stood for models before it
    memory_before: "Mapping[str, Memory]" = field(default_factory=dict)
    memory_after: "Mapping[str, Memory]" = field(default_factory=dict)

    @property
    def id(self) -> int:
        return self.command.id

    @property
    def code(self) -> str:
        if isinstance(self.command, Train):
            return loop_of(self.command)
        return self.command.line.strip()

    @property
    def effects(self) -> Effects:
        return effects_of(self.command)

    def allocated_bytes(self, device: str) -> int:
        """How much more tensors hold there than before this line; negative where freed."""
        before, after = self.memory_before.get(device), self.memory_after.get(device)
        return _tensors(after) - _tensors(before)


class Ledger:
    """Changed only by what was sent and by what the worker said. Knows no window."""

    def __init__(self) -> None:
        self.hello: Hello | None = None
        self.entries: list[Entry] = []
        self.things: dict[str, Placed] = {}
        self.held = HeldMemory()
        self.shelf = 0  # counts up whenever a thing came or went
        self.memory: dict[str, Memory] = {}
        self.first = 0  # the lines before it belong to an earlier, given up shelf
        self._of: dict[int, Entry] = {}
        self._numbers: dict[int, int] = {}
        self._again: set[int] = set()
        self._open: set[int] = set()  # was sent, and did not come to its end

    @property
    def devices(self) -> "Sequence[Device]":
        return self.hello.devices if self.hello is not None else ()

    @property
    def running(self) -> "Entry | None":
        begun = (self._of[each] for each in self._open - self._again)
        return next((each for each in begun if each.state == "running"), None)

    def sent(
        self, command: Command, *, cures: "int | None" = None, undoes: "int | None" = None
    ) -> None:
        """Lines and training runs become entries; a look or a cancel does not."""
        if isinstance(command, (Run, Train)):
            entry = Entry(command, cures=cures, undoes=undoes)
            self.entries.append(entry)
            self._of[command.id] = entry
            self._numbers[command.id] = len(self.entries)
            self._open.add(command.id)

    def sent_again(self, command: Command, entry: Entry) -> None:
        """A new worker gets a line of the old one's, so that the shelf is as it was."""
        self._again.add(command.id)
        self._open.add(command.id)
        self._of[command.id] = entry

    def apply(self, event: Event) -> None:
        match event:
            case Hello():
                self.hello = event
                self.lost()
            case Placed():
                self.shelf += 1
                self.things[event.name] = event
                self.held.placed(event.name, event.holds)
            case Freed(name=name):
                self.shelf += 1
                self.things.pop(name, None)
                self.held.freed(name)
            case Finished(memory=memory):
                self.memory = {each.device: each for each in memory}
                self._open.discard(event.id)
            case Failed(cause=cause):
                self._open.discard(event.id)
                if cause in _LOST:
                    self.lost()
            case _:
                pass
        number = event_id(event)
        entry = self._of.get(number)
        if entry is not None and number in self._again:
            self._note_again(entry, event)
        elif entry is not None:
            self._note(entry, event)

    def lost(self) -> None:
        """The worker is gone, and what was on the shelf with it; the lines are kept."""
        self.shelf += 1
        self.things.clear()
        self.held.clear()
        self.memory.clear()

    def start_over(self) -> None:
        """What was on the shelf is given up. The lines that made it only stay to be read."""
        self.lost()
        self.first = len(self.entries)

    @property
    def unfinished(self) -> "Sequence[int]":
        """The commands that wait or run, those of lines that are run again among them."""
        return sorted(self._open)

    @property
    def busy(self) -> bool:
        return bool(self._open)

    @property
    def rebuilding(self) -> "Sequence[int]":
        """The commands of lines that are run again and did not come to their end."""
        return sorted(self._open & self._again)

    def entry(self, command: int) -> "Entry | None":
        return self._of.get(command)

    def number(self, command: int) -> "int | None":
        """As it stands before the line: 1 for the first."""
        return self._numbers.get(command)

    def done(self) -> "list[Entry]":
        """Since the shelf was begun."""
        return [each for each in self.entries[self.first :] if each.state == "done"]

    def recipe(self, name: str) -> "list[Entry]":
        """The lines that rebuild what a name stands for; Trouble where there are none."""
        done, recipes = self._recipes()
        if name not in recipes.current:
            raise Trouble("No line of this session made {name}.", name=name)
        return [done[number] for number in recipes.of(name)]

    def recipe_code(self, name: str) -> "list[str]":
        """The same as code, the seed it begins with included."""
        done, recipes = self._recipes()
        if name not in recipes.current:
            raise Trouble("No line of this session made {name}.", name=name)
        chosen = recipes.of(name)
        first = [self.first_line] if recipes.needs_first_seed(chosen) else []
        return [*first, *(done[number].code for number in chosen)]

    def rebuild(self) -> "list[Entry]":
        """All that a new worker needs to hear; lines that only looked are left out.

        The new worker begins with the same seed, and lines that drew are all there, so the
        random numbers that come afterwards are those that would have come.
        """
        return [
            each
            for each in self.done()
            if not each.effects.only_looks(each.models)
            or (each.finished and each.finished.drew)
        ]

    def leave_out(self, cards: "Sequence[str]") -> "list[int]":
        """These cards are lost: the commands of the lines that cannot be run again for it."""
        left = needing(self.done(), cards)
        for each in left:
            said = Message.counted(
                "{cards} is lost, and what this line made went with it.",
                "{cards} are lost, and what this line made went with them.",
                len(cards),
                cards=", ".join(cards),
            )
            hint = Message("Run it on another card, or when the card is back.")
            each.state = "failed"
            lost = tuple(cards)
            each.failed = Failed(each.id, "device lost", "", "", said, hint, lost=lost)
        return [each.id for each in left]

    def undo(self) -> "tuple[Entry, list[str]]":
        """The last line that created or deleted, and the code that takes it back."""
        undone = {each.undoes for each in self.entries}
        for number, entry in reversed(list(enumerate(self.done()))):
            effects = entry.effects
            if entry.undoes is not None or entry.id in undone:
                continue
            if effects.changes or not (effects.makes or effects.deletes):
                continue  # what it changed in place cannot be taken back
            done = self.done()
            codes, steps = [each.code for each in done], [_step(each) for each in done]
            return entry, taking_back(codes, steps, number, self.first_line)
        raise Trouble("There is nothing to undo.", "Creating and deleting can be undone.")

    @property
    def first_line(self) -> str:
        return f"torch.manual_seed({self.hello.seed if self.hello is not None else 0})"

    def unnamed_bytes(self, device: str) -> int:
        """What PyTorch holds there for nobody on the shelf: graphs, and forgotten results."""
        return max(0, _tensors(self.memory.get(device)) - self.held.bytes_on(device))

    def twins(self, name: str) -> "list[str]":
        """Other names for the very same object."""
        first = self.things[name].same_as or name
        same = [each for each, thing in self.things.items() if thing.same_as == first]
        return [each for each in (first, *same) if each != name]

    def _note(self, entry: Entry, event: Event) -> None:
        match event:
            case Began():
                entry.state = "running"
                entry.memory_before = dict(self.memory)
                entry.models = frozenset(
                    name for name, thing in self.things.items() if thing.kind == "model"
                )
            case Printed(text=text, placement=True):
                entry.placement.append(text)
            case Printed(text=text):
                entry.printed.append(text)
            case Transferred():
                entry.transfers.append(event)
            case Spans(spans=spans):
                entry.spans = spans
            case Progressed(losses=losses):
                entry.losses.extend(losses)
            case Placed(name=name):
                entry.placed.append(name)
            case Finished():
                entry.state, entry.finished = "done", event
                entry.memory_after = dict(self.memory)
                self._cure(entry)
            case Failed():
                entry.state, entry.failed = "failed", event
            case _:
                pass

    def _note_again(self, entry: Entry, event: Event) -> None:
        # What went with yet another worker can be made by the next.
        if isinstance(event, Failed) and event.cause not in _LOST:
            entry.state, entry.failed = "failed", event

    def _cure(self, entry: Entry) -> None:
        failed = self._of.get(entry.cures) if entry.cures is not None else None
        if failed is not None:
            failed.cured_by = entry.id

    def _recipes(self) -> "tuple[list[Entry], Recipes]":
        done = self.done()
        return done, Recipes([_step(each) for each in done])


def event_id(event: Event) -> int:
    return int(getattr(event, "id", 0))


def _step(entry: Entry) -> Step:
    drew = bool(entry.finished and entry.finished.drew)
    return Step(entry.effects, drew, entry.models)


def _tensors(memory: "Memory | None") -> int:
    return (memory.tensors_bytes or 0) if memory is not None else 0


class HeldMemory:
    """Told of each change, so that asking does not grow with what lies on the shelf."""

    def __init__(self) -> None:
        self._stretches: dict[str, Sequence[_Stretch]] = {}
        self._names: dict[_Stretch, dict[str, None]] = {}
        self._sizes: dict[_Stretch, int] = {}
        self._bytes: dict[str, int] = {}

    def placed(self, name: str, holds: Sequence[Held]) -> None:
        """Whatever the name held before."""
        self.freed(name)
        found = {(each.device, each.storage): each.bytes for each in holds}
        self._stretches[name] = tuple(found)
        for stretch, size in found.items():
            self._names.setdefault(stretch, {})[name] = None
            self._resize(stretch, size)

    def freed(self, name: str) -> None:
        for stretch in self._stretches.pop(name, ()):
            names = self._names[stretch]
            del names[name]
            if not names:
                del self._names[stretch]
                self._resize(stretch, 0)

    def clear(self) -> None:
        for each in (self._stretches, self._names, self._sizes, self._bytes):
            each.clear()

    def bytes_on(self, device: str) -> int:
        return self._bytes.get(device, 0)

    def first_beside(self, name: str) -> str:
        """Who held memory of this name's before it did; empty where nobody shares it."""
        for stretch in self._stretches.get(name, ()):
            first = next(iter(self._names[stretch]))
            if stretch[1] and first != name:
                return first
        return ""

    def _resize(self, stretch: _Stretch, size: int) -> None:
        before = self._sizes.pop(stretch, 0)
        if size:
            self._sizes[stretch] = size
        self._bytes[stretch[0]] = self._bytes.get(stretch[0], 0) + size - before
