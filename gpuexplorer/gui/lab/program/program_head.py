"""ProgramHead: which program is watched, how far it is, and what can be done with it."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.program.words import ProgramNow, figures, state_tone, state_words
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel

_COMPACT_BELOW, _BACK_BELOW = 640, 800  # what leads back needs its word least
_GAP = 8
_BETWEEN = " · "


class ProgramHead(QWidget):
    """Whoever holds it does what its buttons ask."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        letters = look().letters
        self.back = ToolButton(
            "framed",
            Icon.PREVIOUS,
            tr("Cells"),
            tr("Back to the cells and the bench; the program goes on"),
        )
        self._name = ElidedLabel(letters.title, Tone.TEXT)
        self._state = ElidedLabel(letters.strong, Tone.TEXT)
        self._figures = ElidedLabel(letters.body, Tone.QUIET)
        self.stop = ToolButton("framed", Icon.STOP, tr("Stop"), tr("Send the program Ctrl+C"))
        self.again = ToolButton(
            "framed",
            Icon.REPEAT,
            tr("Run again"),
            tr("Run the file as it is now, with the same arguments"),
        )
        self.copy = IconButton(Icon.COPY, tr("Copy what was watched"), "Ctrl+C")
        self.save = IconButton(Icon.EXPORT, tr("Save what was watched"), "Ctrl+S")
        self.end = IconButton(Icon.CLOSE, tr("Close the program"))
        words = column(self._name, row(self._state, self._figures, GROWS, gap=_GAP), gap=2)
        tools = (self.stop, self.again, self.copy, self.save, self.end)
        row(self.back, words, GROWS, *tools, within=self, gap=_GAP)

    def show_program(self, path: Path, arguments: Sequence[str]) -> None:
        words = shlex.join((path.name, *arguments))
        self._name.show_text(words, str(path))
        self._name.setAccessibleName(tr("Program {words}", words=words))

    def show_now(self, now: ProgramNow, *, seen: bool) -> None:
        """`seen`: whether there is something to copy and to save."""
        self._state.show_text(state_words(now))
        restyle(self._state, "tone", state_tone(now).value)
        self._figures.show_text(_BETWEEN.join(figures(now)))
        self.stop.setVisible(now.phase.runs)
        self.again.setVisible(not now.phase.runs)
        self.copy.setEnabled(seen)
        self.save.setEnabled(seen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.back.show_compact(self.width() < _BACK_BELOW)
        for each in (self.stop, self.again):
            each.show_compact(self.width() < _COMPACT_BELOW)
