"""SmallWindow: every card with how busy and how full it is, above all other windows."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QKeyEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.device_list import DEVICE, DeviceList, DeviceView
from gpuexplorer.gui.event_loop import FrameClock
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index, Run
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone, faded
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge, host_name, window_title
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel, draw_figure_right

_HEAD, _AIR, _AROUND = 34, 6, 6  # the last is what a list of cells takes beside them
# A few cards have a row each, many a cell in rows of eight.
_ROW, _CELL, _COLUMNS = QSize(320, 40), QSize(72, 44), 8
_MOST_ROWS = 12
_CHIP, _SIDE, _NAME = 20.0, 12.0, 40.0
_BUSY_FROM, _BUSY_TO = 112.0, 190.0
_BAR, _INSET = 3.0, 8.0


class SmallWindow(QWidget):
    """Reads nothing itself: it shows what is read for the window in any case. A click, or
    Enter, asks for the card.
    """

    card_asked = Signal(str)
    closed = Signal()

    def __init__(self, actions: Sequence[QAction]) -> None:
        """`actions` work here by their keys too."""
        flag = Qt.WindowType
        # Nobody's child: it is to be seen while the window itself is minimised.
        super().__init__(None, flag.Window | flag.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, on=False)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("panel", "page")
        self._machine: MachineState | None = None
        self._drawn: object = None
        self.addActions(list(actions))
        self._badge = SourceBadge()
        self._host = ElidedLabel(look().letters.body, Tone.QUIET)
        head = row(self._badge, self._host, GROWS, margins=(round(_SIDE), 4, round(_SIDE), 8))
        self._model = DeviceList(self)
        self._list = DeviceView()
        self._list.setProperty("kind", "bare")
        self._list.setAccessibleName(tr("Cards"))
        self._list.setModel(self._model)
        self._list.setItemDelegate(_SmallCardDrawing(self))
        self._list.setUniformItemSizes(True)
        self._list.setResizeMode(QListView.ResizeMode.Adjust)
        self._list.setMouseTracking(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.clicked.connect(self._on_chosen)
        self._list.activated.connect(self._on_chosen)
        column(head, self._list, GROWS, within=self, gap=0, margins=(0, _AIR, 0, _AIR))
        self._clock = FrameClock(self)
        self._clock.ticked.connect(self._on_ticked)
        look().changed.connect(self._on_look_changed)
        self._on_look_changed()

    def follow(self, machine: MachineState) -> None:
        """From now on the cards of this one; of a computer without any, itself."""
        self._machine = machine
        self._drawn = None
        self.setWindowTitle(window_title(machine.session, machine.name, tr("All cards")))
        self._host.show_text(machine.name or host_name(machine.session))
        if self.isVisible():
            self._on_ticked()

    def stop(self) -> None:
        """Harmless when called twice."""
        self._clock.stop()
        self.hide()

    def _on_ticked(self) -> None:
        machine = self._machine
        if machine is None:
            return
        beats, second = machine.session.beats(), int(machine.session.desk.now())
        drawn = (beats.taken, beats.missed, second)
        if drawn != self._drawn:
            self._drawn = drawn
            self._badge.show_source(machine.session.source)
            if self._model.show_faces(small_cards(machine)):
                self._fit()

    def _fit(self) -> None:
        """As large as all cards, as far as a hand's breadth of rows goes."""
        count = self._model.rowCount()
        in_cells = count > MOST_COLOURED_CARDS
        mode, flow = QListView.ViewMode, QListView.Flow
        self._list.setViewMode(mode.IconMode if in_cells else mode.ListMode)
        self._list.setFlow(flow.LeftToRight if in_cells else flow.TopToBottom)
        self._list.setMovement(QListView.Movement.Static)
        columns, item = (_COLUMNS, _CELL) if in_cells else (1, _ROW)
        self._list.setWrapping(in_cells)
        rows = -(-count // columns)
        shown = min(rows, _MOST_ROWS)
        policy = Qt.ScrollBarPolicy
        fits = rows == shown
        self._list.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAlwaysOn
        )
        bar = 0 if fits else self._list.verticalScrollBar().sizeHint().width()
        height = _HEAD + 2 * _AIR + shown * item.height()
        self.setFixedSize(columns * item.width() + bar + _AROUND, height)

    def _on_chosen(self, index: QModelIndex) -> None:
        shown = index.data(DEVICE)
        if isinstance(shown, CardFace):
            self.card_asked.emit(shown.id)

    def _on_look_changed(self) -> None:
        self.setPalette(look().palette())
        self.setStyleSheet(look().style_sheet())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        self._on_ticked()
        super().showEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


