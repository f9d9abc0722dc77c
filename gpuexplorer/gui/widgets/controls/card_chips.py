"""CardChips: which card is looked at, and a way to every other, from one card to very many."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import plain_tip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown, chip_icon
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import label, row

# Eight cards and the computer are found at a glance; beyond, a step on or back and a list.
MOST_CHIPS = 9
_CHIP, _LIST = 20, 240


class CardChips(QWidget):
    """Asks for another card or MIG instance, or for the computer itself; whoever decides shows
    it by `show_choices`.
    """

    chosen = Signal(object)  # a CardId

    def __init__(self) -> None:
        super().__init__()
        self._choices: Sequence[Choice] = ()
        self._current: CardId | None = None
        self._chips = Segmented("", ())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        back = IconButton(Icon.PREVIOUS, tr("Previous card"))
        back.clicked.connect(lambda: self.step(-1))
        on = IconButton(Icon.NEXT, tr("Next card"))
        on.clicked.connect(lambda: self.step(1))
        self._all = Dropdown(tr("Card to look at"))
        self._all.setFixedWidth(_LIST)
        self._all.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._all.setProperty("kind", "bare")
        self._all.chosen.connect(self.chosen)
        self._count = label("", look().letters.body, Tone.QUIET)
        self._many = QFrame()
        self._many.setProperty("panel", "track")
        row(back, self._all, self._count, on, within=self._many, gap=0)
        self._row = row(self._many, self._chips, within=self)
        look().changed.connect(self._make_chips)

    def show_choices(self, choices: Sequence[Choice], current: CardId) -> None:
        """Each with the card's id, its number, and "Card 0, NVIDIA TITAN RTX"."""
        changed, self._choices, self._current = choices != self._choices, choices, current
        count = sum(each.key != HOST_ID for each in choices)
        self._count.setText(tr("of {count}", count=count))
        self._all.show_choices(choices, current)
        if changed:
            self._make_chips()
        self._chips.show_choice(current)
        self.setVisible(len(choices) > 1)

    def step(self, by: int) -> None:
        """On by so many cards, or back, as far as there are any."""
        keys = [choice.key for choice in self._choices]
        at = keys.index(self._current) + by if self._current in keys else 0
        if 0 <= at < len(keys):
            self.chosen.emit(keys[at])

    def _make_chips(self) -> None:
        """Again in each theme, whose colours they have."""
        self._row.removeWidget(self._chips)
        self._chips.hide()
        self._chips.deleteLater()
        few = self._choices if len(self._choices) <= MOST_CHIPS else ()
        self._chips = Segmented(tr("Card to look at"), [(each.key, each.words) for each in few])
        self._chips.chosen.connect(self.chosen)
        self._many.setVisible(not few)
        theme, letters = look().theme, look().letters.strong
        for each in few:
            chip = self._chips.segments[each.key]
            fill = None if each.colour is None else theme.card(each.colour)
            size = QSize(max(_CHIP, round(letters.width(each.words)) + 10), _CHIP)
            chip.setProperty("kind", "chip")
            chip.setAccessibleName(each.remark)
            chip.setToolTip(plain_tip(each.remark))
            chip.setIcon(chip_icon(each.words, fill, letters, size))
            chip.setIconSize(size)
            chip.setFixedWidth(size.width() + 8)
        self._row.addWidget(self._chips)
        self._chips.setVisible(bool(few))
        self._chips.show_choice(self._current)
