"""How the heat map draws a machine that has a block of its own, and the title of several."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainterPath, QPen

from gpuexplorer.core.words import tr
from gpuexplorer.gui.machines.heat_layout import HEAD, Laid, MapBlock
from gpuexplorer.gui.machines.heat_shades import hatch_ground, hatch_ink
from gpuexplorer.gui.machines.model import GRAVE, gravity
from gpuexplorer.gui.machines.words import remark_on, said_instead, state_sign
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.groups.group import HostGroup
from gpuexplorer.gui.theme.palette import Tone

CELL_RADIUS = 4.0
_HATCH, _ICON, _INSET = 6.0, 14.0, 6.0
_ROOMY, _LINE = 64.0, 18.0


@dataclass(frozen=True, slots=True, eq=False)
class HeatShown:
    """What cells show, by their number."""

    shares: NDArray[np.float64]  # of the scale; NaN without a figure
    lost: NDArray[np.bool_]
    tones: Sequence[Tone | None] = ()  # WARN and BAD mark a cell
    widest: str = ""  # of the figures: where it has no room, all go without their unit
    words: Callable[[int], Sequence[str]] = lambda _: ()  # at falling length
    more: Callable[[int], Sequence[str]] = lambda _: ()  # below it, in cells with much room


NOTHING_SHOWN = HeatShown(np.empty(0), np.empty(0, np.bool_))


def draw_machine(
    drawing: Drawing,
    laid: Laid,
    block: MapBlock,
    group: HostGroup,
    numbers: range,
    shown: HeatShown,
) -> None:
    theme, letters = drawing.theme, drawing.letters
    baseline = block.y + HEAD / 2 + letters.body.cap_height / 2 - 3
    x, right = float(block.x), float(block.x + block.wide)
    sign = state_sign(group)
    if sign is not None:
        icon, tone = sign
        place = QRectF(x, baseline - letters.body.cap_height / 2 - _ICON / 2, _ICON, _ICON)
        drawing.icon(icon, place, theme.tone(tone))
        x += _ICON + 6
    remark = remark_on(group)
    name = Run(group.name, letters.strong, theme.text)
    room = max(0.0, right - x - min(name.width, (right - x) * 0.6) - 12)
    quiet = Run(letters.caption.elided(remark, room), letters.caption, theme.quiet)
    drawing.elided(x, baseline, name, right - x - quiet.width - 12)
    drawing.runs_right(right, baseline, [quiet])
    sentence = said_instead(group)
    if sentence:
        _draw_sentence(drawing, block, sentence, group)
        return
    for at in numbers:
        place = QRectF(int(laid.left[at]), int(laid.top[at]), laid.wide, laid.high)
        _draw_cell(drawing, place, at, shown)


def draw_close(
    drawing: Drawing, laid: Laid, block: MapBlock, groups: Sequence[HostGroup]
) -> None:
    """The title of a rack, in `bad` where a machine or a card in it is lost; and what stands in
    the place of cells where a machine shows none. The cells are drawn already.
    """
    letters, theme = drawing.letters.caption, drawing.theme
    grave = max(map(gravity, groups)) >= GRAVE
    run = Run(block.title, letters, theme.bad if grave else theme.quiet)
    drawing.elided(block.x, block.y + letters.ascent, run, block.wide, block.title)
    for group, top in zip(groups, block.rows, strict=True):
        sentence = said_instead(group)
        if sentence:
            step = laid.high + laid.gap
            place = QRectF(block.x, top, block.wide, step)
            drawing.no_bar(place)
            drawing.hint(place, tr("{name}: {what}", name=group.name, what=sentence))


def _draw_sentence(drawing: Drawing, block: MapBlock, sentence: str, group: HostGroup) -> None:
    """In the place of the cells, over as many lines as there is room for."""
    letters, theme = drawing.letters.body, drawing.theme
    place = QRectF(block.x, block.y + HEAD, block.wide, block.high - HEAD)
    painter = drawing.painter
    painter.setFont(letters.font)
    painter.setPen(theme.tone(Tone.QUIET if group.standing.answers else Tone.TEXT))
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
    painter.drawText(place, flags.value | Qt.TextFlag.TextWordWrap.value, sentence)
    drawing.hint(place, sentence)


def _draw_cell(drawing: Drawing, place: QRectF, at: int, shown: HeatShown) -> None:
    theme, painter = drawing.theme, drawing.painter
    share, tone = float(shown.shares[at]), shown.tones[at]
    known, bad = math.isfinite(share), bool(shown.lost[at])
    letters = drawing.letters.body if known else drawing.letters.caption
    if known:
        drawing.filled(place, theme.heat(share), CELL_RADIUS)
    else:
        draw_hatch(drawing, place, bad=bad)
    words, room = shown.words(at), place.width() - _INSET
    if known and letters.width(shown.widest) > room:
        words = words[-1:]  # all of them without their unit
    fitting = (each for each in words if letters.width(each) <= room)
    run = Run(next(fitting, ""), letters, theme.text if known else theme.quiet)
    if run.text and not known:
        ground = QRectF(0, 0, run.width + _INSET, letters.cap_height + _INSET)
        ground.moveCenter(place.center())
        drawing.filled(ground, hatch_ground(theme), CELL_RADIUS)
    baseline = place.center().y() + letters.cap_height / 2
    if known and place.height() >= _ROOMY:
        baseline -= _LINE / 2
        for line, more in enumerate(shown.more(at), 1):
            below = Run(more, drawing.letters.caption, theme.text)
            if below.width <= room:
                drawing.text(
                    place.center().x() - below.width / 2, baseline + line * _LINE, below
                )
    drawing.text(place.center().x() - run.width / 2, baseline, run)
    if known and tone in (Tone.WARN, Tone.BAD):
        painter.setPen(QPen(theme.tone(tone), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        edge = place.adjusted(0.75, 0.75, -0.75, -0.75)
        painter.drawRoundedRect(edge, CELL_RADIUS, CELL_RADIUS)


def draw_hatch(drawing: Drawing, place: QRectF, *, bad: bool) -> None:
    theme, painter = drawing.theme, drawing.painter
    drawing.filled(place, hatch_ground(theme), CELL_RADIUS)
    path = QPainterPath()
    path.addRoundedRect(place, CELL_RADIUS, CELL_RADIUS)
    painter.save()
    painter.setClipPath(path)
    painter.setPen(QPen(theme.bad if bad else hatch_ink(theme), 1))
    steps = int((place.width() + place.height()) // _HATCH)
    lines = [
        QLineF(
            *(place.left() + step * _HATCH - place.height(), place.bottom()),
            *(place.left() + step * _HATCH, place.top()),
        )
        for step in range(1, steps + 1)
    ]
    painter.drawLines(lines)
    painter.restore()
