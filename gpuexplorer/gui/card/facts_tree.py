"""FactsTree: the facts of a card as a list to look through, select and copy."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTreeView,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.card.fact_entry import FACT_COLUMN, FactEntry, entries
from gpuexplorer.gui.card.facts_delegate import FactsDelegate
from gpuexplorer.gui.cards.fact import Fact, FactGroup, HowTo
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.sheets.sheet import Sheet

_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class FactsTree(QTreeView):
    """Groups fold by a click or by the arrow keys. While one searches, all that is found is
    open.
    """

    copy_all_asked = Signal()
    height_changed = Signal()
    toggled = Signal(str)  # the key of a fact that is to be chosen, or no longer

    def __init__(self) -> None:
        super().__init__()
        self._facts = TableModel(
            [FACT_COLUMN], lambda entry: entry.key, lambda entry: entry.under, self
        )
        self._groups: Sequence[FactGroup] = ()
        self._entries: Sequence[FactEntry] = ()
        self._chosen: frozenset[str] | None = None
        self._words: tuple[str, ...] = ()
        self._folded: set[str] = set()
        self._mark = ""
        self.nothing = ElidedLabel(look().letters.body, Tone.QUIET)
        self.nothing.setContentsMargins(16, 8, 16, 8)
        self.nothing.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.nothing.hide()
        self.setModel(self._facts)
        self.setItemDelegate(FactsDelegate(self._facts, self))
        self.setAccessibleName(tr("Facts"))
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
        self.collapsed.connect(lambda index: self._remember_fold(index, folded=True))
        self.expanded.connect(lambda index: self._remember_fold(index, folded=False))

    def show_groups(self, groups: Sequence[FactGroup], mark: str) -> None:
        """`mark` ends whatever is copied: that it is simulated, say."""
        known = {group.title for group in self._groups}
        new = [group for group in groups if group.title not in known]
        self._folded |= {group.title for group in new if group.folded}
        self._groups, self._mark = groups, mark
        self._show()

    def show_chosen(self, keys: frozenset[str]) -> None:
        """Facts become choices: a click, the space bar or Enter asks for one."""
        self._chosen, self._entries = keys, ()
        self._show()

    def take_first(self) -> None:
        """Ask for the first that was found."""
        for index in self._seen():
            if isinstance(self._what(index), Fact):
                self._on_clicked(index)
                return

    def search(self, text: str) -> bool:
        """Show only what has all of these words; False where nothing has."""
        self._words, self._entries = tuple(text.lower().split()), ()
        self._show()
        return self._facts.rowCount() > 0

    def take_keyboard(self) -> None:
        """Onto the first fact that is seen, where none is chosen."""
        if not self.currentIndex().isValid():
            self.setCurrentIndex(next(self._seen(), QModelIndex()))
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def content_height(self) -> int:
        """What it takes to be seen without scrolling."""
        return sum(self.rowHeight(index) for index in self._seen())

    def copy_selected(self, *, only_values: bool = False) -> None:
        lines = []
        for index in sorted(self.selectedIndexes(), key=_order):
            what = self._what(index)
            if isinstance(what, Fact):
                lines.append(what.read if only_values else what.line)
            elif isinstance(what, str):
                lines.append(what)
        if lines:
            end = f" ({self._mark})" if self._mark else ""
            QGuiApplication.clipboard().setText("\n".join(line + end for line in lines))

    def _show(self) -> None:
        rows, before = self._facts.rowCount(), self._entries
        self._entries = entries(self._groups, self._words, self._chosen)
        self._facts.show(self._entries)
        if [each.key for each in before] != [each.key for each in self._entries]:
            self._fold()
        if rows != self._facts.rowCount():
            # The topmost heading is lower than the others.
            self.scheduleDelayedItemsLayout()
        self.height_changed.emit()

    def _fold(self) -> None:
        with QSignalBlocker(self):
            for title in self._facts.branches():
                index = self._facts.index_of(title)
                self.setExpanded(index, bool(self._words) or title not in self._folded)

    def _what(self, index: QModelIndex) -> FactGroup | Fact | str | None:
        entry = self._facts.thing(index)
        return None if entry is None else entry.what

    def _seen(self) -> Iterator[QModelIndex]:
        index = self._facts.index(0, 0)
        while index.isValid():
            yield index
            index = self.indexBelow(index)

    def _remember_fold(self, index: QModelIndex, *, folded: bool) -> None:
        if not self._words:
            title = str(index.data())
            self._folded = self._folded | {title} if folded else self._folded - {title}
        self.height_changed.emit()

    def _on_clicked(self, index: QModelIndex) -> None:
        what = self._what(index)
        if isinstance(what, FactGroup):
            self.setExpanded(index, not self.isExpanded(index))
        elif isinstance(what, Fact) and self._chosen is not None:
            self.toggled.emit(what.key)
        elif isinstance(what, Fact) and what.how is not None and not _selecting():
            HowToSheet(what.how, self).open()

    @guarded
    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Headings have a sign of their own."""

    def event(self, event: QEvent) -> bool:
        # What is selected is copied, before the screen copies something else.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            copies = event.matches(QKeySequence.StandardKey.Copy)
            if copies and self.selectedIndexes():
                event.accept()
                return True
        return super().event(event)

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
        chosen = any(isinstance(self._what(i), Fact) for i in self.selectedIndexes())
        menu.addAction(tr("Copy"), self.copy_selected).setEnabled(chosen)
        value = menu.addAction(
            tr("Copy the value alone"), lambda: self.copy_selected(only_values=True)
        )
        value.setEnabled(chosen)
        what = self._what(self.indexAt(event.pos()))
        how = what.how if isinstance(what, Fact) else None
        if how is not None:
            menu.addSeparator()
            menu.addAction(f"{how.title}…", lambda: HowToSheet(how, self).open())
            if how.commands:
                line = how.commands[0].line
                menu.addAction(tr("Copy the command"), lambda: copy_text(line)).setToolTip(line)
        menu.addSeparator()
        menu.addAction(tr("Copy all facts"), self.copy_all_asked.emit)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            # Notes wrap to the width.
            self.scheduleDelayedItemsLayout()
            self.height_changed.emit()


