"""What lab and copies said, as lines of a recording, and read again from whoever wrote them;
what was in the lab when its recording began; and how much of a flood is kept.
"""

import base64
import json
import re
import struct
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.records import UNREADABLE, UnreadableError, reader, text_of, written
from gpuexplorer.core.words import NOTHING, Message, mark, tr
from gpuexplorer.lab.events import (
    Asked,
    Began,
    Event,
    Failed,
    Finished,
    Freed,
    Hello,
    Peeked,
    Pictured,
    Placed,
    Printed,
    Spans,
    Transferred,
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

# What the lab is the sum of. What a person typed, and what was only asked, is not kept.
EVENTS = (
    Hello,
    Began,
    Transferred,
    Spans,
    Placed,
    Freed,
    Printed,
    Peeked,
    Pictured,
    Asked,
    Watched,
    Finished,
    Failed,
)
_TOPIC_OF: Mapping[type, Topic] = {
    **dict.fromkeys(EVENTS, Topic.EVENT),
    **dict.fromkeys((LabBegan, Sent, Answered, Gone, StartedOver), Topic.CELL),
    **dict.fromkeys((CopyResult, Forgot), Topic.COPY),
    **dict.fromkeys((ProgramChosen, ProgramStands), Topic.PROGRAM),
}
# What a line says it is; what was sent is a Run, with more to it.
_NAMES = {kind: "run" if kind is Sent else kind.__name__.lower() for kind in _TOPIC_OF}
_KINDS = {name: kind for kind, name in _NAMES.items()}

LONGEST = 8_000_000  # letters; a picture may take millions
_MOST_PARTS = 100_000  # of one line: more would keep the window waiting
_MOST_CODE = 1_000_000
_MOST_PIXELS = 16_000_000
_MOST_FIGURE, _MOST_WHOLE = 1e15, 1 << 60
_MOST_MEMORY = 1 << 50  # bytes
# What turns the direction of a text, as JSON writes it.
_TURNS = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u(?:202[a-e]|206[6-9])|[\u202a-\u202e\u2066-\u2069]", re.IGNORECASE
)
_DEVICE = re.compile(r"[a-z]{1,16}(:\d{1,4})?")
_KINDS_OF_THINGS = ("tensor", "model", "optimiser", "container", "value")


def line_of(noted: Noted) -> tuple[Topic, str] | None:
    """None for what a recording does not keep."""
    what = noted.what if isinstance(noted, OfProgram) else noted
    topic = _TOPIC_OF.get(type(what))
    if topic is None:
        return None
    said: dict[str, object] = {"is": _NAMES[type(what)]}
    if isinstance(what, CopyResult):
        from gpuexplorer.copies.result_json import result_as_json  # noqa: PLC0415 - a window that measures nothing needs none of it

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
    unsure: list[str] = []

    def figure(digits: str) -> float:
        value = float(digits)
        if not abs(value) <= _MOST_FIGURE:
            unsure.append(digits)
        return value

    try:
        content = json.loads(
            _TURNS.sub(r"\1�", text),
            parse_int=_whole,
            parse_float=figure,
            parse_constant=figure,
        )
        kind = _KINDS[content.pop("is")]
        for name in ("random", "version", "profiled", "dropped"):  # of older files
            content.pop(name, None)
        if unsure and kind is not Peeked:  # whose values may well be no numbers
            raise UnreadableError
        what = reader(kind)(content["whole"] if kind is CopyResult else content)
        _check(what)
    except (*UNREADABLE, struct.error) as error:
        raise UnreadableError from error
    noted: Noted = OfProgram(what) if topic is Topic.PROGRAM else what
    return noted


def _whole(digits: str) -> int:
    if len(digits) > 20 or abs(int(digits)) > _MOST_WHOLE:
        raise UnreadableError
    return int(digits)


