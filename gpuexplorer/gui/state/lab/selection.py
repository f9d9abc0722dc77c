"""Selection: the one thing that is chosen on every part of the lab at once."""

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal

from gpuexplorer.lab.ledger import Ledger


class Selection(QObject):
    """A line and the things it is about: code line, blocks, flags and rows light up together.

    Lines are named by the number of their command.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._line: int | None = None
        self._things: frozenset[str] = frozenset()

    @property
    def line(self) -> int | None:
        return self._line

    @property
    def things(self) -> frozenset[str]:
        return self._things

    @property
    def thing(self) -> str | None:
        """The name, where it is about one thing."""
        return next(iter(self._things)) if len(self._things) == 1 else None

    def line_in(self, ledger: Ledger) -> int | None:
        """Where only a thing is selected, the line that placed it last."""
        if self._line is not None or self.thing is None:
            return self._line
        placed = (each.id for each in reversed(ledger.entries) if self.thing in each.placed)
        return next(placed, None)

    def choose(self, line: int | None = None, things: Collection[str] = ()) -> None:
        chosen = (line, frozenset(things))
        if chosen != (self._line, self._things):
            self._line, self._things = chosen
            self.changed.emit()
