"""DeviceChoice: on which device a form makes what it makes."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.forms.device_list import DeviceList
from gpuexplorer.gui.widgets.controls.field_row import FieldRow, Labelled
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
