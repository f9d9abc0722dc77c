"""MatrixFiles: reports of copies that arrived wrong, and what nvbandwidth wrote."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from gpuexplorer.copies.nvbandwidth import NvBandwidth, read_nvbandwidth
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.matrix.overlay_values import Beside, Overlay
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.saving import FileKind, Saving, in_a_thread, suggested_name
from gpuexplorer.telemetry.whole_file import write_whole

REPORT = FileKind(mark("Report"), "txt")
_ANOTHER = mark("Choose another file.")
_MOST_BYTES = 32 << 20  # what nvbandwidth writes of 64 cards is a hundredth of that


class MatrixFiles(QObject):
    """Asks where a file is; nothing of it keeps the window waiting."""

    done = Signal(str)  # a sentence
    refused = Signal(str)
    laid = Signal(object)  # an Overlay, or None: nothing stands beside ours any longer
    opened = Signal(object, str)  # an NvBandwidth, and the name of its file

    def __init__(self, machine: MachineState, page: QWidget) -> None:
        super().__init__(page)
        self._machine = machine
        self._page = page
        self._dialog: QFileDialog | None = None
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

    def ask_nvbandwidth(self) -> None:
        if self._dialog is not None:
            return
        dialog = self._dialog = QFileDialog(self._page, tr("Open what nvbandwidth -j wrote"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(["nvbandwidth (*.json)", f"{tr('All files')} (*)"])
        dialog.fileSelected.connect(lambda chosen: self.open_nvbandwidth(Path(chosen)))
        dialog.finished.connect(self._on_closed)
        dialog.open()

    def open_nvbandwidth(self, path: Path) -> None:
        """In a thread of its own, which hands out what it read when it has ended."""
        in_a_thread(
            partial(_read, path),
            self,
            lambda read: self.opened.emit(read, path.name),
            self.refused.emit,
        )

    def ask_beside(self, button: QWidget, overlay: Overlay | None) -> None:
        """Of a file that is open, which of its tests is meant can be chosen."""
        if overlay is None:
            self.ask_nvbandwidth()
            return
        menu = QMenu(button)
        for beside in Beside:
            action = menu.addAction(tr(beside.value))
            action.setCheckable(True)
            action.setChecked(beside is overlay.beside)
            meant = replace(overlay, beside=beside)
            action.triggered.connect(partial(self.laid.emit, meant))
        menu.addSeparator()
        menu.addAction(tr("Open another file…")).triggered.connect(self.ask_nvbandwidth)
        menu.addAction(tr("Put it away")).triggered.connect(partial(self.laid.emit, None))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

    def stop(self) -> None:
        if self._dialog is not None:
            self._dialog.reject()

    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None


def _read(path: Path) -> NvBandwidth:
    name = path.name
    if path.exists() and not path.is_file():
        # A pipe would keep this thread waiting for whoever writes into it.
        raise Trouble("{file} is not a file that can be read.", _ANOTHER, file=name)
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise Trouble(
            "{file} could not be read: {why}.", _ANOTHER, file=name, why=why
        ) from error
    if len(content) > _MOST_BYTES:
        raise Trouble("{file} is too large to be what nvbandwidth writes.", _ANOTHER, file=name)
    # What Windows' own shell puts into a file has two bytes for each letter.
    return read_nvbandwidth(content.decode(json.detect_encoding(content), "replace"))
