"""How rows are arranged: which are shown, in which order, and which of them are one program."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.views.processes.columns import FIGURES, Column
from gpuexplorer.telemetry.process_book import BookRow, Standing

Key = Hashable
Value = float | str


class Grouping(StrEnum):
    """How rows hang together."""

    LIST = "list"
    PROGRAM = "program"  # a program with its processes on all cards, such as torchrun's


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table: a process on a card, or a program with several of those."""

    key: Key
    rows: tuple[BookRow, ...]
    under: tuple["Line", ...] = ()
    of_program: bool = False  # it stands under one

    @property
    def pids(self) -> Sequence[int]:
        return sorted({row.named.process.pid for row in self.rows})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asked the table for."""

    column: Column = Column.MEMORY
    falling: bool = True
    grouping: Grouping = Grouping.LIST
    words: str = ""
    cards: frozenset[CardId] | None = None  # all where there is none


def arrange(
    rows: Sequence[BookRow], wanted: Wanted, places: Mapping[CardId, int]
) -> list[Line]:
    """`places` is the order of the cards, in which rows stand that are else alike."""
    seen = [row for row in rows if _is_wanted(row, wanted)]
    if wanted.grouping is Grouping.LIST:
        lines = [Line(row.key, (row,)) for row in seen]
    else:
        lines = [_program(key, each, wanted, places) for key, each in _programs(seen).items()]
    return _sorted(lines, wanted, places)


def in_the_order_of(before: Sequence[Line], lines: Sequence[Line]) -> list[Line]:
    """The same lines where they stood before; those that are new come last."""
    order = {line.key: position for position, line in enumerate(before)}
    under = {line.key: line.under for line in before}
    kept = sorted(lines, key=lambda line: order.get(line.key, len(order)))
    return [
        replace(line, under=tuple(in_the_order_of(under.get(line.key, ()), line.under)))
        for line in kept
    ]


def value_of(line: Line, column: Column, places: Mapping[CardId, int]) -> Value | None:
    """By what a line is sorted; None where it is not known."""
    match column:
        case Column.CARD:
            return min(places.get(row.named.process.card, len(places)) for row in line.rows)
        case Column.COMMAND:
            return _text(line, lambda row: row.named.command or "")
        case Column.PID:
            return line.pids[0]
        case Column.USER:
            return _text(line, lambda row: row.named.user or "")
        case Column.CONTAINER:
            return _text(line, lambda row: row.named.container or "")
        case Column.USE:
            return _text(line, lambda row: row.named.process.use.value)
        case Column.SINCE:
            return min((at for row in line.rows if (at := row.named.started_at)), default=None)
        case Column.CPU:
            # What is written alike must not change places.
            return _rounded(over_pids(line, lambda row: row.named.cpu), 2)
        case Column.HOST_MEMORY:
            return over_pids(line, lambda row: row.named.memory_bytes)
        case Column.MEMORY:
            return _sum(_last_told(line, column))
        case _:
            return _rounded(max(_last_told(line, column), default=None), 2)


def told(line: Line, column: Column) -> list[float]:
    """The figures of its rows that are known."""
    figure = FIGURES[column]
    values = [row.named.process.values for row in line.rows if row.standing is Standing.THERE]
    return [each[figure] for each in values if figure in each]


def _last_told(line: Line, column: Column) -> list[float]:
    """Also of who ended: a row keeps its place until it goes."""
    figure = FIGURES[column]
    return [row.last_told.values[figure] for row in line.rows if figure in row.last_told.values]


def over_pids(line: Line, ask: Callable[[BookRow], float | None]) -> float | None:
    """The sum over its processes, each of which may use several cards."""
    known = {
        row.named.process.pid: value
        for row in line.rows
        if row.standing is not Standing.ENDED and (value := ask(row)) is not None
    }
    return _sum(list(known.values()))


def _sum(values: Sequence[float]) -> float | None:
    return sum(values) if values else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _text(line: Line, ask: Callable[[BookRow], str]) -> str | None:
    return min((text.casefold() for row in line.rows if (text := ask(row))), default=None)


def _is_wanted(row: BookRow, wanted: Wanted) -> bool:
    named = row.named
    if wanted.cards is not None and named.process.card not in wanted.cards:
        return False
    if not wanted.words:
        return True
    told = (
        f"{named.command or ''} {named.process.pid} {named.user or ''} {named.container or ''}"
    )
    told = told.casefold()
    return all(word in told for word in wanted.words.casefold().split())


def _programs(rows: Sequence[BookRow]) -> dict[Key, list[BookRow]]:
    found: dict[Key, list[BookRow]] = {}
    for row in rows:
        named = row.named
        # Of a process without a name nobody can say which program it is.
        program: Key = (
            ("program", named.command, named.user, named.container)
            if named.command is not None
            else ("pid", named.process.pid)
        )
        found.setdefault(program, []).append(row)
    return found


def _program(
    key: Key, rows: Sequence[BookRow], wanted: Wanted, places: Mapping[CardId, int]
) -> Line:
    if len(rows) == 1:
        return Line(rows[0].key, tuple(rows))
    under = _sorted([Line(row.key, (row,), of_program=True) for row in rows], wanted, places)
    return Line(key, tuple(rows), tuple(under))


def _sorted(lines: Sequence[Line], wanted: Wanted, places: Mapping[CardId, int]) -> list[Line]:
    """What is not known comes last, whichever way the rest goes."""
    by_place = sorted(
        lines,
        key=lambda line: (
            min(places.get(row.named.process.card, len(places)) for row in line.rows),
            line.pids[0],
        ),
    )
    known: list[tuple[Value, Line]] = []
    unknown: list[Line] = []
    for line in by_place:
        value = value_of(line, wanted.column, places)
        if value is None:
            unknown.append(line)
        else:
            known.append((value, line))
    known.sort(key=lambda pair: pair[0], reverse=wanted.falling)
    return [*(line for _, line in known), *unknown]
