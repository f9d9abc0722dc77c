"""CopiesSaving: the rows that are shown, into a file or onto the clipboard."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.saving import CSV, FileKind, Saving, Write, suggested_name
from gpuexplorer.gui.wording.copies.moving.export import as_csv, as_json
from gpuexplorer.gui.wording.copies.moving.moved import Moved
from gpuexplorer.telemetry.whole_file import write_whole

JSON = FileKind(mark("Data"), "json")


class CopiesSaving(QObject):
    """Sentences come as `done` and `refused`."""

    done = Signal(str)
    refused = Signal(str)

    def __init__(
        self, machine: MachineState, rows: Callable[[], Sequence[Moved]], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._machine, self._rows = machine, rows
        self._saving = Saving(machine.settings, parent)
        self._saving.done.connect(self.done)
        self._saving.refused.connect(self.refused)

    def csv(self) -> str:
        return as_csv(self._rows(), simulated=self._machine.session.simulated)

    def json(self) -> str:
        return as_json(self._rows(), simulated=self._machine.session.simulated)

    def copy_table(self) -> None:
        QGuiApplication.clipboard().setText(self.csv())
        self.done.emit(tr("The table is on the clipboard."))

    def ask_csv(self) -> None:
        self._ask(CSV, self.csv)

    def ask_json(self) -> None:
        self._ask(JSON, self.json)

    def exports(self) -> list[tuple[str, Callable[[], None]]]:
        return [
            (tr("Save as CSV…"), self.ask_csv),
            (tr("Save as JSON…"), self.ask_json),
            (tr("Copy as a table"), self.copy_table),
        ]

    def commands(self) -> Sequence[tuple[str, str, Callable[[], None]]]:
        return (
            (tr("Export copies as CSV…"), "", self.ask_csv),
            (tr("Export copies as JSON…"), "", self.ask_json),
        )

    def stop(self) -> None:
        self._saving.stop()

    def _ask(self, kind: FileKind, text: Callable[[], str]) -> None:
        session = self._machine.session
        name = suggested_name("copies", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Export copies"), name, [kind], partial(_taken, text))


def _taken(text: Callable[[], str], path: Path) -> Write:
    """As it is at this moment."""
    return partial(write_whole, path, [text().encode("utf-8")])
