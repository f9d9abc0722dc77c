"""PairScale: which shade of a map of pairs is how much."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.matrix.heat_scale import HeatScale

_BAR, _HIGH, _STEPS = 168.0, 8.0, 42
_HEIGHT = 34
_BETWEEN = 6.0


class PairScale(Painted):
    """A bar with its figures below; empty where nothing has a shade."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._scale: HeatScale | None = None
        self._unit = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_scale(self, scale: HeatScale | None, unit: str) -> None:
        if (scale, unit) != (self._scale, self._unit):
            self._scale, self._unit = scale, unit
            name = tr("No shades yet")
            if scale is not None:
                high = f"{_told(scale.most)} {unit}"
                name = tr("Shades from {low} to {high}", low=_told(scale.least), high=high)
            self.setAccessibleName(name)
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        scale = self._scale
        if scale is None:
            return
        theme, letters = drawing.theme, drawing.letters.caption
        wide = _BAR / _STEPS
        for step in range(_STEPS):
            shade = theme.heat(step / (_STEPS - 1))
            drawing.painter.fillRect(QRectF(step * wide, 6, wide + 0.5, _HIGH), shade)
        baseline = self.height() - 3.0
        end = Run(f"{_told(scale.most)} {self._unit}", letters, theme.quiet)
        last = _BAR - letters.width(_told(scale.most))
        drawing.text(last, baseline, end)
        for tick in scale.ticks():
            run = Run(_told(tick), letters, theme.quiet)
            x = max(0.0, scale.share(tick) * _BAR - run.width / 2)
            if x + run.width + _BETWEEN < last:
                drawing.text(x, baseline, run)

    def sizeHint(self) -> QSize:
        unit = self.look.letters.caption.width(f" {self._unit}")
        return QSize(round(_BAR + unit) + 4, _HEIGHT)


def _told(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return plain(round(value, 1 if value >= 10 else 2))
