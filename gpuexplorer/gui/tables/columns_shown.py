"""ColumnsShown: which columns of a table are there, how wide and in which order; remembered."""

import json
from collections.abc import Sequence
from typing import Any, Protocol

from PySide6.QtCore import QByteArray, QObject, Qt, Signal
from PySide6.QtWidgets import QTreeView

from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.tables.header import Header
from gpuexplorer.gui.tables.model import TableModel

_MOST = 2000  # pixels: nothing that is remembered makes a column absurdly wide


class Memory(Protocol):
    """Where layouts are kept from one start to the next."""

    def remembered(self, key: str) -> str | None: ...

    def remember(self, key: str, text: str) -> None: ...


class ColumnsShown(QObject):
    """Until a person chooses, as many columns are shown as fit."""

    changed = Signal()  # by a person
    fitted = Signal()  # perhaps others are hidden than before

    def __init__(self, table: QTreeView, header: Header, model: TableModel[Any]) -> None:
        super().__init__(table)
        self._table = table
        self._header = header
        self._model = model
        self._fits = True
        self._least = 0  # of the first column that stretches, where a person dragged it
        self._placing = False
        self._memory: Memory | None = None
        self._key = ""
        for at, column in enumerate(model.columns):
            header.resizeSection(at, column.width)
        table.setSortingEnabled(any(column.sorts is not None for column in model.columns))
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._first = header.saveState()
        header.sectionResized.connect(self._on_section_resized)
        header.sectionMoved.connect(self._on_changed)
        header.sortIndicatorChanged.connect(self._on_changed)

    @property
    def all(self) -> Sequence[Column[Any]]:
        return self._model.columns

    @property
    def fitting(self) -> bool:
        """Whether as many are shown as fit."""
        return self._fits

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """The key of a column, and whether the largest comes first."""
        return self._model.sorted_by

    def in_order(self) -> list[Column[Any]]:
        """Those that are shown, from left to right."""
        order = [self._header.logicalIndex(visual) for visual in range(self._header.count())]
        return [self.all[at] for at in order if not self._header.isSectionHidden(at)]

    def begin_with(self, key: str, *, falling: bool) -> None:
        """Sort by this column as long as nobody chose another."""
        self.sort_by(key, falling=falling)
        self._first = self._header.saveState()

    def remember_in(self, memory: Memory, key: str) -> None:
        """Take up what was left there, and keep it from now on."""
        self._memory, self._key = memory, key
        try:
            kept = json.loads(memory.remembered(key) or "")
            same = kept["columns"] == [column.key for column in self.all]
            state = QByteArray.fromBase64(kept["header"].encode("ascii"))
            fits, least = kept["fits"] is not False, int(kept["least"])
        except (ValueError, TypeError, KeyError, AttributeError):
            return
        if same:
            self._restore(state)
            self._fits, self._least = fits, min(max(least, 0), _MOST)
        self.fit()

    def show_fitting(self, fitting: bool) -> None:
        self._fits = fitting
        self.fit()
        self._on_changed()

    def show_column(self, key: str, *, shown: bool) -> None:
        self._fits = False
        self._header.setSectionHidden(self._at(key), not shown)
        self.fit()
        self._on_changed()

    def sort_by(self, key: str, *, falling: bool) -> None:
        order = Qt.SortOrder.DescendingOrder if falling else Qt.SortOrder.AscendingOrder
        self._table.sortByColumn(self._at(key), order)

    def set_width(self, key: str, width: int) -> None:
        """Not by a person."""
        self._placing = True
        self._header.resizeSection(self._at(key), width)
        self._placing = False
        self.fit()

    def reset(self) -> None:
        self._restore(self._first)
        self._fits, self._least = True, 0
        self.fit()
        self._on_changed()

    def fit(self) -> None:
        """Hides what does not fit; columns that stretch take what is left."""
        if self._placing:
            return
        self._placing = True
        header, room = self._header, self._table.viewport().width()
        for at, column in enumerate(self.all):
            if 0 < header.sectionSize(at) < column.narrowest:
                header.resizeSection(at, column.narrowest)
        if self._fits:
            for at in range(header.count()):
                header.showSection(at)
            for at in sorted(range(header.count()), key=lambda at: self.all[at].kept):
                if self.all[at].kept:
                    if self._taken() + sum(map(self._least_of, self._stretching())) <= room:
                        break
                    header.hideSection(at)
        left, stretching = room - self._taken(), self._stretching()
        for before, at in enumerate(stretching):
            others = len(stretching) - before - 1
            theirs = sum(map(self._least_of, stretching[before + 1 :]))
            share = min(left // (others + 1), left - theirs)
            width = max(self._least_of(at), share)
            if others and self.all[at].widest:
                width = min(width, self.all[at].widest)
            header.resizeSection(at, width)
            left -= width
        self._placing = False
        self._table.viewport().update()
        self.fitted.emit()

    def _stretching(self) -> list[int]:
        columns = enumerate(self.all)
        shown = (at for at, column in columns if column.stretches)
        return [at for at in shown if not self._header.isSectionHidden(at)]

    def _least_of(self, at: int) -> int:
        column, room = self.all[at], self._table.viewport().width()
        dragged = self._least if at == self._stretching()[0] else 0
        return max(dragged, column.width, round(room * column.share))

    def _taken(self) -> int:
        sizes = enumerate(map(self._header.sectionSize, range(self._header.count())))
        return sum(size for at, size in sizes if not self.all[at].stretches)

    def _at(self, key: str) -> int:
        return [column.key for column in self.all].index(key)

    def _restore(self, state: QByteArray) -> None:
        self._placing = True
        self._header.restoreState(state)
        self._placing = False

    def _on_section_resized(self, section: int, _: int, width: int) -> None:
        if self._placing or width == 0:
            return
        if section in self._stretching()[:1]:
            self._least = width
        self.fit()
        self._on_changed()

    def _on_changed(self) -> None:
        if self._placing:
            return
        self._table.viewport().update()
        if self._memory is not None:
            header = bytes(self._header.saveState().toBase64().data()).decode("ascii")
            columns = [column.key for column in self.all]
            kept = {"columns": columns, "fits": self._fits, "least": self._least}
            self._memory.remember(self._key, json.dumps({**kept, "header": header}))
        self.changed.emit()
