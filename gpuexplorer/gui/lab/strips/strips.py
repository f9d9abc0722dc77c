"""Strips: what each card did meanwhile, with a flag for each cell."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.lab.strips.card_strip import LOW, TALL, CardStrip
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_course import strip_order, touched_devices
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.lab.ledger import Cell

_GAP, _BAR = 8, 12
_NARROWEST = 340  # of one strip
_LOW_BELOW, _AWAY_BELOW = 840, 600  # of the window's height


class Strips(QWidget):
    """Brought up to date by `pull` while it is seen. Of many cards the first are those that
    hold something; the others are come to by scrolling. In a low window they are away.
    """

    def __init__(
        self, lab: Lab, time_window: TimeWindow, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._lab = lab
        self._time_window = time_window
        self._strips: list[CardStrip] = []
        self._devices: Sequence[BenchDevice] = ()
        self._newest = -1  # of the cells that were followed
        self._window: QWidget | None = None
        self._inner = QWidget()
        self._inner.setProperty("panel", "clear")
        self._row = QHBoxLayout(self._inner)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_GAP)
        self._area = scrolled(self._inner, sideways=True)
        self._area.horizontalScrollBar().valueChanged.connect(self.pull)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._area)
        self.setAccessibleName(tr("What the cards did meanwhile"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        lab.selection.changed.connect(self._on_selected)
        lab.changed.connect(self._on_lab_changed)

    @property
    def strips(self) -> Sequence[CardStrip]:
        """From left to right."""
        return self._strips

    def pull(self) -> None:
        """The newest readings."""
        if self.window().height() < _AWAY_BELOW:
            self.hide()  # so that the newest cell has room
            return
        devices = strip_order(self._lab.devices(), self._lab.ledger.memory, self._room())
        self.setVisible(bool(devices))
        if len(devices) != len(self._strips):
            self._make(len(devices))
        self._devices = devices
        self._show(devices)

    def _show(self, devices: Sequence[BenchDevice]) -> None:
        """A strip out of sight is brought up to date when it is scrolled to."""
        for strip, device in zip(self._strips, devices, strict=True):
            if not strip.visibleRegion().isEmpty():
                strip.show_device(device)

    def _make(self, count: int) -> None:
        while len(self._strips) > count:
            gone = self._strips.pop()
            self._row.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        while len(self._strips) < count:
            strip = CardStrip(self._lab, self._time_window)
            self._strips.append(strip)
            self._row.addWidget(strip)
        self._fit()

    def _room(self) -> int:
        """How many have room side by side."""
        return max(1, (self.width() + _GAP) // (_NARROWEST + _GAP))

    def _fit(self) -> None:
        """As many side by side as can be read."""
        low = self._window is not None and self._window.height() < _LOW_BELOW
        count = max(1, len(self._strips))
        room = self._room()
        width = (self.width() + _GAP) // min(room, count) - _GAP
        for strip in self._strips:
            strip.show_compact(low)
            strip.setFixedWidth(max(1, width))
        height = (LOW if low else TALL) + (_BAR if count > room else 0)
        if height != self.height():
            self.setFixedHeight(height)

    def _on_selected(self) -> None:
        for strip in self._strips:
            strip.show_selection()
        number = self._lab.selection.cell
        chosen = None if number is None else self._lab.ledger.cell(number)
        if chosen is not None:
            self._bring_into_sight(chosen)

    def _on_lab_changed(self) -> None:
        """What the newest cell has to do with comes into sight, where not all have room."""
        cells = self._lab.ledger.cells
        if cells and cells[-1].id != self._newest and cells[-1].finished is not None:
            self._newest = cells[-1].id
            self._bring_into_sight(cells[-1])

    def _bring_into_sight(self, cell: Cell) -> None:
        touched = touched_devices(cell, self._lab.ledger)
        pairs = zip(self._strips, self._devices, strict=False)
        there = [strip for strip, device in pairs if device.name in touched]
        if there and all(each.visibleRegion().isEmpty() for each in there):
            self._area.ensureWidgetVisible(there[0], _GAP, 0)

    def _on_crosshair_moved(self) -> None:
        for strip in self._strips:
            strip.show_crosshair()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self.setVisible(self.window().height() >= _AWAY_BELOW)
            self._fit()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._time_window.crosshair_moved.connect(self._on_crosshair_moved)
        self._window = self.window()
        self._window.installEventFilter(self)
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._window is not None:
            self._window.removeEventFilter(self)
            self._window = None
            self._time_window.crosshair_moved.disconnect(self._on_crosshair_moved)

    def sizeHint(self) -> QSize:
        return QSize(600, TALL)
