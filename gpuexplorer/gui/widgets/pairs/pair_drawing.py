"""How a cell of a table of pairs is drawn, its number, and the heads of rows and columns."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Theme, faded, mixed
from gpuexplorer.gui.widgets.pairs.pairs_shown import (
    MOST_CHIPS,
    CellState,
    HeatScale,
    PairCell,
    PairHead,
)

RADIUS = 4.0
_CHIP, _LEAST_CHIP, _RING = 20.0, 14.0, CHIP_RADIUS + 2
_LINE_GAP = 3.0
_BUBBLE = 8.0
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


def shades(theme: Theme) -> list[QColor]:
    """Of all rates, and of what is no rate."""
    grounds = {
        CellState.EMPTY: mixed(theme.surface, theme.well, 0.6),
        CellState.LOCAL: theme.well,
        CellState.WRONG: theme.bad,
        CellState.FAILED: mixed(theme.surface, theme.line, 0.5),
    }
    heats = [theme.heat(step / (_HEATS - 1)) for step in range(_HEATS)]
    return [*heats, *(grounds.get(state, theme.surface) for state in _STATES)]


def draw_cell(
    drawing: Drawing, place: QRectF, cell: PairCell, ground: QColor, letters: Lettering | None
) -> None:
    """Without letters there is no room for a figure."""
    theme, painter = drawing.theme, drawing.painter
    if cell.state is CellState.WRONG:
        drawing.wrong(place, lettered=letters is not None)
        return
    empty = cell.state is CellState.EMPTY
    painter.setPen(QPen(theme.line, 1) if empty else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if empty else ground)
    inset = 0.5 if empty else 0.0
    painter.drawRoundedRect(place.adjusted(inset, inset, -inset, -inset), RADIUS, RADIUS)
    if letters is None:
        return
    plain = cell.state is CellState.FIGURE
    small = drawing.letters.caption
    middle = place.center().y() + letters.cap_height / 2
    if cell.below and place.height() >= letters.cap_height + small.cap_height + 3 * _LINE_GAP:
        middle -= (small.cap_height + _LINE_GAP * 1.6) / 2
        below = Run(cell.below, small, theme.quiet)
        under = middle + _LINE_GAP * 1.6 + small.cap_height
        drawing.text(place.center().x() - below.width / 2, under, below)
    of = letters if plain else _smaller(drawing, letters)
    run = Run(cell.text, of, theme.text if plain else theme.quiet)
    if cell.text and run.width <= place.width():
        drawing.text(place.center().x() - run.width / 2, middle, run)


def _smaller(drawing: Drawing, letters: Lettering) -> Lettering:
    known = drawing.letters
    return known.body if letters is known.title else known.caption


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
    places: list[QRectF],
    heads: Sequence[PairHead],
    wrong: Collection[int],
    held: int,
    room: float,
) -> None:
    """Chips in the colours of the cards, or numbers where there are many. What is wrong is
    ringed. `room` is what a number takes along this side.
    """
    chips = min(_CHIP, places[0].width() - 2, places[0].height() - 2)
    boxed = [at for at, head in enumerate(heads) if head.boxed]
    if len(boxed) > MOST_CHIPS + 1 or chips < _LEAST_CHIP:
        boxed = []
    for at in boxed:
        _draw_chip(drawing, places[at], chips, heads[at], at in wrong, at == held)
    for at in _numbered(places, wrong, held, room):
        if at in boxed:
            continue
        ink = drawing.theme.bad if at in wrong else drawing.theme.quiet
        ink = drawing.theme.text if at == held and at not in wrong else ink
        letters = drawing.letters
        run = Run(
            heads[at].chip, letters.badge if at in wrong or at == held else letters.caption, ink
        )
        middle, high = places[at].center(), run.letters.cap_height
        baseline = max(high + 1, middle.y() + high / 2)
        drawing.text(middle.x() - run.width / 2, baseline, run)


def _numbered(
    places: list[QRectF], wrong: Collection[int], held: int, room: float
) -> list[int]:
    """What is chosen or wrong in any case, and no two too close."""

    def apart(one: int, other: int) -> float:
        return (places[one].center() - places[other].center()).manhattanLength()

    count = len(places)
    close = count > 1 and apart(0, 1) < room
    told: list[int] = []
    for at in (held, *sorted(wrong), 0, *range(1, count, _EVERY if close else 1)):
        if 0 <= at < count and all(apart(at, other) >= room for other in told):
            told.append(at)
    return told


def _draw_chip(
    drawing: Drawing, place: QRectF, side: float, head: PairHead, wrong: bool, held: bool
) -> None:
    theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
    of = letters.strong if side >= _CHIP else letters.badge
    chip = QRectF(0, 0, max(side, of.width(head.chip) + 8), side)
    chip.moveCenter(place.center())
    ring = chip.adjusted(-3, -3, 3, 3)
    if held:
        drawing.filled(ring.adjusted(-2, -2, 2, 2), faded(theme.text, 0.16), _RING)
    if wrong:
        painter.setPen(QPen(theme.bad, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ring, _RING, _RING)
    colour = None if head.colour is None else theme.card(head.colour)
    drawing.chip(chip, head.chip, of, colour)
