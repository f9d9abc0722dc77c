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
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QListView,
    QSizePolicy,
    QStyleOptionComboBox,
    QWidget,
)

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, plain_tip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import row

# Eight cards and the computer are still found at a glance; beyond, a step on or back and a grid
# of all, as wide as a board: machines with very many cards have them in boards of eight.
MOST_CHIPS = 9
_HEIGHT, _CHIP, _COLUMNS, _CELL = 28, 20, 8, QSize(42, 34)


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
        self._all = _AllCards()
        self._all.activated.connect(self._choose)
        self._many = QFrame()
        self._many.setProperty("panel", "track")
        named = QLabel(tr("Choose a card"))
        named.setBuddy(self._all)  # on Linux a list has no other name for screen readers
        named.hide()
        row(named, back, self._all, on, within=self._many, gap=0)
        self._row = row(self._many, within=self)
        look().changed.connect(self._draw_chips)

    def show_choices(self, choices: Sequence[CardChoice], current: CardId) -> None:
        if tuple(choices) != self._choices:
            self._choices = tuple(choices)
            self._all.show_choices(self._choices)
            self._make_chips()
        self._current = current
        self._mark()
        self.setVisible(len(choices) > 1)

    def step(self, by: int) -> None:
        """On by so many cards, or back, as far as there are any."""
        if self._choices:
            self._choose(min(max(self._position() + by, 0), len(self._choices) - 1))

    def _make_chips(self) -> None:
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
        for each in few:
            chip = self._chips.segments[each.id]
            chip.setProperty("kind", "chip")
            chip.setAccessibleName(each.title)
            chip.setToolTip(plain_tip(each.title))
        self._draw_chips()

    def _draw_chips(self) -> None:
        theme, letters = look().theme, look().letters.strong
        segments = {} if self._chips is None else self._chips.segments
        for each in self._choices:
            chip = segments.get(each.id)
            if chip is not None:
                fill = None if each.colour is None else theme.card(each.colour)
                size = QSize(max(_CHIP, round(letters.width(each.number)) + 10), _CHIP)
                chip.setIcon(chip_icon(each.number, fill, letters, size))
                chip.setIconSize(size)
                chip.setFixedWidth(size.width() + 8)

    def _mark(self) -> None:
        self._all.show_current(self._position())
        if self._chips is not None:
            self._chips.show_choice(self._current)

    def _position(self) -> int:
        ids = [choice.id for choice in self._choices]
        return ids.index(self._current) if self._current in ids else -1

    def _choose(self, at: int) -> None:
        self._mark()  # until it is decided, what was looked at before is
        if at != self._position():
            self.chosen.emit(self._choices[at].id)


class _AllCards(QComboBox):
    """The number of the card that is looked at; opens a grid of all numbers, where digits go to
    the number itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self._choices: Sequence[CardChoice] = ()
        self._words = ""
        self._model = QStandardItemModel(self)
        self.setModel(self._model)
        self.setProperty("kind", "cards")
        self.setFont(look().letters.strong.font)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(_HEIGHT)
        self.setToolTip(tr("Choose a card"))
        grid = QListView()
        grid.setFlow(QListView.Flow.LeftToRight)
        grid.setWrapping(True)
        grid.setAccessibleName(tr("Cards"))
        self.setView(grid)

    def show_choices(self, choices: Sequence[CardChoice]) -> None:
        self._choices = choices
        self._model.clear()
        wide = max((look().letters.strong.width(each.number) for each in choices), default=0.0)
        cell = QSize(max(_CELL.width(), round(wide) + 18), _CELL.height())
        for each in choices:
            item = QStandardItem(each.number)
            item.setAccessibleText(each.title)
            item.setToolTip(each.title)
            item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
            item.setSizeHint(cell)
            self._model.appendRow(item)
        self.setMaxVisibleItems(-(-len(choices) // _COLUMNS))
        self.view().setFixedWidth(_COLUMNS * cell.width() + 10)

    def show_current(self, at: int) -> None:
        self.setCurrentIndex(at)
        self.updateGeometry()
        if at >= 0:
            here, count = self._choices[at], sum(each.id != HOST_ID for each in self._choices)
            of_all = tr("{number} of {count}", number=here.number, count=count)
            self._words = here.number if here.id == HOST_ID else of_all
            self.setAccessibleName(
                tr("{card}. Choose from {count} cards.", card=here.title, count=count)
            )

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls on."""
        event.ignore()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        option.currentText = self._words

    def sizeHint(self) -> QSize:
        wide = look().letters.strong.width(self._words)
        return QSize(round(wide) + 52, _HEIGHT)


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
