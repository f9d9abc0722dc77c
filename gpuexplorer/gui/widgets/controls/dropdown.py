"""Dropdown: a field that shows what was chosen, and opens the list of all there is."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QStandardItem, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
)

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.choice import Choice

_ROW, _MOST_ROWS, _INNER, _TICK, _RADIUS = 30, 12, 12.0, 16.0, 6.0
_CHIP, _GAP, _LEAST_REMARK = 20.0, 8.0, 18.0


Offer = Callable[[], Sequence[Choice]]


class Dropdown(QComboBox):
    """`chosen` says what a person wants; whoever decides shows it by `show_choice`."""

    chosen = Signal(object)

    def __init__(self, name: str, offer: Offer, least_width: int = 0) -> None:
        """`least_width` is the list's, where the field itself is narrow."""
        super().__init__()
        self.look = look()
        self._offer = offer
        self._least_width = least_width
        self._offered: Sequence[Choice] = ()
        self._choice: Choice | None = None
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(40)
        self.setMaxVisibleItems(_MOST_ROWS)
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self.view().setAccessibleName(name)
        self.view().setItemDelegate(_ChoiceRow(self))
        self.activated.connect(self._on_activated)

    def show_choice(self, choice: Choice | None, placeholder: str = "") -> None:
        """`placeholder` says why nothing is chosen."""
        if choice != self._choice or placeholder != self.placeholderText():
            self._choice = choice
            self.setPlaceholderText(placeholder)
            self.setToolTip(placeholder if choice is None else choice.said)
            self.update()
        self._fill()

    def choice_at(self, row: int) -> Choice:
        return self._offered[row]

    def holds(self, choice: Choice) -> bool:
        return self._choice is not None and choice.key == self._choice.key

    def _fill(self) -> None:
        offered = tuple(self._offer())
        if offered != self._offered:
            self._offered = offered
            self._items.clear()
            for each in offered:
                item = QStandardItem(each.said)
                item.setEnabled(not each.refused)
                item.setToolTip(each.refused)
                self._items.appendRow(item)
        held = (row for row, each in enumerate(offered) if self.holds(each))
        self.setCurrentIndex(next(held, -1))

    def _on_activated(self, row: int) -> None:
        chosen = self._offered[row].key
        self._fill()  # until it is decided, what was chosen before holds
        self.chosen.emit(chosen)

    def showPopup(self) -> None:
        self._fill()
        self.view().setMinimumWidth(max(self.width(), self._least_width))
        self.view().keyboardSearch("")  # forgets what was typed when it was open before
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls on."""
        event.ignore()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        kind, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        with QPainter(self) as painter:
            self.style().drawComplexControl(kind, option, painter, self)
            place = self.style().subControlRect(kind, option, field, self)
            self._draw_chosen(Drawing(painter), QRectF(place))

    def _draw_chosen(self, drawing: Drawing, place: QRectF) -> None:
        if self._choice is not None:
            draw_choice(drawing, place, self._choice)
            return
        letters = drawing.letters.body
        quiet = Run(self.placeholderText(), letters, drawing.theme.faint)
        baseline = place.center().y() + letters.cap_height / 2
        drawing.elided(place.left(), baseline, quiet, place.width())

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())


class _ChoiceRow(Delegate):
    """What holds has a tick."""

    def __init__(self, dropdown: Dropdown) -> None:
        super().__init__(dropdown)
        self._dropdown = dropdown

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        choice = self._dropdown.choice_at(index.row())
        place = place.adjusted(4, 1, -4, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            drawing.filled(place, drawing.theme.selection, _RADIUS)
        inner = place.adjusted(_INNER - 4, 0, -_INNER, 0)
        if self._dropdown.holds(choice):
            top = inner.center().y() - _TICK / 2
            tick = QRectF(inner.right() - _TICK, top, _TICK, _TICK)
            drawing.icon(Icon.CHECK, tick, drawing.theme.quiet)
            inner.setRight(tick.left() - 4)
        draw_choice(drawing, inner, choice)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, _ROW)


def draw_choice(drawing: Drawing, place: QRectF, choice: Choice) -> None:
    """From the left of `place`, in its middle; what has no room is cut off."""
    theme, letters = drawing.theme, drawing.letters
    left, middle = place.left(), place.center().y()
    if choice.chip:
        chip = QRectF(left, middle - _CHIP / 2, _CHIP, _CHIP)
        fill = None if choice.outlined else theme.card(choice.colour)
        drawing.chip(chip, choice.chip, letters.badge, fill)
        left = chip.right() + _GAP
    lettering = letters.mono if choice.typed else letters.body
    ink = theme.faint if choice.refused else theme.text
    run = Run(choice.words, lettering, ink)
    baseline = middle + letters.body.cap_height / 2
    left = drawing.elided(left, baseline, run, place.right() - left) + _GAP
    remark = choice.refused or choice.remark
    if remark and place.right() - left > _LEAST_REMARK:
        quiet = Run(remark, letters.caption, theme.faint if choice.refused else theme.quiet)
        drawing.elided(left, baseline, quiet, place.right() - left)
