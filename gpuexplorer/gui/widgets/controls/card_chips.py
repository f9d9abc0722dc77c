"""CardChips: which card is looked at, and a way to every other, from one card to very many."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QIcon,
    QPainter,
    QPixmap,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QComboBox, QFrame, QListView, QSizePolicy, QWidget

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, plain_tip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.segmented import Picker, Segmented
from gpuexplorer.gui.widgets.laid_out import label, row

# Eight cards and the computer are still found at a glance; beyond, a step on or back and a grid
# of all, as wide as a board: machines with very many cards have them in boards of eight.
MOST_CHIPS = 9
_CHIP, _COLUMNS, _CELL = 20, 8, QSize(50, 34)


@dataclass(frozen=True, slots=True)
class CardChoice:
    """One card or MIG instance that can be looked at, or the computer itself."""

    id: CardId
    number: str
    title: str  # "Card 0, NVIDIA TITAN RTX"
    colour: int | None


class CardChips(QWidget):
    """Asks for another card; whoever decides shows it by `show_choices`."""

    chosen = Signal(object)  # a CardId

    def __init__(self) -> None:
        super().__init__()
        self._choices: Sequence[CardChoice] = ()
        self._current: CardId | None = None
        self._chips: Segmented | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        back = IconButton(Icon.PREVIOUS, tr("Previous card"))
        back.clicked.connect(lambda: self.step(-1))
        on = IconButton(Icon.NEXT, tr("Next card"))
        on.clicked.connect(lambda: self.step(1))
        self._all, grid = Picker(), QListView()
        self._all.setProperty("kind", "bare")
        self._all.setFont(look().letters.strong.font)
        self._all.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        grid.setFlow(QListView.Flow.LeftToRight)
        grid.setWrapping(True)
        grid.setAccessibleName(tr("Cards"))
        self._all.setView(grid)
        self._all.activated.connect(self._choose)
        self._count = label("", look().letters.body, Tone.QUIET)
        self._many = QFrame()
        self._many.setProperty("panel", "track")
        row(back, self._all, self._count, on, within=self._many, gap=0)
        self._row = row(self._many, within=self)
        look().changed.connect(self._make)

    def show_choices(self, choices: Sequence[CardChoice], current: CardId) -> None:
        self._current = current
        if tuple(choices) != self._choices:
            self._choices = tuple(choices)
            self._make()
        self._mark()
        self.setVisible(len(choices) > 1)

    def step(self, by: int) -> None:
        """On by so many cards, or back, as far as there are any."""
        if self._choices:
            self._choose(min(max(self._position() + by, 0), len(self._choices) - 1))

    def _make(self) -> None:
        """Again in each theme: the chips have its colours."""
        if self._chips is not None:
            self._row.removeWidget(self._chips)
            self._chips.hide()
            self._chips.deleteLater()
        few = self._choices if len(self._choices) <= MOST_CHIPS else ()
        self._chips = Segmented(tr("Card to look at"), [(each.id, each.number) for each in few])
        self._row.addWidget(self._chips)
        self._chips.chosen.connect(self.chosen)
        self._chips.setVisible(bool(few))
        self._many.setVisible(not few)
        theme, letters = look().theme, look().letters.strong
        for each in few:
            chip = self._chips.segments[each.id]
            fill = None if each.colour is None else theme.card(each.colour)
            size = QSize(max(_CHIP, round(letters.width(each.number)) + 10), _CHIP)
            chip.setProperty("kind", "chip")
            chip.setAccessibleName(each.title)
            chip.setToolTip(plain_tip(each.title))
            chip.setIcon(chip_icon(each.number, fill, letters, size))
            chip.setIconSize(size)
            chip.setFixedWidth(size.width() + 8)
        model = QStandardItemModel(self)
        for each in self._choices:
            item = QStandardItem(each.number)
            item.setAccessibleText(each.title)
            item.setToolTip(each.title)
            item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
            item.setSizeHint(_CELL)
            model.appendRow(item)
        self._all.setModel(model)
        self._all.setMaxVisibleItems(-(-len(self._choices) // _COLUMNS))
        self._all.view().setFixedWidth(_COLUMNS * _CELL.width() + 10)
        self._mark()

    def _mark(self) -> None:
        at, count = self._position(), sum(each.id != HOST_ID for each in self._choices)
        self._all.setCurrentIndex(at)
        self._count.setText(tr("of {count}", count=count))
        self._count.setVisible(self._current != HOST_ID)
        if at >= 0:
            title = self._choices[at].title
            said = tr("{card}. Choose from {count} cards.", card=title, count=count)
            self._all.setAccessibleName(said)
            self._all.setToolTip(plain_tip(said))
        if self._chips is not None:
            self._chips.show_choice(self._current)

    def _position(self) -> int:
        ids = [choice.id for choice in self._choices]
        return ids.index(self._current) if self._current in ids else -1

    def _choose(self, at: int) -> None:
        self._mark()  # until it is decided, what was looked at before is
        if at != self._position():
            self.chosen.emit(self._choices[at].id)


def chip_icon(number: str, fill: QColor | None, letters: Lettering, size: QSize) -> QIcon:
    """A card's chip in its colour, or outlined where it has none."""
    sharp = QGuiApplication.primaryScreen().devicePixelRatio()
    pixmap = QPixmap(size * sharp)
    pixmap.setDevicePixelRatio(sharp)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        place = QRectF(0, 0, size.width(), size.height())
        Drawing(painter).chip(place, number, letters, fill)
    return QIcon(pixmap)
