"""MeasuredPanel: what was measured between every two devices, and what that is to be."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from gpuexplorer.copies.jobs import Kind
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.matrix.pair_question import SIZES, AskedPath, MatrixQuestion
from gpuexplorer.gui.copies.matrix.pair_table import PairTable
from gpuexplorer.gui.copies.shared_parts import SizeButton
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import switch
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.gui.widgets.pair_grid import HeatScale

_KINDS = [
    (Kind.ONE_WAY, mark("One way")),
    (Kind.BOTH_WAYS, mark("Both ways")),
    (Kind.LATENCY, mark("Latency")),
]
_PINNED, _SHORT = mark("Pinned host memory"), mark("Pinned")
_CHOICES = 28
_AROUND = 2 * 16  # the margins of a panel
_WIDE, _ABOVE, _HIGH, _WORDS = 190, 5, 8, 22


# What everything but the map takes: margins, heads, choices, gaps and a foot.
OTHERS_HEIGHT = 14 + 28 + 8 + 28 + 12 + 10 + 34 + 12


class MapPanel(Panel):
    """A map of pairs below the choice of what its cells say."""

    def __init__(
        self,
        heading: str,
        map_of_pairs: PairTable,
        meaning: str,
        choices: Sequence[tuple[Hashable, str]],
    ) -> None:
        super().__init__(heading)
        self.map = map_of_pairs
        self.caption = ElidedLabel(look().letters.caption, Tone.QUIET)
        self.choice = Segmented(meaning, choices)
        self.head.insertSpacing(1, 8)
        self.head.insertWidget(2, self.caption, 1)
        self.head.setStretch(3, 0)
        self.head.addWidget(self.choice)

    def height_for(self, width: int) -> int:
        return self.map.height_for(width - _AROUND) + OTHERS_HEIGHT


class MeasuredPanel(MapPanel):
    """What is asked is shown by `show_question`."""

    asked = Signal(object)  # a MatrixQuestion

    def __init__(self, map_of_pairs: PairTable) -> None:
        kinds = [(kind, tr(words)) for kind, words in _KINDS]
        super().__init__(tr("Measured"), map_of_pairs, tr("What is measured"), kinds)
        self._first = ""
        self._question = MatrixQuestion()
        self.choice.chosen.connect(partial(self._ask, "kind"))
        self._ways = Segmented(
            tr("Which way between cards"), [(way, tr(way.value)) for way in AskedPath]
        )
        self._ways.chosen.connect(partial(self._ask, "way"))
        self._pinned = switch(tr(_PINNED))
        self._pinned.setToolTip(
            tr("Pinned host memory: it stays in its place, and cards fetch from it")
        )
        self._pinned.clicked.connect(lambda on: self._ask("pinned", on))
        self._pinned_words = label(tr(_PINNED), look().letters.body, Tone.QUIET)
        self._pinned_words.setBuddy(self._pinned)
        self._size = SizeButton(tr("Size of each copy"), SIZES)
        self._size.chosen.connect(partial(self._ask, "bytes"))
        self.scale = PairScale()
        self._said = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._said_too = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._lay_out()
        self.show_question(self._question)

    def show_question(self, question: MatrixQuestion) -> None:
        self._question = question
        self.choice.show_choice(question.kind)
        self._ways.show_choice(question.way)
        self._pinned.setChecked(question.pinned)
        self._size.show_size(question.bytes)
        for part in (self._ways, self._pinned, self._pinned_words):
            part.setEnabled(question.chooses_way)
            part.setVisible(question.chooses_way)
        self._size.setVisible(not question.latency)
        self._fit(self.width())

    def show_notes(self, first: str, second: str) -> None:
        """Below the map."""
        self._first = first
        self._fit(self.width())
        self._said_too.show_text(second)
        self._said_too.setVisible(bool(second))

    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in this order."""
        choices = [
            *self.choice.findChildren(QAbstractButton),
            *self._ways.findChildren(QAbstractButton),
        ]
        return [*choices, self._pinned, self._size, self.map]

    def _lay_out(self) -> None:
        # There also where nothing is to be chosen, so that the map stays in its place.
        choices = QWidget()
        choices.setFixedHeight(_CHOICES)
        row(
            self._ways,
            FREE,
            self._pinned_words,
            self._pinned,
            Space(4),
            self._size,
            within=choices,
        )
        foot = QHBoxLayout()
        foot.setSpacing(16)
        foot.addWidget(self.scale)
        words = column(FREE, self._said, self._said_too, gap=1)
        foot.addLayout(words, 1)
        add(self.body, choices, Space(12), self.map, GROWS, Space(10), foot)

    def _fit(self, width: int) -> None:
        room = width - _AROUND
        wide = look().letters.body.width
        others = self._ways.full_width() + self._pinned.width() + self._size.width() + 44
        short = others + wide(tr(_PINNED)) > room
        self._pinned_words.setText(tr(_SHORT if short else _PINNED))
        self._ways.show_compact(others + wide(tr(_SHORT)) > room)
        short = self.choice.full_width() + 240 > room
        self.caption.setVisible(not short)
        # The unit stands somewhere in any case.
        self._said.show_text(self.caption.text() if short else self._first, self._first)
        self.choice.show_compact(self.choice.full_width() + 100 > room)

    def _ask(self, field: str, value: object) -> None:
        question = replace(self._question, **{field: value})  # type: ignore[arg-type]  # its own
        if question != self._question:
            self.asked.emit(question)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(event.size().width())


