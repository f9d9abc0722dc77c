"""DeviceChips: the chips of the devices that a thing lies on."""

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.state.lab.devices import BenchDevice, chip_of
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.widgets.painted import ChipRow


def chips_of(device: str, devices: Sequence[BenchDevice]) -> dict[str, Chip]:
    """By name, in the order of the bench; `device` may name several: "cuda:0, cuda:1"."""
    known = {each.name: each for each in devices}
    names = [each for each in device.split(", ") if each]
    ordered = [*(each for each in known if each in names), *names]
    return {name: chip_of(name, known) for name in ordered}


class DeviceChips(ChipRow):
    """Each says on asking which device it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.hide()

    def show_devices(self, device: str, devices: Sequence[BenchDevice]) -> None:
        self.show_named(chips_of(device, devices))

    def show_named(self, chips: Mapping[str, Chip]) -> None:
        self.show_chips(tuple(chips.values()))
        self.setAccessibleName(", ".join(chips))
        self.setToolTip(", ".join(chips))
        self.setVisible(bool(chips))
        self.resize(self.sizeHint())
