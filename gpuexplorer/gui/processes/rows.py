"""The rows of the table of processes: found, put together, picked, and written as a file."""

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import csv_of, harmless
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.programs import standing_reason
from gpuexplorer.telemetry.process_book import BookRow, Standing, refusal
from gpuexplorer.telemetry.processes import Ancestor, NamedProcess, ProcessFigure

Held = Mapping[str, float | None]  # by the card's number; None where it is not known
_FACTS = (
    *("taken_at", "simulated", "card", "card_id", "pid", "kind", "user", "command"),
    *("container", "started_at", "standing"),
)
_FIGURES = {
    ProcessFigure.MEMORY: "memory [B]",
    ProcessFigure.SM: "sm [ratio]",
    ProcessFigure.MEMORY_CONTROLLER: "memory_controller [ratio]",
    ProcessFigure.ENCODER: "encoder [ratio]",
    ProcessFigure.DECODER: "decoder [ratio]",
}
_OF_HOST = "cpu [cores]", "host_memory [B]", "missing"


class Grouping(StrEnum):
    """How rows hang together."""

    LIST = "list"
    PROGRAM = "program"  # a program with its processes on all cards, such as torchrun's
    TREE = "tree"  # a process with those that it started


@dataclass(frozen=True, slots=True)
class ProcessLine:
    """One row of the table: a process on a card, or several of those together."""

    key: Hashable
    rows: tuple[BookRow, ...]
    under: tuple["ProcessLine", ...] = ()
    inner: bool = False  # it stands under one
    parent: Ancestor | None = None  # what started those under it, whether it uses a card or not

    def with_those_under(self) -> Iterator["ProcessLine"]:
        """From the top down, as they stand."""
        yield self
        for line in self.under:
            yield from line.with_those_under()

    @property
    def pids(self) -> Sequence[int]:
        return sorted({row.named.process.pid for row in self.rows})

    def told(self, figure: ProcessFigure) -> list[float]:
        """The figures of its rows that are known now."""
        there = (row for row in self.rows if row.standing is Standing.THERE)
        values = (row.named.process.values for row in there)
        return [each[figure] for each in values if figure in each]

    def last_told(self, figure: ProcessFigure) -> list[float]:
        """As of the last look, also where it has ended: a row keeps its place until it goes."""
        values = (row.last_told.values for row in self.rows)
        return [each[figure] for each in values if figure in each]

    def over_pids(self, ask: Callable[[NamedProcess], float | None]) -> float | None:
        """The sum over its processes, each of which may use several cards."""
        there = (row.named for row in self.rows if row.standing is not Standing.ENDED)
        asked = {named.process.pid: ask(named) for named in there}
        known = [value for value in asked.values() if value is not None]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class ProcessFilter:
    """Which rows a person asked for."""

    grouping: Grouping = Grouping.LIST
    words: str = ""
    cards: frozenset[CardId] | None = None  # all where there is none

    def takes(self, row: BookRow, above: Sequence[Ancestor] = ()) -> bool:
        """`above`: those under which it stands; who looks for one finds what it started."""
        named = row.named
        if self.cards is not None and named.process.card not in self.cards:
            return False
        facts = [named.command, str(named.process.pid), named.user, named.container]
        facts += [fact for each in above for fact in (each.command, str(each.pid))]
        said = " ".join(filter(None, facts)).casefold()
        return all(word in said for word in self.words.casefold().split())


def lines_of(
    rows: Sequence[BookRow], wanted: ProcessFilter, cards: Collection[CardId]
) -> list[ProcessLine]:
    """In the order of the cards, and by pid: so stand those that are otherwise alike."""
    places = {card: place for place, card in enumerate(cards)}

    def place(row: BookRow) -> tuple[int, int]:
        return places.get(row.named.process.card, len(places)), row.named.process.pid

    in_order = sorted(rows, key=place)
    if wanted.grouping is Grouping.TREE:
        return _tree(in_order, wanted)
    seen = list(filter(wanted.takes, in_order))
    if wanted.grouping is Grouping.LIST:
        return [ProcessLine(row.key, (row,)) for row in seen]
    programs: dict[Hashable, list[BookRow]] = defaultdict(list)
    for row in seen:
        # A process without a name is a program of its own.
        named = row.named
        by_name = "program", named.command, named.user, named.container
        programs[by_name if named.command else named.process.pid].append(row)
    return [_line(key, its) for key, its in programs.items()]


