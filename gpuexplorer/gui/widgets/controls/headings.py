"""Headings: Qt's row of tabs, lettered as titles, without pages of its own."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QTabBar, QWidget

from gpuexplorer.gui.theme.look import Look

MARGIN = 6  # around each word, so that others can line up with the first


class Headings(QWidget):
    """One stop for the Tab key; the arrow keys choose. Screen readers call a row of tabs by the
    tab that is chosen, so what it is for is the name of the widget around it.
    """

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        name: str,
        choices: Sequence[tuple[Hashable, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._keys = [key for key, _ in choices]
        self.setAccessibleName(name)
        self._tabs = QTabBar()
        self._tabs.setFont(look.letters.title.font)
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setUsesScrollButtons(False)
        self._tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self._tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for _, words in choices:
            self._tabs.setTabToolTip(self._tabs.addTab(words), words)
        self._tabs.currentChanged.connect(self._on_current_changed)
        self.setFocusProxy(self._tabs)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._tabs)
        row.addStretch(1)

    def show_choice(self, key: Hashable) -> None:
        with QSignalBlocker(self._tabs):
            self._tabs.setCurrentIndex(self._keys.index(key))

    def _on_current_changed(self, position: int) -> None:
        self.chosen.emit(self._keys[position])
