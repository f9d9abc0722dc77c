"""What lab and copies said, as lines of a recording, and read again from whoever wrote them;
what was in the lab when its recording began; and how much of a flood is kept.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

from gpuexplorer.copies.result import CopyResult, result_as_json
from gpuexplorer.core.records import UNREADABLE, UnreadableError, reader, text_of, written
from gpuexplorer.core.words import NOTHING, Message, mark, tr
from gpuexplorer.lab.events import (
    Began,
    Completed,
    Evaluated,
    Event,
    Failed,
    Finished,
    Freed,
    Measured,
    Multiplied,
    Opened,
    Peeked,
    Pictured,
    Printed,
    Sampled,
    Spans,
    Traced,
    Watched,
)
from gpuexplorer.lab.ledger import Cell, Ledger, merged
from gpuexplorer.lab.wire import MODES, Run
from gpuexplorer.recording.schema import Topic


@dataclass(frozen=True)
class Sent(Run):
    """A command that made a cell, or runs it `again`."""

    cures: "int | None" = None
    by_form: bool = False
    outside: str = ""
    prose: str = ""
    again: bool = False
    past: bool = False  # before the recording began: when, it does not say

    @property
    def command(self) -> Run:
        return Run(**{each.name: getattr(self, each.name) for each in fields(Run)})


@dataclass(frozen=True)
class LabBegan:
    """A lab with nothing in it; one before it is over, and its commands are no more."""


@dataclass(frozen=True)
class Answered:
    """The cell does not wait any more for what it asked. The answer itself is not kept."""

    id: int


@dataclass(frozen=True)
class Gone:
    """There is no worker any more, and nothing on the shelf."""

    why: Message = NOTHING
    lost: tuple[str, ...] = ()  # the cards that do not answer any more
    released: bool = False


@dataclass(frozen=True)
class StartedOver:
    """What was lost is not wanted back."""


@dataclass(frozen=True)
class Forgot:
    """All copies that were measured."""


@dataclass(frozen=True)
class ProgramChosen:
    """A program is to run, and to be watched; what was watched before is forgotten."""

    path: str
    text: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProgramStands:
    """How far it is: one of the window's phases."""

    phase: str
    status: int | None = None
    sentence: Message = NOTHING


@dataclass(frozen=True)
class OfProgram:
    """The same of a program that is watched."""

    what: "ProgramChosen | ProgramStands | Event"


Noted: TypeAlias = (
    LabBegan | Sent | Answered | Gone | StartedOver | Event | CopyResult | Forgot | OfProgram
)

# What a person typed, and what was only asked, is not kept.
_NOT_KEPT = {Completed, Evaluated, Measured, Multiplied, Opened, Sampled, Traced}
_TOPIC_OF: Mapping[type, Topic] = {
    **dict.fromkeys({*Event.__subclasses__()} - _NOT_KEPT, Topic.EVENT),
    **dict.fromkeys((LabBegan, Sent, Answered, Gone, StartedOver), Topic.CELL),
    **dict.fromkeys((CopyResult, Forgot), Topic.COPY),
    **dict.fromkeys((ProgramChosen, ProgramStands), Topic.PROGRAM),
}
# What a line says it is; what was sent is a Run, with more to it.
_NAMES = {kind: "run" if kind is Sent else kind.__name__.lower() for kind in _TOPIC_OF}
_KINDS = {name: kind for kind, name in _NAMES.items()}

LONGEST = 8_000_000  # letters; a picture may take millions
_MOST_PARTS = 100_000  # of one line: more would keep the window waiting
_MOST_FIGURE, _MOST_WHOLE = 1e15, 1 << 60
# What turns the direction of a text, as JSON writes it.
_TURNS = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u(?:202[a-e]|206[6-9])|[\u202a-\u202e\u2066-\u2069]", re.IGNORECASE
)


def line_of(noted: Noted) -> tuple[Topic, str] | None:
    """None for what a recording does not keep."""
    what = noted.what if isinstance(noted, OfProgram) else noted
    topic = _TOPIC_OF.get(type(what))
    if topic is None:
        return None
    said: dict[str, object] = {"is": _NAMES[type(what)]}
    if isinstance(what, CopyResult):
        # For whoever reads files of ours; and all of it, as it was.
        said |= {**result_as_json(what), "whole": written(what)}
    else:
        said |= written(what)
    text = text_of(said)
    if len(text) > LONGEST or text.count(",") > _MOST_PARTS:
        return None
    return Topic.PROGRAM if isinstance(noted, OfProgram) else topic, text


