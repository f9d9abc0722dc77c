"""NowTag: says that what stands beside it is of now, while the plots show another time."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_HEIGHT, _SIDE, _AFTER = 18, 7, 6


class NowTag(Painted):
    """Seen as long as somebody looks back, in the colours of what says so at the top."""

    def __init__(
        self,
        look: Look,
        time_window: TimeWindow,
        words: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self._words = words or tr("now")
        self._time_window = time_window
        self._needed = True
        self.setAccessibleName(self._words)
        self.setToolTip(tr("This is how it is now. The plots show an earlier time."))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.resize(self.sizeHint())
        time_window.changed.connect(self._on_time_changed)
        if time_window.following:
            self.hide()  # and else whoever takes it in shows it

    def show_needed(self, needed: bool) -> None:
        """Whether anything stands beside it."""
        self._needed = needed
        self._on_time_changed()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        place = QRectF(self.rect()).adjusted(0, 0, -_AFTER, 0)
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(theme.selection)
        drawing.painter.drawRoundedRect(place, _HEIGHT / 2, _HEIGHT / 2)
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(_SIDE, baseline, Run(self._words, letters, theme.text))

    def _on_time_changed(self) -> None:
        self.setVisible(self._needed and not self._time_window.following)

    def sizeHint(self) -> QSize:
        words = round(self.look.letters.caption.width(self._words))
        return QSize(words + 2 * _SIDE + _AFTER, _HEIGHT)
