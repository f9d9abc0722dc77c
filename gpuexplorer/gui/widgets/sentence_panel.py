"""SentencePanel: what stands in the place of figures while a card gives none."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import wrapped_label

_MARGIN, _ABOVE, _BETWEEN = 16, 14, 4


class SentencePanel(QFrame):
    """A sentence, and under it a quieter one.

    Without a layout: a page that holds one whose height hangs on its width gives all it holds
    the height it likes and not the least, and plots no longer fit the window.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._more = wrapped_label(look, "", Tone.QUIET)
        for label in (self._sentence, self._more):
            label.setParent(self)

    def show_sentences(self, sentence: str, more: str) -> None:
        if (sentence, more) == (self._sentence.text(), self._more.text()):
            return
        self._sentence.setText(sentence)
        self._more.setText(more)
        self._more.setVisible(bool(more))
        self.setAccessibleName(f"{sentence} {more}".strip())
        self._fit()

    def _fit(self) -> None:
        width = max(1, self.width() - 2 * _MARGIN)
        top = _ABOVE
        for label in (self._sentence, self._more):
            if label.text():
                height = label.heightForWidth(width)
                label.setGeometry(_MARGIN, top, width, height)
                top += height + _BETWEEN
        self.setFixedHeight(top - _BETWEEN + _ABOVE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def sizeHint(self) -> QSize:
        return QSize(320, self.height())
