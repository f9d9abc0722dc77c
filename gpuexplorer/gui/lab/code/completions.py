"""Completions: a list over the editor of how a word may go on, and what is called there."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import column, wrapped_label

_MOST_ROWS, _LEAST, _WIDEST, _MARGIN = 8, 160, 440, 8
_GAP = 12  # to the line that is typed, so that the editor's border is seen


class Completions(QFrame):
    """A child of the window and no popup: the keyboard stays with the editor throughout."""

    picked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("panel", "floating")
        self.setAccessibleName(tr("Completions"))
        self._labels = (wrapped_label("", Tone.TEXT), wrapped_label("", Tone.QUIET))
        self._labels[0].setFont(look().letters.mono.font)
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Completions"))
        self._list.setProperty("kind", "menu")
        self._list.setFont(look().letters.mono.font)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.itemClicked.connect(lambda item: self.picked.emit(item.text()))
        column(*self._labels, self._list, within=self, gap=2, margins=_MARGIN)
        self.hide()

    @property
    def words(self) -> list[str]:
        if not self.isVisible():
            return []
        return [self._list.item(row).text() for row in range(self._list.count())]

    @property
    def current(self) -> str:
        """Empty where none is marked: then Enter is not about the list."""
        row = self._list.currentRow()
        return self._list.item(row).text() if row >= 0 and self.isVisible() else ""

    def show_words(
        self, words: Sequence[str], signature: str, doc: str, *, mark_first: bool
    ) -> None:
        self._list.clear()
        self._list.addItems(list(words))
        self._list.setCurrentRow(0 if mark_first and words else -1)
        for label, text in zip(self._labels, (signature, doc), strict=True):
            label.setText(text)
            label.setVisible(bool(text))
        rows = min(len(words), _MOST_ROWS)
        height = self._list.sizeHintForRow(0) * rows + 2 * self._list.frameWidth()
        self._list.setFixedHeight(max(0, height))
        self._list.setVisible(bool(words))

    def step(self, rows: int) -> None:
        """Round about."""
        count = self._list.count()
        if count:
            row = self._list.currentRow()
            first = 0 if rows > 0 else count - 1
            self._list.setCurrentRow((row + rows) % count if row >= 0 else first)

    def stand_at(self, place: QPoint, below: int) -> None:
        """Above that place of the window; where there is no room, `below` it."""
        window = self.window().rect()
        wide = max(
            self._list.sizeHintForColumn(0) + 48,
            *(label.fontMetrics().horizontalAdvance(label.text()) for label in self._labels),
        )
        width = min(max(_LEAST, wide + 2 * _MARGIN), _WIDEST, window.width() - 2 * _MARGIN)
        layout = self.layout()
        assert layout is not None
        layout.activate()
        wraps = layout.hasHeightForWidth()
        height = layout.totalHeightForWidth(width) if wraps else layout.totalSizeHint().height()
        x = max(_MARGIN, min(place.x(), window.width() - width - _MARGIN))
        y = place.y() - height - _GAP
        self.setGeometry(x, y if y >= 0 else place.y() + below + _GAP, width, height)
        self.show()
        self.raise_()
