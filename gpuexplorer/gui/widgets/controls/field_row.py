"""FieldRow: controls side by side, and below them a sentence where something is wrong."""

from collections.abc import Mapping

from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row, say
from gpuexplorer.gui.widgets.line import ElidedLabel


class Labelled(QWidget):
    """A control with its caption above; `show_remark` says something at the right."""

    def __init__(self, caption: str, control: QWidget) -> None:
        super().__init__()
        self.control, self._caption = control, caption
        self._remark = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._remark.hide()
        words = ElidedLabel(look().letters.caption, Tone.QUIET, caption)
        if not caption:
            words.hide()
        words.setBuddy(control)  # on Linux a list has no other name for screen readers
        column(row(words, FREE, self._remark, gap=6), control, within=self, gap=4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def about(self, problem: str) -> str:
        """Where it stands beside the problems of others."""
        if not self._caption:
            return problem
        return tr("{field}: {problem}", field=self._caption, problem=problem)

    def show_remark(self, remark: str) -> None:
        if remark != self._remark.text():
            self._remark.show_text(remark)
            self._remark.setVisible(bool(remark))


class FieldRow(QWidget):
    """The sentence belongs to its control: screen readers read both together."""

    def __init__(self, fields: Mapping[str, Labelled]) -> None:
        super().__init__()
        self._fields = fields
        self._sentence = label("", look().letters.caption, Tone.BAD)
        self._sentence.setWordWrap(True)
        self._sentence.hide()
        side_by_side = (each for field in fields.values() for each in (field, GROWS))
        column(row(*side_by_side), self._sentence, within=self, gap=4)

    def show_problems(self, problems: Mapping[str, str]) -> None:
        """Those of its own among all that are wrong in a form."""
        mine = {key: problems.get(key, "") for key in self._fields}
        for key, problem in mine.items():
            control = self._fields[key].control
            if control.accessibleDescription() != problem:
                control.setAccessibleDescription(problem)
            restyle(control, "bad", bool(problem))
        said = [each for each in mine.values() if each]
        if len(said) > 1:  # several red frames do not say which sentence is about which field
            said = [self._fields[key].about(mine[key]) for key in mine if mine[key]]
        sentence = "\n".join(said)
        if sentence != self._sentence.text():
            say(self._sentence, sentence)

    def first_bad(self, problems: Mapping[str, str]) -> QWidget | None:
        """Where the keyboard should go to mend it."""
        keys = (key for key in self._fields if problems.get(key))
        return next((self._fields[key].control for key in keys), None)
