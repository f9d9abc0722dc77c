"""Draws one block: name and shape, bytes at the right, below them what else is known of it."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen, QPolygonF

from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.bench.block_stack import CELL, LINE, PAD, Slab
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, BlockKind
from gpuexplorer.gui.wording.lab.bench.bench_question import Values

RADIUS = 5.0
_NOTCH = 4.0
_BETWEEN = 6.0  # name and shape
_IN_CELL = 3.0
_TRAINED = "∇"


@dataclass(frozen=True, slots=True)
class BlockLook:
    """How it is drawn just now."""

    hue: QColor
    chosen: bool = False
    focused: bool = False
    pointed: bool = False
    notch: bool = True
    values: Values | None = None


def shape_fits(letters: Letterings, block: Block, width: float) -> bool:
    """Beside the name, and before the bytes."""
    taken = 2 * PAD + 2 * _BETWEEN
    taken += letters.mono.width(block.title) + letters.mono.width(block.shape)
    if block.amount is not None:
        taken += letters.strong.width(block.amount.number)
        taken += letters.caption.width(f"{THIN_SPACE}{block.amount.unit}")
    if block.trained:
        taken += letters.caption.width(_TRAINED) + 4
    return taken <= width


def draw_block(drawing: Drawing, place: QRectF, slab: Slab, look: BlockLook) -> None:
    block = slab.block
    _draw_slab(drawing, place, block, look)
    letters, theme = drawing.letters, drawing.theme
    left, right = place.left() + PAD, place.right() - PAD
    baseline = place.top() + PAD + 11.0
    if block.amount is not None:
        runs = [
            Run(block.amount.number, letters.strong, theme.text),
            Run(f"{THIN_SPACE}{block.amount.unit}", letters.caption, theme.quiet),
        ]
        right = drawing.runs_right(right, baseline, runs) - _BETWEEN
    if block.trained and right - left > 40:
        mark = Run(_TRAINED, letters.caption, theme.quiet)
        right = drawing.runs_right(right, baseline, [mark]) - 4
    ink = theme.text if block.names else theme.quiet
    face = letters.mono if block.names else letters.caption
    end = drawing.elided(left, baseline, Run(block.title, face, ink), max(0.0, right - left))
    if slab.beside and block.shape:
        shape = Run(block.shape, letters.mono, theme.quiet)
        drawing.elided(end + _BETWEEN, baseline, shape, max(0.0, right - end - _BETWEEN))
    for line in slab.lines:
        baseline += LINE
        mono = line == block.shape and block.kind is BlockKind.TENSOR
        run = Run(line, letters.mono if mono else letters.caption, theme.quiet)
        drawing.elided(left, baseline, run, place.right() - PAD - left)
    if slab.cells and block.grid is not None:
        rows = block.grid[0]
        top = place.bottom() - PAD + 1 - rows * CELL
        field = QRectF(left, top, place.right() - PAD - left, rows * CELL)
        _draw_cells(drawing, field, block.grid, look)


def _draw_slab(drawing: Drawing, place: QRectF, block: Block, look: BlockLook) -> None:
    painter, theme = drawing.painter, drawing.theme
    nameless = block.kind is BlockKind.UNNAMED
    strength = 0.07 if nameless else 0.2
    painter.setBrush(faded(look.hue, strength + (0.06 if look.pointed else 0.0)))
    painter.setPen(QPen(faded(look.hue, 0.5), 1))
    edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(edge, RADIUS, RADIUS)
    if look.notch:
        _draw_notch(drawing, place, look)
    if look.chosen:
        painter.setBrush(theme.selection)
        painter.setPen(QPen(theme.text, 1.5))
        painter.drawRoundedRect(place.adjusted(0.75, 0.75, -0.75, -0.75), RADIUS, RADIUS)
    if look.focused:
        drawing.focus_ring(place.adjusted(-3, -3, 3, 3), RADIUS + 3)


def _draw_notch(drawing: Drawing, place: QRectF, look: BlockLook) -> None:
    """It is not to scale: a bite out of the side that looks towards the gauge."""
    painter = drawing.painter
    x, y = place.left(), place.top() + PAD + 7.0
    corners = [QPointF(x, y - _NOTCH), QPointF(x + _NOTCH, y), QPointF(x, y + _NOTCH)]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(drawing.theme.surface)
    painter.drawPolygon(QPolygonF([corners[0] - QPointF(1, 0), corners[1], corners[2]]))
    painter.setPen(QPen(faded(look.hue, 0.5), 1))
    painter.drawPolyline(QPolygonF(corners))


def _draw_cells(
    drawing: Drawing, field: QRectF, grid: tuple[int, int], look: BlockLook
) -> None:
    """Until somebody has looked, the cells are there without their figures."""
    rows, columns = grid
    letters, theme = drawing.letters.caption, drawing.theme
    texts = look.values.rows if look.values is not None else ()
    widest = max((letters.width(text) for row in texts for text, _ in row), default=20.0)
    fitting = max(1, int((field.width() + 1) // (widest + 2 * _IN_CELL + 1)))
    shown = columns if columns <= fitting else max(1, fitting - 1)
    cut = shown < columns
    # A lone number is no reason for a bar as wide as the block.
    wide = min((field.width() - (16 if cut else 0)) / shown, max(48.0, widest + 10))
    painter = drawing.painter
    for row in range(rows):
        for column in range(shown):
            cell = QRectF(field.left() + column * wide, field.top() + row * CELL, wide, CELL)
            cell.adjust(0, 0, -1, -1)
            known = row < len(texts) and column < len(texts[row])
            text, share = texts[row][column] if known else ("", 0.0)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faded(look.hue, 0.12 + 0.28 * min(1.0, max(0.0, share))))
            painter.drawRoundedRect(cell, 2, 2)
            x = cell.center().x() - letters.width(text) / 2
            baseline = cell.center().y() + letters.cap_height / 2
            drawing.text(x, baseline, Run(text, letters, theme.text))
        if cut:
            more = Run("…", letters, theme.quiet)
            y = field.top() + row * CELL + CELL / 2 + letters.cap_height / 2
            drawing.text(field.left() + shown * wide + 3, y, more)
