"""DetailsPanel: all that is known of the pair that is chosen, and a way to measure it alone."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import FramedButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.pairs.sample_strip import SampleStrip
from gpuexplorer.gui.widgets.pairs.way_line import WayLine
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.copies.matrix.details import Details, Row
from gpuexplorer.gui.wording.copies.matrix.question import Head
from gpuexplorer.gui.wording.copies.matrix.way_stops import NO_WAY, WayStops

NOTHING_CHOSEN = mark(
    "Click a cell, or go there with the arrow keys: everything that is known of it stands here."
)
MEASURE_ONE = mark("Measure this one")
_CHIP, _GAP, _ARROW = 20.0, 6.0, 16.0
_BETWEEN = 28
_BESIDE_FROM = 800
_WORDS_FROM = 440  # a button with its words
_WAY_WIDTH, _WAY_HEIGHT = 620, 300
_ROW, _LABEL, _COLUMN, _GRID_BETWEEN = 24, 128.0, 262.0, 24.0


class DetailsPanel(Panel):
    """Its parts are made once and shown again with other words."""

    measure_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, tr("One pair"), parent=parent)
        self._ends = _Ends(look)
        self._caption = ElidedLabel(look.letters.caption, Tone.QUIET)
        self.measure = FramedButton(
            look, Icon.COPIES, tr(MEASURE_ONE), tr("Measure this pair again, and no other")
        )
        self.measure.clicked.connect(self.measure_asked)
        self.head.insertWidget(0, self._ends)
        self.head.insertSpacing(2, 8)
        self.head.insertWidget(3, self._caption, 1)
        self.head.setStretch(4, 0)
        self.head.addWidget(self.measure)
        self._nothing = wrapped_label(look, tr(NOTHING_CHOSEN), Tone.QUIET)
        self._bad = wrapped_label(look, "", Tone.BAD)
        self._hint = wrapped_label(look, "", Tone.QUIET)
        self._facts = FactGrid(look)
        self._strip = SampleStrip(look)
        self._way = WayLine(look)
        self._notes: list[QLabel] = []
        self._look = look
        self._said = QVBoxLayout()
        self._said.setSpacing(2)
        told = QVBoxLayout()
        told.setSpacing(4)
        for part in (self._nothing, self._bad, self._hint, self._facts):
            told.addWidget(part)
        told.addLayout(self._said)
        told.addStretch(1)
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
        self._strip.show_samples((), None, None, "", None)
        self.show_way(NO_WAY)
        self._show_notes(())

    def show_details(
        self, title: str, caption: str, ends: Sequence[Head], details: Details, unit: str
    ) -> None:
        self.show_heading(title)
        self._caption.show_text(caption)
        self._ends.show_ends(ends)
        self._ends.show()
        self._nothing.hide()
        for label, words in ((self._bad, details.bad), (self._hint, details.hint)):
            if words != label.text():
                label.setText(words)
            label.setVisible(bool(words))
        self._facts.show_rows(details.rows)
        colour = next((each.colour for each in ends if each.colour is not None), None)
        self._strip.show_samples(details.samples, details.limit, details.theirs, unit, colour)
        self._show_notes(details.sentences)

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

    def _show_notes(self, sentences: Sequence[str]) -> None:
        while len(self._notes) < len(sentences):
            label = wrapped_label(self._look, "", Tone.QUIET)
            label.setFont(self._look.letters.caption.font)
            self._notes.append(label)
            self._said.addWidget(label)
        for at, label in enumerate(self._notes):
            words = sentences[at] if at < len(sentences) else ""
            if words != label.text():
                label.setText(words)
            label.setVisible(bool(words))


class _Ends(Painted):
    """The chips of the two, with an arrow between them."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._heads: Sequence[Head] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_ends(self, heads: Sequence[Head]) -> None:
        if heads != self._heads:
            self._heads = heads
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        letters = drawing.letters.strong
        x, middle = 0.0, self.height() / 2
        for at, head in enumerate(self._heads):
            if at:
                run = Run("→", drawing.letters.body, drawing.theme.quiet)
                drawing.text(x, middle + run.letters.cap_height / 2, run)
                x += _ARROW + _GAP
            wide = self._wide(head)
            colour = None if head.colour is None else drawing.theme.card(head.colour)
            drawing.chip(QRectF(x, middle - _CHIP / 2, wide, _CHIP), head.chip, letters, colour)
            x += wide + _GAP

    def _wide(self, head: Head) -> float:
        return max(_CHIP, self.look.letters.strong.width(head.chip) + 8)

    def sizeHint(self) -> QSize:
        wide = sum(self._wide(each) + _GAP for each in self._heads)
        return QSize(round(wide + 4 + (_ARROW + _GAP) * max(0, len(self._heads) - 1)), 24)


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
