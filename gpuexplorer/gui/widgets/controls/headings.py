"""Headings: Qt's row of tabs, lettered as titles, without pages of its own."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.laid_out import FREE, row

MARGIN = 6  # around each word, so that others can line up with the first


class Headings(QWidget):
    """One stop for the Tab key; the arrow keys choose. Screen readers call a row of tabs by the
    tab that is chosen, so what it is for is the name of the widget around it.
    """

    chosen = Signal(object)

    def __init__(self, name: str, choices: Sequence[tuple[Hashable, str]]) -> None:
        super().__init__()
        self._keys = [key for key, _ in choices]
        self.setAccessibleName(name)
        self._tabs = QTabBar()
        self._tabs.setFont(look().letters.title.font)
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self._tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        # Where not all have room. Qt has words for them, in languages of its own.
        ways = tr("Scroll left"), tr("Scroll right")
        for scrolls, words in zip(self._tabs.findChildren(QToolButton), ways, strict=True):
            scrolls.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            scrolls.setAccessibleName(words)
        for _, words in choices:
            self._tabs.setTabToolTip(self._tabs.addTab(words), words)
        self._tabs.currentChanged.connect(self._on_current_changed)
        self.setFocusProxy(self._tabs)
        row(self._tabs, FREE, within=self)

    def show_choice(self, key: Hashable) -> None:
        with QSignalBlocker(self._tabs):
            self._tabs.setCurrentIndex(self._keys.index(key))

    def show_words(self, key: Hashable, words: str) -> None:
        """The same choice under other words: with another count, say."""
        at = self._keys.index(key)
        if words != self._tabs.tabText(at):
            self._tabs.setTabText(at, words)
            self._tabs.setTabToolTip(at, words)

    def show_tab(self, key: Hashable, *, shown: bool) -> None:
        with QSignalBlocker(self._tabs):
            self._tabs.setTabVisible(self._keys.index(key), shown)
        self._tabs.updateGeometry()

    def _on_current_changed(self, position: int) -> None:
        self.chosen.emit(self._keys[position])
