"""CopiesPanel: the table of the copies under its tools, and what is to be said of one."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPushButton, QStackedLayout, QWidget

from gpuexplorer.copies.copy_book import CopyRow
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.moving.copy_cells import CELL, CopyCells, copy_columns
from gpuexplorer.gui.copies.moving.moved import Moved, Which
from gpuexplorer.gui.copies.moving.words import Said
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Grow,
    column,
    label,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import EmptyState
from gpuexplorer.gui.widgets.sheets.sheet import line_between

_LEAST_SEARCH, _MOST_SEARCH = 90, 220
_COMPACT_BELOW = 520
_REMARK_FROM = 640
_COMPARE = mark("Compare two chosen rows side by side")


class TableTools(QWidget):
    """Its parts are connected by whoever decides, and who shows the answer here."""

    columns_asked = Signal(QPoint)  # where on the screen their menu belongs

    def __init__(self, remark: str) -> None:
        super().__init__()
        self._exports: list[tuple[str, Callable[[], None]]] = []
        choices = [(which, which.words(0)) for which in Which]
        self.which = Segmented(tr("Which copies"), choices)
        self._remark = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._remark.show_text(remark)
        self.search = SearchField(tr("Filter"))
        self.search.setToolTip(tr("What, its code, from and to, the path"))
        self.search.setMinimumWidth(_LEAST_SEARCH)
        self.search.setMaximumWidth(_MOST_SEARCH)
        self.compare = ToolButton("framed", Icon.COPIES, tr("Compare"), tr(_COMPARE))
        self._columns = IconButton(Icon.COLUMNS, tr("Choose columns"))
        self._columns.clicked.connect(self._on_columns_asked)
        self._export = ToolButton(
            "framed",
            Icon.EXPORT,
            tr("Export"),
            tr("Save the rows that are shown, as CSV or JSON"),
        )
        self._export.clicked.connect(self._on_export_asked)
        row(
            self.which,
            self._remark,
            FREE,
            self.search,
            Grow(3),
            self._columns,
            self.compare,
            self._export,
            within=self,
        )
        self.show_able(picked=0, rows=0)

    def offer_exports(self, exports: list[tuple[str, Callable[[], None]]]) -> None:
        self._exports = exports

    def start_search(self) -> bool:
        self.search.setFocus()
        return True

    def show_which(self, which: Which, counts: Mapping[Which, int]) -> None:
        for each, count in counts.items():
            self.which.show_words(each, each.words(count))
        self.which.show_choice(which)
        self._arrange()

    def show_able(self, picked: int, rows: int) -> None:
        """So many rows are picked, and so many are there."""
        self.compare.setEnabled(picked == 2)
        how = tr("Choose two rows with Ctrl and a click to compare them")
        self.compare.setToolTip(tr(_COMPARE) if picked == 2 else how)
        self._export.setEnabled(rows > 0)

    def _on_columns_asked(self) -> None:
        below = QPoint(0, self._columns.height() + 4)
        self.columns_asked.emit(self._columns.mapToGlobal(below))

    def _on_export_asked(self) -> None:
        menu = QMenu(self)
        menu.setFont(self.window().font())
        menu.aboutToHide.connect(menu.deleteLater)
        for words, run in self._exports:
            menu.addAction(words).triggered.connect(run)
        menu.popup(self._export.mapToGlobal(QPoint(0, self._export.height() + 4)))

    def _arrange(self) -> None:
        width = self.width()
        around = self.which.full_width() + _LEAST_SEARCH + 300
        self.which.show_compact(width < min(_COMPACT_BELOW, around))
        compact = width < around
        self.compare.show_compact(compact)
        self._export.show_compact(compact)
        self._remark.setVisible(width >= max(_REMARK_FROM, around + 60))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


_CHIP = 20
_LEAST = 62


class CopiesTable(Table[Moved]):
    """Escape chooses none."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.picked():
            self.setCurrentIndex(QModelIndex())
            self.clearSelection()
        else:
            super().keyPressEvent(event)


class CopiesPanel(QFrame):
    """Where there are no rows, a sentence and a way on stand in their place."""

    def __init__(
        self,
        clock: Clock,
        best: Callable[[CopyRow], float | None],
        *,
        modelled: bool,
    ) -> None:
        """`best` is the highest rate that was reached on a copy's way."""
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("All copies"))
        self.cells = CopyCells(best)
        self.tools = TableTools(tr("times modelled") if modelled else "")
        self._model = TableModel(copy_columns(self.cells), lambda moved: moved.key)
        self.table = CopiesTable(tr("Copies of the lab"), self._model, clock)
        self.table.columns.sort_by(CELL, falling=True)
        self.bar = SentenceBar()
        self.empty = EmptyState(Icon.COPIES)
        self._stack = QStackedLayout()
        self._line = line_between()
        column(
            self.tools,
            self._stack,
            GROWS,
            self._line,
            self.bar,
            within=self,
            gap=4,
            margins=(12, 10, 12, 8),
        )
        # Of a layout that belongs to nobody yet, its first part would be a window of its own.
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)

    @property
    def rows(self) -> Sequence[Moved]:
        """As they stand in the table, from the top down."""
        return self._model.things

    def show_table(self) -> None:
        self._stack.setCurrentWidget(self.table)
        self._show_bar(shown=True)

    def show_empty(self, heading: str, more: str, way_on: str) -> None:
        self.empty.show_words(heading, more, way_on)
        self._stack.setCurrentWidget(self.empty)
        self._show_bar(shown=False)

    def _show_bar(self, *, shown: bool) -> None:
        self._line.setVisible(shown)
        self.bar.setVisible(shown)


class SentenceBar(QWidget):
    """As high in every case, so that the table above it stands still."""

    def __init__(self) -> None:
        super().__init__()
        self.said = Said()
        self._flag = label("", look().letters.caption)
        self._sentence = wrapped_label("", Tone.TEXT)
        self._cure = wrapped_label("", Tone.QUIET)
        self._cure.setFont(look().letters.caption.font)
        self.cure = QPushButton(tr("Show the cure"))
        words = column(FREE, self._sentence, self._cure, FREE, gap=2)
        row(self._flag, words, GROWS, self.cure, within=self, gap=12, margins=(0, 6, 0, 0))
        self.setMinimumHeight(_LEAST)
        self.show_said(Said())

    def show_said(self, said: Said) -> None:
        self.said = said
        say(self._flag, said.place)
        self._flag.setAccessibleName(tr("Cell {number}", number=said.place))
        _dress(self._flag, "kind", "place" if said.asked else "unasked")
        say(self._sentence, said.sentence)
        say(self._cure, said.cure)
        tone = Tone.BAD if said.bad else Tone.TEXT if said.place else Tone.QUIET
        _dress(self._sentence, "tone", tone.value)
        self.cure.setVisible(bool(said.code))


def _dress(label: QLabel, name: str, value: str) -> None:
    if label.property(name) != value:
        label.setProperty(name, value)
        label.style().polish(label)
