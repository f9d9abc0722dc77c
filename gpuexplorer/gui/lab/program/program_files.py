"""ProgramFiles: what was watched, onto the clipboard or into a file."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.saving import JSON, FileKind, Saving, Write, suggested_name
from gpuexplorer.programs.as_json import as_json
from gpuexplorer.programs.findings import findings
from gpuexplorer.programs.program_run import ProgramRun, as_a_whole, ended, watched
from gpuexplorer.telemetry.whole_file import write_whole

TEXT = FileKind(mark("Text"), "txt")


class ProgramFiles(QObject):
    """Sentences come as `done` and `refused`."""

    done = Signal(str)
    refused = Signal(str)

    def __init__(
        self,
        machine: MachineState,
        run: Callable[[], ProgramRun | None],
        text: Callable[[ProgramRun], str],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._machine = machine
        self._run, self._text = run, text
        self._saving = Saving(machine.settings, parent)
        self._saving.done.connect(self.done)
        self._saving.refused.connect(self.refused)

    def copy(self) -> None:
        run = self._run()
        if run is not None:
            QGuiApplication.clipboard().setText(self._text(run))
            self.done.emit(tr("What was watched is on the clipboard."))

    def ask_where(self) -> None:
        run = self._run()
        if run is None:
            return
        session = self._machine.session
        name = suggested_name(
            f"watched-{run.file.stem}", session.clock.wall(), simulated=session.simulated
        )
        self._saving.ask(tr("Save what was watched"), name, [TEXT, JSON], self.writer)

    def save(self, path: Path) -> None:
        write = self.writer(path)
        if write is not None:
            self._saving.save(path, write)

    def writer(self, path: Path) -> Write | None:
        """What is written is what was watched by now."""
        run = self._run()
        if run is None:
            return None
        data = path.suffix == f".{JSON.suffix}"
        text = json.dumps(as_json(run), indent=1) + "\n" if data else self._text(run)
        return partial(write_whole, path, [text.encode()])


def as_text(run: ProgramRun, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """How it ended, the findings with their cures, and the lines as the table shows them."""
    found = findings(run)
    said = [tr(ended(run)), *(tr(each) for each in watched(run))]
    whole = paragraph(as_a_whole(run, bool(found)))
    parts = ["\n".join(said), *(f"{tr(each.sentence)}\n{tr(each.cure)}" for each in found)]
    parts.append(whole)
    if rows:
        parts.append("\n".join("\t".join(row) for row in (headings, *rows)))
    return "\n\n".join(each for each in parts if each) + "\n"