def noted_of(topic: Topic, text: str) -> Noted:
    """Raises UnreadableError for what a program of ours would not have written."""
    if len(text) > LONGEST or text.count(",") > _MOST_PARTS:
        raise UnreadableError
    unsure: list[float] = []

    def figure(digits: str) -> float:
        value = float(digits)
        if not abs(value) <= _MOST_FIGURE:
            unsure.append(value)
        return value

    def whole(digits: str) -> int:
        value = int(digits)
        if abs(value) > _MOST_WHOLE:
            raise UnreadableError
        return value

    try:
        content = json.loads(
            _TURNS.sub(r"\1�", text), parse_int=whole, parse_float=figure, parse_constant=figure
        )
        kind = _KINDS[content.pop("is")]
        for name in ("random", "version", "profiled", "dropped"):  # of older files
            content.pop(name, None)
        what = reader(kind)(content["whole"] if kind is CopyResult else content)
    except UNREADABLE as error:
        raise UnreadableError from error
    match what:  # what a type does not say, and what whoever shows it takes for granted
        case Peeked(rows=rows):  # its values may well be no numbers
            good = len(set(map(len, rows))) == 1
        case CopyResult(job=job, measured=seen):
            samples = (*seen.samples_s, *seen.back_samples_s) if seen else ()
            good = not unsure and job.mode in MODES and min((job.bytes, *samples)) > 0
        case _:
            good = not unsure
    if not good:
        raise UnreadableError
    return OfProgram(what) if topic is Topic.PROGRAM else what


_FIRST = 0  # the command of every session's first cell


def past_of(ledger: Ledger) -> Iterator[Sent | Gone | StartedOver | Event]:
    """In the order of the cells, each with what became of it when it last ran."""
    life, there = 0, set[str]()
    for number, cell in enumerate(ledger.cells):
        if number and number == ledger.first:
            yield StartedOver()
        yield Sent(
            **vars(cell.command),
            cures=cell.cures,
            by_form=cell.by_form,
            outside=cell.outside,
            past=True,
        )
        if cell.runs and cell.life != life and ledger.hello is not None:
            life, there = cell.life, set()
            yield ledger.hello
        there |= cell.placed.keys()
        # It may have run again by another command.
        yield from (replace(each, id=cell.id) for each in _became_of(cell))
    if life != ledger.life:
        yield Gone()
    else:
        yield from (Freed(_FIRST, name) for name in sorted(there - ledger.things.keys()))
    for command in ledger.replaying:
        again = ledger.cell(command)
        assert again is not None  # it is open
        yield Sent(**{**vars(again.command), "id": command}, again=True, past=True)
        if again.state == "running":
            yield Began(command)


def _became_of(cell: Cell) -> Iterator[Event]:
    if cell.runs:
        yield Began(cell.id)
    yield from (*cell.outputs, *cell.transfers, *cell.placed.values())
    if cell.spans:
        yield Spans(cell.id, tuple(cell.spans))
    yield from filter(None, (cell.seen, cell.asked, cell.finished, cell.failed))


MOST_PRINTED, LAST_PRINTED = 200_000, 50_000  # letters of a cell: its first, and its last
MOST_PICTURED = 16_000_000  # letters of base64 in a cell
SEEN_EVERY = 5.0  # seconds; a program that is watched tells of itself ten times as often
_LEFT_OUT = mark("[Left out of this recording: {letters:,} letters, {pictures} pictures]")


@dataclass(slots=True)
class _Kept:
    """What was kept of a cell, and what is held back."""

    printed: int = 0
    pictured: int = 0
    last: str = ""  # of what was printed beyond
    pictures: int = 0
    seen: Watched | None = None
    seen_at: float = float("-inf")

    def rest(self, number: int) -> Iterator[Event]:
        letters = max(0, self.printed - MOST_PRINTED - LAST_PRINTED)
        if letters or self.pictures:
            words = tr(_LEFT_OUT, letters=letters, pictures=self.pictures)
            yield Printed(number, f"\n{words}\n", "err")
        if self.last:
            yield Printed(number, self.last)
        if self.seen is not None:
            yield self.seen


class LabBounds:
    """Of one worker. What is left out of the middle is said there."""

    def __init__(self) -> None:
        self._cells: defaultdict[int, _Kept] = defaultdict(_Kept)

    def take(self, event: Event, at: float) -> Iterator[Event]:
        """What is to be kept now: it, or nothing yet, or also what was held back before."""
        cell = self._cells[event.id]
        match event:
            case Watched():
                cell.seen = event if cell.seen is None else merged(cell.seen, event)
                if at - cell.seen_at < SEEN_EVERY and not event.over:
                    return
                event, cell.seen, cell.seen_at = cell.seen, None, at
            case Pictured(png=png):
                cell.pictured += len(png)
                if cell.pictured > MOST_PICTURED:
                    cell.pictures += 1
                    return
            case Printed(text=text):
                room = max(0, MOST_PRINTED - cell.printed)
                cell.printed += len(text)
                cell.last = (cell.last + text[room:])[-LAST_PRINTED:]
                if not room:
                    return
                event = replace(event, text=text[:room])
            case Finished() | Failed():
                yield from self._cells.pop(event.id).rest(event.id)
        yield event

    def rest(self) -> Iterator[Event]:
        """What is held back of cells that have not come to their end."""
        for number, cell in self._cells.items():
            yield from cell.rest(number)
        self._cells.clear()
