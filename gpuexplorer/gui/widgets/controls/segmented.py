"""A few choices in a row, of which one holds: Segmented in a frame, Headings as tabs."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QMenu,
    QSizePolicy,
    QTabBar,
    QToolButton,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton
from gpuexplorer.gui.widgets.controls.keyboard import one_tab_stop
from gpuexplorer.gui.widgets.laid_out import FREE, row

Choices = Sequence[tuple[Hashable, str]]
MARGIN = 6  # around each heading, so that others can line up with the first
_INSET = 2
_OTHER = object()  # the key of what holds and was none of the choices


class Segmented(QFrame):
    """One stop for the Tab key; the arrow keys choose. Where there is no room for all it is
    `compact`: what holds, and the others in a menu.
    """

    chosen = Signal(object)

    def __init__(self, name: str, choices: Choices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Hashable = _OTHER
        self._compact = False
        self._left_out: set[Hashable] = set()
        self.setProperty("panel", "track")
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.segments = {
            key: ToolButton("segment", words, self) for key, words in (*choices, (_OTHER, ""))
        }
        self._menu = MenuButton(name, self)
        self._menu.about_to_open.connect(self._on_menu_asked)
        self._group = QButtonGroup(self)
        for segment in self.segments.values():
            segment.setCheckable(True)
            segment.setAccessibleDescription(name)
            self._group.addButton(segment)
        self._group.buttonClicked.connect(self._on_clicked)
        self._row = row(*self.segments.values(), self._menu, within=self, gap=0)
        self._arrange()

    def show_choice(self, key: Hashable, otherwise: str = "") -> None:
        """`otherwise` is what holds where it is none of the choices."""
        self._shown = key if key in self.segments else _OTHER
        self.segments[_OTHER].show_words(otherwise)
        self._mark()
        self._arrange()

    def holder(self) -> QWidget:
        """What takes the keyboard when it comes here: the choice that holds."""
        return self._menu if self._compact else self.segments[self._shown]

    def show_words(self, key: Hashable, words: str) -> None:
        """The same choice under other words: with another count, say."""
        self.segments[key].show_words(words)
        if key == self._shown:
            self._menu.show_words(words)

    def leave_out(self, key: Hashable, *, out: bool) -> None:
        """A choice that there is only at times."""
        (self._left_out.add if out else self._left_out.discard)(key)
        self._arrange()

    def show_compact(self, compact: bool) -> None:
        if compact is not self._compact:
            self._compact = compact
            self._arrange()

    def fill_width(self) -> None:
        """The choices share what room there is."""
        for each in (self, *self.segments.values()):
            each.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def full_width(self) -> int:
        """What it takes when it is not compact."""
        there = (self.segments[key] for key in self._there())
        return sum(each.sizeHint().width() for each in there) + 2 * _INSET

    def _there(self) -> list[Hashable]:
        words = self.segments.items()
        return [key for key, each in words if each.text() and key not in self._left_out]

    def _mark(self) -> None:
        holds = self.segments[self._shown]
        holds.setChecked(True)
        one_tab_stop(self._group)
        self._menu.show_words(holds.text())

    def _arrange(self) -> None:
        inset, there = 0 if self._compact else _INSET, self._there()
        self._row.setContentsMargins(inset, inset, inset, inset)
        for key, segment in self.segments.items():
            segment.setVisible(not self._compact and key in there)
        self._menu.setVisible(self._compact)

    def _on_clicked(self, button: QAbstractButton) -> None:
        self._mark()  # until it is decided, what was chosen before holds
        for key, segment in self.segments.items():
            if segment is button and key is not _OTHER:
                self.chosen.emit(key)

    def _on_menu_asked(self, menu: QMenu) -> None:
        for key in self._there():
            if key is not _OTHER:
                action = menu.addAction(self.segments[key].text())
                action.setData(key)
                action.setCheckable(True)
                action.setChecked(key == self._shown)
        menu.triggered.connect(self._on_menu_triggered)

    def _on_menu_triggered(self, action: QAction) -> None:
        self.chosen.emit(action.data())


class Headings(QWidget):
    """Qt's row of tabs, lettered as titles, without pages of its own. Screen readers call a row
    of tabs by the tab that is chosen, so what it is for is the name of the widget around it.
    """

    chosen = Signal(object)

    def __init__(self, name: str, choices: Choices) -> None:
        super().__init__()
        self._keys = [key for key, _ in choices]
        self.setAccessibleName(name)
        self._tabs = QTabBar(drawBase=False, expanding=False)
        self._tabs.setFont(look().letters.title.font)
        self._tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self._tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        # Where not all have room. Qt has words for them, in languages of its own.
        ways = tr("Scroll left"), tr("Scroll right")
        for scrolls, words in zip(self._tabs.findChildren(QToolButton), ways, strict=True):
            scrolls.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            scrolls.setAccessibleName(words)
        for key, words in choices:
            self._tabs.addTab("")
            self.show_words(key, words)
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
