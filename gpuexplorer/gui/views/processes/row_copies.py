"""RowCopies: rows taken along, to the clipboard or into a file, saying where they come from."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.views.processes.cells import Surroundings
from gpuexplorer.gui.views.processes.export import as_csv, as_text
from gpuexplorer.gui.views.processes.lines import Line
from gpuexplorer.gui.widgets.saving import CSV, Saving, Write, suggested_name
from gpuexplorer.telemetry.whole_file import write_whole


class RowCopies(QObject):
    """`say` shows a sentence to the person: what was saved where, or why not."""

    def __init__(
        self,
        machine: MachineState,
        table: Table[Line],
        shown: Callable[[], tuple[Sequence[Line], Surroundings]],
        say: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._machine = machine
        self._table = table
        self._shown = shown
        self._say = say
        self._saving = Saving(machine.settings, parent)
        self._saving.done.connect(say)
        self._saving.refused.connect(say)

    def copy(self) -> None:
        """What is picked, or all where nothing is."""
        lines = self._table.picked() or self._shown()[0]
        captions, rows = self._table.texts(lines)
        text = as_text(captions, rows, simulated=self._machine.session.simulated)
        QGuiApplication.clipboard().setText(text)
        self._say(trn("{count} row copied.", "{count} rows copied.", len(rows)))

    def ask_where(self) -> None:
        """Opens the system's own question and returns at once."""
        session = self._machine.session
        name = suggested_name("processes", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Export processes"), name, [CSV], self._csv)

    def stop(self) -> None:
        self._saving.stop()

    def _csv(self, path: Path) -> Write:
        """All rows that are shown, programs with the processes under them."""
        lines, around = self._shown()
        rows = [row for line in lines for row in line.rows]
        session = self._machine.session
        now = datetime.fromtimestamp(session.clock.wall(), UTC).astimezone()
        text = as_csv(
            rows, around, now.isoformat(timespec="seconds"), simulated=session.simulated
        )
        return partial(write_whole, path, [text.encode("utf-8")])
