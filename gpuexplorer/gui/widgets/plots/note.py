"""PlotNote: one sentence over plots about a file that was saved or could not be."""

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QMouseEvent, QPen
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Painted

_MARGIN = 12
_HEIGHT = 32
_STAYS = 6000  # milliseconds


class PlotNote(Painted):
    """What went well goes away by itself; what did not waits to be clicked away."""

    def __init__(self, parent: QWidget, above: float = 0.0) -> None:
        """`above`: so many pixels at the bottom stay free of it."""
        super().__init__(parent)
        self._above = above
        self._text = ""
        self._tone = Tone.TEXT
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_STAYS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def show_done(self, text: str) -> None:
        self._show(text, Tone.TEXT)
        self._timer.start()

    def show_refused(self, text: str) -> None:
        self._timer.stop()
        self._show(text, Tone.BAD)

    def put_in_view(self) -> None:
        """At the bottom of what is seen of its parent, in the middle."""
        parent = self.parentWidget()
        if parent is None:
            return
        seen, above = parent.rect(), parent
        while not above.isWindow() and (outer := above.parentWidget()) is not None:
            seen &= outer.rect().translated(-parent.mapTo(outer, parent.rect().topLeft()))
            above = outer
        place = QRectF(seen if not seen.isEmpty() else parent.rect())
        width = min(self.sizeHint().width(), int(place.width()))
        left = place.left() + (place.width() - width) / 2
        top = place.bottom() - self._above - _HEIGHT - 4
        self.setGeometry(round(left), round(top), width, _HEIGHT)

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.body
        place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        drawing.painter.setPen(QPen(theme.line, 1))
        drawing.painter.setBrush(theme.raised)
        drawing.painter.drawRoundedRect(place, 6, 6)
        baseline = place.center().y() + letters.cap_height / 2
        run = Run(self._text, letters, theme.tone(self._tone))
        drawing.elided(_MARGIN, baseline, run, place.width() - 2 * _MARGIN)

    def _show(self, text: str, tone: Tone) -> None:
        self._text, self._tone = text, tone
        self.setAccessibleName(text)
        self.put_in_view()
        self.show()
        self.raise_()
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.hide()
        event.accept()

    def sizeHint(self) -> QSize:
        return QSize(round(self.look.letters.body.width(self._text)) + 2 * _MARGIN + 2, _HEIGHT)
