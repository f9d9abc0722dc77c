"""BlockDelegate: draws a block: name, shape and bytes, and its values where they are few."""

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import (
    QObject,
    QPointF,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.lab.bench.blocks import Block, BlockKind, Key
from gpuexplorer.gui.lab.bench.memory_levels import hue
from gpuexplorer.gui.lab.bench.peeks import Values
from gpuexplorer.gui.lab.bench.words import amount_of, remark_of, shape_of, title_of_block
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Delegate, Drawing, Index, Run
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.palette import faded

BLOCK = Qt.ItemDataRole.UserRole
GAP, PAD, RADIUS = 6.0, 8.0, 5.0
RING = 4  # so far rings and outlines stand beyond their blocks
ONE_LINE = 2 * PAD + 14.0
_LINE = 17.0  # of text, or of values
_ABOVE_CELLS, _IN_CELL = 2.0, 3.0
_NOTCH = 4.0
_BETWEEN = 6.0  # name and shape
_TRAINED = "∇\N{EN SPACE}"

ValuesOf = Callable[[Block], Values | None]
State = QStyle.StateFlag


class BlockDelegate(Delegate):
    """Its attributes are how the blocks of one device look just now."""

    def __init__(self, device: BenchDevice, values_of: ValuesOf, parent: QObject) -> None:
        super().__init__(parent)
        self._values_of = values_of
        self.device, self.units = device, USUAL
        self.width = 0.0
        self.cramped = False  # not all fit in whole: each gets one line
        self.opened: Key | None = None  # but for this one
        self.arriving: Collection[Key] = ()
        self.arrived = 1.0  # from 0, where `come_from` says
        self.come_from = QPointF()

    def in_whole(self, block: Block) -> bool:
        """With what stands below its name."""
        return not self.cramped or block.key == self.opened

    def height_of(self, block: Block) -> float:
        if not self.in_whole(block):
            return ONE_LINE
        cells = 0.0 if block.grid is None else _ABOVE_CELLS + block.grid[0] * _LINE
        return ONE_LINE + len(self._lines(block, self.width)) * _LINE + cells

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, round(self.height_of(index.data(BLOCK)) + GAP))

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        block: Block = index.data(BLOCK)
        share = self.arrived if block.key in self.arriving else 1.0
        drawing.painter.setOpacity(share)
        drawing.painter.translate(self.come_from * (1 - share))
        inner = place.adjusted(RING, GAP / 2, -RING, -GAP / 2)
        self.draw_block(drawing, inner, block, option.state, whole=self.in_whole(block))

    def draw_block(
        self, drawing: Drawing, place: QRectF, block: Block, state: State, *, whole: bool
    ) -> None:
        self._draw_ground(drawing, place, block, state)
        letters, theme = drawing.letters, drawing.theme
        left, right = place.left() + PAD, place.right() - PAD
        baseline = place.top() + PAD + 11.0
        end = drawing.runs_right(right, baseline, self._at_right(block)) - _BETWEEN
        face, ink = (
            (letters.mono, theme.text) if block.names else (letters.caption, theme.quiet)
        )
        title = Run(title_of_block(block), face, ink)
        x = drawing.elided(left, baseline, title, max(0.0, end - left)) + _BETWEEN
        tensor, shape = block.kind is BlockKind.TENSOR, shape_of(block)
        lines = self._lines(block, place.width())
        if tensor and shape not in lines:
            drawing.text(x, baseline, Run(shape, letters.mono, theme.quiet))
        for line in lines if whole else ():
            baseline += _LINE
            mono = tensor and line == shape
            run = Run(line, letters.mono if mono else letters.caption, theme.quiet)
            drawing.elided(left, baseline, run, right - left)
        if whole and block.grid is not None:
            high = block.grid[0] * _LINE
            field = QRectF(left, place.bottom() - PAD + 1 - high, right - left, high)
            self._draw_cells(drawing, field, block.grid, self._values_of(block))

    def _at_right(self, block: Block) -> list[Run]:
        letters, theme = self.look.letters, self.look.theme
        taken, runs = amount_of(block, self.device, self.units), []
        if block.placed is not None and block.placed.requires_grad:
            runs.append(Run(_TRAINED, letters.caption, theme.quiet))
        if taken is not None:
            runs.append(Run(taken.number, letters.strong, theme.text))
            runs.append(Run(f"{THIN_SPACE}{taken.unit}", letters.caption, theme.quiet))
        return runs

    def _lines(self, block: Block, width: float) -> Sequence[str]:
        """What stands below its name: a tensor's shape only where it does not fit beside."""
        shape, remark, mono = (
            shape_of(block),
            remark_of(block, self.units),
            self.look.letters.mono,
        )
        if block.kind is BlockKind.TENSOR:
            taken = mono.width(title_of_block(block)) + mono.width(shape)
            taken += sum(run.width for run in self._at_right(block)) + 2 * (PAD + _BETWEEN)
            shape = "" if taken <= width else shape
        return [each for each in (shape, remark) if each]

    def _draw_ground(self, drawing: Drawing, place: QRectF, block: Block, state: State) -> None:
        painter, theme, colour = drawing.painter, drawing.theme, hue(drawing.theme, self.device)
        strength = 0.07 if block.kind is BlockKind.UNNAMED else 0.2
        pointed = bool(state & State.State_MouseOver)
        painter.setBrush(faded(colour, strength + (0.06 if pointed else 0.0)))
        painter.setPen(QPen(faded(colour, 0.5), 1))
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        if self.device.total_bytes is not None:
            _draw_notch(drawing, place.topLeft() + QPointF(_NOTCH, PAD + 7.0))
        if state & State.State_Selected:
            painter.setBrush(theme.selection)
            painter.setPen(QPen(theme.text, 1.5))
            painter.drawRoundedRect(place.adjusted(0.75, 0.75, -0.75, -0.75), RADIUS, RADIUS)
        if state & State.State_HasFocus:
            drawing.focus_ring(place.adjusted(-3, -3, 3, 3), RADIUS + 3)

    def _draw_cells(
        self, drawing: Drawing, field: QRectF, grid: tuple[int, int], values: Values | None
    ) -> None:
        """Until somebody has looked, the cells are there without their figures."""
        rows, columns = grid
        letters, theme = drawing.letters.caption, drawing.theme
        cells = () if values is None else values.rows
        widest = max((letters.width(text) for row in cells for text, _ in row), default=20.0)
        fitting = max(1, int((field.width() + 1) // (widest + 2 * _IN_CELL + 1)))
        shown = columns if columns <= fitting else max(1, fitting - 1)
        cut = shown < columns
        # A lone number is no reason for a bar as wide as the block.
        wide = min((field.width() - (16 if cut else 0)) / shown, max(48.0, widest + 10))
        colour = hue(theme, self.device)
        for row in range(rows):
            y = field.top() + row * _LINE
            baseline = y + (_LINE - 1 + letters.cap_height) / 2
            for column in range(shown):
                known = row < len(cells) and column < len(cells[row])
                text, share = cells[row][column] if known else ("", 0.0)
                cell = QRectF(field.left() + column * wide, y, wide - 1, _LINE - 1)
                drawing.filled(cell, faded(colour, 0.12 + 0.28 * min(1.0, max(0.0, share))), 2)
                x = cell.center().x() - letters.width(text) / 2
                drawing.text(x, baseline, Run(text, letters, theme.text))
            if cut:
                x = field.left() + shown * wide + 3
                drawing.text(x, baseline, Run("…", letters, theme.quiet))


def _draw_notch(drawing: Drawing, tip: QPointF) -> None:
    """It is not to scale: a bite out of the side that looks towards the gauge."""
    painter, edge = drawing.painter, drawing.painter.pen()
    above, below = tip - QPointF(_NOTCH, _NOTCH), tip + QPointF(-_NOTCH, _NOTCH)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(drawing.theme.surface)
    painter.drawPolygon(QPolygonF([above - QPointF(1, 0), tip, below]))
    painter.setPen(edge)
    painter.drawPolyline(QPolygonF([above, tip, below]))
