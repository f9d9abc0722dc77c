"""CellBox: a cell of a lesson: its code, the button that runs it, and what came of it."""

from functools import partial

from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.lessons.growing_text import CodeText, GrowingText
from gpuexplorer.gui.lessons.step_asks import StepAsks
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, column, row, say, wrapped_label
from gpuexplorer.lab.events import Pictured, Printed
from gpuexplorer.lab.ledger import Cell, time_words
from gpuexplorer.lab.printed import clean, error_words, shortened
from gpuexplorer.lessons.lesson import Code, Part
from gpuexplorer.lessons.player import NEVER_MEANT, Player, StepState

_DOT = " \N{MIDDLE DOT} "
_MOST_ROWS = 8  # of what a cell printed; the lab has all of it
_WORKS = ("waiting", "running")


class CellBox(QFrame):
    """The same cell may also be typed in the lab: what is shown is what the player knows."""

    def __init__(
        self, player: Player, part: Code, asks: StepAsks, *, brief: bool = False
    ) -> None:
        super().__init__()
        self._player, self._part, self._pressed = player, part, False
        self._asks, self._brief = asks, brief
        self.setProperty("panel", "notice")
        self.setAccessibleName(tr("Cell"))
        code = CodeText(tr("Code of the cell"), part.source)
        self._run = QPushButton(tr("Run"))
        self._run.setAutoDefault(True)  # so that Enter presses it
        self._run.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._run.clicked.connect(self._on_run_clicked)
        self._edit = link_button(tr("Put into the editor"))
        self._edit.setToolTip(tr("To type or change it in the lab, and run it there"))
        self._edit.clicked.connect(partial(asks.edit.emit, part.source))
        self._state = wrapped_label("", Tone.QUIET, look().letters.caption)
        self._error = wrapped_label("", Tone.BAD, look().letters.mono)
        self._output = GrowingText(tr("What the cell printed"))
        self._output.setFont(look().letters.mono.font)
        self._more = wrapped_label("", Tone.FAINT, look().letters.caption)
        buttons = row(self._run, self._edit, FREE)
        said = column(self._state, self._error, self._output, self._more, gap=6)
        column(code, buttons, said, within=self, gap=10, margins=(12, 10, 12, 10))

    def show_play(self, coming: Part | None) -> None:
        """`coming`: what to do next, in this step."""
        playable = self._player.step.state is not StepState.SKIPPED
        cell = self._player.cell(self._part)
        works = cell is not None and cell.state in _WORKS
        self._pressed = self._pressed and not works and self._player.busy()
        ran = cell is not None and not works
        words = tr("Run again") if ran else tr("Run")
        if words != self._run.text():
            self._run.setText(words)
        first = coming is self._part and not works and not self._pressed
        restyle(self._run, "kind", "primary" if first else "")
        self._run.setVisible(playable)
        self._edit.setVisible(playable and not self._brief)
        gone = self._player.gone(self._part)
        state, tone = _state(self._part, None if self._pressed else cell, gone=gone)
        if self._pressed:
            state = tr("Waits for its turn")
        say(self._state, state if playable else "")
        restyle(self._state, "tone", tone.value)
        say(self._error, _error(cell))
        restyle(self._error, "tone", tone.value)
        printed, more = _output(cell)
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


def _state(part: Code, cell: Cell | None, *, gone: bool) -> tuple[str, Tone]:
    """How it stands, and what it took. `gone`: what it made went with its worker."""
    if gone:
        return tr("It ran, and what it made is gone since the worker ended"), Tone.QUIET
    match "" if cell is None else cell.state:
        case "waiting":
            return tr("Waits for its turn"), Tone.QUIET
        case "running" if cell is not None and cell.asked:
            return tr("Asks something, see the lab"), Tone.WARN
        case "running":
            return tr("Running"), Tone.QUIET
        case "cancelled":
            return tr("Cancelled"), Tone.QUIET
        case "done" if part.fails:
            return tr("It went through, and should have failed"), Tone.WARN
        case "done":
            return _with_times(tr("Done"), cell), Tone.QUIET
        case "failed" if part.fails and cell is not None and not _never_meant(cell):
            return _with_times(tr("Failed, as it was meant to"), cell), Tone.QUIET
        case "failed":
            return _with_times(tr("Failed"), cell), Tone.BAD
    if part.fails:
        return tr("Not run yet. It is there to fail."), Tone.QUIET
    return tr("Not run yet"), Tone.QUIET


def _never_meant(cell: Cell) -> bool:
    """Its worker was lost, say, or none could be started."""
    return cell.failed is not None and cell.failed.cause in NEVER_MEANT


def _error(cell: Cell | None) -> str:
    """The error's own line; what PyTorch adds below stands in the lab."""
    if cell is None or cell.state != "failed" or cell.failed is None:
        return ""
    said = clean(error_words(cell.failed)).strip() or tr(cell.failed.told)
    return shortened(said.split("\n")[0])


def _output(cell: Cell | None) -> tuple[str, str]:
    """The last of what it printed, and what there is beside that."""
    if cell is None:
        return "", ""
    printed = [each for each in cell.outputs if isinstance(each, Printed)]
    rows = [row for each in printed for row in clean(each.text.rstrip("\n")).split("\n")]
    pictures = sum(isinstance(each, Pictured) for each in cell.outputs)
    said = []
    if len(rows) > _MOST_ROWS:
        count = len(rows) - _MOST_ROWS
        said.append(trn("{count} line more in the lab", "{count} lines more in the lab", count))
    if pictures:
        said.append(trn("a picture in the lab", "{count} pictures in the lab", pictures))
    return "\n".join(map(shortened, rows[-_MOST_ROWS:])), _DOT.join(said)


def _with_times(said: str, cell: Cell | None) -> str:
    return said if cell is None else _DOT.join((said, *time_words(cell)))