def small_cards(machine: MachineState) -> Sequence[CardFace]:
    return [machine.face(each) for each in machine.cards()] or [machine.host_face()]


class _SmallCardDrawing(Delegate):
    """A row or a cell: which card, how busy, how full; or why that is not known."""

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        shown = index.data(DEVICE)
        if not isinstance(shown, CardFace):
            return
        ground = place.adjusted(2, 1, -2, -1)
        if option.state & QStyle.StateFlag.State_MouseOver:
            drawing.filled(ground, drawing.theme.selection, 6)
        if option.state & QStyle.StateFlag.State_HasFocus:
            drawing.focus_ring(ground, 6)
        if place.width() < _ROW.width() / 2:
            _draw_cell(drawing, place, shown)
        else:
            _draw_row(drawing, place, shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        many = index.model().rowCount() > MOST_COLOURED_CARDS
        return _CELL if many else _ROW


def _draw_row(drawing: Drawing, place: QRectF, device: CardFace) -> None:
    theme, letters = drawing.theme, drawing.letters
    left, right, top = place.left(), place.right() - _SIDE, place.top()
    filled = device.colour is not None and device.answers
    chip = QRectF(left + _SIDE, place.center().y() - _CHIP / 2, _CHIP, _CHIP)
    colour = theme.card(device.colour)
    drawing.chip(chip, device.number, letters.badge, colour if filled else None)
    baseline = top + 20
    name = Run(device.short_name, letters.body, theme.text if device.answers else theme.faint)
    if not device.answers:
        said = Run(device.word, letters.body, theme.tone(device.word_tone))
        end = drawing.runs_right(right, baseline, [said])
        drawing.elided(left + _NAME, baseline, name, end - left - _NAME - 8)
        return
    drawing.elided(left + _NAME, baseline, name, _BUSY_FROM - _NAME)
    memory, number = device.memory, letters.body
    busy_right, busy_room = left + _BUSY_TO, _BUSY_TO - _BUSY_FROM
    draw_figure_right(drawing, busy_right, baseline, busy_room, device.busy, number)
    room = right - busy_right - 12
    draw_figure_right(drawing, right, baseline, room, memory.figure, number)
    for begin, end, share, ink in (
        (left + _NAME, left + _BUSY_TO, device.busy_share, colour),
        (left + _BUSY_TO + 12, right, memory.used, faded(colour, 0.62)),
    ):
        track = QRectF(begin, top + 29, end - begin, _BAR)
        if share is None:
            drawing.no_bar(track)
        else:
            drawing.bar(track, [(min(1.0, share), ink)])


def _draw_cell(drawing: Drawing, place: QRectF, device: CardFace) -> None:
    theme, letters = drawing.theme, drawing.letters
    left, right = place.left() + _INSET, place.right() - _INSET
    room = right - left
    first, second = place.top() + 17, place.top() + 31
    after = drawing.text(left, first, Run(device.number, letters.caption, theme.quiet))
    if not device.answers:
        word = Run(device.word, letters.caption, theme.tone(device.word_tone))
        drawing.elided(left, second, word, room, device.sentence)
        return
    busy, memory = device.busy, device.memory
    draw_figure_right(drawing, right, first, right - after - 4, busy, letters.body)
    draw_figure_right(drawing, right, second, room, memory.figure.shorter, letters.caption)
    track = QRectF(left, place.bottom() - 8, room, _BAR)
    if memory.used is None:
        drawing.no_bar(track)
    else:
        drawing.bar(track, [(min(1.0, memory.used), theme.level)])
