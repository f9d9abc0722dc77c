"""The few values of a small tensor as they stand in its block, and how new they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.lab.events import Peeked, Placed
from gpuexplorer.lab.ledger import Entry

_ENDED = ("done", "failed")


@dataclass(frozen=True, slots=True)
class Values:
    """Row by row: what is written, and where it stands from the least (0) to the most (1)."""

    rows: tuple[tuple[tuple[str, float], ...], ...]
    moved_bytes: int


class Versions:
    """Which lines may have given a name other values. Each line is looked at once."""

    def __init__(self) -> None:
        self._seen = 0
        self._changed = 0  # the last command that changed something where it was
        self._made: dict[str, int] = {}

    def note(self, entries: Sequence[Entry]) -> None:
        while self._seen < len(entries) and entries[self._seen].state in _ENDED:
            entry = entries[self._seen]
            effects = entry.effects
            for name in effects.makes:
                self._made[name] = entry.id
            if effects.touched(entry.models):
                # A view, a twin or a model's own parameter may be meant by another name.
                self._changed = entry.id
            self._seen += 1

    def of(self, thing: Placed) -> tuple[int, int]:
        return thing.id, max(self._changed, self._made.get(thing.name, 0))


def values_of(peeked: Peeked) -> Values:
    whole = "float" not in peeked.dtype and "complex" not in peeked.dtype
    least, most = peeked.least, peeked.most
    span = 0.0 if least is None or most is None else most - least
    rows = tuple(
        tuple(
            (
                value_text(value, whole=whole),
                0.5 if value is None or least is None or not span else (value - least) / span,
            )
            for value in row
        )
        for row in peeked.rows
    )
    return Values(rows, peeked.moved_bytes)


def value_text(value: float | None, *, whole: bool) -> str:
    """Three digits that matter, as short as a cell is narrow."""
    if value is None:
        return "nan"
    if not math.isfinite(value):
        return "inf" if value > 0 else "-inf"
    size = abs(value)
    if whole:
        return f"{value:.0f}" if size < 1e5 else f"{value:.0e}".replace("e+0", "e")
    if size and (size < 0.01 or size >= 1e4):
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    digits = 2 if size < 10 else 1 if size < 100 else 0
    return f"{value:.{digits}f}"
