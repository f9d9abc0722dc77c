"""SidePanel: of very many cards, which are worth a look, and what all do together."""

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.overview.attention import Attention
from gpuexplorer.gui.overview.figure_row import FigureGrid
from gpuexplorer.gui.overview.short_table import ShortTable
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.tables.cell import PADDING, Cell, Column
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel, NowTag

SIDE_WIDTH = 300
LEAST_HEIGHT = 416
LYING_HEIGHT = 216
_LYING_FROM = 520
_ROW_HEIGHT = 44
_SIDE = round(PADDING)
_COLUMNS: Sequence[Column[Attention]] = (
    Column(
        "sign",
        "",
        lambda each: Cell(icon=each.icon, tone=each.tone, hint=each.spoken),
        width=32,
        spoken=lambda each: each.spoken,
    ),
    Column(
        "words",
        "",
        lambda each: Cell(each.words, below=each.more, hint=each.spoken),
        stretches=True,
        spoken=lambda each: each.spoken,
    ),
    Column(
        "cards",
        "",
        lambda each: Cell(each.numbers, tone=Tone.QUIET, hint=each.spoken),
        width=84,
        right=True,
        spoken=lambda each: each.spoken,
    ),
)


class SidePanel(QFrame):
    """Its two parts stand below each other at the side, and beside each other below."""

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("All cards together"))
        self.table = ShortTable(
            tr("Worth a look"),
            _COLUMNS,
            lambda each: (each.words, each.numbers),
            row_height=_ROW_HEIGHT,
        )
        self._letters = look().letters.body
        self._nothing = wrapped_label(tr("Every card works as it should."), Tone.QUIET)
        self._nothing.setContentsMargins(_SIDE, 0, _SIDE, 0)
        self._more = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._answering = ElidedLabel(look().letters.caption, Tone.QUIET)
        worth, together = (
            label(tr("Worth a look"), look().letters.title),
            label(tr("Together"), look().letters.title),
        )
        for each in (worth, together):
            each.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        sides = (_SIDE, 0, _SIDE, 0)
        first = row(worth, NowTag(time_window), FREE, self._more, margins=sides)
        head = row(together, NowTag(time_window), FREE, self._answering)
        self._figures = FigureGrid(tr("Together"))
        self._body = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._body.setContentsMargins(16 - _SIDE, 14, 16 - _SIDE, 14)
        self._body.addLayout(column(first, self._nothing, self.table, GROWS))
        self._body.addLayout(column(head, self._figures, margins=sides))

    def show_attention(self, rows: Sequence[Attention]) -> None:
        self._nothing.setVisible(not rows)
        widest = max((self._letters.width(each.numbers) for each in rows), default=0.0)
        width = round(min(widest + 2 * PADDING, self.table.width() / 2))
        if rows and width != self.table.columnWidth(2):
            self.table.columns.set_width("cards", width)
        fitting = self.table.fitting()
        unseen = len(rows) - fitting if fitting else 0
        self._more.show_text(tr("and {count} more", count=unseen) if unseen > 0 else "")
        self.table.show_first(rows)

    def show_sums(self, figures: Sequence[Figure], answering: str) -> None:
        self._figures.show_figures(figures)
        self._answering.show_text(answering)

    def resizeEvent(self, event: QResizeEvent) -> None:
        lying = event.size().width() >= _LYING_FROM
        direction = QBoxLayout.Direction
        self._body.setDirection(direction.LeftToRight if lying else direction.TopToBottom)
        for at in range(self._body.count()):
            self._body.setStretch(at, 1 if lying else (1, 0)[at])
        self._body.setSpacing(32 if lying else 18)
        super().resizeEvent(event)
