"""MeasuringStrip: how far the measuring has got, how long it takes, and a way to stop it."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.copies_keys import progress_words

_BAR, _BAR_HEIGHT = 96, 4.0


class MeasuringStrip(QWidget):
    """Empty while nothing is measured and nothing went wrong."""

    def __init__(self, look: Look, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._copies = copies
        self._bar = _Bar(look)
        self._words = ElidedLabel(look.letters.body, Tone.QUIET)
        self._trouble = ElidedLabel(look.letters.body, Tone.BAD)
        self._stop = WordButton(look, Icon.CLOSE, tr("Stop"))
        self._stop.setAccessibleDescription(tr("End it at once; what was measured stays"))
        self._stop.clicked.connect(copies.stop)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._bar)
        row.addWidget(self._words, 1)
        row.addWidget(self._trouble, 1)
        row.addWidget(self._stop)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        copies.progressed.connect(self.pull)
        self.pull()

    def pull(self) -> None:
        copies = self._copies
        running, progress = copies.running, copies.progress
        self.setVisible(running or bool(copies.sentence))
        for part in (self._bar, self._words, self._stop):
            part.setVisible(running)
        self._trouble.setVisible(not running and bool(copies.sentence))
        self._trouble.show_text(tr(copies.sentence))
        if running:
            self._words.show_text(progress_words(progress, copies.silent))
            done = 0.0
            if progress is not None and progress.of:
                begun = progress.taken / progress.samples if progress.samples else 0.0
                done = (progress.done + begun) / progress.of
            self._bar.show_share(done)


class _Bar(Painted):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._share = 0.0
        self.setAccessibleName(tr("Measured so far"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_share(self, share: float) -> None:
        if round(share * _BAR) != round(self._share * _BAR):
            self._share = share
            self.setAccessibleDescription(f"{share * 100:.0f} %")
            self.update()

    def draw(self, drawing: Drawing) -> None:
        painter, theme = drawing.painter, drawing.theme
        middle = self.height() / 2
        whole = QRectF(0, middle - _BAR_HEIGHT / 2, self.width(), _BAR_HEIGHT)
        painter.fillRect(whole, theme.line)
        done = QRectF(whole)
        done.setWidth(whole.width() * self._share)
        painter.fillRect(done, theme.accent)

    def sizeHint(self) -> QSize:
        return QSize(_BAR, 20)
