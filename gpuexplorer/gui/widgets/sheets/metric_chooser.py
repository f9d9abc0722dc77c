"""MetricChooser: all that can be plotted of a card, to be searched and chosen from."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.facts.facts_tree import FactsTree
from gpuexplorer.gui.widgets.sheets.popup import Popup
from gpuexplorer.gui.wording.facts.fact import FactGroup

_WIDTH, _HEIGHT = 400, 460


class MetricChooser(Popup):
    """What is chosen is plotted at once; it stays open until Escape or a click elsewhere."""

    toggled = Signal(str)  # the id of a metric that is to be plotted, or no longer
    usual_asked = Signal()

    def __init__(self, look: Look, anchor: QWidget) -> None:
        super().__init__(look, _WIDTH, _HEIGHT, anchor)
        self.setAccessibleName(tr("Choose plots"))
        self._search = SearchField(look, tr("Search metrics"))
        self._search.searched_for.connect(self._on_searched_for)
        self._search.left.connect(self._on_search_left)
        self._search.returnPressed.connect(self._on_return_pressed)
        self._tree = FactsTree(look)
        self._tree.setAccessibleName(tr("Metrics"))
        self._tree.toggled.connect(self.toggled)
        self._nothing = ElidedLabel(look.letters.body, Tone.QUIET)
        self._nothing.setContentsMargins(16, 0, 16, 0)
        self._nothing.hide()
        self._count = ElidedLabel(look.letters.caption, Tone.QUIET)
        usual = QPushButton(tr("Show the default plots"))
        usual.setProperty("kind", "link")
        usual.clicked.connect(self.usual_asked)
        head = QHBoxLayout()
        head.setContentsMargins(12, 12, 12, 4)
        head.addWidget(self._search)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 4, 12, 8)
        foot.addWidget(self._count, 1)
        foot.addWidget(usual)
        self.panel.addLayout(head)
        self.panel.addWidget(self._tree, 1)
        self.panel.addWidget(self._nothing, 1)
        self.panel.addLayout(foot)
        self._search.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_offer(self, groups: Sequence[FactGroup], chosen: frozenset[str]) -> None:
        """Each fact is a metric with its value now, or the reason for which there is none."""
        self._tree.show_groups(groups, "")
        self._tree.show_chosen(chosen)
        count = len(chosen)
        plotted = trn("{count} plotted", "{count} plotted", count)
        self._count.show_text(plotted if count else tr("Nothing is plotted"))

    def shown(self) -> list[str]:
        """What can be read in the list, line by line."""
        return self._tree.shown()

    def _on_searched_for(self, text: str) -> None:
        found = self._tree.search(text)
        self._tree.setVisible(found)
        self._nothing.setVisible(not found)
        self._nothing.show_text(tr("No metric is called “{text}”.", text=text))

    def _on_search_left(self) -> None:
        self._tree.take_keyboard()

    def _on_return_pressed(self) -> None:
        self._tree.take_first()
