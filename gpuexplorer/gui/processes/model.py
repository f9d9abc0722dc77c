"""The rows of the table of processes: found, put together, picked, and written as a file."""

import csv
import io
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import harmless
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.programs import standing_reason
from gpuexplorer.gui.processes.words import Held
from gpuexplorer.telemetry.process_book import BookRow, Standing, refusal
from gpuexplorer.telemetry.processes import Ancestor, NamedProcess, ProcessFigure

_OVER = (Standing.ENDED, Standing.LEFT)
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
        values = [
            row.named.process.values for row in self.rows if row.standing is Standing.THERE
        ]
        return [each[figure] for each in values if figure in each]

    def last_told(self, figure: ProcessFigure) -> list[float]:
        """As of the last look, also where it has ended: a row keeps its place until it goes."""
        values = [row.last_told.values for row in self.rows]
        return [each[figure] for each in values if figure in each]

    def over_pids(self, ask: Callable[[BookRow], float | None]) -> float | None:
        """The sum over its processes, each of which may use several cards."""
        known = {
            row.named.process.pid: value
            for row in self.rows
            if row.standing is not Standing.ENDED and (value := ask(row)) is not None
        }
        return sum(known.values()) if known else None


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
        if not self.words:
            return True
        facts = [named.command, str(named.process.pid), named.user, named.container]
        facts += [fact for each in above for fact in (each.command, str(each.pid))]
        said = " ".join(each for each in facts if each).casefold()
        return all(word in said for word in self.words.casefold().split())


def lines_of(
    rows: Sequence[BookRow], wanted: ProcessFilter, places: Mapping[CardId, int]
) -> list[ProcessLine]:
    """By the places of their cards, and by pid: so stand those that are otherwise alike."""

    def place(row: BookRow) -> tuple[int, int]:
        process = row.named.process
        return places.get(process.card, len(places)), process.pid

    in_order = sorted(rows, key=place)
    if wanted.grouping is Grouping.TREE:
        return _tree(in_order, wanted)
    seen = list(filter(wanted.takes, in_order))
    if wanted.grouping is Grouping.LIST:
        return [ProcessLine(row.key, (row,)) for row in seen]
    together: dict[Hashable, list[BookRow]] = {}
    for row in seen:
        together.setdefault(_program_of(row), []).append(row)
    return [_line(key, its) for key, its in together.items()]


def _program_of(row: BookRow) -> Hashable:
    """A process without a name is a program of its own."""
    named = row.named
    if named.command is None:
        return "pid", named.process.pid
    return "program", named.command, named.user, named.container


def _line(key: Hashable, rows: Sequence[BookRow]) -> ProcessLine:
    if len(rows) == 1:
        return ProcessLine(rows[0].key, tuple(rows))
    return ProcessLine(key, tuple(rows), _one_each(rows))


def _one_each(rows: Iterable[BookRow]) -> tuple[ProcessLine, ...]:
    return tuple(ProcessLine(row.key, (row,), inner=True) for row in rows)


def _tree(rows: Sequence[BookRow], wanted: ProcessFilter) -> list[ProcessLine]:
    """As deep as they started each other; a filter leaves everybody where they stand."""
    own: dict[int, list[BookRow]] = {}
    parents = _parents(rows)
    under: dict[int | None, dict[int, Ancestor]] = {None: {}}
    for row in rows:
        named = row.named
        process = Ancestor(named.process.pid, named.command or "")
        above = _above(process, parents)
        if not wanted.takes(row, above):
            continue
        own.setdefault(process.pid, []).append(row)
        for child, parent in zip((process, *above), (*above, None), strict=True):
            its = under.setdefault(None if parent is None else parent.pid, {})
            its.setdefault(child.pid, child)

    def line(of: Ancestor, *, inner: bool) -> ProcessLine:
        key, its = ("tree", of.pid), own.get(of.pid, [])
        children = [line(each, inner=True) for each in under.get(of.pid, {}).values()]
        if not children:
            return replace(_line(key, its), inner=inner)
        every = (*its, *(row for each in children for row in each.rows))
        return ProcessLine(key, every, (*_one_each(its), *children), inner, parent=of)

    return [line(each, inner=False) for each in under[None].values()]


