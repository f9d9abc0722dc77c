"""ValuePane: the values of one tensor, a window at a time; SpreadPane: all of them together."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from gpuexplorer.core.units import duration, grouped
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.lab.inside.values import (
    MOST,
    ValueGrid,
    ValueScale,
    bytes_text,
    value_text,
)
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, Grow, column, label, row, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.lab.events import Event, Failed, Finished, Opened, Peeked

_NEARLY_ALL = Grow(1000)
_NO_GRADIENT = mark("{name} has no gradient: no backward pass reached it, or it is no leaf.")
_EMPTY = mark("It holds no values: one of its dimensions is 0.")
_CHART, _HEADROOM, _FOOT, _DIGITS, _FEW = 140, 14, 24, 5, 8
_SCALE = 0.11  # of the height of the bars, below them
_LEAST_BAR = 1 / 120  # of the height: one value is seen beside thousands


class Looks(QObject):
    """Looks into one thing after another; of many wishes meanwhile the last is asked for."""

    came = Signal(object)  # Peeked or Opened, then Finished; else Failed

    def __init__(self, lab: Lab, parent: QObject) -> None:
        super().__init__(parent)
        self._lab = lab
        self._under_way: int | None = None
        self._wish: tuple[str, tuple[int, ...], int, int] | None = None
        lab.told.connect(self._on_told)
        lab.stage_changed.connect(self._on_stage_changed)

    def ask(self, what: str, at: tuple[int, ...] = (), rows: int = 1, columns: int = 1) -> None:
        self._wish = what, at, rows, columns
        self._ask_next()

    def forget(self) -> None:
        """Whatever still comes is not heard."""
        self._under_way = self._wish = None

    def _ask_next(self) -> None:
        if self._under_way is None and self._wish is not None:
            wish, self._wish = self._wish, None
            self._under_way = self._lab.look_into(*wish)

    def _on_told(self, event: Event) -> None:
        heard = isinstance(event, Peeked | Opened | Finished | Failed)
        if heard and event.id == self._under_way:
            if isinstance(event, Finished | Failed):
                self._under_way = None
            self.came.emit(event)
            self._ask_next()

    def _on_stage_changed(self) -> None:
        if self._lab.stage is Stage.RESTING:
            self.forget()  # released, so nobody answers any more


def failure_words(failed: Failed) -> str:
    told = tr(failed.sentence) or failed.message or tr("It could not be looked into.")
    return paragraph([told, failed.hint])


class ValuePane(QWidget):
    """Asks for what is seen and for nothing else. Fields choose the plane."""

    came = Signal(object)  # Peeked, then Finished; or Failed: there are no values to see

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self._what = ""
        self._sizes: tuple[int, ...] = ()
        self._at: list[int] = []  # the plane that is shown, and where in it the table begins
        self._looks = Looks(lab, self)
        self._looks.came.connect(self._on_came)
        self._plane = QWidget()
        plane = label(tr("Plane"), look().letters.body, Tone.QUIET)
        self._plane_row = row(plane, FREE, within=self._plane)
        self._sentence = wrapped_label("", Tone.QUIET)
        self.grid = ValueGrid()
        self.grid.window_wanted.connect(self._on_window_wanted)
        self.grid.cell_chosen.connect(self._on_cell_chosen)
        self._place = ElidedLabel(look().letters.mono, Tone.QUIET)
        self._value = label("", look().letters.strong)
        self._value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._switch = Segmented(tr("Cells"), [(True, tr("Figures")), (False, tr("Heat map"))])
        self._switch.show_choice(self.grid.figures)
        self._switch.chosen.connect(self._switch.show_choice)
        self._switch.chosen.connect(self.grid.show_figures)
        # The grid takes what it can use; below it the rest stays empty.
        foot = row(self._place, self._value, FREE, self._switch, gap=12)
        shown = self._plane, self._sentence, self.grid, _NEARLY_ALL, foot, FREE
        column(*shown, within=self)
        self._say("")

    def show_thing(self, what: str) -> None:
        """Looked at again, if it is shown already; nothing is looked at where it is empty."""
        if what != self._what:
            self._what = what
            self._show_sizes(())
            self.grid.show_values(None)
            self._say(tr("Looking …"))
        if what:
            self._on_window_wanted(*self.grid.window_seen())
        else:
            self._looks.forget()

    def _say(self, sentence: str) -> None:
        """In the place of the values."""
        say(self._sentence, sentence)
        self.grid.hide()
        self._switch.hide()
        self._place.show_text("")
        self._value.clear()

    def _show_sizes(self, shape: tuple[int, ...]) -> None:
        """Another tensor begins at its first plane."""
        if shape == self._sizes:
            return
        self._sizes, self._at = shape, [0] * len(shape)
        for field in self._plane.findChildren(NumberField):
            field.setParent(None)
            field.deleteLater()
        for dimension, size in enumerate(shape):
            step = 1 if dimension < len(shape) - 2 else MOST
            if step == MOST >= size:
                continue
            limits = Range(0, max(0, size - 1), range(0, size, step))
            name = tr("Dimension {dimension}", dimension=dimension)
            field = NumberField(name, limits, tr("of {size}", size=size))
            field.setEnabled(size > 1)
            field.chosen.connect(partial(self._on_plane_chosen, dimension))
            self._plane_row.insertWidget(self._plane_row.count() - 1, field)
        self._plane.setHidden(self._plane_row.count() == 2)  # its name, and what stays free

    def _on_came(self, event: Event) -> None:
        if isinstance(event, Failed):
            name, dot, _ = self._what.rpartition(".grad")
            said = tr(_NO_GRADIENT, name=name) if dot and event.cause == "bad request" else ""
            self._say(said or failure_words(event))
        elif isinstance(event, Peeked):
            if event.what != self._what:
                return
            self._show_sizes(event.shape)
            self._say(tr(_EMPTY) if 0 in event.shape else "")
            self.grid.setHidden(0 in event.shape)
            # So few are always seen together with their figures.
            many = not self.grid.figures or max(event.shape[-2:], default=0) > _FEW
            self._switch.setVisible(many and 0 not in event.shape)
            row, column = (0, 0, *self._at)[-2:]
            self.grid.show_values(event, (row, column))
        self.came.emit(event)

    def _on_plane_chosen(self, dimension: int, number: float) -> None:
        self._at[dimension] = round(number)
        row, column = (0, 0, *self._at)[-2:]
        self._on_window_wanted(row, column, *self.grid.window_seen()[2:])

    def _on_window_wanted(self, row: int, column: int, rows: int, columns: int) -> None:
        self._looks.ask(self._what, (*self._at[:-2], row, column), rows, columns)

    def _on_cell_chosen(self, place: str, text: str, value: object) -> None:
        self._place.show_text(place)
        self._value.setText(text)


class Facts(QWidget):
    """What each is at the right of its name."""

    def __init__(self) -> None:
        super().__init__()
        self._form = QFormLayout(self, verticalSpacing=6)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)

    def show_facts(self, facts: Sequence[tuple[str, str]]) -> None:
        while self._form.rowCount():
            self._form.removeRow(0)
        for name, text in facts:
            value = ElidedLabel(look().letters.body, Tone.TEXT, text)
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            value.setAccessibleName(f"{name}: {text}")
            self._form.addRow(label(name, look().letters.body, Tone.QUIET), value)


class SpreadPane(QWidget):
    """Not there until values were seen."""

    def __init__(self, values: ValuePane) -> None:
        super().__init__()
        self._peeked: Peeked | None = None
        self._heading = label("", look().letters.strong)
        self._chart = SpreadChart()
        self._nothing = wrapped_label("", Tone.QUIET)
        self._facts = Facts()
        self._looked = wrapped_label("", Tone.FAINT, look().letters.caption)
        shown = self._heading, self._nothing, self._chart, self._facts, self._looked
        column(*shown, within=self, gap=6)
        values.came.connect(self._on_came)
        values.grid.cell_chosen.connect(lambda place, text, value: self._chart.mark(value))

    def _on_came(self, event: Event) -> None:
        if isinstance(event, Peeked):
            self._show_seen(event)
            self.setHidden(0 in event.shape)
        elif isinstance(event, Finished) and self._peeked is not None:
            self._show_cost(self._peeked, event)
        elif isinstance(event, Failed):
            self.hide()

    def _show_seen(self, peeked: Peeked) -> None:
        self._peeked, count = peeked, math.prod(peeked.shape)
        one, many = mark("Spread of {number} value"), mark("Spread of {number} values")
        heading = trn(one, many, count, number=grouped(count))
        if peeked.looked_at < count:
            seen = grouped(peeked.looked_at)
            several = mark("Spread of {seen} of {count} values")
            heading = tr(several, seen=seen, count=grouped(count))
        self._heading.setText(heading)
        least, most, nothing = peeked.least, peeked.most, ""
        low, high = (value_text(each, peeked.dtype, _DIGITS) for each in (least, most))
        if least is None or most is None:
            nothing = tr("None of its values is a finite number.")
        elif least == most:
            nothing = tr("All values are {value}.", value=low)
        else:
            self._chart.show_spread(peeked, least, most)
        say(self._nothing, nothing)
        self._chart.setVisible(not nothing)
        self._facts.show_facts(
            [
                (tr("Minimum"), low),
                (tr("Maximum"), high),
                (tr("Mean"), value_text(peeked.mean, "", _DIGITS)),
                (tr("Standard deviation"), value_text(peeked.deviation, "", _DIGITS)),
                (tr("NaN or infinite"), grouped(peeked.not_finite)),
            ]
        )

    def _show_cost(self, peeked: Peeked, cost: Finished) -> None:
        """Looking is not free where the values lie on a card."""
        said = tr("This preview copied nothing: the values are on the host.")
        if peeked.moved_bytes:
            size, time = bytes_text(peeked.moved_bytes), str(duration(cost.host_seconds))
            time = tr("{time}, modelled", time=time) if cost.modelled else time
            said = tr("This preview copied {size} from the card: {time}.", size=size, time=time)
        partly = tr("Minimum and maximum are of all values, the rest of an even sample.")
        partly = partly if peeked.looked_at < math.prod(peeked.shape) else ""
        self._looked.setText(paragraph([partly, said]))


class SpreadChart(Graph):
    """How many values lie in each step; its foot goes from 0, the least, to 1, the most."""

    def __init__(self) -> None:
        super().__init__()
        self._ends, self._marked = (0.0, 1.0), math.nan
        self._left, self._bottom = Axis("left"), Axis("bottom")
        self._bottom.setHeight(_FOOT)
        self._view = self.add_plot(left=self._left, bottom=self._bottom)
        self._bars = pg.BarGraphItem(x=[0], height=[0], width=1, pen=None)
        self._colours = pg.ImageItem(axisOrder="row-major")
        self._mark = pg.InfiniteLine()
        for item in (self._bars, self._colours, self._mark):
            self._view.addItem(item)
        self.grid.setContentsMargins(0, _HEADROOM, 2, 0)
        self.setAntialiasing(True)
        self.setFixedHeight(_CHART)
        self.setAccessibleName(tr("Spread of the values"))

    def show_spread(self, peeked: Peeked, least: float, most: float) -> None:
        counts = np.array(peeked.histogram, float)
        top, step = counts.max(initial=1), 1 / max(1, counts.size)
        low, high = (value_text(each, peeked.dtype, _DIGITS) for each in (least, most))
        most_in_one = grouped(int(top))
        said = mark("From {least} to {most}, at most {count} in one step")
        self.setAccessibleDescription(tr(said, least=low, most=high, count=most_in_one))
        self._ends = least, most
        self._view.setRange(xRange=(0, 1), yRange=(-_SCALE * top, top), padding=0)
        heights = np.where(counts > 0, np.maximum(counts, top * _LEAST_BAR), 0.0)
        middles = (np.arange(counts.size) + 0.5) * step
        self._bars.setOpts(x=middles, width=0.8 * step, height=heights)
        along = ValueScale(least, most).shares(np.linspace(least, most, 256))
        self._colours.setImage(along[np.newaxis], levels=(0, 1))
        self._colours.setRect(QRectF(0, -_SCALE * top, 1, 0.7 * _SCALE * top))
        self._left.setWidth(8 + self.look.letters.caption.width(most_in_one))
        self._left.show_ticks([(0.0, ""), (top, most_in_one)])
        zero = [(self._share(0.0), "0")] if least < 0 < most else []
        self._bottom.show_ticks([(0.0, low), (1.0, high), *zero])
        self.mark(self._marked)
        self.dress()

    def mark(self, value: float | None) -> None:
        """Where the chosen cell lies, if it is known and finite."""
        self._marked = math.nan if value is None else value
        known = self._ends[0] <= self._marked <= self._ends[1]
        self._mark.setVisible(known)
        if known:
            self._mark.setValue(self._share(self._marked))

    def dress(self) -> None:
        theme, scale = self.look.theme, ValueScale(*self._ends)
        above = theme.above_zero if scale.around_zero else theme.level
        zero = self._share(0.0) if scale.around_zero else 0.0
        inks = [theme.below_zero if x < zero else above for x in self._bars.opts["x"]]
        self._bars.setOpts(brushes=inks)
        self._colours.setLookupTable(scale.colours(theme))
        self._mark.setPen(theme.text)

    def _share(self, value: float) -> float:
        return (value - self._ends[0]) / (self._ends[1] - self._ends[0])
