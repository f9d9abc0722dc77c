"""Classroom: a window in which nothing can be ended."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.settings.section import Section
from gpuexplorer.gui.state.choices import Choices
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.widgets.rows.setting_row import SettingRow


class ClassroomSection(Section):
    """Where the command line has decided already, the switch stands still and says so."""

    def __init__(self, look: Look, settings: Settings, parent: QWidget | None = None) -> None:
        because = settings.read_only_because
        names = () if because else ("read_only",)
        super().__init__(look, settings, "Classroom", names, parent)
        self._read_only = Switch(look, "Read only")
        self._read_only.turned.connect(self._on_turned)
        self._read_only.setEnabled(not because)
        meaning = "Nothing can be ended from this window. It looks, and does not touch."
        self.add(SettingRow(look, "Read only", because or meaning, self._read_only))
        self.begin()

    def show_choices(self, choices: Choices) -> None:
        self._read_only.show_on(choices.read_only)

    def _on_turned(self, on: bool) -> None:
        self.choose(read_only=on)
