"""FieldRow: controls side by side, and below them a sentence where something is wrong."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.labelled import Labelled

_GAP = 8


@runtime_checkable
class CanBeBad(Protocol):
    """A control that can show that what stands in it cannot be used."""

    def show_bad(self, bad: bool) -> None: ...


class FieldRow(QWidget):
    """The sentence belongs to its control: readers of screens hear both together."""

    def __init__(
        self, look: Look, fields: Mapping[str, Labelled], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._fields = fields
        self._sentence = QLabel()
        self._sentence.setFont(look.letters.caption.font)
        self._sentence.setProperty("tone", Tone.BAD.value)
        self._sentence.setWordWrap(True)
        self._sentence.hide()
        row = QHBoxLayout()
        row.setSpacing(_GAP)
        for each in fields.values():
            row.addWidget(each, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._sentence)

    def show_problems(self, problems: Mapping[str, str]) -> None:
        """Of all that are wrong in a form, those that are its own."""
        mine = {key: problems.get(key, "") for key in self._fields}
        for key, problem in mine.items():
            control = self._fields[key].control
            if control.accessibleDescription() != problem:
                control.setAccessibleDescription(problem)
            if isinstance(control, CanBeBad):
                control.show_bad(bool(problem))
        sentence = " ".join(each for each in mine.values() if each)
        if sentence != self._sentence.text():
            self._sentence.setText(sentence)
            self._sentence.setVisible(bool(sentence))

    def first_bad(self, problems: Mapping[str, str]) -> QWidget | None:
        """Where the keyboard should go to mend it."""
        keys = (key for key in self._fields if problems.get(key))
        return next((self._fields[key].control for key in keys), None)
