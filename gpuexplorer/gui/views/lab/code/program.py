"""Program: the session as a script or a notebook, for the clipboard and as a file."""

from copy import copy
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.widgets.file_job import FileJob
from gpuexplorer.gui.widgets.saving import FileKind, Saving, Write, suggested_name
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.script import notebook, script
from gpuexplorer.telemetry.whole_file import write_whole

SCRIPT = FileKind(mark("Python program"), "py")
NOTEBOOK = FileKind(mark("Notebook"), "ipynb")


class Program(QObject):
    """Both say in a sentence how it came out."""

    done = Signal(str)
    refused = Signal(str)

    def __init__(self, lab: LabState, parent: QWidget) -> None:
        super().__init__(parent)
        self._lab = lab
        self._saving = Saving(lab.machine.settings, parent)
        self._saving.done.connect(self.done)
        self._saving.refused.connect(self.refused)

    def copy(self) -> None:
        """In a thread: of a long session the program takes a while to be written."""
        if self._empty():
            return
        job = FileJob(partial(script, self._snapshot()), self)
        job.done.connect(self._on_written)
        job.start()

    def ask_where(self) -> None:
        if self._empty():
            return
        session = self._lab.machine.session
        name = suggested_name("lab", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Save the session"), name, [SCRIPT, NOTEBOOK], self.writer)

    def save(self, path: Path) -> None:
        self._saving.save(path, self.writer(path))

    def writer(self, path: Path) -> Write:
        """What is written is the session as it is now."""
        return partial(_write, path, self._snapshot())

    def stop(self) -> None:
        self._saving.stop()

    def _empty(self) -> bool:
        if not self._lab.ledger.entries:
            self.refused.emit(tr("There is no line yet that could be saved or copied."))
        return not self._lab.ledger.entries

    def _snapshot(self) -> Ledger:
        """For another thread: nothing is added to it, and what is done stays as it is."""
        ledger = copy(self._lab.ledger)
        ledger.entries = list(ledger.entries)
        return ledger

    def _on_written(self, program: str) -> None:
        QGuiApplication.clipboard().setText(program)
        self.done.emit(
            trn(
                "Copied as a program: {count} line.",
                "Copied as a program: {count} lines.",
                len(self._lab.ledger.done()),
            )
        )


def _write(path: Path, ledger: Ledger) -> None:
    text = notebook(ledger) if path.suffix == f".{NOTEBOOK.suffix}" else script(ledger)
    write_whole(path, [text.encode()])
