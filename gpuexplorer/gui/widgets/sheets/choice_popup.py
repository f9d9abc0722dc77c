"""ChoicePopup: the list that a dropdown opens; letters go to the next choice that has them."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.choice import Choice
from gpuexplorer.gui.widgets.controls.choice_drawing import draw_choice
from gpuexplorer.gui.widgets.controls.choice_model import CHOICE, ChoiceModel
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS
from gpuexplorer.gui.widgets.sheets.popup import Popup

_ROW, _MOST_ROWS, _AROUND = 30, 12, 5
_INNER, _TICK = 10.0, 16.0


class ChoicePopup(Popup):
    """As wide as what it was opened from, or a little wider."""

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        name: str,
        choices: Sequence[Choice],
        current: Hashable,
        width: int,
        anchor: QWidget,
    ) -> None:
        rows = min(len(choices), _MOST_ROWS)
        super().__init__(look, width, rows * _ROW + 2 * _AROUND, anchor)
        self._list = ChoiceList(look, choices, current)
        self._list.setAccessibleName(name)
        self._list.taken.connect(self._on_taken)
        self.panel.setContentsMargins(0, _AROUND, 0, _AROUND)
        self.panel.addWidget(self._list)

    def open(self) -> None:
        super().open()
        self._list.setFocus(Qt.FocusReason.PopupFocusReason)
        self._list.scrollTo(self._list.currentIndex())

    def _on_taken(self, key: Hashable) -> None:
        self.hide()
        self.chosen.emit(key)


class ChoiceList(QListView):
    """Paints only what is seen, however many there are."""

    taken = Signal(object)

    def __init__(
        self,
        look: Look,
        choices: Sequence[Choice],
        current: Hashable,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("kind", "bare")
        self.setModel(ChoiceModel(choices, self))
        self.setItemDelegate(_ChoiceRow(look, current, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._on_clicked)
        self.entered.connect(self._on_entered)
        keys = [each.key for each in choices]
        row = keys.index(current) if current in keys else 0
        self.setCurrentIndex(self.model().index(row, 0))

    def _take(self, index: QModelIndex) -> None:
        choice = index.data(CHOICE)
        if isinstance(choice, Choice) and not choice.refused:
            self.taken.emit(choice.key)

    def _on_clicked(self, index: QModelIndex) -> None:
        self._take(index)

    def _on_entered(self, index: QModelIndex) -> None:
        if index.flags() & Qt.ItemFlag.ItemIsEnabled:
            self.setCurrentIndex(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                self._take(self.currentIndex())
            case Qt.Key.Key_Escape:
                event.ignore()
            case _:
                super().keyPressEvent(event)


class _ChoiceRow(QStyledItemDelegate):
    """What holds has a tick."""

    def __init__(self, look: Look, current: Hashable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._current = current

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        choice = index.data(CHOICE)
        if not isinstance(choice, Choice):
            return
        painter.save()
        drawing = Drawing(painter, self._look)
        place = QRectF(option.rect).adjusted(_AROUND, 0, -_AROUND, 0)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(drawing.theme.selection)
            painter.drawRoundedRect(place.adjusted(0, 1, 0, -1), CONTROL_RADIUS, CONTROL_RADIUS)
        right = place.right() - _INNER
        if choice.key == self._current:
            tick = QRectF(right - _TICK, place.center().y() - _TICK / 2, _TICK, _TICK)
            drawing.icon(Icon.CHECK, tick, drawing.theme.quiet)
            right = tick.left() - 4
        inner = QRectF(place.left() + _INNER - 4, place.top(), 0, place.height())
        inner.setRight(right)
        draw_choice(drawing, inner, choice)
        painter.restore()

    def sizeHint(
        self,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> QSize:
        return QSize(100, _ROW)
