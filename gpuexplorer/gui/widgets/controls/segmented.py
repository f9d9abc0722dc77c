"""Segmented: a few choices in a row, of which one holds."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent, QWheelEvent
from PySide6.QtWidgets import QButtonGroup, QComboBox, QFrame, QSizePolicy, QWidget

from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.keyboard import one_tab_stop
from gpuexplorer.gui.widgets.laid_out import row


class Picker(QComboBox):
    """Qt's list to choose from; over it the page scrolls on."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Segmented(QFrame):
    """One stop for the Tab key; the arrow keys choose. Where there is no room for all it is
    `compact`: a list of them. As `heading` it is lettered as a title, without a frame.
    """

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        choices: Sequence[tuple[Hashable, str]],
        parent: QWidget | None = None,
        *,
        heading: bool = False,
    ) -> None:
        super().__init__(parent)
        kind = "heading" if heading else "segment"
        self.setProperty("panel", "clear" if heading else "track")
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._keys = [key for key, _ in choices]
        self._at = len(choices)
        self.segments = {key: ToolButton(kind, None, words) for key, words in choices}
        self._other = ToolButton(kind)  # what holds and is none of the choices
        self._other.hide()
        self._group = QButtonGroup(self)
        for at, segment in enumerate((*self.segments.values(), self._other)):
            segment.setCheckable(True)
            segment.setAccessibleDescription(name)
            self._group.addButton(segment, at)
        self._row, self._list = QWidget(), Picker()
        row(*self.segments.values(), self._other, within=self._row, gap=0, margins=2)
        self._list.addItems([words for _, words in choices])
        self._list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._list.setProperty("kind", "bare")
        self._list.setAccessibleName(name)
        self._list.setToolTip(name)
        self._list.hide()
        row(self._row, self._list, within=self)
        self._group.idClicked.connect(self._on_chosen)
        self._list.activated.connect(self._on_chosen)

    def show_choice(self, key: Hashable, otherwise: str = "") -> None:
        """`otherwise` is what holds where it is none of the choices."""
        self._at = self._keys.index(key) if key in self._keys else len(self._keys)
        self._other.show_words(otherwise)
        self._other.setVisible(bool(otherwise))
        self._list.removeItem(len(self._keys))
        if otherwise:
            self._list.addItem(otherwise)
        self._mark()

    def holder(self) -> QWidget:
        """What takes the keyboard when it comes here: the choice that holds."""
        return self._list if self._row.isHidden() else self._group.button(self._at)

    def show_words(self, key: Hashable, words: str) -> None:
        """The same choice under other words: with another count, say."""
        self.segments[key].show_words(words)
        self._list.setItemText(self._keys.index(key), words)

    def show_compact(self, compact: bool) -> None:
        self._row.setVisible(not compact)
        self._list.setVisible(compact)

    def full_width(self) -> int:
        """What it takes when it is not compact."""
        return self._row.sizeHint().width()

    def _mark(self) -> None:
        held = self._group.button(self._at)
        held.setChecked(True)
        one_tab_stop(self._group)
        if any(each.hasFocus() for each in self._group.buttons()):
            held.setFocus()  # a click does not bring the keyboard along
        self._list.setCurrentIndex(self._at)

    def _on_chosen(self, at: int) -> None:
        self._mark()  # until it is decided, what was chosen before holds
        if at < len(self._keys):
            self.chosen.emit(self._keys[at])

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.holder().setFocus(event.reason())
