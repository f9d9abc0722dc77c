"""SidePanel: of very many cards, which are worth a look, and what all do together."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.now_tag import NowTag
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.rows.pressable_row import SIDE, PressableRow
from gpuexplorer.gui.widgets.rows.row_list import RowList
from gpuexplorer.gui.widgets.tiles.figure_row import FigureGrid
from gpuexplorer.gui.widgets.tiles.histogram import Histogram
from gpuexplorer.gui.wording.cards.attention import Attention
from gpuexplorer.gui.wording.figure import Figure

SIDE_WIDTH = 300
LEAST_HEIGHT = 416
LYING_HEIGHT = 216
_ROWS = 12
_LYING_FROM = 520
_FIXED_HEIGHT = 262  # of everything but the rows and the bars
HEIGHT = 44
_ICON = 16.0


class SidePanel(QFrame):
    """Its three parts stand below each other at the side, and beside each other below."""

    chosen = Signal(str)

    def __init__(
        self, look: Look, time_window: TimeWindow, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("All cards together"))
        self._rows = [AttentionRow(look) for _ in range(_ROWS)]
        for row in self._rows:
            row.chosen.connect(self.chosen)
        self._list = RowList(self._rows, HEIGHT)
        self._nothing = wrapped_label(look, tr("Every card works as it should."), Tone.QUIET)
        self._nothing.setContentsMargins(SIDE, 0, SIDE, 0)
        self._more = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._wanted = 0
        first = QHBoxLayout()
        first.setContentsMargins(SIDE, 0, SIDE, 0)
        first.addWidget(_heading(look, tr("Worth a look")))
        first.addWidget(NowTag(look, time_window))
        first.addStretch(1)
        first.addWidget(self._more)
        attention = _column(first, self._nothing, self._list)
        self._answering = ElidedLabel(look.letters.caption, Tone.QUIET)
        head = QHBoxLayout()
        head.addWidget(_heading(look, tr("Together")))
        head.addWidget(NowTag(look, time_window))
        head.addStretch(1)
        head.addWidget(self._answering)
        self._figures = FigureGrid(look, tr("Together"))
        together = _column(head, self._figures)
        together.setContentsMargins(SIDE, 0, SIDE, 0)
        self._histogram = Histogram(look)
        self._keys = ArrowKeys(self, sideways=False)
        self._keys.take(self._rows)
        self._body = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._body.setContentsMargins(16 - SIDE, 14, 16 - SIDE, 14)
        self._body.setSpacing(18)
        self._body.addLayout(attention, 3)
        self._body.addLayout(together)
        bars = QVBoxLayout()
        bars.setContentsMargins(SIDE, 0, SIDE, 0)
        bars.addWidget(self._histogram)
        self._body.addLayout(bars, 2)

    def show_attention(self, rows: Sequence[Attention]) -> None:
        self._wanted = min(len(rows), _ROWS)
        self._nothing.setVisible(not rows)
        self._make_room()
        more = len(rows) - self._list.fitting()
        unseen = more > 0 and self._list.fitting() > 0
        self._more.show_text(tr("and {count} more", count=more) if unseen else "")
        for row, attention in zip(self._rows, rows, strict=False):
            row.show_attention(attention)
        self._list.show_count(min(len(rows), _ROWS))

    def _make_room(self) -> None:
        """What is worth a look comes before how the others are spread."""
        room = self.height() - _FIXED_HEIGHT - self._histogram.minimumHeight()
        lying = self.width() >= _LYING_FROM
        self._histogram.setVisible(lying or self._wanted * HEIGHT <= room)

    def show_sums(self, figures: Sequence[Figure], answering: str) -> None:
        self._figures.show_figures(figures)
        self._answering.show_text(answering)

    def show_shares(self, shares: Sequence[float]) -> None:
        self._histogram.show_shares(shares)

    def resizeEvent(self, event: QResizeEvent) -> None:
        lying = event.size().width() >= _LYING_FROM
        direction = QBoxLayout.Direction
        self._body.setDirection(direction.LeftToRight if lying else direction.TopToBottom)
        for at in range(self._body.count()):
            self._body.setStretch(at, 1 if lying else (3, 0, 2)[at])
        self._body.setSpacing(32 if lying else 18)
        super().resizeEvent(event)
        self._make_room()


def _heading(look: Look, words: str) -> QLabel:
    label = QLabel(words)
    label.setFont(look.letters.title.font)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return label


def _column(head: QHBoxLayout, *widgets: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(8)
    column.addLayout(head)
    for widget in widgets:
        column.addWidget(widget, 1 if isinstance(widget, RowList) else 0)
    return column


class AttentionRow(PressableRow):
    """Rows are made once and shown again with other content."""

    chosen = Signal(str)  # the card it leads to

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._attention: Attention | None = None
        self.pressed.connect(self._on_pressed)

    def show_attention(self, attention: Attention) -> None:
        if attention != self._attention:
            self._attention = attention
            self.setAccessibleName(attention.spoken)
            self.update()

    def draw_row(self, drawing: Drawing, place: QRectF) -> None:
        attention = self._attention
        if attention is None:
            return
        theme, letters = drawing.theme, drawing.letters
        one = not attention.more
        first = place.center().y() + letters.body.cap_height / 2 if one else 19.0
        icon = QRectF(place.left(), first - 13, _ICON, _ICON)
        drawing.icon(attention.icon, icon, theme.tone(attention.tone))
        x = icon.right() + 12
        numbers = Run(attention.numbers, letters.body, theme.quiet)
        room = place.right() - x
        shown = Run(letters.body.elided(numbers.text, room * 0.5), letters.body, theme.quiet)
        right = drawing.runs_right(place.right(), first, [shown]) - 10
        words = Run(attention.words, letters.body, theme.text)
        drawing.elided(x, first, words, right - x, attention.spoken)
        if attention.more:
            more = Run(attention.more, letters.caption, theme.quiet)
            drawing.elided(x, first + 16, more, place.right() - x)

    def _on_pressed(self) -> None:
        if self._attention is not None:
            self.chosen.emit(self._attention.cards[0])

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)
