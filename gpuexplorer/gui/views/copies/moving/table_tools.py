"""TableTools: which copies are shown, what is looked for among them, and what else is done."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import FramedButton, IconButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.wording.copies.moving.moved import Which, count_words

_LEAST_SEARCH, _MOST_SEARCH = 90, 220
_COMPACT_BELOW = 520
_REMARK_FROM = 640
_COMPARE = mark("Compare two chosen rows side by side")


class TableTools(QWidget):
    """Asks; whoever decides shows the answer here."""

    which_chosen = Signal(object)
    searched_for = Signal(str)
    left = Signal()  # the rows are to have the keyboard
    columns_asked = Signal(QPoint)  # where on the screen their menu belongs
    compare_asked = Signal()

    def __init__(self, look: Look, remark: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exports: list[tuple[str, Callable[[], None]]] = []
        choices = [(which, count_words(which, 0)) for which in Which]
        self._which = Segmented(look, tr("Which copies"), choices)
        self._which.chosen.connect(self.which_chosen)
        self._remark = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._remark.show_text(remark)
        self.search = SearchField(look, tr("Filter"))
        self.search.setToolTip(tr("What, its line's code, from and to, the path"))
        self.search.setMinimumWidth(_LEAST_SEARCH)
        self.search.setMaximumWidth(_MOST_SEARCH)
        self.search.searched_for.connect(self.searched_for)
        self.search.left.connect(self.left)
        self._compare = FramedButton(look, Icon.COPIES, tr("Compare"), tr(_COMPARE))
        self._compare.clicked.connect(self.compare_asked)
        self._columns = IconButton(look, Icon.COLUMNS)
        self._columns.show_meaning(Icon.COLUMNS, tr("Choose columns"))
        self._columns.clicked.connect(self._on_columns_asked)
        self._export = FramedButton(
            look,
            Icon.EXPORT,
            tr("Export"),
            tr("Save the rows that are shown, as CSV or JSON"),
        )
        self._export.clicked.connect(self._on_export_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._which)
        row.addWidget(self._remark)
        row.addStretch(1)
        row.addWidget(self.search, 3)
        row.addWidget(self._columns)
        row.addWidget(self._compare)
        row.addWidget(self._export)
        self.show_able(picked=0, rows=0)

    def offer_exports(self, exports: list[tuple[str, Callable[[], None]]]) -> None:
        self._exports = exports

    def start_search(self) -> bool:
        self.search.setFocus()
        return True

    def show_which(self, which: Which, counts: Mapping[Which, int]) -> None:
        for each, count in counts.items():
            self._which.show_words(each, count_words(each, count))
        self._which.show_choice(which)
        self._arrange()

    def show_able(self, picked: int, rows: int) -> None:
        """So many rows are picked, and so many are there."""
        self._compare.setEnabled(picked == 2)
        how = tr("Choose two rows with Ctrl and a click to compare them")
        self._compare.setToolTip(tr(_COMPARE) if picked == 2 else how)
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
        around = self._which.full_width() + _LEAST_SEARCH + 300
        self._which.show_compact(width < min(_COMPACT_BELOW, around))
        compact = width < around
        self._compare.show_compact(compact)
        self._export.show_compact(compact)
        self._remark.setVisible(width >= max(_REMARK_FROM, around + 60))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
