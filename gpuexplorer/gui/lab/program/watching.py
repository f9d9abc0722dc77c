"""Watching: which program is to run, what it is asked before it does, and that it may."""

import shlex
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.program_state import Chosen, ProgramState
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import text_field
from gpuexplorer.gui.widgets.laid_out import label
from gpuexplorer.gui.widgets.saving import ask_for_file, in_a_thread
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lab.session_files import program


class Watching(QObject):
    """A file is read in a thread of its own; why it cannot run comes as a sentence."""

    refused = Signal(str)

    def __init__(self, state: ProgramState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self._parent = parent
        self._typed: dict[Path, str] = {}

    def ask_which(self) -> None:
        if not self._refuses():
            kinds = tr("Python programs (*.py)")
            ask_for_file(tr("Watch a program"), kinds, self._parent, self.offer)

    def _refuses(self) -> bool:
        why = self._state.why_not
        if why:
            self.refused.emit(tr(why))
        return bool(why)

    def offer(self, path: Path) -> None:
        """Ask with which arguments this one is to run."""
        if not self._refuses():
            self._read(path, partial(self._ask, path))

    def run_again(self) -> None:
        """As it stands in its file now, with the same arguments."""
        before = self._state.chosen
        if before is not None and not self._refuses():
            self._read(before.path, partial(self._start, before.path, before.arguments))

    def _read(self, path: Path, then: "partial[None]") -> None:
        in_a_thread(partial(program, path), self, then, self.refused.emit)

    def _ask(self, path: Path, text: str) -> None:
        chosen, runs = self._state.chosen, self._state.phase.runs
        sheet = WatchSheet(
            path,
            self._typed.get(path, ""),
            self._parent,
            new=not self._state.may_run(path),
            running=chosen.path.name if chosen is not None and runs else "",
        )
        sheet.chosen.connect(partial(self._on_chosen, path, text))
        sheet.open()

    def _on_chosen(self, path: Path, text: str, arguments: tuple[str, ...], typed: str) -> None:
        self._typed[path] = typed
        self._start(path, arguments, text)

    def _start(self, path: Path, arguments: tuple[str, ...], text: str) -> None:
        self._state.start(Chosen(path, text, arguments))


class WatchSheet(Sheet):
    """`chosen` brings the arguments, and the line as it was typed."""

    chosen = Signal(object, str)

    def __init__(
        self,
        path: Path,
        typed: str,
        parent: QWidget,
        *,
        new: bool,
        running: str = "",
    ) -> None:
        """`new`: it comes from outside, and nobody has said yet that it may run. `running`: the
        program that is watched now, and would be ended.
        """
        super().__init__(tr("Watch {file}", file=path.name), parent)
        self.add_sentence(
            tr(
                "It runs as “python {file}” would in {folder}, and its lines are watched.",
                file=path.name,
                folder=str(path.parent),
            ),
            Tone.QUIET,
        )
        if new:
            self.add_sentence(
                tr(
                    "It runs as your own Python, with your rights: it can read and change your "
                    "files. Read it first where it comes from somebody else."
                ),
                Tone.WARN,
            )
        if running:
            self.add_sentence(
                tr("{file} still runs, and is ended first.", file=running), Tone.WARN
            )
        above = label(tr("Arguments"), look().letters.caption)
        self.body.addWidget(above)
        self._field = text_field(tr("Arguments of the program"))
        self._field.setPlaceholderText("--epochs 3")
        self._field.setText(typed)
        self._field.textEdited.connect(self._on_typed)
        above.setBuddy(self._field)
        self.body.addWidget(self._field)
        self._wrong = self.add_sentence("", Tone.BAD)
        self._wrong.hide()
        self.add_button(tr("Watch"), ROLE.AcceptRole, default=True)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.begins = self._field
        self._field.selectAll()

    def accept(self) -> None:
        """Stays open where the line cannot be split."""
        typed = self._field.text()
        try:
            arguments = tuple(shlex.split(typed))
        except ValueError:
            self._say(
                tr("A quotation mark or a backslash stands alone in the arguments; close it.")
            )
            return
        super().accept()
        self.chosen.emit(arguments, typed)

    def _say(self, sentence: str) -> None:
        self._wrong.setText(sentence)
        self._wrong.setVisible(bool(sentence))
        self._field.setAccessibleDescription(sentence)
        restyle(self._field, "bad", bool(sentence))
        self._field.setFocus()

    def _on_typed(self) -> None:
        if not self._wrong.isHidden():
            self._say("")


class EndSheet(Sheet):
    """Accepted: the program that runs may be ended."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(tr("End {file}?", file=name), parent)
        self.add_sentence(
            tr(
                "It still runs. It is ended with all that it started, and what was watched of "
                "it is gone."
            )
        )
        self.add_button(tr("Keep it"), ROLE.RejectRole, default=True)
        self.add_button(tr("End it"), ROLE.AcceptRole)
