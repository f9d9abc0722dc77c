"""Arrangement: which copies are shown, and in what order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.copies.moving.cells import path_words
from gpuexplorer.gui.wording.copies.moving.columns import Column
from gpuexplorer.gui.wording.copies.moving.moved import Moved


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
    sorted_by: Column = Column.LINE
    falling: bool = True


def arranged(rows: Iterable[Moved], wanted: Wanted) -> Sequence[Moved]:
    """What has no figure stands last, whichever way round. `rows` are in order of lines."""
    words = wanted.words.lower().split()
    shown = [
        each
        for each in rows
        if (wanted.which is Which.ALL or each.row.asked is (wanted.which is Which.ASKED))
        and (not words or each.found_by(words))
    ]
    if wanted.sorted_by is Column.LINE:
        # As they come: of very many it is the only order that costs nothing.
        return shown[::-1] if wanted.falling else shown
    known = [each for each in shown if _order(each, wanted.sorted_by) is not None]
    known.sort(key=lambda each: _sort_key(each, wanted.sorted_by), reverse=wanted.falling)
    rest = [each for each in shown if _order(each, wanted.sorted_by) is None]
    return [*known, *rest]


def counts(rows: Sequence[Moved]) -> dict[Which, int]:
    """Of lines in the table."""
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


def _sort_key(moved: Moved, column: Column) -> tuple[float | str, int, int]:
    value = _order(moved, column)
    assert value is not None
    return value, moved.row.line, moved.numbers[0]


def _order(moved: Moved, column: Column) -> float | str | None:
    row = moved.row
    match column:
        case Column.LINE:
            return float(row.line)
        case Column.WHAT:
            return moved.what.lower()
        case Column.WAY:
            return f"{row.source} {row.target}"
        case Column.SIZE:
            return float(row.bytes)
        case Column.DEVICE:
            return row.device_seconds
        case Column.HOST:
            return row.host_seconds
        case Column.RATE:
            return row.rate
        case Column.SHARE:
            return row.share
        case Column.BEST:
            return moved.share_of_best
        case Column.HOST_SIDE:
            return tr(row.host_side) or None
        case Column.PATH:
            return path_words(moved)[0] or None
        case Column.BLOCKING:
            return None if row.transfer.blocking is None else float(row.transfer.blocking)
        case Column.INTACT:
            # What is wrong comes first of what was checked.
            return None if row.intact is None else float(not row.intact)
