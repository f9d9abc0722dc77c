"""CardChips: which card is looked at, and a way to every other, from one card to very many."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, plain_tip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton
from gpuexplorer.gui.widgets.laid_out import row
from gpuexplorer.gui.widgets.sheets.card_picker import CardPicker

# Eight cards and the computer are still found at a glance; beyond, a step on or back and a grid
# of all.
MOST_CHIPS = 9
_HEIGHT, _INSET, _CHIP = 32, 2, 20.0


@dataclass(frozen=True, slots=True)
class CardChoice:
    """One card or MIG instance that can be looked at, or the computer itself."""

    id: CardId
    number: str
    title: str  # "Card 0, NVIDIA TITAN RTX"
    colour: int | None


class CardChips(QFrame):
    """Asks for another card; whoever decides shows it by `show_choices`."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._choices: Sequence[CardChoice] = ()
        self._current: CardId | None = None
        self._chips: dict[CardId, CardChip] = {}
        self.setProperty("panel", "track")
        self.setAccessibleName(tr("Card to look at"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._back = IconButton(Icon.PREVIOUS, tr("Previous card"))
        self._back.clicked.connect(self._on_back_asked)
        self._on = IconButton(Icon.NEXT, tr("Next card"))
        self._on.clicked.connect(self._on_next_asked)
        self._all = _OpensAll()
        self._all.clicked.connect(self._on_all_asked)
        self._keys = ArrowKeys(self)
        self._row = row(within=self, gap=0, margins=_INSET)
        for button in (self._back, self._all, self._on):
            button.setFixedHeight(_HEIGHT - 2 * _INSET)
            self._row.addWidget(button)

    def show_choices(self, choices: Sequence[CardChoice], current: CardId) -> None:
        choices = tuple(choices)
        if choices == self._choices and current == self._current:
            return
        if choices != self._choices:
            self._choices = choices
            self._make_chips()
        self._current = current
        many = len(choices) > MOST_CHIPS
        for button in (self._back, self._all, self._on):
            button.setVisible(many)
        for card, chip in self._chips.items():
            chip.setChecked(card == current)
        self._keys.offer(self._chips.get(current))
        here = self._position()
        self._back.setEnabled(here > 0)
        self._on.setEnabled(here < len(choices) - 1)
        if here >= 0:
            cards = sum(each.id != HOST_ID for each in choices)
            self._all.show_choice(choices[here], cards)
        self.setVisible(len(choices) > 1)

    def step(self, by: int) -> None:
        """On by so many cards, or back, as far as there are any."""
        if self._choices:
            there = min(max(self._position() + by, 0), len(self._choices) - 1)
            self._choose(self._choices[there].id)

    def _make_chips(self) -> None:
        for chip in self._chips.values():
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        few = self._choices if len(self._choices) <= MOST_CHIPS else ()
        self._chips = {choice.id: CardChip(choice, self) for choice in few}
        for chip in self._chips.values():
            chip.clicked.connect(self._on_chip_clicked)
            self._row.addWidget(chip)
        self._keys.take(list(self._chips.values()))

    def _position(self) -> int:
        ids = [choice.id for choice in self._choices]
        return ids.index(self._current) if self._current in ids else -1

    def _choose(self, card: CardId) -> None:
        if card != self._current:
            self.chosen.emit(card)

    def _on_chip_clicked(self) -> None:
        for card, chip in self._chips.items():
            # Qt has changed its mark already, but only who decides may do that.
            chip.setChecked(card == self._current)
            if chip is self.sender():
                asked = card
        self._choose(asked)

    def _on_back_asked(self) -> None:
        self.step(-1)

    def _on_next_asked(self) -> None:
        self.step(1)

    def _on_all_asked(self) -> None:
        choices = [(each.id, each.number, each.title) for each in self._choices]
        picker = CardPicker(choices, self._current, self._all)
        picker.chosen.connect(self.chosen)
        picker.open()


class CardChip(PaintedButton):
    """One card as its chip; raised while it is the one looked at."""

    def __init__(self, choice: CardChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = choice
        self.setCheckable(True)
        self.setText(choice.number)
        self.setAccessibleName(choice.title)
        self.setToolTip(plain_tip(choice.title))
        self.setFixedSize(self.sizeHint())

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.strong
        place = QRectF(self.rect())
        if self.isChecked() or self.underMouse():
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            raised = faded(theme.text, 0.14) if theme.dark else theme.surface
            drawing.painter.setBrush(raised if self.isChecked() else theme.selection)
            drawing.painter.drawRoundedRect(place, CONTROL_RADIUS - 1, CONTROL_RADIUS - 1)
        if self.hasFocus():
            drawing.focus_ring(place, CONTROL_RADIUS - 1)
        side = (place.height() - _CHIP) / 2
        colour = self._choice.colour
        fill = None if colour is None else theme.card(colour)
        chip = place.adjusted(side, side, -side, -side)
        drawing.chip(chip, self._choice.number, letters, fill)

    def sizeHint(self) -> QSize:
        letters = self.look.letters.strong
        height = _HEIGHT - 2 * _INSET
        chip = max(_CHIP, letters.width(self.text()) + 10)
        return QSize(round(chip + height - _CHIP), height)


class _OpensAll(ToolButton):
    """The number of the card that is looked at; opens the grid of all."""

    def __init__(self) -> None:
        super().__init__("choice")
        self.setFont(look().letters.strong.font)
        self.setIcon(look().icons.for_button(Icon.OPEN))
        self.setIconSize(QSize(16, 16))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.setToolTip(tr("Choose a card"))

    def show_choice(self, choice: CardChoice, count: int) -> None:
        of_all = tr("{number} of {count}", number=choice.number, count=count)
        self.setText(choice.number if choice.id == HOST_ID else of_all)
        self.setAccessibleName(
            tr("{card}. Choose from {count} cards.", card=choice.title, count=count)
        )
