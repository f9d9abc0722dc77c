"""Recordings: for how long the past is kept on the disk, where, and how large it is now."""

from PySide6.QtWidgets import QPushButton

from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.settings.section import Section, SettingRow
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.choices import SettingsGroup
from gpuexplorer.gui.state.settings import Settings


class RecordingsSection(Section):
    def __init__(self, settings: Settings, always_on: AlwaysOn) -> None:
        super().__init__(settings, SettingsGroup.RECORDINGS)
        self._always_on = always_on
        forget = QPushButton(tr("Forget it now"))
        forget.setAutoDefault(False)
        forget.clicked.connect(always_on.forget)
        self._kept = SettingRow(tr("Kept until now"), "", forget)
        self.add(self._kept)
        always_on.turned.connect(self._show_kept)
        self._show_kept()

    def _show_kept(self) -> None:
        always_on = self._always_on
        size = always_on.size()
        where = tr(
            "{size} in {folder}.",
            size=bytes_words(size, self.settings.choices.units),
            folder=always_on.folder,
        )
        nothing = tr("Nothing. It would go to {folder}.", folder=always_on.folder)
        said = (always_on.trouble, where if size else nothing)
        self._kept.show_meaning(paragraph(said))
        self._kept.control.setEnabled(bool(size))
