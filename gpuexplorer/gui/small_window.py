"""SmallWindow: every card with how busy and how full it is, above all other windows; and
Companions, which opens it, and the icon beside the clock.
"""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QShortcut
from PySide6.QtWidgets import QLayout, QListView, QStyle, QStyleOptionViewItem, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import DEVICE, CardFace, DeviceList, DeviceView
from gpuexplorer.gui.desktop.desktop import Tray
from gpuexplorer.gui.event_loop import FrameClock, News
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index, Run
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation, put_back, remember_place
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge, host_name, window_title
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel, draw_figure_right
from gpuexplorer.gui.window_commands import Do
from gpuexplorer.gui.window_frame import WindowFrame, WindowPart

_OPEN, _PLACE = "small/open", "small/place"
_TOLD_EVERY = 2_000  # milliseconds
_AIR = 6
_ROW, _MOST_ROWS = QSize(320, 40), 16  # of more cards there are columns
_CHIP, _SIDE, _NAME, _BAR = 20.0, 12.0, 40.0, 3.0
_BUSY_FROM, _BUSY_TO = 112.0, 190.0


class SmallWindow(QWidget):
    """Reads nothing itself: it shows what is read for the window in any case. A click, or
    Enter, opens the card.
    """

    def __init__(
        self, navigation: Navigation, switch: QAction, show: QAction, machine: MachineState
    ) -> None:
        """`switch` opens and closes it, `show` shows the other window."""
        flag = Qt.WindowType
        # Nobody's child: it is to be seen while the window itself is minimised.
        super().__init__(None, flag.Window | flag.WindowStaysOnTopHint)
        self._navigation, self._switch, self._show = navigation, switch, show
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, on=False)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("panel", "page")
        self.addAction(switch)
        QShortcut(Qt.Key.Key_Escape, self, self.close)
        self._badge = SourceBadge()
        self._host = ElidedLabel(look().letters.body, Tone.QUIET)
        head = row(self._badge, self._host, GROWS, margins=(round(_SIDE), 4, round(_SIDE), 8))
        self._model, self._list = DeviceList(self), DeviceView()
        self._list.setProperty("kind", "bare")
        self._list.setAccessibleName(tr("Cards"))
        self._list.setModel(self._model)
        self._list.setItemDelegate(_SmallCardDrawing(self))
        self._list.setResizeMode(QListView.ResizeMode.Adjust)
        self._list.setMouseTracking(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for each in (self._list.clicked, self._list.activated):
            each.connect(self._on_chosen)
        parts = head, self._list, GROWS
        layout = column(*parts, within=self, gap=0, margins=(0, _AIR, 0, _AIR))
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        FrameClock(self).ticked.connect(self._on_ticked)
        look().changed.connect(self._on_look_changed)
        self._on_look_changed()
        self.follow(machine)

    def follow(self, machine: MachineState) -> None:
        """From now on the cards of this one; of a computer without any, itself."""
        self._machine, self._news = machine, News()
        self.setWindowTitle(window_title(machine.session, machine.name, tr("All cards")))
        self._host.show_text(machine.name or host_name(machine.session))
        self._on_ticked()

    def _on_ticked(self) -> None:
        if not self._news.came(self._machine.session):
            return
        self._badge.show_source(self._machine.session.source)
        if self._model.show_faces(small_cards(self._machine)):
            count = self._model.rowCount()
            rows, columns = min(count, _MOST_ROWS), -(-count // _MOST_ROWS)
            wide, high = columns * _ROW.width(), rows * _ROW.height()
            self._list.setWrapping(columns > 1)
            self._list.setFixedSize(wide + _AIR, high + 2 * _AIR)

    def _on_chosen(self, index: QModelIndex) -> None:
        self._navigation.open_card(index.data(DEVICE).id)
        self._show.trigger()

    def _on_look_changed(self) -> None:
        self.setPalette(look().palette())
        self.setStyleSheet(look().style_sheet())

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._switch.setChecked(False)


def small_cards(machine: MachineState) -> Sequence[CardFace]:
    return [machine.face(each) for each in machine.cards()] or [machine.host_face()]


class _SmallCardDrawing(Delegate):
    """Which card, how busy, how full; or why that is not known."""

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        device: CardFace = index.data(DEVICE)
        theme, letters = drawing.theme, drawing.letters
        ground = place.adjusted(2, 1, -2, -1)
        if option.state & QStyle.StateFlag.State_MouseOver:
            drawing.filled(ground, theme.selection, 6)
        if option.state & QStyle.StateFlag.State_HasFocus:
            drawing.focus_ring(ground, 6)
        left, right, baseline = place.left(), place.right() - _SIDE, place.top() + 20
        filled, colour = device.colour is not None and device.answers, theme.card(device.colour)
        chip = QRectF(left + _SIDE, place.center().y() - _CHIP / 2, _CHIP, _CHIP)
        drawing.chip(chip, device.number, letters.badge, colour if filled else None)
        tone = theme.text if device.answers else theme.faint
        name = Run(device.short_name, letters.body, tone)
        if not device.answers:
            said = Run(device.word, letters.body, theme.tone(device.word_tone))
            end = drawing.runs_right(right, baseline, [said])
            drawing.elided(left + _NAME, baseline, name, end - left - _NAME - 8)
            return
        drawing.elided(left + _NAME, baseline, name, _BUSY_FROM - _NAME)
        middle, memory = left + _BUSY_TO, device.memory
        for begin, end, figure, share, ink in (
            (left + _BUSY_FROM, middle, device.busy, device.busy_share, colour),
            (middle + 12, right, memory.figure, memory.used, faded(colour, 0.62)),
        ):
            draw_figure_right(drawing, end, baseline, end - begin, figure, letters.body)
            first = left + _NAME if end == middle else begin
            track = QRectF(first, place.top() + 29, end - first, _BAR)
            if share is None:
                drawing.no_bar(track)
            else:
                drawing.bar(track, [(min(1.0, share), ink)])

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return _ROW


class Companions(WindowPart):
    """Remembers whether the small window was open, and where it stood."""

    def __init__(self, window: WindowFrame) -> None:
        super().__init__(window)
        self._switch, self._small = self.commands[Do.SMALL_WINDOW], list[SmallWindow]()
        self._show = QAction(tr("Show the window"), self)
        self._show.triggered.connect(self._on_window_asked)
        self.tray = Tray([self._show, self._switch, self.commands[Do.QUIT]], self)
        self.tray.asked_for_window.connect(self._on_window_asked)
        self._switch.setCheckable(True)
        self._switch.toggled.connect(self._on_switched)
        self._tell = QTimer(self, interval=_TOLD_EVERY, timerType=Qt.TimerType.CoarseTimer)
        self._tell.timeout.connect(self._on_time_to_tell)
        if self.tray.there:
            self._tell.start()

    def follow(self, machine: MachineState) -> None:
        self._machine = machine
        for small in self._small:
            small.follow(machine)
        self._on_time_to_tell()

    def restore(self) -> None:
        """Open the small window again, where it was left open."""
        if self.settings.remembered(_OPEN) == "yes":
            self._switch.setChecked(True)
            # Nobody asked for it just now: the keyboard stays with the window.
            self.window.activateWindow()

    def stop(self) -> None:
        """Harmless when called twice."""
        self._tell.stop()
        self.tray.hide()
        self._leave_small()

    def _leave_small(self) -> None:
        for small in self._small:
            if small.isVisible():
                remember_place(small, self.settings, _PLACE)
                small.hide()

    def _on_switched(self, on: bool) -> None:
        self.settings.remember(_OPEN, "yes" if on else "no")
        if not on:
            self._leave_small()
            return
        # Made when it is first wanted.
        ways = self.navigation, self._switch, self._show
        self._small = self._small or [SmallWindow(*ways, self._machine)]
        put_back(self._small[0], self.settings.remembered(_PLACE))
        self._small[0].show()

    def _on_window_asked(self) -> None:
        window = self.window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    def _on_time_to_tell(self) -> None:
        machine = self._machine
        busiest = max(small_cards(machine), key=lambda each: each.busy_share or 0.0)
        spoken = busiest.busy.spoken, busiest.memory.figure.spoken
        said = busiest.sentence or ", ".join(spoken)
        words = tr("{card}: {figures}", card=busiest.title, figures=said)
        self.tray.setToolTip(f"{window_title(machine.session, machine.name)}\n{words}")
