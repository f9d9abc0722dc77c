"""DeviceTable: the lab's devices one below the other, each with its chip and what is free."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.tables.cell import Cell, Chip, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.palette import Tone

_CHIP, _NAME, _FREE = 40, 64, 80


class DeviceTable(Table[BenchDevice]):
    """One that cannot be used is greyed, and tells why on asking."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self._units, self._heading = USUAL, ""
        self._devices = _DeviceModel(self._columns(), key_of)
        super().__init__(name, self._devices, parent=parent)
        self._devices.setParent(self)
        self.setProperty("panel", "clear")
        self.setSelectionMode(Table.SelectionMode.SingleSelection)
        self.setHeaderHidden(True)

    def show_devices(
        self, devices: Sequence[BenchDevice], units: Units, heading: str = ""
    ) -> None:
        """`heading` stands above them, where there is one."""
        if (units, heading) != (self._units, self._heading):
            self._units, self._heading = units, heading
            self._devices.show_columns(self._columns())
            self.setHeaderHidden(not heading)
        self.show_rows(devices)

    def show_target(self, device: str | None) -> None:
        self.pick(device, scroll=False)

    def device_at(self, place: QPoint) -> BenchDevice | None:
        """In its own coordinates."""
        return self._devices.thing(self.indexAt(self.viewport().mapFrom(self, place)))

    def _columns(self) -> list[Column[BenchDevice]]:
        return [
            Column("chip", "", _chip, width=_CHIP),
            Column("name", self._heading, self._name, width=_NAME, spoken=self._spoken,
                   stretches=bool(self._heading)),
            Column("free", "", self._free, width=_FREE, right=True,
                   stretches=not self._heading),
        ]  # fmt: skip

    def _name(self, device: BenchDevice) -> Cell:
        tone, words = Tone.TEXT if device.usable else Tone.FAINT, device.name or device.label
        return Cell(words, mono=bool(device.name), tone=tone, hint=self._spoken(device))

    def _free(self, device: BenchDevice) -> Cell:
        if not device.usable:
            return Cell(absent=(tr("cannot be used"), "–"), hint=tr(device.reason))
        if device.name == "meta":
            return Cell(absent=(tr("shape only, no values"), tr("shape only")))
        free, total = device.free_bytes, device.total_bytes
        if free is None:
            return Cell(absent=(tr("not known"),))
        taken = Gauge((total - free) / total, device.colour) if total else None
        shown = memory(free, self._units)
        return Cell(shown.number, unit=shown.unit, gauge=taken)

    def _spoken(self, device: BenchDevice) -> str:
        free = device.free_bytes
        said = (
            device.name,
            device.label,
            "" if free is None else tr("{amount} free", amount=memory(free, self._units)),
            tr(device.reason),
        )
        return ", ".join(each for each in said if each)


class _DeviceModel(TableModel[BenchDevice]):
    def flags(self, index: Index) -> Qt.ItemFlag:
        device = self.thing(index)
        usable = device is None or device.usable
        return super().flags(index) if usable else Qt.ItemFlag.NoItemFlags


def key_of(device: BenchDevice) -> str:
    return device.name or f"card {device.chip}"  # PyTorch has no name for it


def _chip(device: BenchDevice) -> Cell:
    chip = Chip(device.chip, device.colour if device.is_card else None)
    return Cell(chips=(chip,) if device.chip else ())
