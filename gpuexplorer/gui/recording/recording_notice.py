"""RecordingNotice: what came of a recording or a file, until somebody closes it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QPushButton

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, link_button
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label

Way = tuple[str, Callable[[], object]]


class RecordingNotice(QFrame):
    """One at a time, the newest; takes nobody's keyboard."""

    read = Signal()  # closed, or one of its ways taken

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", "banner")
        self.setAccessibleName(tr("About recordings"))
        self._sign = Sign(Icon.CHECK, Tone.GOOD, QSize(18, 18))
        self._warning = Sign(Icon.WARNING, Tone.WARN, QSize(18, 18))
        self._sentence = wrapped_label("", Tone.TEXT)
        self._ways: list[QPushButton] = []
        close = IconButton(Icon.CLOSE, tr("Close the notice"))
        close.clicked.connect(self._on_closed)
        self._links = row(gap=8)
        parts = (self._sign, self._warning, self._sentence, GROWS, self._links, close)
        row(*parts, within=self, gap=10, margins=(24, 4, 16, 4))
        self.hide()

    def say(self, sentence: str, ways: Sequence[Way] = (), *, bad: bool = False) -> None:
        for old in self._ways:
            self._links.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._ways = []
        for words, run in ways:
            link = link_button(words)
            link.clicked.connect(lambda _=False, run=run: self._take(run))
            self._links.addWidget(link)
            self._ways.append(link)
        self._sentence.setText(sentence)
        self._sign.setVisible(not bad)
        self._warning.setVisible(bad)
        self.show()

    def _take(self, run: Callable[[], object]) -> None:
        self._on_closed()
        run()

    def _on_closed(self) -> None:
        self.hide()
        self.read.emit()
