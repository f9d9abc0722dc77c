"""Lines: the rows of the table, each a process on a card or a program with several of those."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.cards import CardId
from gpuexplorer.telemetry.process_book import BookRow, Standing
from gpuexplorer.telemetry.processes import ProcessFigure


class Grouping(StrEnum):
    """How rows hang together."""

    LIST = "list"
    PROGRAM = "program"  # a program with its processes on all cards, such as torchrun's


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table."""

    key: Hashable
    rows: tuple[BookRow, ...]
    under: tuple["Line", ...] = ()
    of_program: bool = False  # it stands under one

    @property
    def pids(self) -> Sequence[int]:
        return sorted({row.named.process.pid for row in self.rows})


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows a person asked for."""

    grouping: Grouping = Grouping.LIST
    words: str = ""
    cards: frozenset[CardId] | None = None  # all where there is none


def lines_of(
    rows: Sequence[BookRow], wanted: Wanted, places: Mapping[CardId, int]
) -> list[Line]:
    """By the places of their cards, and by pid: so stand those that are otherwise alike."""

    def place(row: BookRow) -> tuple[int, int]:
        process = row.named.process
        return places.get(process.card, len(places)), process.pid

    seen = sorted((row for row in rows if _is_wanted(row, wanted)), key=place)
    if wanted.grouping is Grouping.LIST:
        return [Line(row.key, (row,)) for row in seen]
    programs: dict[Hashable, list[BookRow]] = {}
    for row in seen:
        programs.setdefault(_program_of(row), []).append(row)
    return [_program(key, its) for key, its in programs.items()]


def told(line: Line, figure: ProcessFigure) -> list[float]:
    """The figures of its rows that are known now."""
    values = [row.named.process.values for row in line.rows if row.standing is Standing.THERE]
    return [each[figure] for each in values if figure in each]


def last_told(line: Line, figure: ProcessFigure) -> list[float]:
    """As of the last look, also where it has ended: a row keeps its place until it goes."""
    return [row.last_told.values[figure] for row in line.rows if figure in row.last_told.values]


def over_pids(line: Line, ask: Callable[[BookRow], float | None]) -> float | None:
    """The sum over its processes, each of which may use several cards."""
    known = {
        row.named.process.pid: value
        for row in line.rows
        if row.standing is not Standing.ENDED and (value := ask(row)) is not None
    }
    return sum(known.values()) if known else None


def _is_wanted(row: BookRow, wanted: Wanted) -> bool:
    named = row.named
    if wanted.cards is not None and named.process.card not in wanted.cards:
        return False
    if not wanted.words:
        return True
    facts = (named.command, str(named.process.pid), named.user, named.container)
    said = " ".join(each for each in facts if each).casefold()
    return all(word in said for word in wanted.words.casefold().split())


def _program_of(row: BookRow) -> Hashable:
    """A process without a name is a program of its own."""
    named = row.named
    if named.command is None:
        return "pid", named.process.pid
    return "program", named.command, named.user, named.container


def _program(key: Hashable, rows: Sequence[BookRow]) -> Line:
    if len(rows) == 1:
        return Line(rows[0].key, tuple(rows))
    under = tuple(Line(row.key, (row,), of_program=True) for row in rows)
    return Line(key, tuple(rows), under)
