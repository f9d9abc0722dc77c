"""MapPage: the heat map in its place, what its shades mean, and what is said of one cell."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.machines.heat_drawing import draw_hatch
from gpuexplorer.gui.machines.heat_map import HeatMap
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.groups.group import CardCell
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.heat_legend import HeatLegend
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.scrolled import scrolled

_SAMPLE, _GAP, _HIGH = 22.0, 8.0, 20


class MapPage(QWidget):
    """What stands below the map is of the cell under the pointer, or at the keyboard."""

    def __init__(self, look: Look, words_of: Callable[[CardCell], str]) -> None:
        super().__init__()
        self._words_of = words_of
        self.map = HeatMap(look, words_of)
        self.map.setObjectName("machines.map")
        self.legend = HeatLegend(look)
        self._said = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._area = scrolled(self.map)
        self.map.setAutoFillBackground(False)  # which Qt has just seen to
        below = row(self._said, GROWS, HatchLegend(look), self.legend, gap=20)
        column(self._area, GROWS, below, within=self, gap=8)
        self._area.viewport().installEventFilter(self)
        self.map.pointed.connect(self.show_words)
        self.map.keyed.connect(self._on_keyed)
        self.setFocusProxy(self.map)

    def show_words(self) -> None:
        cell = self.map.looked_at
        self._said.show_text("" if cell is None else self._words_of(cell))

    def _on_keyed(self, place: QRect) -> None:
        middle = place.center()
        self._area.ensureVisible(middle.x(), middle.y(), place.width(), 2 * place.height())

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Its room also changes where the page keeps its size, such as with the legend."""
        if event.type() == QEvent.Type.Resize and watched is self._area.viewport():
            self.map.show_room(self._area.viewport().height())
        return super().eventFilter(watched, event)


class HatchLegend(Painted):
    """What is hatched."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._words = tr("no figure")
        self.setAccessibleName(tr("Hatched: no figure"))
        self.setToolTip(tr("A hatched cell has no figure; point at it, and it says why."))
        self.setFixedSize(self.sizeHint())

    def draw(self, drawing: Drawing) -> None:
        letters = drawing.letters.caption
        draw_hatch(drawing, QRectF(0, self.height() / 2 - 5, _SAMPLE, 10), bad=False)
        baseline = self.height() / 2 + letters.cap_height / 2
        drawing.text(_SAMPLE + _GAP, baseline, Run(self._words, letters, drawing.theme.quiet))

    def sizeHint(self) -> QSize:
        width = self.look.letters.caption.width(self._words)
        return QSize(round(_SAMPLE + _GAP + width) + 2, _HIGH)
