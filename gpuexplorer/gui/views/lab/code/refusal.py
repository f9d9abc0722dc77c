"""Refusal: under the entry field, why a line was not taken, and what may have been meant."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import wrapped_label

_GAP = 2


class Refusal(QWidget):
    """Without a layout: it is told its width, and tells the height it needs there."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = wrapped_label(look, "", Tone.BAD)
        self._hint = wrapped_label(look, "", Tone.QUIET)
        for label in (self._sentence, self._hint):
            label.setParent(self)

    def show_words(self, sentence: str, hint: str = "") -> bool:
        """Whether they are others now; empty ones say that all is well."""
        if (sentence, hint) == (self._sentence.text(), self._hint.text()):
            return False
        self._sentence.setText(sentence)
        self._hint.setText(hint)
        self.setAccessibleName(f"{sentence} {hint}".strip())
        return True

    def fit(self, width: int) -> int:
        """Arrange it there, and say how high it is then: 0 where there is nothing."""
        y = 0
        for label in (self._sentence, self._hint):
            label.setVisible(bool(label.text()))
            if label.text():
                height = label.heightForWidth(width)
                label.setGeometry(0, y, width, height)
                y += height + _GAP
        return y
