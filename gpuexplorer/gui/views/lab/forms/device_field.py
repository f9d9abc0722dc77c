"""DeviceField: a dropdown of devices, where there is no room for a list."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.dropdown import Choice, Dropdown
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.forms.plan import Surroundings


class DeviceField(Dropdown):
    """At first another device than the one where things are; cards go before the rest."""

    changed = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, self._offer_all, 240, parent)
        self._around = Surroundings()
        self._cards_only = False
        self._own: str | None = None
        self._proposed = "cpu"
        self.chosen.connect(self._on_chosen)

    @property
    def device(self) -> str:
        return self._own or self._proposed

    def show_around(
        self, around: Surroundings, away_from: str = "", *, cards_only: bool = False
    ) -> None:
        """`away_from` is the device where it makes no sense to go."""
        self._around, self._cards_only = around, cards_only
        there = [each for each in self._suiting() if each.usable]
        names = [each.name for each in sorted(there, key=lambda each: not each.is_card)]
        if self._own not in names:
            self._own = None
        others = [each for each in names if each != away_from]
        self._proposed = next(iter([*others, *names]), "")
        device = around.device(self.device)
        self.show_choice(None if device is None else _choice(device, around), tr("no card"))

    def _suiting(self) -> Sequence[BenchDevice]:
        devices = self._around.devices
        if not self._cards_only:
            return devices
        return [each for each in devices if each.is_card or each.name.startswith("cuda")]

    def _offer_all(self) -> Sequence[Choice]:
        return [_choice(each, self._around) for each in self._suiting()]

    def _on_chosen(self, name: str) -> None:
        self._own = name
        self.changed.emit()


def _choice(device: BenchDevice, around: Surroundings) -> Choice:
    free = device.free_bytes
    remark = "" if free is None else tr("{amount} free", amount=memory(free, around.units))
    return Choice(
        device.name or f"card {device.chip}",
        device.name or device.label,
        tr("shape only") if device.name == "meta" else remark,
        device.chip,
        device.colour,
        not device.is_card,
        "" if device.usable else tr(device.reason) or tr("cannot be used"),
    )
