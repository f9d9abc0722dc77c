"""FactsPanel: all facts of a card, with a field to search them and a button to copy them."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.facts.facts_tree import FactsTree
from gpuexplorer.gui.widgets.now_tag import NowTag
from gpuexplorer.gui.wording.facts.fact import FactGroup, as_text

_MOST = 16_777_215  # Qt's own number for "as tall as it likes"


class FactsPanel(QFrame):
    """Beside the plots it scrolls; below them it is as tall as its facts."""

    def __init__(
        self, look: Look, time_window: TimeWindow, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Facts"))
        self._heading = ""
        self._groups: Sequence[FactGroup] = ()
        self._full_height = False
        self._search = SearchField(look, tr("Search facts"))
        find = QKeySequence(QKeySequence.StandardKey.Find)
        keys = find.toString(QKeySequence.SequenceFormat.NativeText)
        self._search.setToolTip(tr("Search facts ({keys})", keys=keys))
        self._search.searched_for.connect(self._on_searched_for)
        self._search.left.connect(self._on_search_left)
        self._copy = IconButton(look, Icon.COPY)
        self._copy.show_meaning(Icon.COPY, tr("Copy all facts as text"))
        self._copy.clicked.connect(self._on_copy_all_asked)
        self._tree = FactsTree(look)
        self._tree.copy_all_asked.connect(self._on_copy_all_asked)
        self._tree.height_changed.connect(self._fit)
        self._nothing = ElidedLabel(look.letters.body, Tone.QUIET)
        self._nothing.setContentsMargins(16, 8, 16, 8)
        self._nothing.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._nothing.hide()
        head = QHBoxLayout()
        head.setContentsMargins(12, 12, 8, 4)
        head.setSpacing(4)
        head.addWidget(self._search, 1)
        head.addWidget(NowTag(look, time_window))
        head.addWidget(self._copy)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 8)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addWidget(self._tree, 1)
        self._column.addWidget(self._nothing, 1)

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

    def shown(self) -> list[str]:
        """What can be read in the list, line by line."""
        return self._tree.shown()

    def _fit(self) -> None:
        if self._full_height:
            self._tree.setFixedHeight(self._tree.content_height() + 4)

    def _on_searched_for(self, text: str) -> None:
        found = self._tree.search(text)
        self._tree.setVisible(found)
        self._nothing.setVisible(not found)
        self._nothing.show_text(tr("No fact has “{text}” in it.", text=text))

    def _on_search_left(self) -> None:
        self._tree.take_keyboard()

    def _on_copy_all_asked(self) -> None:
        self.copy_all()
