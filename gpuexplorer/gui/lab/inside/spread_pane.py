"""SpreadPane: all values of a tensor together, and what looking at them cost."""

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.inside import words
from gpuexplorer.gui.lab.inside.fact_list import FactList
from gpuexplorer.gui.lab.inside.value_pane import ValuePane
from gpuexplorer.gui.lab.inside.value_scale import ValueScale
from gpuexplorer.gui.lab.inside.values import grouped, rounded_text
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, column, label, say, wrapped_label
from gpuexplorer.lab.events import Finished, Peeked

_HEIGHT, _HEADROOM, _FOOT = 160, 14, 24
_LINES, _TICKS = 3, 6
_BAR = 0.8  # of a step
_LEAST_BAR = 1 / 120  # of the height: one value is seen beside thousands

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LEAST_REACH = 1e-300  # a step of less could not be told from none


class SpreadPane(QWidget):
    def __init__(self, values: ValuePane) -> None:
        super().__init__()
        self._peeked: Peeked | None = None
        self._heading = label("", look().letters.strong)
        self._chart = SpreadChart()
        self._nothing = wrapped_label("", Tone.QUIET)
        self._facts = FactList()
        self._partly = wrapped_label("", Tone.FAINT)
        self._looked = wrapped_label("", Tone.FAINT)
        for each in (self._partly, self._looked):
            each.setFont(look().letters.caption.font)
        above = (self._heading, self._nothing, self._chart, self._facts)
        column(*above, self._partly, self._looked, FREE, within=self, gap=4)
        values.seen.connect(self.show_seen)
        values.failed.connect(self.show_nothing)
        values.cost_known.connect(self._on_cost_known)
        values.value_chosen.connect(self._chart.mark)

    def show_nothing(self) -> None:
        """There is nothing to be seen yet."""
        self._peeked = None
        self.hide()

    def show_seen(self, peeked: Peeked) -> None:
        self._peeked = peeked
        self.show()
        nothing = words.no_spread(peeked)
        say(self._nothing, nothing)
        self._chart.setVisible(not nothing)
        if not nothing:
            self._chart.show_spread(peeked)
        self._heading.setText(words.spread_heading(peeked))
        self._facts.show_facts([words.ThingFact(*each) for each in words.spread_rows(peeked)])
        say(self._partly, words.partly(peeked))
        self._looked.setText(words.looked(peeked, None))

    def _on_cost_known(self, cost: Finished) -> None:
        if self._peeked is not None:
            self._looked.setText(words.looked(self._peeked, cost))


class SpreadChart(Graph):
    """In the colours of the cells. Along its foot lie shares: 0 is the least, 1 the most."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale = ValueScale(None, None)
        self._marked: float | None = None
        self._left = Axis("left")
        self._bottom = Axis("bottom", lines=False, inside=True)
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
        ends = rounded_text(least, dtype), rounded_text(most, dtype)
        self.setAccessibleDescription(
            tr(
                "From {least} to {most}, at most {count} in one step",
                least=ends[0],
                most=ends[1],
                count=grouped(fullest),
            )
        )
        self._scale = ValueScale(least, most)
        top = fullest or 1
        self._view.setRange(xRange=(0, 1), yRange=(0, top), padding=0)
        edges = np.arange(counts.size) / max(1, counts.size)
        stops = edges + _BAR / max(1, counts.size)
        heights = np.where(counts > 0, np.maximum(counts, top * _LEAST_BAR), 0.0)
        # The step that holds zero has two halves.
        zero = self._scale.part(0.0)
        for bars, (first, last) in ((self._below, (0.0, zero)), (self._above, (zero, 1.0))):
            x0, x1 = np.clip(edges, first, last), np.clip(stops, first, last)
            bars.setOpts(x0=x0, x1=x1, y0=0, height=heights)
        numbers = [each for each in round_steps(0, top, _LINES) if each == int(each)]
        ticks = [(each, grouped(int(each)) if each else "") for each in numbers]
        letters = self.look.letters.caption
        self._left.setWidth(8 + max(letters.width(text) for _, text in ticks))
        self._left.show_ticks(ticks)
        if dtype == "bool":
            self._bottom.show_ticks(((0.0, ends[0]), (1.0, ends[1])))
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


def round_steps(least: float, most: float, at_most: int) -> Sequence[float]:
    """Values people count in, from least to most."""
    if not _LEAST_REACH < most - least < math.inf:
        return ()
    rough = (most - least) / max(1, at_most)
    size = 10.0 ** math.floor(math.log10(rough))
    step = size * next(each for each in _STEPS if each * size >= rough * (1 - 1e-9))
    first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
    return [each * step for each in range(first, last + 1)]
