"""DeviceList: the devices that something can be made on, with what is free on each."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuexplorer.core.units import Units
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.forms.device_row import DeviceRow
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice


class DeviceList(QWidget):
    """One stop for the Tab key: arrows go from device to device and choose."""

    chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows: list[DeviceRow] = []
        self._shown: tuple[object, ...] = ()
        self.setAccessibleName("Device")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._keys = ArrowKeys(self)
        self._keys.moved_to.connect(self._on_moved_to)

    def show_devices(self, devices: Sequence[BenchDevice], chosen: str, units: Units) -> None:
        """`chosen` by its name."""
        now = (tuple(devices), chosen, units)
        if now == self._shown:
            return
        self._shown = now
        if len(devices) != len(self._rows):
            self._make_rows(len(devices))
        for row, device in zip(self._rows, devices, strict=True):
            row.show_device(device, units, chosen=bool(chosen) and device.name == chosen)
        there = [row for row in self._rows if row.isEnabled()]
        self._keys.offer(next((row for row in there if row.isChecked()), _first(there)))

    def _make_rows(self, count: int) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [DeviceRow(self._look, self) for _ in range(count)]
        for row in self._rows:
            row.clicked.connect(self._on_clicked)
            self._column.addWidget(row)
            row.show()
        self._keys.take(self._rows, after=self)

    def _on_clicked(self) -> None:
        row = self.sender()
        if isinstance(row, DeviceRow):
            # Qt has turned its mark already; only who decides may do that.
            row.show_chosen()
            self.chosen.emit(row.device_name)

    def _on_moved_to(self, row: QWidget) -> None:
        if isinstance(row, DeviceRow):
            self.chosen.emit(row.device_name)


def _first(rows: Sequence[DeviceRow]) -> DeviceRow | None:
    return next(iter(rows), None)
