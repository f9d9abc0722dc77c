"""VisibleSheet: which cards the lab sees, and in which order it numbers them."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, text_label
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.lab.head.switch_words import (
    VISIBLE,
    Visible,
    as_choice,
    usual_order,
    visible_line,
)

_HEIGHT = 36


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


class VisibleRow(QWidget):
    """Asks; the list decides and shows it here."""

    turned = Signal(int, bool)
    moved = Signal(int, int)  # by -1 or 1

    def __init__(self, look: Look, shown: Shown, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._index = shown.card.index
        self._switch = Switch(look, tr("Card {number} is visible", number=shown.number))
        self._switch.turned.connect(self._on_turned)
        self._face = VisibleFace(look, shown)
        self._up = IconButton(look, Icon.ASCENDING)
        self._up.show_meaning(Icon.ASCENDING, tr("Move card {number} up", number=shown.number))
        self._down = IconButton(look, Icon.DESCENDING)
        self._down.show_meaning(
            Icon.DESCENDING, tr("Move card {number} down", number=shown.number)
        )
        self._up.clicked.connect(self._on_up)
        self._down.clicked.connect(self._on_down)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._switch)
        row.addWidget(self._face, 1)
        row.addWidget(self._up)
        row.addWidget(self._down)
        self.setFixedHeight(_HEIGHT)

    def show_place(self, number: int | None, *, first: bool, last: bool) -> None:
        """`number`: what CUDA will call it; None while it is not visible."""
        self._switch.show_on(number is not None)
        self._face.show_number(number)
        self._up.setEnabled(not first)
        self._down.setEnabled(not last)

    def take_keyboard(self, by: int) -> None:
        """Where it was, unless it cannot go further that way."""
        button = self._up if by < 0 else self._down
        other = self._down if by < 0 else self._up
        chosen = button if button.isEnabled() else other
        chosen.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def first(self) -> QWidget:
        """Where the keyboard begins."""
        return self._switch

    def _on_turned(self, on: bool) -> None:
        self.turned.emit(self._index, on)

    def _on_up(self) -> None:
        self.moved.emit(self._index, -1)

    def _on_down(self) -> None:
        self.moved.emit(self._index, 1)


class VisibleFace(Painted):
    """Chip, name, and the number it gets."""

    def __init__(self, look: Look, shown: Shown, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._shown = shown
        self._words = ""
        self._on = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_number(self, number: int | None) -> None:
        self._on = number is not None
        self._words = tr("not seen") if number is None else f"cuda:{number}"
        name = self._shown.card.name
        self.setAccessibleName(
            tr(
                "Card {number}, {name}: {words}",
                number=self._shown.number,
                name=name,
                words=self._words,
            )
        )
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters, shown = drawing.theme, drawing.letters, self._shown
        middle = self.height() / 2
        wide = max(20.0, letters.badge.width(shown.number) + 10)
        fill = None if shown.colour is None else theme.card(shown.colour)
        chip = QRectF(0, middle - 10, wide, 20)
        drawing.chip(chip, shown.number, letters.badge, fill if self._on else None)
        ink = theme.text if self._on else theme.faint
        mono = letters.mono if self._on else letters.body
        end = drawing.runs_right(
            self.width() - 4, middle + mono.cap_height / 2, [Run(self._words, mono, ink)]
        )
        left = chip.right() + 10
        name = Run(shown.card.name, letters.body, ink)
        drawing.elided(left, middle + letters.body.cap_height / 2, name, end - 12 - left)

    def sizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)
