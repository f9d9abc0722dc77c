"""ValuePane: the values of one tensor, a window at a time, and the chosen one in full."""

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.inside.asking import Asking
from gpuexplorer.gui.views.lab.inside.tensor.value_grid import ValueGrid
from gpuexplorer.gui.views.lab.inside.tensor.value_scale import ValueScale
from gpuexplorer.gui.widgets.controls.number_field import NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.inside.values import rounded_text
from gpuexplorer.lab.events import Failed, Peeked

_NEARLY_ALL, _WITHOUT_VALUES = 1000, 96
_EMPTY = mark("It holds no values: one of its dimensions is 0.")
_WIDTH, _BAR, _WORDS = 200, 7, 22


class ValuePane(QWidget):
    """Asks for what is seen and for nothing else."""

    seen = Signal(object)  # Peeked
    cost_known = Signal(object)  # Finished
    value_chosen = Signal(object)  # float, or None
    failed = Signal()  # there are no values to see

    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._what = ""
        self._of_nothing = ""
        self._asking = Asking(lab, self)
        self._asking.seen.connect(self._on_seen)
        self._asking.failed.connect(self._on_failed)
        self._asking.cost_known.connect(self.cost_known)
        self._fields = IndexFields(look)
        self._fields.chosen.connect(self.look_again)
        self._grid = ValueGrid(look)
        self._grid.window_wanted.connect(self._on_window_wanted)
        self._grid.cell_chosen.connect(self._on_cell_chosen)
        self._grid.scrolled.connect(self._on_scrolled)
        self._legend = ScaleLegend(look)
        self._switch = Segmented(
            look, tr("Cells"), [(True, tr("Figures")), (False, tr("Heat map"))]
        )
        self._switch.show_choice(True)  # noqa: FBT003 - the choice itself
        self._switch.chosen.connect(self._on_switched)
        self._place = ElidedLabel(look.letters.mono, Tone.QUIET)
        self._value = QLabel()
        self._value.setFont(look.letters.strong.font)
        self._value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sentence = wrapped_label(look, "", Tone.QUIET)
        self._down = QScrollBar(Qt.Orientation.Vertical)
        self._across = QScrollBar(Qt.Orientation.Horizontal)
        for bar, name in ((self._down, tr("Rows")), (self._across, tr("Columns"))):
            bar.setAccessibleName(name)
            bar.valueChanged.connect(self._on_bar_moved)
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
            row, column = self._grid.first
            rows, columns = self._grid.fitting()
            self._asking.ask(self._what, (*self._fields.at, row, column), rows, columns)

    def forget(self) -> None:
        """Nothing is looked at any more."""
        self._what = ""
        self._asking.forget()
        self._grid.begin()

    def _lay_out(self) -> None:
        table = QWidget()
        cells = QGridLayout(table)
        cells.setContentsMargins(0, 0, 0, 0)
        cells.setSpacing(0)
        cells.addWidget(self._grid, 0, 0)
        cells.addWidget(self._down, 0, 1)
        cells.addWidget(self._across, 1, 0)
        said = QWidget()
        sentence = QVBoxLayout(said)
        sentence.setContentsMargins(0, 24, 0, 0)
        sentence.addWidget(self._sentence)
        sentence.addStretch(1)
        self._pages = QStackedWidget()
        self._pages.addWidget(said)
        self._pages.addWidget(table)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self._legend)
        foot.addSpacing(12)
        foot.addWidget(self._place)
        foot.addWidget(self._value)
        foot.addStretch(1)
        foot.addWidget(self._switch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._fields)
        # The grid takes what it can use; below it the rest stays empty.
        column.addWidget(self._pages, _NEARLY_ALL)
        column.addLayout(foot)
        column.addStretch(1)
        for each in (self._down, self._across, self._switch):
            each.hide()

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
        self._fields.show_sizes(event.shape[:-2])
        self._legend.show_scale(ValueScale(event.least, event.most), event.dtype)
        # Shown before it is filled: how much fits is known by what has a size.
        if 0 in event.shape:
            self._say(tr(_EMPTY))
        else:
            self._pages.setCurrentIndex(1)
        self._grid.show_values(event)
        bar = self._across.sizeHint().height()
        self._pages.setMaximumHeight(self._grid.most_height() + bar)
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

    def _on_window_wanted(self, row: int, column: int, rows: int, columns: int) -> None:
        self._asking.ask(self._what, (*self._fields.at, row, column), rows, columns)

    def _on_cell_chosen(self) -> None:
        place, value = self._grid.chosen_words()
        self._place.show_text(place)
        self._value.setText(value)
        self.value_chosen.emit(self._grid.chosen_value)

    def _on_scrolled(self) -> None:
        for bar, first, all_, seen in zip(
            (self._down, self._across),
            self._grid.first,
            self._grid.size_of_plane,
            self._grid.whole(),
            strict=True,
        ):
            with QSignalBlocker(bar):
                bar.setRange(0, max(0, all_ - seen))
                bar.setPageStep(seen)
                bar.setValue(first)
            bar.setVisible(all_ > seen)
        cut_off = any(each.maximum() > 0 for each in (self._down, self._across))
        self._switch.setVisible(cut_off or not self._grid.figures)

    def _on_bar_moved(self) -> None:
        self._grid.scroll_to(self._down.value(), self._across.value())


class IndexFields(QWidget):
    """One field for each leading dimension; not there where there are none."""

    chosen = Signal(tuple)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._sizes: tuple[int, ...] = ()
        self._at: tuple[int, ...] = ()
        self._fields: list[NumberField] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 4)
        self._row.setSpacing(8)
        self._label = QLabel(tr("Plane"))
        self._label.setFont(look.letters.body.font)
        self._label.setProperty("tone", "quiet")
        self._row.addWidget(self._label)
        self._row.addStretch(1)
        self.hide()

    @property
    def at(self) -> tuple[int, ...]:
        return self._at

    def show_sizes(self, sizes: Sequence[int]) -> None:
        """Sizes of the leading dimensions; another tensor begins at its first plane."""
        if tuple(sizes) == self._sizes:
            return
        self._sizes = tuple(sizes)
        self._at = (0,) * len(self._sizes)
        for field in self._fields:
            self._row.removeWidget(field)
            field.deleteLater()
        self._fields = []
        for dimension, size in enumerate(self._sizes):
            limits = Range(0, max(0, size - 1), range(size))
            name = tr("Dimension {dimension}", dimension=dimension)
            field = NumberField(self._look, name, limits, tr("of {size}", size=size), self)
            field.show_number(0)
            field.setEnabled(size > 1)
            field.chosen.connect(partial(self._on_chosen, dimension))
            self._row.insertWidget(1 + dimension, field)
            self._fields.append(field)
        self.setVisible(bool(self._sizes))

    def _on_chosen(self, dimension: int, number: float) -> None:
        at = list(self._at)
        at[dimension] = round(number)
        self._at = tuple(at)
        self.chosen.emit(self._at)


class ScaleLegend(Graph):
    """Which colour stands for which value, from the least to the most."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._scale = ValueScale(None, None)
        self._axis = Axis(look, "bottom", lines=False, inside=True)
        self._axis.setHeight(_WORDS)
        self._image = pg.ImageItem(axisOrder="row-major")
        view = self.add_plot(bottom=self._axis)
        view.setRange(QRectF(0, 0, 1, 1), padding=0)
        view.addItem(self._image)
        self.setFixedSize(_WIDTH, _BAR + _WORDS)
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
