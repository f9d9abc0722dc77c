"""FactGrid: labels and figures in as many columns as there is room for."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.matrix.details import Row

_ROW, _LABEL, _COLUMN, _BETWEEN = 24, 128.0, 262.0, 24.0


class FactGrid(Painted):
    """Read from top to bottom, and then on in the next column."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._rows: Sequence[Row] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("Figures"))

    def show_rows(self, rows: Sequence[Row]) -> None:
        if rows != self._rows:
            self._rows = rows
            self.setAccessibleDescription("; ".join(row.said for row in rows))
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        columns = self._columns(self.width())
        high = self._high(columns)
        wide = (self.width() - _BETWEEN * (columns - 1)) / columns
        for at, row in enumerate(self._rows):
            x = (at // high) * (wide + _BETWEEN)
            top = (at % high) * _ROW
            baseline = top + _ROW / 2 + letters.body.cap_height / 2
            drawing.elided(x, baseline, Run(row.label, letters.body, theme.quiet), _LABEL - 8)
            room = wide - _LABEL
            left = x + _LABEL
            if row.number:
                end = drawing.text(left, baseline, Run(row.number, letters.strong, theme.text))
                unit = Run(f"{THIN_SPACE}{row.unit}", letters.caption, theme.quiet)
                drawing.elided(end + 2, baseline, unit, room - (end - left) - 2, row.said)
            elif row.words:
                words = Run(row.words, letters.body, theme.text)
                drawing.elided(left, baseline, words, room)
            drawing.hint(QRectF(x, top, wide, _ROW), row.said)

    def _columns(self, width: int) -> int:
        return max(1, min(2, int((width + _BETWEEN) // (_COLUMN + _BETWEEN))))

    def _high(self, columns: int) -> int:
        return max(1, -(-len(self._rows) // columns))

    def heightForWidth(self, width: int) -> int:
        return self._high(self._columns(width)) * _ROW if self._rows else 0

    def sizeHint(self) -> QSize:
        return QSize(int(_COLUMN), self.heightForWidth(max(self.width(), int(_COLUMN))))
