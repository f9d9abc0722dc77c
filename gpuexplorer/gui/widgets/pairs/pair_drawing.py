"""How one cell of a map of pairs is drawn, its number, and the head of its row and column."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainterPath, QPen

from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.paint.wrong_mark import draw_wrong
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Theme, faded, mixed
from gpuexplorer.gui.widgets.pairs.pair_layout import PairLayout
from gpuexplorer.gui.wording.copies.matrix.cells import CellState, HeatScale, PairCell
from gpuexplorer.gui.wording.copies.matrix.question import Head

_CHIP, _RADIUS = 20.0, 4.0
_LINE_GAP = 3.0
_BUBBLE = 8.0
_LEAST_CHIP, _RING = 14.0, CHIP_RADIUS + 2
_HEATS = 240
_STATES = tuple(CellState)  # their shades come after those of rates
_EVERY = 8  # of many, so many apart are numbered


def shade_of(cell: PairCell, scale: HeatScale | None) -> int:
    """Which of the shades is the cell's."""
    if cell.state is not CellState.FIGURE:
        return _HEATS + _STATES.index(cell.state)
    if cell.value is None or scale is None:
        return 0
    return round(scale.share(cell.value) * (_HEATS - 1))


def shades(theme: Theme, *, outlined: bool) -> NDArray[np.uint8]:
    """Red, green and blue of each. An empty cell with an outline needs no shade."""
    empty = theme.surface if outlined else mixed(theme.surface, theme.well, 0.6)
    grounds = {
        CellState.EMPTY: empty,
        CellState.LOCAL: theme.well,
        CellState.WRONG: theme.bad,
        CellState.FAILED: mixed(theme.surface, theme.line, 0.5),
    }
    heats = [theme.heat(step / (_HEATS - 1)) for step in range(_HEATS)]
    colours = [*heats, *(grounds.get(state, theme.surface) for state in _STATES)]
    rows = [(each.red(), each.green(), each.blue()) for each in colours]
    return np.array(rows, np.uint8)


def draw_gaps(drawing: Drawing, layout: PairLayout) -> None:
    """Between the cells, over their shades: around figures with soft corners."""
    surface, whole = drawing.theme.surface, layout.place
    if layout.numbers:
        path = QPainterPath()
        path.addRect(whole.adjusted(-1, -1, 1, 1))
        for row in range(layout.count):
            for column in range(layout.count):
                path.addRoundedRect(layout.cell(row, column), _RADIUS, _RADIUS)
        drawing.painter.fillPath(path, surface)
        return
    for at in range(1, layout.count + 1):
        x = layout.left + at * layout.across - layout.gap
        y = layout.top + at * layout.down - layout.gap
        drawing.painter.fillRect(QRectF(x, layout.top, layout.gap, whole.height()), surface)
        drawing.painter.fillRect(QRectF(layout.left, y, whole.width(), layout.gap), surface)


def draw_cell(
    drawing: Drawing, place: QRectF, cell: PairCell, letters: Lettering | None
) -> None:
    """What stands on its shade. Without letters there is no room for a figure."""
    theme, painter = drawing.theme, drawing.painter
    if cell.state is CellState.WRONG:
        draw_wrong(drawing, place, letters is not None)
        return
    if cell.state is CellState.EMPTY:
        painter.setPen(QPen(theme.line, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
    if letters is None:
        return
    plain = cell.state is CellState.FIGURE
    ink = theme.text if plain else theme.quiet
    small = drawing.letters.caption
    middle = place.center().y() + letters.cap_height / 2
    if cell.below and place.height() >= letters.cap_height + small.cap_height + 3 * _LINE_GAP:
        middle -= (small.cap_height + _LINE_GAP * 1.6) / 2
        below = Run(cell.below, small, theme.quiet)
        under = middle + _LINE_GAP * 1.6 + small.cap_height
        drawing.text(place.center().x() - below.width / 2, under, below)
    if cell.text:
        run = Run(cell.text, letters if plain else _smaller(drawing, letters), ink)
        if run.width <= place.width():
            drawing.text(place.center().x() - run.width / 2, middle, run)


def draw_bubble(drawing: Drawing, corner: QPointF, number: int, *, bad: bool) -> None:
    """A number in a disc, with a rim so that it stands out of any ground."""
    theme, painter = drawing.theme, drawing.painter
    disc = QRectF(0, 0, 2 * _BUBBLE, 2 * _BUBBLE)
    disc.moveCenter(corner)
    painter.setPen(QPen(theme.surface, 2))
    painter.setBrush(theme.bad if bad else theme.text)
    painter.drawEllipse(disc)
    run = Run(str(number), drawing.letters.badge, theme.inverse if bad else theme.ground)
    baseline = corner.y() + run.letters.cap_height / 2
    drawing.text(corner.x() - run.width / 2, baseline, run)


def draw_heads(
    drawing: Drawing,
    layout: PairLayout,
    heads: tuple[Head, ...],
    wrong: tuple[frozenset[int], frozenset[int]],
    chosen: tuple[int, int] | None,
    chips: bool,
) -> None:
    """Chips in the colours of the cards, or numbers where there are many. What is wrong is
    ringed.
    """
    side = min(_CHIP, layout.across - 2)
    for axis, place_of in enumerate((layout.head_down, layout.head_across)):
        held = frozenset() if chosen is None else frozenset((chosen[axis],))
        if chips and side >= _LEAST_CHIP:
            for at, head in enumerate(heads):
                place = place_of(at)
                _draw_chip(drawing, place, side, head, at in wrong[axis], at in held)
            continue
        step = layout.across if axis else layout.down
        room = (
            drawing.letters.caption.width("00") + 4 if axis else drawing.letters.caption.height
        )
        for at in _told(len(heads), wrong[axis], held, step, room):
            _draw_number(drawing, place_of(at), heads[at], at in wrong[axis], at in held)


def _told(
    count: int, wrong: frozenset[int], held: frozenset[int], step: float, room: float
) -> list[int]:
    """Which numbers are written: what is chosen or wrong in any case, and no two too close."""
    rest = [0, *range(1, count, 1 if step >= room else _EVERY)]
    told: list[int] = []
    for at in (*sorted(held), *sorted(wrong), *rest):
        if all(abs(at - other) * step >= room for other in told):
            told.append(at)
    return told


def _draw_chip(
    drawing: Drawing, place: QRectF, side: float, head: Head, wrong: bool, held: bool
) -> None:
    theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
    of = letters.strong if side >= _CHIP else letters.badge
    wide = max(side, of.width(head.chip) + 8)
    chip = QRectF(0, 0, wide, side)
    chip.moveCenter(place.center())
    ring = chip.adjusted(-3, -3, 3, 3)
    if held:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faded(theme.text, 0.16))
        painter.drawRoundedRect(ring.adjusted(-2, -2, 2, 2), _RING, _RING)
    if wrong:
        painter.setPen(QPen(theme.bad, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ring, _RING, _RING)
    colour = None if head.colour is None else theme.card(head.colour)
    drawing.chip(chip, head.chip, of, colour)


def _draw_number(drawing: Drawing, place: QRectF, head: Head, wrong: bool, held: bool) -> None:
    theme, letters = drawing.theme, drawing.letters
    ink = theme.bad if wrong else theme.text if held else theme.quiet
    run = Run(head.chip, letters.badge if wrong or held else letters.caption, ink)
    baseline = place.center().y() + run.letters.cap_height / 2
    drawing.text(place.center().x() - run.width / 2, baseline, run)


def _smaller(drawing: Drawing, letters: Lettering) -> Lettering:
    known = drawing.letters
    return known.body if letters is known.title else known.caption
