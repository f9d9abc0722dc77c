"""Program: the session as a script or a notebook, for the clipboard and from and to files."""

from collections.abc import Sequence
from copy import copy
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.widgets.saving import (
    FileKind,
    Saving,
    Write,
    ask_for_file,
    in_a_thread,
    suggested_name,
)
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.session_files import notebook, opened, script
from gpuexplorer.telemetry.whole_file import write_whole

SCRIPT = FileKind(mark("Python program"), "py")
NOTEBOOK = FileKind(mark("Notebook"), "ipynb")


class Program(QObject):
    """Both outcomes come as a sentence."""

    done = Signal(str)
    refused = Signal(str)

    def __init__(self, lab: Lab, parent: QWidget) -> None:
        super().__init__(parent)
        self._lab = lab
        self._parent = parent
        self._saving = Saving(lab.machine.settings, parent)
        self._saving.done.connect(self.done)
        self._saving.refused.connect(self.refused)

    def copy(self) -> None:
        """In a thread: the program of a long session takes a while to be written."""
        if self._empty():
            return
        written = partial(script, self._snapshot())
        in_a_thread(written, self, self._on_written, self.refused.emit)

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

    def ask_which(self) -> None:
        kinds = tr("Programs and notebooks (*.py *.ipynb)")
        ask_for_file(tr("Open cells"), kinds, self._parent, self.open)

    def open(self, path: Path) -> None:
        """Its cells stand there then; nothing runs."""
        if self._lab.recorded:
            self.refused.emit(tr(RECORDED))
            return
        read = partial(self._on_read, path)
        in_a_thread(partial(opened, path), self, read, self.refused.emit)

    def _empty(self) -> bool:
        there = any(each.number for each in self._lab.ledger.cells)
        if not there:
            self.refused.emit(tr("There is no cell yet that could be saved or copied."))
        return not there

    def _snapshot(self) -> Ledger:
        """For another thread: nothing is added to it, and what is done stays as it is."""
        ledger = copy(self._lab.ledger)
        ledger.cells = list(ledger.cells)
        return ledger

    def _on_read(self, path: Path, cells: Sequence[str]) -> None:
        if cells:
            self._lab.open_cells(cells, str(path))
        else:
            self.refused.emit(tr("{file} holds no cell of code.", file=path.name))

    def _on_written(self, program: str) -> None:
        QGuiApplication.clipboard().setText(program)
        self.done.emit(
            trn(
                "Copied as a program: {count} cell.",
                "Copied as a program: {count} cells.",
                len(self._lab.ledger.done()),
            )
        )


def _write(path: Path, ledger: Ledger) -> None:
    text = notebook(ledger) if path.suffix == f".{NOTEBOOK.suffix}" else script(ledger)
    write_whole(path, [text.encode()])
