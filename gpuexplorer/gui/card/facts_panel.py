"""FactsPanel: all facts of a card, with a field to search them and a button to copy them."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.card.facts_tree import FactsTree, search_field
from gpuexplorer.gui.cards.facts import FactGroup, as_text
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import NowTag

_MOST = 16_777_215  # Qt's own number for "as tall as it likes"


class FactsPanel(QFrame):
    """Beside the plots it scrolls; below them it is as tall as its facts."""

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Facts"))
        self._heading = ""
        self._groups: Sequence[FactGroup] = ()
        self._full_height = False
        self._tree = FactsTree()
        self._tree.copy_all_asked.connect(self.copy_all)
        self._tree.height_changed.connect(self._fit)
        nothing = mark("No fact has “{text}” in it.")
        self._search = search_field(self._tree, tr("Search facts"), nothing)
        find = QKeySequence(QKeySequence.StandardKey.Find)
        keys = find.toString(QKeySequence.SequenceFormat.NativeText)
        self._search.setToolTip(tr("Search facts ({keys})", keys=keys))
        self._copy = IconButton(Icon.COPY, tr("Copy all facts as text"))
        self._copy.clicked.connect(self.copy_all)
        tag = NowTag(time_window)
        head = row(self._search, GROWS, tag, self._copy, gap=4, margins=(12, 12, 8, 4))
        tree = self._tree
        column(head, tree, GROWS, tree.nothing, GROWS, within=self, gap=0, margins=(1, 1, 1, 8))

    def show_facts(self, heading: str, groups: Sequence[FactGroup], mark: str) -> None:
        """The heading begins what is copied as text; `mark` ends whatever else is copied."""
        self._heading, self._groups = heading, groups
        self._tree.show_groups(groups, mark)

    def show_full_height(self, full: bool) -> None:
        """Whether the page around it scrolls, and not the list itself."""
        if full is self._full_height:
            return
        self._full_height = full
        policy = Qt.ScrollBarPolicy
        self._tree.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if full else policy.ScrollBarAsNeeded
        )
        if not full:
            self._tree.setMinimumHeight(0)
            self._tree.setMaximumHeight(_MOST)
        self._fit()

    def start_search(self) -> QWidget:
        """Returns where one types, which a page may have to scroll to."""
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()
        return self._search

    def copy_all(self) -> None:
        """As text, to the clipboard."""
        QGuiApplication.clipboard().setText(as_text(self._heading, self._groups))

    def _fit(self) -> None:
        if self._full_height:
            self._tree.setFixedHeight(self._tree.content_height() + 4)
