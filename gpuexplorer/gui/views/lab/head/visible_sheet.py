"""VisibleSheet: which cards the lab sees, and in which order it numbers them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.head.visible_row import VisibleRow
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, text_label
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.lab.head.switch_words import VISIBLE
from gpuexplorer.gui.wording.lab.head.visible_words import (
    Visible,
    as_choice,
    usual_order,
    visible_line,
)


class VisibleSheet(Sheet):
    """`chosen` brings the cards' indices in order; None for all as they are."""

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        cards: Sequence[Shown],
        visible: Visible,
        runs: bool,
        parent: QWidget,
    ) -> None:
        """`runs`: a worker is there, which was told when it started."""
        super().__init__(look, tr("Visible cards and their order"), parent, 460)
        self._usual = usual_order(cards)
        chosen = self._usual if visible is None else list(visible)
        self._visible = set(chosen)
        self._order = [*chosen, *(each for each in self._usual if each not in chosen)]
        by_index = {each.card.index: each for each in cards}
        self._rows = {index: VisibleRow(look, by_index[index]) for index in self._order}
        self.add_sentence(tr(VISIBLE.sentence), Tone.QUIET)
        self._list = QVBoxLayout()
        self._list.setSpacing(2)
        self.body.addLayout(self._list)
        self._line = ElidedLabel(look.letters.mono, Tone.TEXT)
        self.body.addWidget(self._line)
        names = tr("TensorFlow: {names}", names=VISIBLE.tensorflow)
        self.body.addWidget(text_label(names, look.letters.caption.font, Tone.QUIET))
        every = self.add_button(tr("All, in their order"), ROLE.ResetRole)
        every.clicked.connect(self._on_all)
        words = tr("Release the cards and use this") if runs else tr("Use this")
        self._use = self.add_button(words, ROLE.AcceptRole, default=True)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.accepted.connect(self._on_use)
        for row in self._rows.values():
            row.turned.connect(self._on_turned)
            row.moved.connect(self._on_moved)
        self._arrange_rows()
        if self._order:
            self.begin_at(self._rows[self._order[0]].first)

    def _arrange_rows(self) -> None:
        seen = 0
        for place, index in enumerate(self._order):
            row = self._rows[index]
            self._list.insertWidget(place, row)
            number = seen if index in self._visible else None
            seen += index in self._visible
            row.show_place(number, first=place == 0, last=place == len(self._order) - 1)
        chosen = self._chosen()
        words = visible_line(chosen) if chosen else tr("At least one card is needed.")
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
            self.bring_into_view(self._rows[index])

    def _on_all(self) -> None:
        self._order = list(self._usual)
        self._visible = set(self._usual)
        self._arrange_rows()

    def _on_use(self) -> None:
        self.chosen.emit(as_choice(self._chosen(), self._usual))
