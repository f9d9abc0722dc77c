"""Moved: one row of the table of copies: what a line copied, with its repeats folded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.core.words import tr
from gpuexplorer.lab.events import Transferred

Key = tuple[int, int]  # the command, and the number of the first copy in the book


@dataclass(frozen=True, slots=True)
class Moved:
    """`row` holds the sums; its rate is that of all of them together."""

    row: CopyRow
    what: str  # "X", "b0 … b5", "loss.item()"
    numbers: tuple[int, ...]  # of the copies in the book
    best: float | None = None  # reached before on this way, in bytes per second
    found_in: str = field(default="", compare=False)  # where a filter looks

    @property
    def key(self) -> Key:
        return self.row.command, self.numbers[0]

    @property
    def times(self) -> str:
        """ "×1000"; empty for a single copy."""
        return f"×{self.row.copies}" if self.row.copies > 1 else ""

    @property
    def each_seconds(self) -> float | None:
        """Of one copy: the device's time, or the host's where the device was not asked."""
        row = self.row
        seconds = row.device_seconds if row.device_seconds is not None else row.host_seconds
        if seconds is None or row.already_there:
            return None
        return seconds / max(1, row.copies)

    def found_by(self, words: Sequence[str]) -> bool:
        return all(word in self.found_in for word in words)


def folded(rows: Iterable[CopyRow]) -> Sequence[Moved]:
    """Of one line: what has the same cause and the same way is one row."""
    groups: dict[tuple[object, ...], list[CopyRow]] = {}
    for row in rows:
        one = row.transfer
        cause = row.how if row.asked else row.what
        kind = (row.source, row.target, row.asked, cause, row.wrong)
        groups.setdefault((*kind, one.pinned, one.blocking, one.direct), []).append(row)
    return [_together(group) for group in groups.values()]


def named(row: CopyRow) -> str:
    """Short: of what has no name before the line, the name that the line gives it."""
    if row.what == row.code:
        name, given, _ = row.code.partition("=")
        if given and name.strip().isidentifier():
            return name.strip()
    return row.what


def with_best(moved: Moved, best: float | None) -> Moved:
    return moved if moved.best == best else replace(moved, best=best)


def called(device: str) -> str:
    return tr("host") if device == "cpu" else device


def _together(rows: Sequence[CopyRow]) -> Moved:
    first = rows[0]
    whole = first if len(rows) == 1 else replace(first, transfer=_summed(rows))
    names = list(dict.fromkeys(named(row) for row in rows))
    what = names[0]
    if len(names) == 2:
        what = f"{names[0]}, {names[1]}"
    elif len(names) > 2:
        what = f"{names[0]} … {names[-1]}"
    searched = (
        *names,
        first.code,
        first.how,
        tr("{source} to {target}", source=called(first.source), target=called(first.target)),
        tr("{source} to {target}", source=first.source, target=first.target),
        tr(first.host_side),
        tr(first.path),
        tr("line {number}", number=first.line),
    )
    found_in = "\n".join(searched).lower()
    return Moved(whole, what, tuple(row.number for row in rows), found_in=found_in)


def _summed(rows: Sequence[CopyRow]) -> Transferred:
    first = rows[0].transfer
    told = [row.transfer for row in rows]
    return replace(
        first,
        bytes=sum(each.bytes for each in told),
        copies=sum(each.copies for each in told),
        seconds=_total(each.seconds for each in told),
        host_seconds=_total(each.host_seconds for each in told),
        modelled=any(each.modelled for each in told),
        end=told[-1].end,
        intact=_all_intact([each.intact for each in told]),
    )


def _total(values: Iterable[float | None]) -> float | None:
    known = list(values)
    told = [each for each in known if each is not None]
    return sum(told) if len(told) == len(known) else None


def _all_intact(told: Sequence[bool | None]) -> bool | None:
    if False in told:
        return False
    return True if told and all(told) else None


class Which(StrEnum):
    """Whether the line was written for the copy."""

    ALL = "all"
    ASKED = "asked"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants to see."""

    which: Which = Which.ALL
    words: str = ""

    def chosen(self, rows: Iterable[Moved]) -> Sequence[Moved]:
        """In their order."""
        words, all_of_them = self.words.lower().split(), self.which is Which.ALL
        return [
            each
            for each in rows
            if (all_of_them or each.row.asked is (self.which is Which.ASKED))
            and (not words or each.found_by(words))
        ]


def counts(rows: Sequence[Moved]) -> dict[Which, int]:
    """How many there are of each."""
    asked = sum(1 for each in rows if each.row.asked)
    return {Which.ALL: len(rows), Which.ASKED: asked, Which.UNASKED: len(rows) - asked}


def count_words(which: Which, count: int) -> str:
    match which:
        case Which.ALL:
            return tr("All {count}", count=count)
        case Which.ASKED:
            return tr("Asked for {count}", count=count)
        case Which.UNASKED:
            return tr("Unasked {count}", count=count)
