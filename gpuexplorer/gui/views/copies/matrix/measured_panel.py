"""MeasuredPanel: what was measured between every two devices, and what that is to be."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.copies.plan import Kind
from gpuexplorer.core.units import memory, plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.pairs.pair_map import PairMap
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.wording.copies.matrix.cells import HeatScale
from gpuexplorer.gui.wording.copies.matrix.question import SIZES, Question, Way

_KINDS = [
    (Kind.ONE_WAY, mark("One way")),
    (Kind.BOTH_WAYS, mark("Both ways")),
    (Kind.LATENCY, mark("Latency")),
]
_PINNED, _SHORT = mark("Pinned host memory"), mark("Pinned")
_CHOICES = 28
_AROUND = 2 * 16  # the margins of a panel
_WIDE, _ABOVE, _HIGH, _WORDS = 190, 5, 8, 22


class MeasuredPanel(Panel):
    """`map` is connected by who holds this; what is asked is shown by `show_question`."""

    asked = Signal(object)  # a Question

    def __init__(
        self, look: Look, map_of_pairs: PairMap, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, tr("Measured"), parent=parent)
        self._look = look
        self._first = ""
        self.map = map_of_pairs
        self._question = Question()
        self._caption = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._kinds = Segmented(
            look, tr("What is measured"), [(kind, tr(words)) for kind, words in _KINDS]
        )
        self._kinds.chosen.connect(self._on_kind_chosen)
        self.head.insertSpacing(1, 8)
        self.head.insertWidget(2, self._caption, 1)
        self.head.setStretch(3, 0)
        self.head.addWidget(self._kinds)
        self._ways = Segmented(
            look, tr("Which way between cards"), [(way, tr(way.value)) for way in Way]
        )
        self._ways.chosen.connect(self._on_way_chosen)
        self._pinned = Switch(look, tr(_PINNED))
        self._pinned.setToolTip(
            tr("Pinned host memory: it stays in its place, and cards fetch from it")
        )
        self._pinned.turned.connect(self._on_pinned_turned)
        self._pinned_words = QLabel(tr(_PINNED))
        self._pinned_words.setFont(look.letters.body.font)
        self._pinned_words.setProperty("tone", Tone.QUIET.value)
        self._pinned_words.setBuddy(self._pinned)
        self._size = MenuButton(look, tr("Size of each copy"))
        self._size.about_to_open.connect(self._on_sizes_asked)
        self.scale = PairScale(look)
        self._said = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._said_too = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._lay_out()
        self.show_question(self._question)

    def show_question(self, question: Question) -> None:
        self._question = question
        self._kinds.show_choice(question.kind)
        self._ways.show_choice(question.way)
        self._pinned.show_on(question.pinned)
        self._size.show_words(str(memory(question.bytes)))
        for part in (self._ways, self._pinned, self._pinned_words):
            part.setEnabled(question.chooses_way)
            part.setVisible(question.chooses_way)
        self._size.setVisible(not question.latency)
        self._fit(self.width())

    def show_caption(self, caption: str) -> None:
        self._caption.show_text(caption)

    def show_notes(self, first: str, second: str) -> None:
        """Below the map."""
        self._first = first
        self._fit(self.width())
        self._said_too.show_text(second)
        self._said_too.setVisible(bool(second))

    def height_for(self, width: int) -> int:
        return self.map.height_for(width - _AROUND) + self.others_height()

    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in this order."""
        choices = [
            *self._kinds.findChildren(QAbstractButton),
            *self._ways.findChildren(QAbstractButton),
        ]
        return [*choices, self._pinned, self._size, self.map]

    def others_height(self) -> int:
        """What everything but the map takes."""
        return 14 + 28 + 8 + 28 + 12 + 10 + 34 + 12

    def _lay_out(self) -> None:
        # There also where nothing is to be chosen, so that the map stays in its place.
        choices = QWidget()
        choices.setFixedHeight(_CHOICES)
        row = QHBoxLayout(choices)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._ways)
        row.addStretch(1)
        row.addWidget(self._pinned_words)
        row.addWidget(self._pinned)
        row.addSpacing(4)
        row.addWidget(self._size)
        foot = QHBoxLayout()
        foot.setSpacing(16)
        foot.addWidget(self.scale)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addStretch(1)
        words.addWidget(self._said)
        words.addWidget(self._said_too)
        foot.addLayout(words, 1)
        self.body.addWidget(choices)
        self.body.addSpacing(12)
        self.body.addWidget(self.map, 1)
        self.body.addSpacing(10)
        self.body.addLayout(foot)

    def _fit(self, width: int) -> None:
        room = width - _AROUND
        wide = self._look.letters.body.width
        others = self._ways.full_width() + self._pinned.width() + self._size.width() + 44
        short = others + wide(tr(_PINNED)) > room
        self._pinned_words.setText(tr(_SHORT if short else _PINNED))
        self._ways.show_compact(others + wide(tr(_SHORT)) > room)
        short = self._kinds.full_width() + 240 > room
        self._caption.setVisible(not short)
        # The unit stands somewhere in any case.
        self._said.show_text(self._caption.text() if short else self._first, self._first)
        self._kinds.show_compact(self._kinds.full_width() + 100 > room)

    def _ask(self, question: Question) -> None:
        if question != self._question:
            self.asked.emit(question)

    def _on_kind_chosen(self, kind: Kind) -> None:
        self._ask(replace(self._question, kind=kind))

    def _on_way_chosen(self, way: Way) -> None:
        self._ask(replace(self._question, way=way))

    def _on_pinned_turned(self, pinned: bool) -> None:
        self._ask(replace(self._question, pinned=pinned))

    def _on_sizes_asked(self, menu: QMenu) -> None:
        for size in SIZES:
            action = menu.addAction(str(memory(size)))
            action.setData(size)
            action.setCheckable(True)
            action.setChecked(size == self._question.bytes)
        menu.triggered.connect(self._on_size_chosen)

    def _on_size_chosen(self, action: QAction) -> None:
        self._ask(replace(self._question, bytes=action.data()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(event.size().width())


class PairScale(Graph):
    """A bar with its figures below; empty where nothing has a shade."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._shown: tuple[HeatScale | None, str] = (None, "")
        self._axis = Axis(look, "bottom", lines=False, inside=True)
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
