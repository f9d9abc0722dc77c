"""Segmented: a few choices in a row, of which one holds."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QWidget,
)

from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton, one_tab_stop

_INSET = 2
_NOTHING_YET = object()


class Segmented(QFrame):
    """One stop for the Tab key; the arrow keys choose."""

    chosen = Signal(object)

    def __init__(
        self, name: str, choices: Sequence[tuple[Hashable, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._shown: Hashable = _NOTHING_YET
        self._compact = False
        self.setProperty("panel", "track")
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._segments = {key: ToolButton("segment", words, self) for key, words in choices}
        self._left_out: set[Hashable] = set()
        # What holds and was none of the choices.
        self._other = ToolButton("segment", "", self)
        self._menu = MenuButton(name, self)
        self._menu.about_to_open.connect(self._on_menu_asked)
        self._group = QButtonGroup(self)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(_INSET, _INSET, _INSET, _INSET)
        row.setSpacing(0)
        for segment in (*self._segments.values(), self._other):
            segment.setCheckable(True)
            segment.setAccessibleDescription(name)
            self._group.addButton(segment)
            row.addWidget(segment)
        row.addWidget(self._menu)
        self._group.buttonClicked.connect(self._on_clicked)
        self._arrange()

    def show_choice(self, key: Hashable, otherwise: str = "") -> None:
        """`otherwise` is what holds where it is none of the choices."""
        self._shown = key
        self._other.show_words(otherwise)
        self._mark()
        self._arrange()

    def holder(self) -> QWidget:
        """What takes the keyboard when it comes here: the choice that holds."""
        return self._menu if self._compact else self._segments[self._shown]

    def name_segment(self, key: Hashable, name: str) -> None:
        """By which it is found in the window."""
        self._segments[key].setObjectName(name)

    def show_words(self, key: Hashable, words: str) -> None:
        """The same choice under other words: with another count, say."""
        self._segments[key].show_words(words)
        if key == self._shown:
            self._menu.show_words(words)

    def leave_out(self, key: Hashable, *, out: bool) -> None:
        """A choice that there is only at times."""
        (self._left_out.add if out else self._left_out.discard)(key)
        self._arrange()

    def show_compact(self, compact: bool) -> None:
        """Only what holds, and the others in a menu, where there is no room for all."""
        if compact is not self._compact:
            self._compact = compact
            self._arrange()

    def fill_width(self) -> None:
        """The choices share what room there is."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for segment in self._segments.values():
            segment.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def full_width(self) -> int:
        """What it takes when it is not compact."""
        there = [each for key, each in self._segments.items() if key not in self._left_out]
        shown = [*there, *([self._other] if self._other.text() else [])]
        return sum(each.sizeHint().width() for each in shown) + 2 * _INSET

    def _mark(self) -> None:
        holds = self._segments.get(self._shown, self._other)
        holds.setChecked(True)
        one_tab_stop(self._group)
        self._menu.show_words(holds.text())

    def _arrange(self) -> None:
        inset = 0 if self._compact else _INSET
        self._row.setContentsMargins(inset, inset, inset, inset)
        for key, segment in self._segments.items():
            segment.setVisible(not self._compact and key not in self._left_out)
        self._other.setVisible(bool(self._other.text()) and not self._compact)
        self._menu.setVisible(self._compact)

    def _on_clicked(self, button: QAbstractButton) -> None:
        self._mark()  # until it is decided, what was chosen before holds
        for key, segment in self._segments.items():
            if segment is button:
                self.chosen.emit(key)

    def _on_menu_asked(self, menu: QMenu) -> None:
        for key, segment in self._segments.items():
            if key in self._left_out:
                continue
            action = menu.addAction(segment.text())
            action.setData(key)
            action.setCheckable(True)
            action.setChecked(key == self._shown)
        menu.triggered.connect(self._on_menu_triggered)

    def _on_menu_triggered(self, action: QAction) -> None:
        self.chosen.emit(action.data())
