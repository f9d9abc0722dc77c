"""Pasting: several lines one after another, up to the first that is refused or fails."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, paragraph, tr
from gpuexplorer.gui.state.lab.lab_state import LabState


class Pasting(QObject):
    """Each is sent when the one before it is done."""

    refused = Signal(str, str, str)  # the line as it was, a sentence, a hint

    def __init__(self, lab: LabState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._lines: list[str] = []
        self._number = 0  # of the line that runs, counted from 1
        self._command: int | None = None
        lab.changed.connect(self._on_changed)

    def run(self, lines: Sequence[str]) -> None:
        """What was still to come of an earlier paste is given up."""
        self._lines, self._number = list(lines), 0
        self._go_on()

    def stop(self) -> None:
        self._lines, self._command = [], None

    def _go_on(self) -> None:
        self._command = None
        if self._number >= len(self._lines):
            self._lines = []
            return
        line = self._lines[self._number]
        self._number += 1
        try:
            self._command = self._lab.run(line)
        except Trouble as trouble:
            sentence = tr(
                "Line {number} of what was pasted: {trouble}",
                number=self._number,
                trouble=trouble.sentence,
            )
            hint = paragraph((trouble.hint, self._rest()))
            self.stop()
            self.refused.emit(line, sentence, hint)

    def _rest(self) -> Message:
        count = len(self._lines) - self._number
        if not count:
            return NOTHING
        return Message.counted(
            "The line after it was not run.", "The {count} lines after it were not run.", count
        )

    def _on_changed(self) -> None:
        entry = None if self._command is None else self._lab.ledger.entry(self._command)
        if entry is None or entry.state in ("waiting", "running"):
            return
        if entry.state == "done":
            self._go_on()
            return
        number, rest = self._number, self._rest()
        self.stop()
        if rest:
            failed = tr("Line {number} of what was pasted failed.", number=number)
            self.refused.emit("", failed, tr(rest))
