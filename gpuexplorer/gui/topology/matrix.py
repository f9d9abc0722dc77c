"""MatrixPanel: who reaches whom, and how; the words to its letters, and the same as text."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.units import gigabytes_per_second, rate
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.topology.wiring_facts import path_words
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, add, wrapped_label
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.machine.machine_faces import MachineNow
from gpuexplorer.gui.widgets.pair_grid import (
    CellState,
    HeatScale,
    Pair,
    PairCell,
    PairGrid,
    PairHead,
)
from gpuexplorer.telemetry.topology import PathKind

_NODE = CardId("NUMA")
_ROW, _HEAD = 28, 30
_LEAST, _MOST = 28, 64
# Of a few cards there is room for larger cells.
_FEW, _LARGE_ROW, _LARGE_MOST = 4, 36, 88
_ROWS_IN_SIGHT = 16
_AROUND, _GAP = 3, 2  # beside the text of a cell, and between cells
# From a slow slot to the fastest NVLinks.
_SCALE = HeatScale(2e9, 1e12)


class MatrixPanel(Panel):
    """`table` and `copy` are connected by who holds this."""

    def __init__(self) -> None:
        super().__init__(tr("Connections"))
        self.table = MatrixTable()
        choices = ((False, tr("Path")), (True, "GB/s"))
        self._choice = Segmented(tr("What the cells say"), choices)
        self._choice.show_choice(key=False)
        self._choice.chosen.connect(self._on_rates_chosen)
        self.copy = IconButton(Icon.COPY, tr("Copy the matrix as text"), "Ctrl+C")
        add(self.head, self._choice, Space(4), self.copy)
        self._legend = wrapped_label("", Tone.QUIET, look().letters.caption)
        add(self.body, self.table, GROWS, Space(8), self._legend)

    def show_machine(self, now: MachineNow) -> None:
        self.table.show_machine(now)
        lines = [f"{each}: {words}" for each, words in legend(now)]
        if self.table.rates:
            lines = [tr("Each way, in theory: what the narrowest wire could carry.")]
        self._legend.setText("\n".join(lines))

    def _on_rates_chosen(self, rates: bool) -> None:
        self._choice.show_choice(rates)
        self.table.rates = rates
        if self.table.now is not None:
            self.table.fill(self.table.now)
            self.show_machine(self.table.now)


class MatrixTable(PairGrid):
    """A cell that is clicked, or chosen with Enter, says which link is meant."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__(tr("Which card reaches which, and how"), self._words_of)
        self.gap = _GAP
        self.now: MachineNow | None = None
        self.rates = False  # in the place of paths
        self._lost: frozenset[CardId] = frozenset()
        self._least = _LEAST
        self._chosen: Part | None = None
        self.horizontalHeader().setFixedHeight(_HEAD)
        self.verticalHeader().setFixedWidth(_HEAD)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self.open)

    def show_machine(self, now: MachineNow) -> None:
        before, self.now = self.now, now
        lost = frozenset(card for card in now.shape.home if now.lost(card))
        if before is None or before.shape is not now.shape or before.listed is not now.listed:
            rows = [self._head(now, card) for card in matrix_cards(now)]
            columns = [PairHead(HOST_ID, "H", None, tr("Host")), *rows]
            if now.shape.topology.numa_nodes:
                columns.append(PairHead(_NODE, "NUMA", None, tr("NUMA node"), boxed=False))
            self.pairs.show_heads(rows, columns)
        elif lost == self._lost:
            return
        self._lost = lost
        self.fill(now)

    def show_chosen(self, part: Part | None) -> None:
        """Rings its cell, and scrolls there. Tells nobody."""
        if part == self._chosen:
            return
        self._chosen = part
        index = self.pairs.index_of(_pair_of(part))
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
        self.viewport().update()

    def is_chosen(self, index: Index) -> bool:
        """Both cells of a pair are: there and back."""
        return self._chosen is not None and self._part_at(index) == self._chosen

    def open(self, index: Index) -> None:
        part = self._part_at(index)
        if part is not None:
            self.show_chosen(part)
            self.chosen.emit(part)

    def rings(self) -> Iterator[tuple[Index, QColor, float]]:
        pair = _pair_of(self._chosen)
        if pair is not None:
            for each in (pair, pair[::-1]):
                yield self.pairs.index_of(each), self.look.theme.text, 2.0
        if self.hasFocus():
            yield self.currentIndex(), self.look.theme.accent, 2.0

    def _head(self, now: MachineNow, card: CardId) -> PairHead:
        number = now.number(card)
        return PairHead(card, number, now.colour(card), tr("Card {number}", number=number))

    def fill(self, now: MachineNow) -> None:
        cells = {
            (row.name, column.name): self._cell(now, CardId(row.name), CardId(column.name))
            for row in self.pairs.rows
            for column in self.pairs.columns
        }
        self.show_cells(cells, _SCALE)
        width = self.look.letters.caption.width
        texts = {cell.text for (_, column), cell in cells.items() if column != _NODE}
        self._least = max(_LEAST, *(round(width(text)) + _AROUND for text in texts), 0)
        self._fit()

    def _cell(self, now: MachineNow, row: CardId, column: CardId) -> PairCell:
        if column == _NODE:
            node = now.shape.topology.numa_nodes.get(row)
            return PairCell(CellState.LOCAL, "–" if node is None else str(node))
        said, link = _letters(now, row, column), now.shape.link(row, column)
        if self.rates:
            speed = None if link is None else link.rate
            said = PathKind.UNKNOWN.value if speed is None else gigabytes_per_second(speed)
            said = "–" if row == column else said
        if row == column or {row, column} & self._lost or link is None or not link.rate:
            return PairCell(CellState.LOCAL, said)
        return PairCell(CellState.FIGURE, said, link.rate)

    def _words_of(self, pair: Pair) -> tuple[str, str]:
        assert self.now is not None
        row, column = map(CardId, pair)
        if column != _NODE:
            return cell_words(self.now, row, column), ""
        node, number = self.pairs.cells[pair].text, self.now.number(row)
        return tr("Card {number}: NUMA node {node}", number=number, node=node), ""

    def _part_at(self, index: Index) -> Part | None:
        """What its cell is about; None for a cell of which nothing is drawn."""
        pair = self.pairs.pair(index)
        if self.now is None or pair is None:
            return None
        shape, (row, column) = self.now.shape, map(CardId, pair)
        if column == _NODE:
            socket = shape.home.get(row)
            return None if socket is None else Part(Kind.SOCKET, number=socket)
        if row == column:
            return Part(Kind.CARD, row)
        link = shape.link(row, column)
        return None if link is None else Part(Kind.LINK, *link[:2])

    def _fit(self) -> None:
        """Cells as wide as there is room for, within what is pleasant to read."""
        count, rows = len(self.pairs.columns), max(1, len(self.pairs.rows))
        room = self.viewport().width()
        most, row = (_LARGE_MOST, _LARGE_ROW) if rows <= _FEW else (_MOST, _ROW)
        width = min(most, max(self._least, room // max(1, count)))
        self.horizontalHeader().setDefaultSectionSize(width)
        self.verticalHeader().setDefaultSectionSize(row)
        bar = 12 if count * width > room else 0
        self.setMinimumHeight(_HEAD + min(_ROWS_IN_SIGHT, rows) * row + bar + 2)
        self.setMaximumHeight(_HEAD + rows * row + bar + 2)

    def sizeHint(self) -> QSize:
        return QSize(_LEAST * 4, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST * 4, _HEAD + _ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _pair_of(part: Part | None) -> Pair | None:
    """Whose cell it has; None where it has none of its own."""
    if part is None or part.kind not in (Kind.CARD, Kind.LINK):
        return None
    return part.card, part.to or part.card


def matrix_cards(now: MachineNow) -> Sequence[CardId]:
    """In the driver's order, as in every other table."""
    drawn = {*now.shape.home, *now.shape.loose}
    return [card for card in now.cards if card in drawn]


def cell_words(now: MachineNow, a: CardId, b: CardId) -> str:
    """All that a cell of the matrix has to say."""
    number = now.number(a)
    if a == b:
        return tr("Card {number} itself.", number=number)
    if b == HOST_ID:
        ends = tr("Card {number} to the host", number=number)
    else:
        ends = tr("Card {a} to card {b}", a=number, b=now.number(b))
    link = now.shape.link(a, b)
    if link is None:
        return tr("{ends}: not reported.", ends=ends)
    said = tr("{ends}: {path}.", ends=ends, path=path_words(link))
    if link.rate is not None:
        return f"{said} {tr('{rate} each way in theory.', rate=rate(link.rate))}"
    return f"{said} {tr(link.rate_reason)}." if link.rate_reason else said


def _letters(now: MachineNow, a: CardId, b: CardId) -> str:
    """As nvidia-smi writes it."""
    link = now.shape.link(a, b)
    known = PathKind.UNKNOWN.value if link is None else link.letters
    return PathKind.SELF.value if a == b else known


def legend(now: MachineNow) -> Sequence[tuple[str, str]]:
    """Letters and words of the kinds that occur."""
    kinds = {link.path for link in now.shape.topology.links}
    if now.shape.loose:
        kinds.add(PathKind.UNKNOWN)
    return [
        ("NV#" if kind is PathKind.NVLINK else kind.value, tr(kind.sentence))
        for kind in PathKind
        if kind in kinds
    ]


def matrix_text(now: MachineNow, heading: str) -> str:
    """The whole matrix, to be pasted where letters have one width."""
    cards = matrix_cards(now)
    head = [now.number(HOST_ID), *(now.number(card) for card in cards)]
    rows = [["", *head, tr("NUMA"), tr("CPUs")]]
    for card in cards:
        node = now.shape.topology.numa_nodes.get(card)
        rows.append(
            [
                now.number(card),
                _letters(now, card, HOST_ID),
                *(_letters(now, card, other) for other in cards),
                "-" if node is None else str(node),
                now.shape.topology.cpu_affinity.get(card, "-"),
            ]
        )
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    known = [f"{each:5} {words}" for each, words in legend(now)]
    return "\n".join([heading, "", *lines, "", *known]) + "\n"
