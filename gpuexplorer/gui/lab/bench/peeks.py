"""Peeks: the values of what is seen on the bench, asked for between two cells."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from gpuexplorer.gui.lab.bench.blocks import Block
from gpuexplorer.gui.lab.inside.values import writing_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.lab.events import Event, Failed, Peeked

_ROWS, _COLUMNS = 4, 6
_UNDER_WAY = ("waiting", "running")
Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Values:
    """Row by row: what is written, and where it stands from the least (0) to the most (1)."""

    rows: tuple[tuple[tuple[str, float], ...], ...]
    moved_bytes: int


def values_of(peeked: Peeked) -> Values:
    least, most = peeked.least, peeked.most
    writing = writing_of(peeked.dtype, least, most)
    span = 0.0 if least is None or most is None else most - least
    rows = tuple(
        tuple(
            (
                writing.text(value),
                0.5 if value is None or least is None or not span else (value - least) / span,
            )
            for value in row
        )
        for row in peeked.rows
    )
    return Values(rows, peeked.moved_bytes)


class Peeks(QObject):
    """What was seen before stays to be read until the new values are there."""

    came = Signal()  # values of something

    def __init__(self, lab: Lab, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._ended = 0  # cells: each may have changed values where they are
        self._asked: dict[int, str] = {}
        self._newest: dict[str, Version] = {}  # that was asked for
        self._values: dict[str, tuple[int, Values]] = {}  # with what the name stood for
        lab.told.connect(self._on_told)

    def note(self) -> None:
        """The ledger knows of more cells."""
        ended = [each.state not in _UNDER_WAY for each in self._lab.ledger.cells]
        self._ended = sum(ended)
        gone = self._newest.keys() - self._lab.ledger.things.keys()
        for name in gone:
            del self._newest[name]
            self._values.pop(name, None)

    def ask(self, blocks: Iterable[Block]) -> None:
        """Only between two cells: a look would wait behind a long one, and be old by then."""
        if self._lab.stage is not Stage.READY:
            return
        for block in blocks:
            thing = block.placed
            if thing is None or block.grid is None:
                continue
            version = (thing.id, self._ended)
            if self._newest.get(thing.name) != version:
                self._newest[thing.name] = version
                number = self._lab.look_into(thing.name, rows=_ROWS, columns=_COLUMNS)
                self._asked[number] = thing.name

    def values(self, block: Block) -> Values | None:
        if block.placed is None:
            return None
        if self._lab.recorded:
            # As it was last seen; what was seen inside may be more of it than has room here.
            seen = self._lab.course.peeked.get(block.placed.name)
            shape = None if seen is None else (len(seen.rows), len(seen.rows[0]))
            return values_of(seen) if seen is not None and shape == block.grid else None
        kept = self._values.get(block.placed.name)
        return kept[1] if kept is not None and kept[0] == block.placed.id else None

    def _on_told(self, event: Event) -> None:
        if isinstance(event, Peeked | Failed) and event.id in self._asked:
            name = self._asked.pop(event.id)
            thing = self._lab.ledger.things.get(name)
            if isinstance(event, Peeked) and thing is not None:
                self._values[name] = (thing.id, values_of(event))
                self.came.emit()
