"""DetailsPanel: all that is known of the pair that is chosen, and a way to measure it alone."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.matrix.pair_details import PairDetails, PairFact
from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.copies.matrix.sample_strip import SampleStrip
from gpuexplorer.gui.copies.matrix.way_line import NO_WAY, WayLine, WayStops
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, column, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.gui.widgets.painted import ChipRow, Painted

NOTHING_CHOSEN = mark(
    "Click a cell, or move to it with the arrow keys, to see everything that is known about it."
)
MEASURE_ONE = mark("Measure this one")
_BETWEEN = 28
_BESIDE_FROM = 800
_WORDS_FROM = 440  # a button with its words
_WAY_WIDTH, _WAY_HEIGHT = 620, 300
_ROW, _LABEL, _COLUMN, _GRID_BETWEEN = 24, 128.0, 262.0, 24.0


class DetailsPanel(Panel):
    """Its parts are made once and shown again with other words."""

    def __init__(self) -> None:
        super().__init__(tr("One pair"))
        self._ends = ChipRow(arrows=True)
        self._caption = ElidedLabel(look().letters.caption, Tone.QUIET)
        self.measure = ToolButton(
            "framed", Icon.COPIES, tr(MEASURE_ONE), tr("Measure this pair again, and no other")
        )
        self.head.insertWidget(0, self._ends)
        self.head.insertSpacing(1, 8)
        self.head.insertSpacing(3, 8)
        self.head.insertWidget(4, self._caption, 1)
        self.head.setStretch(5, 0)
        self.head.addWidget(self.measure)
        self._nothing = wrapped_label(tr(NOTHING_CHOSEN), Tone.QUIET)
        self._bad = wrapped_label("", Tone.BAD)
        self._hint = wrapped_label("", Tone.QUIET)
        self._facts = FactGrid()
        self._strip = SampleStrip()
        self._way = WayLine()
        self._said = wrapped_label("", Tone.QUIET)
        self._said.setFont(look().letters.caption.font)
        told = column(
            *(self._nothing, self._bad, self._hint, self._facts, self._said, FREE), gap=4
        )
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._beside.setSpacing(_BETWEEN)
        self._beside.addLayout(told, 3)
        self._beside.addWidget(self._strip, 2, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(self._beside, 1)
        self.body.addWidget(self._way)
        self.show_nothing()

    def show_nothing(self) -> None:
        self.show_heading(tr("One pair"))
        self._caption.show_text("")
        self._nothing.show()
        for part in (self._ends, self.measure, self._bad, self._hint):
            part.hide()
        self._facts.show_rows(())
        self._strip.show_samples((), None, "", None)
        self.show_way(NO_WAY)
        self._said.hide()

    def show_details(
        self, title: str, caption: str, ends: Sequence[Head], details: PairDetails, unit: str
    ) -> None:
        self.show_heading(title)
        self._caption.show_text(caption)
        self._ends.show_chips([Chip(each.chip, each.colour) for each in ends])
        self._ends.show()
        self._nothing.hide()
        say(self._bad, details.bad)
        say(self._hint, details.hint)
        self._facts.show_rows(details.rows)
        colour = next((each.colour for each in ends if each.colour is not None), None)
        self._strip.show_samples(details.samples, details.limit, unit, colour)
        say(self._said, "\n".join(details.sentences))

    def show_way(self, way: WayStops) -> None:
        self._way.show_way(way)
        self._fit()

    def show_able(self, there: bool, able: bool) -> None:
        """Whether there is such a copy, and anything can be measured now."""
        self.measure.setVisible(there)
        self.measure.setEnabled(able)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._fit()
        self.measure.show_compact(event.size().width() < _WORDS_FROM)
        wide = event.size().width() >= _BESIDE_FROM
        self._beside.setDirection(across if wide else down)
        self._beside.setSpacing(_BETWEEN if wide else 8)

    def _fit(self) -> None:
        """The way is drawn where there is room for it; its words stand among the figures."""
        room = self.width() >= _WAY_WIDTH and self.height() >= _WAY_HEIGHT
        self._way.setVisible(room and self._way.there)


class FactGrid(Painted):
    """Read from top to bottom, and then on in the next column."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[PairFact] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("Figures"))

    def show_rows(self, rows: Sequence[PairFact]) -> None:
        if rows != self._rows:
            self._rows = rows
            self.setAccessibleDescription("; ".join(row.said for row in rows))
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        columns = self._columns(self.width())
        high = self._high(columns)
        wide = (self.width() - _GRID_BETWEEN * (columns - 1)) / columns
        for at, row in enumerate(self._rows):
            x = (at // high) * (wide + _GRID_BETWEEN)
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
        return max(1, min(2, int((width + _GRID_BETWEEN) // (_COLUMN + _GRID_BETWEEN))))

    def _high(self, columns: int) -> int:
        return max(1, -(-len(self._rows) // columns))

    def heightForWidth(self, width: int) -> int:
        return self._high(self._columns(width)) * _ROW if self._rows else 0

    def sizeHint(self) -> QSize:
        return QSize(int(_COLUMN), self.heightForWidth(max(self.width(), int(_COLUMN))))
