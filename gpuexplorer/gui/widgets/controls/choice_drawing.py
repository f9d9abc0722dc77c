"""Draws a choice: its chip, its words, and what is said beside them."""

from PySide6.QtCore import QRectF

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.widgets.controls.choice import Choice

_CHIP, _GAP, _LEAST_REMARK = 20.0, 8.0, 18.0


def draw_choice(drawing: Drawing, place: QRectF, choice: Choice) -> None:
    """From the left of `place`, in its middle; what has no room is cut off."""
    theme, letters = drawing.theme, drawing.letters
    left, middle = place.left(), place.center().y()
    if choice.chip:
        chip = QRectF(left, middle - _CHIP / 2, _CHIP, _CHIP)
        fill = None if choice.outlined else theme.card(choice.colour)
        drawing.chip(chip, choice.chip, letters.badge, fill)
        left = chip.right() + _GAP
    lettering = letters.mono if choice.typed else letters.body
    ink = theme.faint if choice.refused else theme.text
    run = Run(choice.words, lettering, ink)
    baseline = middle + letters.body.cap_height / 2
    left = drawing.elided(left, baseline, run, place.right() - left) + _GAP
    remark = choice.refused or choice.remark
    if remark and place.right() - left > _LEAST_REMARK:
        quiet = Run(remark, letters.caption, theme.faint if choice.refused else theme.quiet)
        drawing.elided(left, baseline, quiet, place.right() - left)
