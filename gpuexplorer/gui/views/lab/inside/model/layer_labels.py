"""LayerLabels: what the rows under the layers are; they stay where the layers are scrolled."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.model.layer_strip import DRAWN, LABELS, ROW
from gpuexplorer.gui.widgets.painted import Painted

_WIDTH, _GAP = 88, 8


class LayerLabels(Painted):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        letters = drawing.letters.body
        for row, label in enumerate(LABELS):
            top = DRAWN + 6 + row * ROW
            if row:
                drawing.hairline(0, self.width(), top)
            baseline = top + ROW / 2 + letters.cap_height / 2
            drawing.text(0, baseline, Run(tr(label), letters, drawing.theme.quiet))

    def sizeHint(self) -> QSize:
        words = max(self.look.letters.body.width(tr(each)) for each in LABELS)
        return QSize(max(_WIDTH, round(words) + _GAP), round(DRAWN + 6 + ROW * len(LABELS)))
