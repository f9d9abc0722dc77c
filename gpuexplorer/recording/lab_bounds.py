"""LabBounds: a flood of what a cell prints or shows takes a bounded part of a recording."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpuexplorer.core.words import mark, tr
from gpuexplorer.lab.events import Event, Failed, Finished, Pictured, Printed, Watched
from gpuexplorer.lab.ledger import merged

MOST_PRINTED, LAST_PRINTED = 200_000, 50_000  # letters of a cell: its first, and its last
MOST_PICTURED = 16_000_000  # letters of base64 in a cell
SEEN_EVERY = 5.0  # seconds; a program that is watched tells of itself ten times as often
_LEFT_OUT = mark("[Left out of this recording: {letters:,} letters, {pictures} pictures]")


@dataclass(slots=True)
class _Cell:
    """What was kept of it, and what is held back."""

    printed: int = 0
    pictured: int = 0
    last: deque[Printed] = field(default_factory=deque)
    held: int = 0  # letters in these
    left_out: int = 0
    pictures_left_out: int = 0
    seen: Watched | None = None
    seen_at: float = float("-inf")


class LabBounds:
    """Of one worker. What is left out of the middle is said there."""

    def __init__(self) -> None:
        self._cells: dict[int, _Cell] = {}

    def take(self, event: Event, at: float) -> Iterator[Event]:
        """What is to be kept now: it, or nothing yet, or also what was held back before."""
        number = event.id
        match event:
            case Printed() | Pictured() | Watched():
                cell = self._cells.setdefault(number, _Cell())
                yield from _bounded(cell, event, at)
            case Finished() | Failed():
                yield from _rest(number, self._cells.pop(number, _Cell()))
                yield event
            case _:
                yield event

    def rest(self) -> Iterator[Event]:
        """What is held back of cells that have not come to their end."""
        for number, cell in self._cells.items():
            yield from _rest(number, cell)
        self._cells.clear()


def _bounded(cell: _Cell, event: Printed | Pictured | Watched, at: float) -> Iterator[Event]:
    match event:
        case Watched():
            cell.seen = event if cell.seen is None else merged(cell.seen, event)
            if at - cell.seen_at >= SEEN_EVERY or event.over:
                yield cell.seen
                cell.seen, cell.seen_at = None, at
        case Pictured(png=png):
            cell.pictured += len(png)
            if cell.pictured <= MOST_PICTURED:
                yield event
            else:
                cell.pictures_left_out += 1
        case Printed(text=text):
            cell.printed += len(text)
            if cell.printed <= MOST_PRINTED:
                yield event
                return
            cell.last.append(event)
            cell.held += len(text)
            while cell.held > LAST_PRINTED:
                gone = len(cell.last.popleft().text)
                cell.held -= gone
                cell.left_out += gone


def _rest(number: int, cell: _Cell) -> Iterator[Event]:
    if cell.left_out or cell.pictures_left_out:
        words = tr(_LEFT_OUT, letters=cell.left_out, pictures=cell.pictures_left_out)
        yield Printed(number, f"\n{words}\n", "err")
    yield from cell.last
    if cell.seen is not None:
        yield cell.seen
