"""FieldRow: controls side by side, and below them a sentence where something is wrong."""

from collections.abc import Mapping

from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.theme.style_sheet import restyle
from gpuexplorer.gui.widgets.elided_label import ElidedLabel


class Labelled(QWidget):
    """A control with its caption above; `show_remark` says something at the right."""

    def __init__(
        self, look: Look, caption: str, control: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.control = control
        self._remark = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._remark.hide()
        words = ElidedLabel(look.letters.caption, Tone.QUIET)
        words.show_text(caption)
        words.setBuddy(control)  # on Linux a list has no other name for screen readers
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(words)
        head.addStretch(1)
        head.addWidget(self._remark)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(control)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_remark(self, remark: str) -> None:
        if remark != self._remark.text():
            self._remark.show_text(remark)
            self._remark.setVisible(bool(remark))


class FieldRow(QWidget):
    """The sentence belongs to its control: screen readers read both together."""

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
        row.setSpacing(8)
        for each in fields.values():
            row.addWidget(each, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._sentence)

    def show_problems(self, problems: Mapping[str, str]) -> None:
        """Those of its own among all that are wrong in a form."""
        mine = {key: problems.get(key, "") for key in self._fields}
        for key, problem in mine.items():
            control = self._fields[key].control
            if control.accessibleDescription() != problem:
                control.setAccessibleDescription(problem)
            restyle(control, "bad", bool(problem))
        sentence = " ".join(each for each in mine.values() if each)
        if sentence != self._sentence.text():
            self._sentence.setText(sentence)
            self._sentence.setVisible(bool(sentence))

    def first_bad(self, problems: Mapping[str, str]) -> QWidget | None:
        """Where the keyboard should go to mend it."""
        keys = (key for key in self._fields if problems.get(key))
        return next((self._fields[key].control for key in keys), None)
