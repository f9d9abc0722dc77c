"""SpreadPane: all values of a tensor together, and what looking at them cost."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.inside.fact_list import FactList
from gpuexplorer.gui.views.lab.inside.tensor.value_scale import ValueScale
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.inside import spread
from gpuexplorer.gui.wording.lab.inside.spread import round_steps
from gpuexplorer.gui.wording.lab.inside.thing_facts import ThingFact
from gpuexplorer.gui.wording.lab.inside.values import grouped, rounded_text
from gpuexplorer.lab.events import Finished, Peeked

_HEIGHT, _HEADROOM, _FOOT = 160, 14, 24
_LINES, _TICKS = 3, 6
_BAR = 0.8  # of a step
_LEAST_BAR = 1 / 120  # of the height: one value is seen beside thousands


class SpreadPane(QWidget):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._peeked: Peeked | None = None
        self._heading = QLabel()
        self._heading.setFont(look.letters.strong.font)
        self._chart = SpreadChart(look)
        self._nothing = wrapped_label(look, "", Tone.QUIET)
        self._facts = FactList(look)
        self._partly = wrapped_label(look, "", Tone.FAINT)
        self._looked = wrapped_label(look, "", Tone.FAINT)
        for label in (self._partly, self._looked):
            label.setFont(look.letters.caption.font)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for widget in (
            *(self._heading, self._nothing, self._chart, self._facts),
            *(self._partly, self._looked),
        ):
            column.addWidget(widget)
        column.addStretch(1)

    def show_seen(self, peeked: Peeked | None) -> None:
        """None: there is nothing to be seen yet."""
        self._peeked = peeked
        self.setVisible(peeked is not None)
        if peeked is None:
            return
        nothing = spread.nothing(peeked)
        self._nothing.setText(nothing)
        self._nothing.setVisible(bool(nothing))
        self._chart.setVisible(not nothing)
        if not nothing:
            self._chart.show_spread(peeked)
        self._heading.setText(spread.heading(peeked))
        self._facts.show_facts([ThingFact(*each) for each in spread.rows(peeked)])
        partly = spread.partly(peeked)
        self._partly.setText(partly)
        self._partly.setVisible(bool(partly))
        self._looked.setText(spread.looked(peeked, None))

    def show_cost(self, cost: Finished) -> None:
        if self._peeked is not None:
            self._looked.setText(spread.looked(self._peeked, cost))

    def mark(self, value: float | None) -> None:
        self._chart.mark(value)


class SpreadChart(Graph):
    """In the colours of the cells. Along its foot lie shares: 0 is the least, 1 the most."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._scale = ValueScale(None, None)
        self._marked: float | None = None
        self._left = Axis(look, "left")
        self._bottom = Axis(look, "bottom", lines=False, inside=True)
        self._bottom.setHeight(_FOOT)
        self._view = self.add_plot(left=self._left, bottom=self._bottom)
        self._below, self._above = (
            pg.BarGraphItem(x0=[], x1=[], height=[], pen=None) for _ in range(2)
        )
        self._mark = pg.InfiniteLine()
        for item in (self._below, self._above, self._mark):
            self._view.addItem(item)
        self.grid.setContentsMargins(0, _HEADROOM, 2, 0)
        self.setAntialiasing(True)
        self.setFixedHeight(_HEIGHT)
        self.setAccessibleName(tr("Spread of the values"))
        self.dress()

    def show_spread(self, peeked: Peeked) -> None:
        """There is a least and a most, and values between them."""
        least, most, dtype = peeked.least, peeked.most, peeked.dtype
        assert least is not None
        assert most is not None
        counts = np.array(peeked.histogram, float)
        fullest = int(counts.max(initial=0))
        words = rounded_text(least, dtype), rounded_text(most, dtype)
        self.setAccessibleDescription(
            tr(
                "From {least} to {most}, at most {count} in one step",
                least=words[0],
                most=words[1],
                count=grouped(fullest),
            )
        )
        self._scale = ValueScale(least, most)
        top = fullest or 1
        self._view.setRange(xRange=(0, 1), yRange=(0, top), padding=0)
        edges = np.arange(counts.size) / max(1, counts.size)
        ends = edges + _BAR / max(1, counts.size)
        heights = np.where(counts > 0, np.maximum(counts, top * _LEAST_BAR), 0.0)
        # The step that holds zero has two halves.
        zero = self._scale.part(0.0)
        for bars, (first, last) in ((self._below, (0.0, zero)), (self._above, (zero, 1.0))):
            x0, x1 = np.clip(edges, first, last), np.clip(ends, first, last)
            bars.setOpts(x0=x0, x1=x1, y0=0, height=heights)
        numbers = [each for each in round_steps(0, top, _LINES) if each == int(each)]
        ticks = [(each, grouped(int(each)) if each else "") for each in numbers]
        letters = self.look.letters.caption
        self._left.setWidth(8 + max(letters.width(text) for _, text in ticks))
        self._left.show_ticks(ticks)
        if dtype == "bool":
            self._bottom.show_ticks(((0.0, words[0]), (1.0, words[1])))
        else:
            steps = round_steps(least, most, _TICKS)
            self._bottom.show_ticks([(self._scale.part(each), _tick(each)) for each in steps])
        self.mark(self._marked)
        self.dress()

    def mark(self, value: float | None) -> None:
        """Where the chosen cell lies."""
        self._marked = value
        self._mark.setVisible(value is not None and self._scale.holds(value))
        if value is not None:
            self._mark.setValue(self._scale.part(value))

    def dress(self) -> None:
        theme, around = self.look.theme, self._scale.around_zero
        self._below.setOpts(brush=theme.below_zero if around else theme.level)
        self._above.setOpts(brush=theme.above_zero if around else theme.level)
        self._mark.setPen(theme.text)


def _tick(value: float) -> str:
    text = rounded_text(value)
    return text if "." not in text or "e" in text else text.rstrip("0").rstrip(".")
