"""WordTabs: headings in a row, of which one holds."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton

TAB_MARGIN = 6.0  # around each word, so that others can line up with the first
_HEIGHT, _GAP = 26, 6


class WordTabs(QWidget):
    """One stop for the Tab key: arrows go from heading to heading and take them."""

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        name: str,
        choices: Sequence[tuple[Hashable, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._keys = [key for key, _ in choices]
        self._tabs = [WordTab(look, words, self) for _, words in choices]
        group = QButtonGroup(self)
        group.setExclusive(True)
        group.idClicked.connect(self._on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_GAP)
        for position, tab in enumerate(self._tabs):
            group.addButton(tab, position)
            row.addWidget(tab)
        row.addStretch(1)
        self._arrows = ArrowKeys(self)
        self._arrows.take(self._tabs)
        self._arrows.moved_to.connect(self._on_moved_to)

    def show_choice(self, key: Hashable) -> None:
        tab = self._tabs[self._keys.index(key)]
        tab.setChecked(True)
        if any(each.hasFocus() for each in self._tabs):
            tab.setFocus()
        self._arrows.offer(tab)

    def take_keyboard(self) -> None:
        """To the heading that holds."""
        next(tab for tab in self._tabs if tab.isChecked()).setFocus()

    def _on_clicked(self, position: int) -> None:
        self.chosen.emit(self._keys[position])

    def _on_moved_to(self, tab: QWidget) -> None:
        self.chosen.emit(self._keys[self._tabs.index(tab)])  # type: ignore[arg-type]  # ours


class WordTab(PaintedButton):
    """One heading."""

    def __init__(self, look: Look, words: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setCheckable(True)
        self.setText(words)
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.title
        strong = self.isChecked() or self.underMouse()
        run = Run(self.text(), letters, theme.text if strong else theme.faint)
        place = QRectF(self.rect())
        drawing.text(TAB_MARGIN, place.center().y() + letters.cap_height / 2, run)
        if self.hasFocus():
            drawing.focus_ring(place, CONTROL_RADIUS)

    def sizeHint(self) -> QSize:
        width = self.look.letters.title.width(self.text()) + 2 * TAB_MARGIN
        return QSize(round(width), _HEIGHT)
