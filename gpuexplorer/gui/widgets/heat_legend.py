"""HeatLegend: which shade stands for which figure."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.widgets.painted import Painted

_BAR, _STEPS, _HEIGHT = 96.0, 24, 20


class HeatLegend(Painted):
    """A bar between two words."""

    def __init__(self) -> None:
        super().__init__()
        self._low, self._high = "0", ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)

    def show_ends(self, low: str, high: str) -> bool:
        """True when it takes another width than before."""
        if (low, high) == (self._low, self._high):
            return False
        self._low, self._high = low, high
        self.setAccessibleName(tr("Shades from {low} to {high}", low=low, high=high))
        self.updateGeometry()
        self.update()
        return True

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        baseline = self.height() / 2 + letters.cap_height / 2
        x = drawing.text(0, baseline, Run(self._low, letters, theme.quiet)) + 8
        wide = _BAR / _STEPS
        for step in range(_STEPS):
            shade = theme.heat(step / (_STEPS - 1))
            place = QRectF(x + step * wide, self.height() / 2 - 4, wide + 0.5, 8)
            drawing.painter.fillRect(place, shade)
        drawing.text(x + _BAR + 8, baseline, Run(self._high, letters, theme.quiet))

    def sizeHint(self) -> QSize:
        letters = self.look.letters.caption
        words = letters.width(self._low) + letters.width(self._high)
        return QSize(round(words + _BAR + 18), _HEIGHT)
