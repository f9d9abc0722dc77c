"""VisibleSheet: which cards the lab sees, and in which order it numbers them."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.lab.head.words import (
    VISIBLE,
    Visible,
    as_choice,
    usual_order,
    visible_line,
)
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, switch
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

_HEIGHT = 36


class VisibleSheet(Sheet):
    """`chosen` brings the cards' indices in order; None for all as they are."""

    chosen = Signal(object)

    def __init__(
        self, cards: Sequence[Shown], visible: Visible, runs: bool, parent: QWidget
    ) -> None:
        """`runs`: a worker is there, which was told when it started."""
        super().__init__(tr("Visible cards and their order"), parent, 460)
        self._usual = usual_order(cards)
        chosen = self._usual if visible is None else list(visible)
        self._visible = set(chosen)
        self._order = [*chosen, *(each for each in self._usual if each not in chosen)]
        by_index = {each.card.index: each for each in cards}
        self._rows = {index: VisibleRow(by_index[index]) for index in self._order}
        self.add_sentence(tr(VISIBLE.sentence), Tone.QUIET)
        self._list = column(gap=2)
        self.body.addLayout(self._list)
        self._line = ElidedLabel(look().letters.mono, Tone.TEXT)
        self.body.addWidget(self._line)
        names = tr("TensorFlow: {names}", names=VISIBLE.tensorflow)
        self.body.addWidget(label(names, look().letters.caption, Tone.QUIET))
        every = self.add_button(tr("All, in their order"), ROLE.ResetRole)
        every.clicked.connect(self._on_all)
        words = tr("Release the cards and use this") if runs else tr("Use this")
        self._use = self.add_button(words, ROLE.AcceptRole, default=True)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.accepted.connect(self._on_use)
        for each in self._rows.values():
            each.turned.connect(self._on_turned)
            each.moved.connect(self._on_moved)
        self._arrange_rows()
        if self._order:
            self.begins = self._rows[self._order[0]].first

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
            self.area.ensureWidgetVisible(self._rows[index])

    def _on_all(self) -> None:
        self._order = list(self._usual)
        self._visible = set(self._usual)
        self._arrange_rows()

    def _on_use(self) -> None:
        self.chosen.emit(as_choice(self._chosen(), self._usual))


class VisibleRow(QWidget):
    """A card, and the number it gets. Asks; the list decides and shows it here."""

    turned = Signal(int, bool)
    moved = Signal(int, int)  # by -1 or 1

    def __init__(self, shown: Shown, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = shown
        index, number = shown.card.index, shown.number
        # Where the keyboard begins.
        self.first = switch(tr("Card {number} is visible", number=number))
        self.first.clicked.connect(lambda on: self.turned.emit(index, on))
        self._chip = ChipRow()
        self._name = ElidedLabel(look().letters.body, Tone.TEXT, shown.card.name)
        self._words = ElidedLabel(look().letters.mono, Tone.TEXT)
        up = tr("Move card {number} up", number=number)
        self._up = IconButton(Icon.ASCENDING, up)
        self._up.clicked.connect(lambda: self.moved.emit(index, -1))
        down = tr("Move card {number} down", number=number)
        self._down = IconButton(Icon.DESCENDING, down)
        self._down.clicked.connect(lambda: self.moved.emit(index, 1))
        said = (self._chip, self._name, GROWS, self._words)
        row(self.first, *said, self._up, self._down, within=self, gap=10)
        self.setFixedHeight(_HEIGHT)

    def show_place(self, number: int | None, *, first: bool, last: bool) -> None:
        """`number`: what CUDA will call it; None while it is not visible."""
        shown, on = self._shown, number is not None
        words = f"cuda:{number}" if on else tr("not seen")
        self.first.setChecked(on)
        self._chip.show_chips([Chip(shown.number, shown.colour if on else None)])
        for each in (self._name, self._words):
            restyle(each, "tone", (Tone.TEXT if on else Tone.FAINT).value)
        self._words.show_text(words)
        self._up.setEnabled(not first)
        self._down.setEnabled(not last)
        self.setAccessibleName(
            tr(
                "Card {number}, {name}: {words}",
                number=shown.number,
                name=shown.card.name,
                words=words,
            )
        )

    def take_keyboard(self, by: int) -> None:
        """Where it was, unless it cannot go further that way."""
        button = self._up if by < 0 else self._down
        other = self._down if by < 0 else self._up
        chosen = button if button.isEnabled() else other
        chosen.setFocus(Qt.FocusReason.OtherFocusReason)
