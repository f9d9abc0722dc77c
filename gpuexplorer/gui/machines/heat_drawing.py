"""How the heat map draws machines and racks, their cells, and a machine without any."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPen

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.units import Units, ratio
from gpuexplorer.gui.machines.heat_layout import MapBlock
from gpuexplorer.gui.machines.model import GRAVE, WORTH_A_LOOK, gravity
from gpuexplorer.gui.machines.words import (
    free_words,
    remark_on,
    short_reason,
    state_sentence,
    state_sign,
)
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.groups.group import CardCell, HostGroup
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Theme, Tone, mixed

CELL_RADIUS = 4.0
_ICON, _INSET, _MOST_NAME = 14.0, 6.0, 220
_ROOMY, _LINE, _PADDING = 56.0, 18.0, 10
_SHADES = 60
_WRAPPED = Qt.AlignmentFlag.AlignTop.value | Qt.TextFlag.TextWordWrap.value


def share_of(cell: CardCell) -> float:
    """NaN where there is no figure."""
    return cell.values.get(GPU_UTILIZATION, math.nan)


def line_height(group: HostGroup, wide: int) -> int:
    """Of a machine that shows no card: its name, and beside it the whole reason."""
    room = QRectF(0, 0, wide - _name_width(wide), 1000)
    bounds = look().letters.body.metrics.boundingRect(room, _WRAPPED, state_sentence(group))
    return math.ceil(bounds.height()) + _PADDING


def draw_line(drawing: Drawing, block: MapBlock, group: HostGroup) -> None:
    theme, letters = drawing.theme, drawing.letters.body
    x, baseline = float(block.x), block.y + letters.ascent
    end = x + _name_width(block.wide)
    x = _draw_sign(drawing, group, x, baseline)
    drawing.elided(
        x, baseline, Run(group.name, drawing.letters.strong, theme.text), end - x - 16
    )
    painter = drawing.painter
    painter.setFont(letters.font)
    painter.setPen(theme.quiet if group.standing.answers else theme.text)
    place = QRectF(end, block.y, block.x + block.wide - end, block.high)
    painter.drawText(place, _WRAPPED, state_sentence(group))


def draw_head(drawing: Drawing, block: MapBlock, group: HostGroup) -> None:
    """Of one machine."""
    theme, letters = drawing.theme, drawing.letters
    baseline = block.y + letters.body.ascent
    x, right = _draw_sign(drawing, group, block.x, baseline), float(block.x + block.wide)
    name = Run(group.name, letters.strong, theme.text)
    room = max(0.0, right - x - min(name.width, (right - x) * 0.6) - 12)
    remark = Run(letters.caption.elided(remark_on(group), room), letters.caption, theme.quiet)
    drawing.elided(x, baseline, name, right - x - remark.width - 12)
    drawing.runs_right(right, baseline, [remark])


def draw_rack(drawing: Drawing, block: MapBlock, groups: Sequence[HostGroup]) -> None:
    """In `bad` where a machine or a card in it is lost or an alert is urgent, in `warn` where
    something else is.
    """
    letters, theme = drawing.letters.caption, drawing.theme
    tones = {GRAVE: Tone.BAD, WORTH_A_LOOK: Tone.WARN}
    tone = tones.get(max(map(gravity, groups)), Tone.QUIET)
    run = Run(block.title, letters, theme.tone(tone))
    drawing.elided(block.x, block.y + letters.ascent, run, block.wide, block.title)


def draw_close(
    drawing: Drawing,
    places: Sequence[QRectF],
    shares: NDArray[np.float64],
    cells: Sequence[CardCell],
) -> None:
    """Very many cells, by their shade: 8 000 take a few milliseconds."""
    painter, theme = drawing.painter, drawing.theme
    painter.setPen(Qt.PenStyle.NoPen)
    known = np.isfinite(shares)
    shades = np.full(len(shares), -1)
    shades[known] = np.rint(np.clip(shares[known], 0, 1) * _SHADES)
    for shade in np.unique(shades[known]):
        painter.setBrush(theme.heat(shade / _SHADES))
        painter.drawRects([places[at] for at in np.flatnonzero(shades == shade).tolist()])
    for at in np.flatnonzero(~known).tolist():
        draw_hatch(drawing, places[at], bad=_lost(cells[at]))


def draw_cell(
    drawing: Drawing, place: QRectF, cell: CardCell, group: HostGroup, units: Units
) -> None:
    """Large enough for its figure, and for how much memory is free where there is more room."""
    theme, share = drawing.theme, share_of(cell)
    middle, room = place.center(), place.width() - _INSET
    if math.isfinite(share):
        drawing.filled(place, theme.heat(share), CELL_RADIUS)
        letters, ink, read = drawing.letters.body, theme.text, ratio(share)
        # All of them without their unit, where the widest has no room.
        words = [str(read)] if letters.width(str(ratio(1.0))) <= room else [read.number]
    else:
        draw_hatch(drawing, place, bad=_lost(cell), radius=CELL_RADIUS)
        letters, ink = drawing.letters.caption, theme.quiet
        words = [each for each in short_reason(cell, group) if letters.width(each) <= room]
    run = Run(words[0] if words else "", letters, ink)
    baseline = middle.y() + letters.cap_height / 2
    if run.text and not math.isfinite(share):
        ground = QRectF(0, 0, run.width + _INSET, letters.cap_height + _INSET)
        ground.moveCenter(middle)
        drawing.filled(ground, _hatch_ground(theme), CELL_RADIUS)
    elif place.height() >= _ROOMY:
        below = Run(free_words(cell, units), drawing.letters.caption, theme.text)
        if below.text and below.width <= room:
            baseline -= _LINE / 2
            drawing.text(middle.x() - below.width / 2, baseline + _LINE, below)
    drawing.text(middle.x() - run.width / 2, baseline, run)
    if cell.mark is not None and cell.mark.tone in (Tone.WARN, Tone.BAD) and words:
        outline(
            drawing, place.adjusted(0.75, 0.75, -0.75, -0.75), theme.tone(cell.mark.tone), 1.5
        )


def outline(drawing: Drawing, place: QRectF, ink: QColor, width: float) -> None:
    drawing.painter.setPen(QPen(ink, width))
    drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
    drawing.painter.drawRoundedRect(place, CELL_RADIUS, CELL_RADIUS)


def _lost(cell: CardCell) -> bool:
    return cell.state in (CardState.LOST, CardState.UNLISTED)


def draw_hatch(drawing: Drawing, place: QRectF, *, bad: bool, radius: float = 0.0) -> None:
    """In another ink where it is bad, which is worse than a figure that is missing."""
    theme = drawing.theme
    ink = theme.bad if bad else mixed(theme.surface, theme.faint, 0.6)
    drawing.filled(place, _hatch_ground(theme), radius)
    drawing.painter.setBrush(QBrush(ink, Qt.BrushStyle.BDiagPattern))
    drawing.painter.drawRoundedRect(place, radius, radius)


def _hatch_ground(theme: Theme) -> QColor:
    return mixed(theme.surface, theme.ground, 0.7)


def _draw_sign(drawing: Drawing, group: HostGroup, x: float, baseline: float) -> float:
    sign = state_sign(group)
    if sign is None:
        return x
    icon, tone = sign
    middle = baseline - drawing.letters.body.cap_height / 2
    place = QRectF(x, middle - _ICON / 2, _ICON, _ICON)
    drawing.icon(icon, place, drawing.theme.tone(tone))
    return x + _ICON + 6


def _name_width(wide: int) -> int:
    return min(_MOST_NAME, wide // 4)
