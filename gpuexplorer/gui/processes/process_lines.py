"""Rows of the book of processes as they hang together, and the same as a file."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from operator import attrgetter

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import csv_of, harmless
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.processes import Ancestor, ProcessFigure
from gpuexplorer.telemetry.session import Session, card_numbers

Path = Sequence[Ancestor]


class Grouping(StrEnum):
    """How rows hang together."""

    LIST = "list"
    PROGRAM = "program"  # a program with its processes on all cards, such as torchrun's
    TREE = "tree"  # a process with those that it started


@dataclass(frozen=True, slots=True)
class ProcessLine:
    """A process on a card, or several of those together."""

    key: Hashable
    rows: Sequence[BookRow]
    under: Sequence["ProcessLine"] = ()
    parent: Ancestor | None = None  # what started those under it, whether it uses a card or not

    def with_those_under(self) -> Iterator["ProcessLine"]:
        """From the top down, as they stand."""
        yield self
        for line in self.under:
            yield from line.with_those_under()

    @property
    def pids(self) -> Sequence[int]:
        return sorted({row.named.process.pid for row in self.rows})


def lines_of(
    rows: Sequence[BookRow],
    grouping: Grouping,
    words: str = "",
    cards: Iterable[CardId] | None = None,
) -> Sequence[ProcessLine]:
    """Those of these cards, or of all, that have all of these words."""

    def takes(row: BookRow, path: Path = ()) -> bool:
        """Who looks for one finds what it started."""
        named = row.named
        facts = [named.command, str(named.process.pid), named.user, named.container]
        facts += [fact for each in path for fact in (each.command, str(each.pid))]
        said = " ".join(filter(None, facts)).casefold()
        here = cards is None or named.process.card in cards
        return here and all(word in said for word in words.casefold().split())

    if grouping is Grouping.TREE:
        return _tree([(path, row) for path, row in _paths(rows) if takes(row, path)])
    programs = defaultdict[Hashable, list[ProcessLine]](list)
    for row in filter(takes, rows):
        named = row.named
        # A process without a name is a program of its own.
        name = named.command and (named.command, named.user, named.container)
        by_program = grouping is Grouping.PROGRAM
        programs[name or named.process.pid if by_program else row.key].append(_alone(row))
    return [_together(key, its) for key, its in programs.items()]


def _alone(row: BookRow) -> ProcessLine:
    return ProcessLine(row.key, (row,))


def _together(
    key: Hashable, lines: Sequence[ProcessLine], parent: Ancestor | None = None
) -> ProcessLine:
    """Under a row of their own, unless it would say the same as the only one."""
    if len(lines) == 1 and parent is None:
        return lines[0]
    return ProcessLine(key, [row for each in lines for row in each.rows], lines, parent)


def _paths(rows: Sequence[BookRow]) -> Iterator[tuple[Path, BookRow]]:
    """Who started each, from the top down to itself. Who neither uses a card nor started
    several, as a shell, would be a row that says nothing.
    """
    started = defaultdict[int, set[int]](set)
    chains = [
        (Ancestor(row.named.process.pid, row.named.command or ""), *row.named.ancestors)
        for row in rows
    ]
    for chain in chains:
        for child, parent in pairwise(chain):
            started[parent.pid].add(child.pid)
    own = {itself.pid for itself, *_ in chains}
    for chain, row in zip(chains, rows, strict=True):
        yield [e for e in reversed(chain) if e.pid in own or len(started[e.pid]) > 1], row


def _tree(paths: Sequence[tuple[Path, BookRow]]) -> list[ProcessLine]:
    """As deep as they started each other; a filter leaves everybody where they stand."""
    branches, found = defaultdict[Ancestor, list[tuple[Path, BookRow]]](list), []
    for (top, *rest), row in paths:
        branches[top].append((rest, row))
    for top, its in branches.items():
        under = _tree([(rest, row) for rest, row in its if rest])
        lines = [*(_alone(row) for rest, row in its if not rest), *under]
        found.append(_together(("tree", top.pid), lines, top if under else None))
    return found


def processes_of(
    picked: Iterable[ProcessLine], rows: Sequence[BookRow]
) -> Sequence[ProcessLine]:
    """Each process that was picked, by all its rows, of whichever cards; the living first."""
    found = defaultdict[int, list[BookRow]](list)
    for row in sorted(rows, key=attrgetter("over")):
        found[row.named.process.pid].append(row)
    pids = dict.fromkeys(row.named.process.pid for line in picked for row in line.rows)
    return [ProcessLine(pid, found[pid]) for pid in pids if pid in found]


def as_csv(rows: Sequence[BookRow], session: Session) -> str:
    """In SI units. The last column says for each blank why, so that no blank is a riddle."""
    numbers, lines = card_numbers(session.cards()), []
    now = datetime.fromtimestamp(session.clock.wall()).astimezone()
    for row in rows:
        named, process = row.named, row.named.process
        missing = [f"{figure}: {why.sentence}" for figure, why in process.missing.items()]
        if named.reason and named.cpu is None:
            what = "cpu, host_memory" if named.resolved else "name"
            missing.append(f"{what}: {named.reason}")
        figures = {
            f"{each} [{'B' if each is ProcessFigure.MEMORY else 'ratio'}]": _plain(
                process.values.get(each)
            )
            for each in ProcessFigure
        }
        line: dict[str, object] = {
            "taken_at": now.isoformat(timespec="seconds"),
            "simulated": session.simulated,
            "card": numbers.get(process.card, process.card),
            "card_id": process.card,
            "pid": process.pid,
            "kind": process.use,
            "user": harmless(named.user or ""),
            "command": harmless(named.command or ""),
            "container": harmless(named.container or ""),
            "started_at": _plain(named.started_at),
            "standing": row.standing,
            **figures,
            "cpu [cores]": _plain(named.cpu),
            "host_memory [B]": _plain(named.memory_bytes),
            "missing": "; ".join(missing),
        }
        lines.append(line)
    return csv_of([*lines[0]], lines)


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"
