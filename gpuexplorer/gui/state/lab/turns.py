"""Turns: which cells wait until the one before them is done; those of opened files too."""

from collections import deque
from collections.abc import Sequence

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.session_files import OpenedCell
from gpuexplorer.lab.wire import Run


class Turns:
    """One cell goes at a time, up to the first that fails."""

    def __init__(self) -> None:
        self.head: int | None = None  # the command whose end lets the next one go
        self.opened: list[OpenedCell] = []  # have not run
        self._behind: deque[Run | OpenedCell] = deque()
        self._allowed: set[str] = set()

    @property
    def must_ask(self) -> str:
        """The file whose cells come next, where nobody has said yet that they may run."""
        path = self.opened[0].path if self.opened else ""
        return "" if path in self._allowed else path

    def allow(self, path: str) -> None:
        self._allowed.add(path)

    def of_opened(self, count: int | None) -> Sequence[OpenedCell]:
        """The first so many; Trouble where nobody has allowed them."""
        chosen = self.opened[:count]
        for each in chosen:
            if each.path not in self._allowed:
                raise Trouble(
                    "{file} comes from outside, and nobody has said that its cells may run.",
                    "Read the cells first; then allow them to run.",
                    file=each.path,
                )
        return chosen

    def line_up(self, cells: Sequence[Run | OpenedCell]) -> bool:
        """Whether the first of them may go at once."""
        first = not self._behind
        self._behind.extend([each for each in cells if each not in self._behind])
        return first

    def take(self) -> Run | OpenedCell | None:
        """Whose turn it is."""
        if not self._behind:
            return None
        cell = self._behind.popleft()
        if isinstance(cell, OpenedCell):
            self.opened.remove(cell)
        return cell

    def give_up(self) -> Sequence[int]:
        """The commands that will not run. Cells of opened files go on standing there."""
        given_up = [each.id for each in self._behind if isinstance(each, Run)]
        self._behind.clear()
        return given_up

    def drop_opened(self) -> None:
        self._behind = deque(each for each in self._behind if isinstance(each, Run))
        self.opened.clear()