class HowToSheet(Sheet):
    """Sentences, and each command with a button that copies it."""

    def __init__(self, how: HowTo, parent: QWidget | None = None) -> None:
        super().__init__(how.title, parent, width=640)
        for sentence in how.sentences:
            self.add_sentence(sentence)
        for command in how.commands:
            self.add_sentence(command.what, Tone.QUIET)
            copy = QPushButton(tr("Copy"))
            copy.setAccessibleDescription(command.line)
            copy.clicked.connect(lambda _=False, line=command.line: copy_text(line))
            self.add_code(command.line, tr("Command"))
            self.body.addWidget(copy, 0, Qt.AlignmentFlag.AlignRight)
        if how.commands:
            note = tr("GPU Explorer sets nothing itself: paste it into a terminal.")
            self.add_sentence(note, Tone.QUIET)
        self.add_close()


def copy_text(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def search_field(tree: FactsTree, words: str, nothing: str) -> SearchField:
    """What is typed narrows the tree down; `nothing` is the template of what is said then."""
    field, label = SearchField(words), tree.nothing

    def search(text: str) -> None:
        found = tree.search(text)
        tree.setVisible(found)
        label.setVisible(not found)
        label.show_text(tr(nothing, text=text))

    field.textChanged.connect(search)
    field.left.connect(tree.take_keyboard)
    return field


def _selecting() -> bool:
    """Whoever selects several wants to copy them."""
    held = QGuiApplication.keyboardModifiers()
    return bool(
        held & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    )


def _order(index: QModelIndex) -> tuple[int, int]:
    return index.parent().row(), index.row()
