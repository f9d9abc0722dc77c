"""DeviceChoice: on which device a form makes what it makes."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QVBoxLayout, QWidget

from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.forms.device_row import DeviceRow
from gpuexplorer.gui.widgets.controls.arrow_keys import line_up
from gpuexplorer.gui.widgets.controls.buttons import one_tab_stop
from gpuexplorer.gui.widgets.controls.field_row import FieldRow, Labelled
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.forms.plan import Surroundings


class DeviceChoice(FieldRow):
    """At first the first card that can be used, else the processor."""

    chosen = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        self._list = DeviceList(look)
        label = Labelled(look, tr("Device"), self._list)
        label.show_remark(tr("free"))
        super().__init__(look, {"device": label}, parent)
        self._device: str | None = None
        self._proposed = "cpu"
        self._list.chosen.connect(self._on_chosen)

    @property
    def device(self) -> str:
        return self._device or self._proposed

    def show_around(self, around: Surroundings) -> None:
        usable = [each for each in around.devices if each.usable and each.name]
        cards = [each.name for each in usable if each.is_card and each.computes]
        self._proposed = next(iter([*cards, "cpu"]))
        self._list.show_devices(around.devices, self.device, around.units)

    def _on_chosen(self, name: str) -> None:
        self._device = name
        self.chosen.emit()


class DeviceList(QWidget):
    """One stop for the Tab key: arrows go from device to device and choose."""

    chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows: list[DeviceRow] = []
        self._shown: tuple[object, ...] = ()
        self.setAccessibleName(tr("Device"))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._on_clicked)

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
        one_tab_stop(self._group)

    def _make_rows(self, count: int) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [DeviceRow(self._look, self) for _ in range(count)]
        for row in self._rows:
            self._group.addButton(row)
            self._column.addWidget(row)
            row.show()
        line_up([self, *self._rows])

    def _on_clicked(self, row: QAbstractButton) -> None:
        if isinstance(row, DeviceRow):
            self.chosen.emit(row.device_name)
