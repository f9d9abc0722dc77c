"""ValuePane: the values of one tensor, a window at a time, and the chosen one in full."""

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lab.inside.looks import Looks
from gpuexplorer.gui.lab.inside.value_grid import ValueGrid
from gpuexplorer.gui.lab.inside.value_model import MOST
from gpuexplorer.gui.lab.inside.value_scale import ValueScale
from gpuexplorer.gui.lab.inside.values import rounded_text
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    Grow,
    Space,
    column,
    label,
    row,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.lab.events import Failed, Peeked

_NEARLY_ALL, _WITHOUT_VALUES = Grow(1000), 96
_EMPTY = mark("It holds no values: one of its dimensions is 0.")
_LEAST_WIDTH, _WIDTH, _BAR, _WORDS = 96, 200, 7, 22


class ValuePane(QWidget):
    """Asks for what is seen and for nothing else."""

    seen = Signal(object)  # Peeked
    cost_known = Signal(object)  # Finished
    value_chosen = Signal(object)  # float, or None
    failed = Signal()  # there are no values to see

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._what = ""
        self._of_nothing = ""
        self._asking = Looks(lab, self)
        self._asking.seen.connect(self._on_seen)
        self._asking.failed.connect(self._on_failed)
        self._asking.cost_known.connect(self.cost_known)
        self._fields = IndexFields()
        self._fields.chosen.connect(self._on_plane_chosen)
        self._grid = ValueGrid()
        self._grid.window_wanted.connect(self._on_window_wanted)
        self._grid.cell_chosen.connect(self._on_cell_chosen)
        self._legend = ScaleLegend()
        self._switch = Segmented(tr("Cells"), [(True, tr("Figures")), (False, tr("Heat map"))])
        self._switch.show_choice(True)  # noqa: FBT003 - the choice itself
        self._switch.chosen.connect(self._on_switched)
        self._place = ElidedLabel(look().letters.mono, Tone.QUIET)
        self._value = label("", look().letters.strong)
        self._value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sentence = wrapped_label("", Tone.QUIET)
        for bar in (self._grid.verticalScrollBar(), self._grid.horizontalScrollBar()):
            bar.rangeChanged.connect(self._on_range_changed)
        self._lay_out()

    def show_thing(self, what: str, of_nothing: str = "") -> None:
        """`of_nothing` is said where there is no tensor under this line."""
        self._of_nothing = of_nothing
        if what != self._what:
            self._what = what
            self._fields.show_sizes(())
            self._grid.begin()
            self._legend.show_scale(ValueScale(None, None), "")
            self._say(tr("Looking …"))
        self.look_again()

    def look_again(self) -> None:
        """It may have changed."""
        if self._what:
            row, column, rows, columns = self._grid.window_seen()
            self._on_window_wanted(row, column, rows, columns)

    def forget(self) -> None:
        """Nothing is looked at any more."""
        self._what = ""
        self._asking.forget()
        self._grid.begin()

    def _lay_out(self) -> None:
        said = QWidget()
        column(Space(24), self._sentence, FREE, within=said, gap=0)
        self._pages = QStackedWidget()
        self._pages.addWidget(said)
        self._pages.addWidget(self._grid)
        foot = row(self._legend, self._place, self._value, FREE, self._switch, gap=12)
        # The grid takes what it can use; below it the rest stays empty.
        column(self._fields, self._pages, _NEARLY_ALL, foot, FREE, within=self)
        self._switch.hide()

    def _say(self, sentence: str) -> None:
        """In the place of the values."""
        self._sentence.setText(sentence)
        self._pages.setMaximumHeight(_WITHOUT_VALUES)
        self._pages.setCurrentIndex(0)
        self._place.show_text("")
        self._value.clear()
        self._switch.hide()

    def _on_seen(self, event: object) -> None:
        if not isinstance(event, Peeked) or event.what != self._what:
            return
        self._fields.show_sizes(event.shape)
        self._legend.show_scale(ValueScale(event.least, event.most), event.dtype)
        # Shown before it is filled: how much fits is known by what has a size.
        if 0 in event.shape:
            self._say(tr(_EMPTY))
        else:
            self._pages.setCurrentIndex(1)
        self._grid.show_values(event, self._fields.origin)
        self._pages.setMaximumHeight(self._grid.most_height())
        self.seen.emit(event)

    def _on_failed(self, event: object) -> None:
        assert isinstance(event, Failed)
        self._legend.show_scale(ValueScale(None, None), "")
        self.failed.emit()
        told = self._of_nothing if event.cause == "bad request" else ""
        told = told or tr(event.sentence) or event.message or tr("It could not be looked into.")
        self._say(told if self._of_nothing else f"{told} {tr(event.hint)}".strip())

    def _on_switched(self, figures: Hashable) -> None:
        self._switch.show_choice(figures)
        self._grid.show_figures(figures is True)

    def _on_plane_chosen(self) -> None:
        _, _, rows, columns = self._grid.window_seen()
        self._on_window_wanted(*self._fields.origin, rows, columns)

    def _on_window_wanted(self, row: int, column: int, rows: int, columns: int) -> None:
        self._asking.ask(self._what, (*self._fields.at, row, column), rows, columns)

    def _on_cell_chosen(self) -> None:
        place, value = self._grid.chosen_words
        self._place.show_text(place)
        self._value.setText(value)
        self.value_chosen.emit(self._grid.chosen_value)

    def _on_range_changed(self) -> None:
        self._switch.setVisible(self._grid.cut_off or not self._grid.figures)


