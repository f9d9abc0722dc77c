"""CellBox: a cell of a lesson: its code, the button that runs it, and what came of it."""

from functools import partial

from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lessons.growing_text import CodeText, GrowingText
from gpuexplorer.gui.lessons.step_asks import StepAsks
from gpuexplorer.gui.lessons.step_words import cell_error, cell_output, cell_state
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.theme.style_sheet import restyle
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, column, row, say
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.lessons.lesson import Code
from gpuexplorer.lessons.player import Player

_WORKS = ("waiting", "running")


class CellBox(QFrame):
    """The same cell may also be typed in the lab: what is shown is what the player knows."""

    def __init__(
        self, look: Look, player: Player, part: Code, asks: StepAsks, *, brief: bool = False
    ) -> None:
        super().__init__()
        self._player, self._part, self._pressed = player, part, False
        self._asks, self._brief = asks, brief
        self.setProperty("panel", "notice")
        self.setAccessibleName(tr("Cell"))
        code = CodeText(look, tr("Code of the cell"), part.source)
        self._run = QPushButton(tr("Run"))
        self._run.setAutoDefault(True)  # so that Enter presses it
        self._run.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._run.clicked.connect(self._on_run_clicked)
        self._edit = link_button(tr("Put into the editor"))
        self._edit.setToolTip(tr("To type or change it in the lab, and run it there"))
        self._edit.clicked.connect(partial(asks.edit.emit, part.source))
        self._state = wrapped_label(look, "", Tone.QUIET)
        self._state.setFont(look.letters.caption.font)
        self._error = wrapped_label(look, "", Tone.BAD)
        self._error.setFont(look.letters.mono.font)
        self._output = GrowingText(look, tr("What the cell printed"))
        self._output.setFont(look.letters.mono.font)
        self._more = wrapped_label(look, "", Tone.FAINT)
        self._more.setFont(look.letters.caption.font)
        buttons = row(self._run, self._edit, FREE)
        said = column(self._state, self._error, self._output, self._more, gap=6)
        column(code, buttons, said, within=self, gap=10, margins=(12, 10, 12, 10))

    def show_play(self, *, first: bool, playable: bool) -> None:
        """`first`: this is what to do next. Not `playable`: its step is skipped."""
        cell = self._player.cell(self._part)
        works = cell is not None and cell.state in _WORKS
        self._pressed = self._pressed and not works and self._player.busy()
        ran = cell is not None and not works
        words = tr("Run again") if ran else tr("Run")
        if words != self._run.text():
            self._run.setText(words)
        first = first and not works and not self._pressed
        restyle(self._run, "kind", "primary" if first else "")
        self._run.setVisible(playable)
        self._edit.setVisible(playable and not self._brief)
        gone = self._player.gone(self._part)
        state, tone = cell_state(self._part, None if self._pressed else cell, gone=gone)
        if self._pressed:
            state = tr("Waits for its turn")
        say(self._state, state if playable else "")
        restyle(self._state, "tone", tone.value)
        say(self._error, cell_error(cell))
        restyle(self._error, "tone", tone.value)
        printed, more = cell_output(cell)
        if printed != self._output.toPlainText():
            self._output.setPlainText(printed)
        self._output.setVisible(bool(printed))
        say(self._more, more)
        self._run.setAccessibleName(words)
        self._run.setAccessibleDescription(state)

    def _on_run_clicked(self) -> None:
        cell = self._player.cell(self._part)
        if self._pressed or (cell is not None and cell.state in _WORKS):
            return
        if self._player.must_ask:
            self._asks.allow.emit()
            return
        self._pressed = True  # the cards are read before it begins
        try:
            self._player.run(self._part)
        except Trouble as trouble:
            self._pressed = False
            self._asks.refused.emit(trouble.told)
