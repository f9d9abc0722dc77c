"""FactsTree: the facts of a card as a list to look through, select and copy."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QModelIndex, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QMenu, QTreeView, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.tables.facts_delegate import FactsDelegate
from gpuexplorer.gui.widgets.tables.facts_model import FactsModel, Index
from gpuexplorer.gui.wording.facts.fact import Fact, FactGroup

_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class FactsTree(QTreeView):
    """Groups fold by a click or by the arrow keys. While one searches, all that is found is
    open.
    """

    copy_all_asked = Signal()
    height_changed = Signal()
    toggled = Signal(str)  # the key of a fact that is to be chosen, or no longer

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts = FactsModel(self)
        self._words: tuple[str, ...] = ()
        self._folded: set[str] = set()
        self._mark = ""
        self.setModel(self._facts)
        self._drawing = FactsDelegate(look, self._facts, self)
        self.setItemDelegate(self._drawing)
        self.setAccessibleName("Facts")
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setExpandsOnDoubleClick(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self._on_clicked)
        self.collapsed.connect(self._on_collapsed)
        self.expanded.connect(self._on_expanded)

    def show_groups(self, groups: Sequence[FactGroup], mark: str) -> None:
        """`mark` ends whatever is copied: that it is simulated, say."""
        self._mark = mark
        known = {group.title for group in self._facts.groups()}
        if self._facts.show_groups(groups):
            self._folded |= {g.title for g in groups if g.folded and g.title not in known}
            self._arrange()

    def show_chosen(self, keys: frozenset[str]) -> None:
        """Facts become choices: a click, the space bar or Enter asks for one."""
        self._facts.show_chosen(keys)

    def take_first(self) -> None:
        """Ask for the first that was found."""
        for index in self._seen():
            if isinstance(self._facts.entry(index), Fact):
                self._on_clicked(index)
                return

    def search(self, text: str) -> bool:
        """Show only what has all of these words; False where nothing has."""
        self._words = tuple(text.lower().split())
        return self._arrange()

    def take_keyboard(self) -> None:
        """Onto the first fact that is seen, where none is chosen."""
        if not self.currentIndex().isValid() or self._hidden(self.currentIndex()):
            seen = next(self._seen(), None)
            if seen is not None:
                self.setCurrentIndex(seen)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def shown(self) -> list[str]:
        """What can be read, line by line."""
        return [str(self._facts.data(index)) for index in self._seen()]

    def content_height(self) -> int:
        """What it takes to be seen without scrolling."""
        height = 0
        for at in range(self._facts.rowCount()):
            top = self._facts.group_index(at)
            if self.isRowHidden(at, QModelIndex()):
                continue
            height += self.rowHeight(top)
            if self.isExpanded(top):
                height += sum(
                    self.rowHeight(self._facts.index(row, 0, top))
                    for row in range(self._facts.rowCount(top))
                    if not self.isRowHidden(row, top)
                )
        return height

    def copy_selected(self, *, only_values: bool = False) -> None:
        entries = [
            self._facts.entry(index) for index in sorted(self.selectedIndexes(), key=_order)
        ]
        lines = []
        for entry in entries:
            if isinstance(entry, Fact):
                lines.append(entry.read if only_values else entry.line)
            elif isinstance(entry, str):
                lines.append(entry)
        if lines:
            end = f" ({self._mark})" if self._mark else ""
            QGuiApplication.clipboard().setText("\n".join(line + end for line in lines))

    def _arrange(self) -> bool:
        found = False
        top = QModelIndex()
        with QSignalBlocker(self):
            for at, group in enumerate(self._facts.groups()):
                head = self._facts.group_index(at)
                some = self._filter(head, named=bool(self._words) and self._has(group.title))
                self.setRowHidden(at, top, not some)
                self.setExpanded(head, bool(self._words) or group.title not in self._folded)
                if some and not found:
                    self._drawing.first_heading = at
                found = found or some
        self.scheduleDelayedItemsLayout()
        self.height_changed.emit()
        return found

    def _hidden(self, index: QModelIndex) -> bool:
        return self.isRowHidden(index.row(), index.parent())

    def _filter(self, head: QModelIndex, *, named: bool) -> bool:
        """Whether anything under this heading is found. `named` is the heading itself."""
        some = False
        for row in range(self._facts.rowCount(head)):
            entry = self._facts.entry(self._facts.index(row, 0, head))
            if isinstance(entry, Fact):
                match = named or entry.found_by(self._words)
            else:
                match = named or self._has(str(entry))
            self.setRowHidden(row, head, not match)
            some = some or match
        return some

    def _has(self, text: str) -> bool:
        return all(word in text.lower() for word in self._words)

    def _seen(self) -> Iterator[QModelIndex]:
        for at in range(self._facts.rowCount()):
            head = self._facts.group_index(at)
            if self.isRowHidden(at, QModelIndex()):
                continue
            yield head
            if self.isExpanded(head):
                for row in range(self._facts.rowCount(head)):
                    if not self.isRowHidden(row, head):
                        yield self._facts.index(row, 0, head)

    def _remember_fold(self, index: QModelIndex, *, folded: bool) -> None:
        if not self._words:
            title = self._facts.groups()[index.row()].title
            self._folded = self._folded | {title} if folded else self._folded - {title}
        self.height_changed.emit()

    def _on_collapsed(self, index: QModelIndex) -> None:
        self._remember_fold(index, folded=True)

    def _on_expanded(self, index: QModelIndex) -> None:
        self._remember_fold(index, folded=False)

    def _on_clicked(self, index: QModelIndex) -> None:
        entry = self._facts.entry(index)
        if isinstance(entry, FactGroup):
            self.setExpanded(index, not self.isExpanded(index))
        elif isinstance(entry, Fact) and self._facts.checked(entry) is not None:
            self.toggled.emit(entry.key)

    def _on_copy_asked(self) -> None:
        self.copy_selected()

    def _on_copy_values_asked(self) -> None:
        self.copy_selected(only_values=True)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Headings have a sign of their own."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selected()
        elif event.key() in _TAKES and index.isValid():
            self._on_clicked(index)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        chosen = any(isinstance(self._facts.entry(i), Fact) for i in self.selectedIndexes())
        menu.addAction("Copy", self._on_copy_asked).setEnabled(chosen)
        menu.addAction("Copy the value alone", self._on_copy_values_asked).setEnabled(chosen)
        menu.addSeparator()
        menu.addAction("Copy all facts", self.copy_all_asked.emit)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            # Notes wrap to the width.
            self.scheduleDelayedItemsLayout()
            self.height_changed.emit()


def _order(index: QModelIndex) -> tuple[int, int]:
    return index.parent().row(), index.row()
