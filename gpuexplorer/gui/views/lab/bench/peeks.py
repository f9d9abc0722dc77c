"""Peeks: the values of small tensors that are seen, asked for once per version of each."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block
from gpuexplorer.gui.wording.lab.bench.bench_question import Values, Versions, values_of
from gpuexplorer.lab.events import Event, Failed, Peeked

_ROWS, _COLUMNS = 4, 6
Version = tuple[int, int]


class Peeks(QObject):
    """What was seen before stays to be read until the new values are there."""

    came = Signal()  # values of something

    def __init__(self, lab: LabState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._versions = Versions()
        self._asked: dict[int, str] = {}
        self._newest: dict[str, Version] = {}  # that was asked for
        self._values: dict[str, tuple[int, Values]] = {}  # with what the name stood for
        lab.told.connect(self._on_told)

    def note(self) -> None:
        """The ledger knows of more lines."""
        self._versions.note(self._lab.ledger.entries)
        gone = self._newest.keys() - self._lab.ledger.things.keys()
        for name in gone:
            del self._newest[name]
            self._values.pop(name, None)

    def ask(self, blocks: Iterable[Block]) -> None:
        """Only between two lines: a look would wait behind a long one, and be old by then."""
        if self._lab.stage is not Stage.READY:
            return
        for block in blocks:
            thing = block.placed
            if thing is None or block.grid is None:
                continue
            version = self._versions.of(thing)
            if self._newest.get(thing.name) != version:
                self._newest[thing.name] = version
                number = self._lab.look_into(thing.name, rows=_ROWS, columns=_COLUMNS)
                self._asked[number] = thing.name

    def values(self, block: Block) -> Values | None:
        if block.placed is None:
            return None
        kept = self._values.get(block.placed.name)
        return kept[1] if kept is not None and kept[0] == block.placed.id else None

    def _on_told(self, event: Event) -> None:
        if isinstance(event, Peeked | Failed) and event.id in self._asked:
            name = self._asked.pop(event.id)
            thing = self._lab.ledger.things.get(name)
            if isinstance(event, Peeked) and thing is not None:
                self._values[name] = (thing.id, values_of(event))
                self.came.emit()
