"""SheetSaving: a card's datasheet as files: a table, JSON, and a picture of what is seen."""

import json
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.copies.datasheet.sheet import OtherCard, Sheet
from gpuexplorer.copies.datasheet.sheet_files import sheet_as_csv, sheet_as_json
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.results_saving import ResultsSaving

# The sheet, and the cards that lie beside it; None while there is none.
Saved = Callable[[], tuple[Sheet, Sequence[OtherCard]] | None]


class SheetSaving(ResultsSaving):
    """Its files hold promises and their sources beside what was measured."""

    def __init__(
        self, look: Look, machine: MachineState, saved: Saved, pictured: QWidget
    ) -> None:
        title, what = tr("Datasheet"), tr("datasheet")
        super().__init__(look, machine, "datasheet", title, what, tuple, pictured)
        self._saved = saved

    def csv(self) -> str:
        saved = self._saved()
        return "" if saved is None else sheet_as_csv(*saved)

    def json(self) -> str:
        saved = self._saved()
        return "" if saved is None else json.dumps(sheet_as_json(*saved), indent=1) + "\n"