class PairScale(Graph):
    """A bar with its figures below; empty where nothing has a shade."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[HeatScale | None, str] = (None, "")
        self._axis = Axis("bottom")
        self._axis.setHeight(_WORDS)
        self._image = pg.ImageItem(axisOrder="row-major")
        view = self.add_plot(bottom=self._axis)
        view.setRange(QRectF(0, 0, 1, 1), padding=0)
        view.addItem(self._image)
        self._image.hide()
        self.grid.setContentsMargins(0, _ABOVE, 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.dress()

    def show_scale(self, scale: HeatScale | None, unit: str) -> None:
        if (scale, unit) == self._shown:
            return
        self._shown = scale, unit
        name = tr("No shades yet")
        ticks: list[tuple[float, str]] = []
        if scale is not None:
            high = f"{_told(scale.most)} {unit}"
            name = tr("Shades from {low} to {high}", low=_told(scale.least), high=high)
            ticks = [(1.0, high), *((scale.share(at), _told(at)) for at in scale.ticks())]
        self.setAccessibleName(name)
        self._axis.show_ticks(ticks)
        self._image.setVisible(scale is not None)

    def dress(self) -> None:
        colours = [self.look.theme.heat(step / _WIDE) for step in range(_WIDE + 1)]
        row = [(each.red(), each.green(), each.blue()) for each in colours]
        self._image.setImage(np.array([row], np.uint8), levels=(0, 255))
        self._image.setRect(QRectF(0, 0, 1, 1))

    def sizeHint(self) -> QSize:
        return QSize(_WIDE, _ABOVE + _HIGH + _WORDS)


def _told(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return plain(round(value, 1 if value >= 10 else 2))


_ABOVE_MAP, _BELOW_MAP = 28, 34  # of the panel of what was measured


class Promises(Enum):
    """What stands in the cells."""

    RATE = "GB/s"
    RATIO = mark("Ratio")


class PromisedPanel(MapPanel):
    """`choice` is one of the Promises."""

    def __init__(self, map_of_pairs: PairTable) -> None:
        says = [(each, tr(each.value)) for each in Promises]
        super().__init__(tr("Promised"), map_of_pairs, tr("What the cells say"), says)
        self._kinds = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._whence = ElidedLabel(look().letters.caption, Tone.QUIET)
        # Both maps begin and end at the same height, so that rows meet.
        self._kinds.setFixedHeight(_ABOVE_MAP)
        self._whence.setFixedHeight(_BELOW_MAP)
        self._whence.setAlignment(Qt.AlignmentFlag.AlignBottom)
        add(self.body, self._kinds, Space(12), self.map, GROWS, Space(10), self._whence)

    def show_promises(self, promises: Promises, caption: str) -> None:
        self.choice.show_choice(promises)
        self.caption.show_text(caption)

    def show_notes(self, kinds: str, whence: str) -> None:
        self._kinds.show_text(kinds)
        self._whence.show_text(whence)

    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in this order."""
        return [*self.choice.findChildren(QAbstractButton), self.map]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = event.size().width() - _AROUND
        self.caption.setVisible(room > self.choice.full_width() + 170)