def _line(key: Hashable, rows: Sequence[BookRow]) -> ProcessLine:
    if len(rows) == 1:
        return ProcessLine(rows[0].key, tuple(rows))
    under = (ProcessLine(row.key, (row,), inner=True) for row in rows)
    return ProcessLine(key, tuple(rows), tuple(under))


def _tree(rows: Sequence[BookRow], wanted: ProcessFilter) -> list[ProcessLine]:
    """As deep as they started each other; a filter leaves everybody where they stand. Who
    neither uses a card nor started several, as a shell, would be a row that says nothing.
    """
    started: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        chain = row.named.process.pid, *(each.pid for each in row.named.ancestors)
        for child, parent in pairwise(chain):
            started[parent].add(child)
    own: dict[int, list[BookRow]] = {row.named.process.pid: [] for row in rows}
    under: dict[int | None, list[Ancestor]] = defaultdict(list)
    placed: set[int] = set()  # once: a number may have been given on to another process
    for row in rows:
        process = Ancestor(row.named.process.pid, row.named.command or "")
        ancestors = row.named.ancestors
        above = [each for each in ancestors if each.pid in own or len(started[each.pid]) > 1]
        if wanted.takes(row, above):
            own[process.pid].append(row)
            for each, higher in zip((process, *above), (*above, None), strict=True):
                if each.pid not in placed:
                    placed.add(each.pid)
                    under[None if higher is None else higher.pid].append(each)

    def line(of: Ancestor, *, inner: bool) -> ProcessLine:
        key, its = ("tree", of.pid), own.get(of.pid, [])
        children = [line(each, inner=True) for each in under[of.pid]]
        if not children:
            return replace(_line(key, its), inner=inner)
        every = (*its, *(row for each in children for row in each.rows))
        own_lines = (ProcessLine(row.key, (row,), inner=True) for row in its)
        return ProcessLine(key, every, (*own_lines, *children), inner, parent=of)

    return [line(each, inner=False) for each in under[None]]


class PickedProcess(NamedTuple):
    """A process, whichever of its rows were picked."""

    named: NamedProcess
    held: Held  # on all cards, and not only on those picked
    why_not: str = ""  # it may not be ended


def picked_processes(
    lines: Sequence[ProcessLine], rows: Sequence[BookRow], cards: Mapping[CardId, Shown]
) -> Sequence[PickedProcess]:
    """`rows` are all there are, of all cards."""
    held: dict[int, dict[str, float | None]] = defaultdict(dict)
    for row in rows:
        process = row.named.process
        if not row.over:
            number = cards[process.card].number if process.card in cards else process.card
            held[process.pid][number] = process.values.get(ProcessFigure.MEMORY)
    by_pid = {row.named.process.pid: row for line in lines for row in line.rows}
    return [PickedProcess(row.named, held[pid], _why_not(row)) for pid, row in by_pid.items()]


def _why_not(row: BookRow) -> str:
    reason = standing_reason(row.standing) if row.over else None
    return reason[1] if reason else tr(refusal(row.named))


def together(picked: Iterable[PickedProcess]) -> Held:
    """What they hold on each card; None where it is not told of one of them."""
    sums: dict[str, float | None] = {}
    for number, known in (each for one in picked for each in one.held.items()):
        before = sums.get(number, 0.0)
        sums[number] = None if known is None or before is None else before + known
    return sums


def as_csv(
    rows: Sequence[BookRow], cards: Mapping[CardId, Shown], taken_at: str, *, simulated: bool
) -> str:
    """In SI units. The last column says for each blank why, so that no blank is a riddle."""

    def line(row: BookRow) -> Mapping[str, str]:
        named, process = row.named, row.named.process
        number = cards[process.card].number if process.card in cards else process.card
        facts = (
            *(taken_at, "yes" if simulated else "no", number, process.card, str(process.pid)),
            *(process.use.value, named.user or "", named.command or "", named.container or ""),
            *(_plain(named.started_at), row.standing.value),
        )
        figures = [_plain(process.values.get(figure)) for figure in _FIGURES]
        missing = [f"{figure.value}: {why.sentence}" for figure, why in process.missing.items()]
        if named.reason and named.cpu is None:
            what = "cpu, host_memory" if named.resolved else "name"
            missing.append(f"{what}: {named.reason}")
        of_host = _plain(named.cpu), _plain(named.memory_bytes), "; ".join(missing)
        return dict(zip(columns, (*map(harmless, facts), *figures, *of_host), strict=True))

    columns = (*_FACTS, *_FIGURES.values(), *_OF_HOST)
    return csv_of(columns, map(line, rows))


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"
