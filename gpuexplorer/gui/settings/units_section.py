"""Units: in which of two ways memory and temperatures are read."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.settings.section import Section
from gpuexplorer.gui.state.choices import Choices
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.rows.setting_row import SettingRow


class UnitsSection(Section):
    """What is written to files and terminals stays as it is."""

    def __init__(self, look: Look, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(look, settings, "Units", ("decimal_memory", "fahrenheit"), parent)
        self._memory = Segmented(look, "Memory", ((False, "GiB"), (True, "GB")))
        self._memory.chosen.connect(self._on_memory_chosen)
        self._heat = Segmented(look, "Temperature", ((False, "°C"), (True, "°F")))
        self._heat.chosen.connect(self._on_heat_chosen)
        self.add(
            SettingRow(
                look,
                "Memory",
                "1 GiB is 1024 × 1024 × 1024 bytes, as nvidia-smi counts; 1 GB is a thousand "
                "million. Rates are in GB/s either way.",
                self._memory,
            ),
            SettingRow(
                look,
                "Temperature",
                "In this window. Files and commands keep to degrees Celsius and to bytes.",
                self._heat,
            ),
        )
        self.begin()

    def show_choices(self, choices: Choices) -> None:
        self._memory.show_choice(choices.decimal_memory)
        self._heat.show_choice(choices.fahrenheit)

    def _on_memory_chosen(self, decimal: bool) -> None:
        self.choose(decimal_memory=decimal)

    def _on_heat_chosen(self, fahrenheit: bool) -> None:
        self.choose(fahrenheit=fahrenheit)