class IndexFields(QWidget):
    """One field for each leading dimension, and for what is too long for one table; not there
    where there are none.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sizes: tuple[int, ...] = ()
        self._at: list[int] = []
        self._fields: list[NumberField] = []
        plane = label(tr("Plane"), look().letters.body, Tone.QUIET)
        self._row = row(plane, FREE, within=self, margins=(0, 0, 0, 4))
        self.hide()

    @property
    def at(self) -> tuple[int, ...]:
        """The plane that is shown."""
        return tuple(self._at[:-2])

    @property
    def origin(self) -> tuple[int, int]:
        """The row and the column from which on it is shown."""
        row, column = (0, 0, *self._at)[-2:]
        return row, column

    def show_sizes(self, shape: Sequence[int]) -> None:
        """Another tensor begins at its first plane."""
        if tuple(shape) == self._sizes:
            return
        self._sizes = tuple(shape)
        self._at = [0] * len(self._sizes)
        for field in self._fields:
            self._row.removeWidget(field)
            field.deleteLater()
        self._fields = []
        for dimension, size in enumerate(self._sizes):
            leading = dimension < len(self._sizes) - 2
            if leading or size > MOST:
                self._add(dimension, size, range(0, size, 1 if leading else MOST))
        self.setVisible(bool(self._fields))

    def _add(self, dimension: int, size: int, stops: range) -> None:
        limits = Range(0, max(0, size - 1), stops)
        name = tr("Dimension {dimension}", dimension=dimension)
        field = NumberField(name, limits, tr("of {size}", size=size))
        field.show_number(0)
        field.setEnabled(size > 1)
        field.chosen.connect(partial(self._on_chosen, dimension))
        self._row.insertWidget(1 + len(self._fields), field)
        self._fields.append(field)

    def _on_chosen(self, dimension: int, number: float) -> None:
        self._at[dimension] = round(number)
        self.chosen.emit()


class ScaleLegend(Graph):
    """Which colour stands for which value, from the least to the most."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale = ValueScale(None, None)
        self._axis = Axis("bottom")
        self._axis.setHeight(_WORDS)
        self._image = pg.ImageItem(axisOrder="row-major")
        view = self.add_plot(bottom=self._axis)
        view.setRange(QRectF(0, 0, 1, 1), padding=0)
        view.addItem(self._image)
        self.setFixedHeight(_BAR + _WORDS)
        self.setMinimumWidth(_LEAST_WIDTH)
        self.setMaximumWidth(_WIDTH)
        self.setAccessibleName(tr("Colours of the values"))
        self.hide()

    def show_scale(self, scale: ValueScale, dtype: str) -> None:
        self._scale = scale
        least, most = scale.least, scale.most
        self.setVisible(least != most)
        if least is None or most is None or least == most:
            return
        words = rounded_text(least, dtype), rounded_text(most, dtype)
        self.setAccessibleDescription(
            tr("From {least} to {most}", least=words[0], most=words[1])
        )
        zero = ((scale.part(0.0), "0"),) if scale.around_zero else ()
        self._axis.show_ticks(((0.0, words[0]), (1.0, words[1]), *zero))
        along = np.linspace(0.0, 1.0, _WIDTH)
        values = least * (1 - along) + most * along
        self._image.setImage(scale.shares(values)[np.newaxis], levels=(0, 1))
        self._image.setRect(QRectF(0, 0, 1, 1))
        self.dress()

    def dress(self) -> None:
        self._image.setLookupTable(self._scale.colours(self.look.theme))