# Any: one of the records above.
def _check(what: Any) -> None:
    """What a type does not say, and what whoever shows it takes for granted."""
    good, devices = True, list[str]()
    match what:
        case Run(code=code) | ProgramChosen(text=code):
            good = len(code) <= _MOST_CODE
        case Hello() | Watched():
            devices = [each.name for each in what.devices]
        case Pictured(png=png):
            good = _pixels(png) <= _MOST_PIXELS
        case Peeked(rows=rows):
            good = len(set(map(len, rows))) == 1
        case Placed(name=name, kind=kind):
            good = name.isidentifier() and kind in _KINDS_OF_THINGS
        case CopyResult(job=job, measured=seen):
            devices = [job.source, job.target]
            samples = (*seen.samples_s, *seen.back_samples_s) if seen else ()
            good = job.mode in MODES and min((job.bytes, *samples)) > 0
        case Transferred():
            devices = [what.source, what.target]
        case Spans(spans=spans):
            devices = [each.device for each in spans]
            good = all(0 <= each.begin <= each.end for each in spans)
        case Finished(memory=memory) | Failed(memory=memory):
            devices = [each.device for each in memory]
            known = (size for each in memory for size in vars(each).values())
            sizes = (size for size in known if isinstance(size, int))
            good = all(0 <= size <= _MOST_MEMORY for size in sizes)
    if not (good and all(map(_DEVICE.fullmatch, devices))):
        raise UnreadableError


def _pixels(png: str) -> int:
    """As its head says; the rest is not looked at."""
    head = base64.b64decode(png[:32])
    signature, kind, wide, high = struct.unpack(">8s4x4sII", head)
    if (signature, kind) != (b"\x89PNG\r\n\x1a\n", b"IHDR"):
        raise UnreadableError
    return int(wide * high)


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
        yield from _became_of(cell)
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


_OfCell: TypeAlias = (
    Printed | Pictured | Transferred | Placed | Spans | Watched | Asked | Finished | Failed
)


def _became_of(cell: Cell) -> Iterator[Event]:
    if cell.runs:
        yield Began(cell.id)
    told: list[_OfCell] = [*cell.outputs, *cell.transfers, *cell.placed.values()]
    if cell.spans:
        told.append(Spans(cell.id, tuple(cell.spans)))
    told += [each for each in (cell.seen, cell.asked, cell.finished, cell.failed) if each]
    for each in told:  # it may have run again by another command
        yield replace(each, id=cell.id)


MOST_PRINTED, LAST_PRINTED = 200_000, 50_000  # letters of a cell: its first, and its last
MOST_PICTURED = 16_000_000  # letters of base64 in a cell
SEEN_EVERY = 5.0  # seconds; a program that is watched tells of itself ten times as often
_LEFT_OUT = mark("[Left out of this recording: {letters:,} letters, {pictures} pictures]")


@dataclass(slots=True)
class _Kept:
    """What was kept of a cell, and what is held back."""

    printed: int = 0
    pictured: int = 0
    last: deque[Printed] = field(default_factory=deque)
    held: int = 0  # letters in these
    letters: int = 0  # that were left out
    pictures: int = 0
    seen: Watched | None = None
    seen_at: float = float("-inf")

    def take(self, event: Printed | Pictured | Watched, at: float) -> Iterator[Event]:
        match event:
            case Watched():
                self.seen = event if self.seen is None else merged(self.seen, event)
                if at - self.seen_at >= SEEN_EVERY or event.over:
                    yield self.seen
                    self.seen, self.seen_at = None, at
            case Pictured(png=png):
                self.pictured += len(png)
                if self.pictured <= MOST_PICTURED:
                    yield event
                else:
                    self.pictures += 1
            case Printed(text=text):
                self.printed += len(text)
                if self.printed <= MOST_PRINTED:
                    yield event
                    return
                self.last.append(event)
                self.held += len(text)
                while self.held > LAST_PRINTED:
                    gone = len(self.last.popleft().text)
                    self.held -= gone
                    self.letters += gone

    def rest(self, number: int) -> Iterator[Event]:
        if self.letters or self.pictures:
            words = tr(_LEFT_OUT, letters=self.letters, pictures=self.pictures)
            yield Printed(number, f"\n{words}\n", "err")
        yield from self.last
        if self.seen is not None:
            yield self.seen


class LabBounds:
    """Of one worker. What is left out of the middle is said there."""

    def __init__(self) -> None:
        self._cells: defaultdict[int, _Kept] = defaultdict(_Kept)

    def take(self, event: Event, at: float) -> Iterator[Event]:
        """What is to be kept now: it, or nothing yet, or also what was held back before."""
        if isinstance(event, Printed | Pictured | Watched):
            yield from self._cells[event.id].take(event, at)
            return
        if isinstance(event, Finished | Failed):
            yield from self._cells.pop(event.id, _Kept()).rest(event.id)
        yield event

    def rest(self) -> Iterator[Event]:
        """What is held back of cells that have not come to their end."""
        for number, cell in self._cells.items():
            yield from cell.rest(number)
        self._cells.clear()
