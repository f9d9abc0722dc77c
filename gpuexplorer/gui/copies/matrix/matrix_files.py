"""MatrixFiles: reports of copies that arrived wrong."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.saving import FileKind, Saving, suggested_name
from gpuexplorer.telemetry.whole_file import write_whole

REPORT = FileKind(mark("Report"), "txt")


class MatrixFiles(QObject):
    """Asks where a file is; nothing of it keeps the window waiting."""

    done = Signal(str)  # a sentence
    refused = Signal(str)

    def __init__(self, machine: MachineState, page: QWidget) -> None:
        super().__init__(page)
        self._machine = machine
        self._saving = Saving(machine.settings, page)
        self._saving.done.connect(self.done)
        self._saving.refused.connect(self.refused)

    def ask_report(self, text: str) -> None:
        session = self._machine.session
        self._saving.ask(
            tr("Save a report of what arrived wrong"),
            suggested_name("wrong-copies", session.clock.wall(), simulated=session.simulated),
            [REPORT],
            lambda path: partial(write_whole, path, [text.encode()]),
        )