def _parents(rows: Sequence[BookRow]) -> Mapping[int, Ancestor]:
    """By pid, the nearest that started it and uses a card too, or that started several: a
    shell with one child would be a row that says nothing.
    """
    chains: dict[int, tuple[Ancestor, ...]] = {}
    started: dict[int, set[int]] = {row.named.process.pid: set() for row in rows}
    users = frozenset(started)
    for row in rows:
        child, chain = row.named.process.pid, row.named.ancestors
        chains[child] = chain
        for place, each in enumerate(chain):
            chains.setdefault(each.pid, chain[place + 1 :])
            started.setdefault(each.pid, set()).add(child)
            child = each.pid
    found = {}
    for pid, chain in chains.items():
        shown = (each for each in chain if each.pid in users or len(started[each.pid]) > 1)
        if (parent := next(shown, None)) is not None:
            found[pid] = parent
    return found


def _above(process: Ancestor, parents: Mapping[int, Ancestor]) -> Sequence[Ancestor]:
    """Its parent first; nobody where a number that was given on leads in a circle."""
    found = [process]
    while (parent := parents.get(found[-1].pid)) is not None:
        if parent.pid in (each.pid for each in found):
            return ()
        found.append(parent)
    return found[1:]


@dataclass(frozen=True, slots=True)
class PickedProcesses:
    """Processes, not rows: one that uses eight cards is one."""

    rows: Sequence[BookRow]  # one of each process
    held: Mapping[int, Held]  # by pid, on all cards and not only on those picked

    def may_end(self) -> Sequence[NamedProcess]:
        return [row.named for row in self.rows if not _why_not(row)]

    def left_out(self) -> Sequence[str]:
        """Why each of the others may not."""
        return [why for row in self.rows if (why := _why_not(row))]


def picked_processes(
    lines: Sequence[ProcessLine], rows: Sequence[BookRow], cards: Mapping[CardId, Shown]
) -> PickedProcesses:
    """`rows` are all there are, of all cards."""
    by_pid = {row.named.process.pid: row for line in lines for row in line.rows}
    held: dict[int, dict[str, float | None]] = {pid: {} for pid in by_pid}
    for row in rows:
        process = row.named.process
        if process.pid in held and row.standing not in _OVER:
            shown = cards.get(process.card)
            number = process.card if shown is None else shown.number
            held[process.pid][number] = process.values.get(ProcessFigure.MEMORY)
    return PickedProcesses(list(by_pid.values()), held)


def together(each_held: Iterable[Held]) -> Held:
    """What several hold on each card; None where it is not told of one of them."""
    sums: dict[str, float | None] = {}
    for held in each_held:
        for number, known in held.items():
            before = sums.get(number, 0.0)
            sums[number] = None if known is None or before is None else before + known
    return sums


def _why_not(row: BookRow) -> str:
    reason = standing_reason(row.standing) if row.standing in _OVER else None
    return tr(refusal(row.named)) if reason is None else reason[1]


def as_csv(
    rows: Sequence[BookRow], cards: Mapping[CardId, Shown], taken_at: str, *, simulated: bool
) -> str:
    """In SI units. The last column says for each blank why, so that no blank is a riddle."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_FACTS, *_FIGURES.values(), "cpu [cores]", "host_memory [B]", "missing"])
    for row in rows:
        named, process = row.named, row.named.process
        shown = cards.get(process.card)
        facts = (
            *(taken_at, "yes" if simulated else "no"),
            *(process.card if shown is None else shown.number, process.card),
            *(str(process.pid), process.use.value, named.user or "", named.command or ""),
            *(named.container or "", _plain(named.started_at), row.standing.value),
        )
        figures = [_plain(process.values.get(figure)) for figure in _FIGURES]
        host = [_plain(named.cpu), _plain(named.memory_bytes)]
        missing = [
            f"{figure.value}: {absence.sentence}" for figure, absence in process.missing.items()
        ]
        what = "cpu, host_memory" if named.resolved else "name"
        missing += [f"{what}: {named.reason}"] if named.reason else []
        writer.writerow([*map(harmless, facts), *figures, *host, "; ".join(missing)])
    return text.getvalue()


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"
