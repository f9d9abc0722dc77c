"""VisiblePopup: which cards the lab sees, and in which order it numbers them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.head.sheet_labels import plain_label
from gpuexplorer.gui.views.lab.head.visible_row import VisibleRow
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.popup import Popup
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.lab.head.switch_words import VISIBLE
from gpuexplorer.gui.wording.lab.head.visible_words import (
    Visible,
    as_choice,
    usual_order,
    visible_line,
)

_WIDTH, _AROUND, _ROW = 460, 226, 38
_MOST_ROWS = 9


class VisiblePopup(Popup):
    """`chosen` brings the cards' indices in order; None for all as they are."""

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        cards: Sequence[Shown],
        visible: Visible,
        runs: bool,
        anchor: QWidget,
    ) -> None:
        """`runs`: a worker is there, which was told when it started."""
        rows = max(1, min(len(cards), _MOST_ROWS))
        super().__init__(look, _WIDTH, _AROUND + rows * _ROW, anchor)
        self.setAccessibleName("Visible cards and their order")
        self._usual = usual_order(cards)
        chosen = self._usual if visible is None else list(visible)
        self._visible = set(chosen)
        self._order = [*chosen, *(each for each in self._usual if each not in chosen)]
        by_index = {each.card.index: each for each in cards}
        self._rows = {index: VisibleRow(look, by_index[index]) for index in self._order}
        self._line = ElidedLabel(look.letters.mono, Tone.TEXT)
        self._list = QVBoxLayout()
        self._list.setContentsMargins(0, 0, 12 if len(cards) > _MOST_ROWS else 0, 0)
        self._list.setSpacing(2)
        self._list.addStretch(1)
        for row in self._rows.values():
            row.turned.connect(self._on_turned)
            row.moved.connect(self._on_moved)
        self._use = QPushButton("Release the cards and use this" if runs else "Use this")
        self._use.setProperty("kind", "primary")
        self._use.clicked.connect(self._on_use)
        self._all = QPushButton("All, in their order")
        self._all.clicked.connect(self._on_all)
        self._lay_out(look)
        self._arrange_rows()

    def open(self) -> None:
        super().open()
        if self._order:
            self._rows[self._order[0]].begin()

    def _lay_out(self, look: Look) -> None:
        title = QLabel("Visible cards and their order")
        title.setFont(look.letters.title.font)
        inner = QWidget()
        inner.setProperty("panel", "clear")
        inner.setLayout(self._list)
        area = QScrollArea()
        area.setProperty("panel", "clear")
        area.setWidgetResizable(True)
        area.setWidget(inner)
        self._area = area
        foot = QHBoxLayout()
        foot.addWidget(self._all)
        foot.addStretch(1)
        foot.addWidget(self._use)
        for button in (self._all, self._use):
            button.setFont(look.letters.body.font)
        self.panel.setContentsMargins(20, 16, 20, 16)
        self.panel.setSpacing(8)
        self.panel.addWidget(title)
        self.panel.addWidget(wrapped_label(look, VISIBLE.sentence, Tone.QUIET))
        self.panel.addWidget(area, 1)
        self.panel.addWidget(self._line)
        self.panel.addWidget(plain_label(look, f"TensorFlow: {VISIBLE.tensorflow}"))
        self.panel.addSpacing(4)
        self.panel.addLayout(foot)

    def _arrange_rows(self) -> None:
        seen = 0
        for place, index in enumerate(self._order):
            row = self._rows[index]
            self._list.insertWidget(place, row)
            number = seen if index in self._visible else None
            seen += index in self._visible
            row.show_place(number, first=place == 0, last=place == len(self._order) - 1)
        chosen = self._chosen()
        words = visible_line(chosen) if chosen else "At least one card is needed."
        self._line.show_text(words)
        self._use.setEnabled(bool(chosen))

    def _chosen(self) -> Sequence[int]:
        return [index for index in self._order if index in self._visible]

    def _on_turned(self, index: int, on: bool) -> None:
        (self._visible.add if on else self._visible.discard)(index)
        self._arrange_rows()

    def _on_moved(self, index: int, by: int) -> None:
        here = self._order.index(index)
        there = here + by
        if 0 <= there < len(self._order):
            self._order.insert(there, self._order.pop(here))
            self._arrange_rows()
            self._rows[index].take_keyboard(by)
            self._area.ensureWidgetVisible(self._rows[index])

    def _on_all(self) -> None:
        self._order = list(self._usual)
        self._visible = set(self._usual)
        self._arrange_rows()

    def _on_use(self) -> None:
        chosen = as_choice(self._chosen(), self._usual)
        self.hide()
        self.chosen.emit(chosen)
