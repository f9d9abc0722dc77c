"""Very many cells as one picture: the shade of each, and hatching where there is no figure."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage

from gpuexplorer.gui.machines.heat_layout import Laid
from gpuexplorer.gui.theme.palette import Theme, mixed

_HEATS = 240
NO_FIGURE, STROKE, BAD_STROKE = _HEATS + 1, _HEATS + 2, _HEATS + 3
_HATCH = 4  # pixels from one stroke to the next


def shades_of(shares: NDArray[np.float64], lost: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Of each cell: 1 to 240 by its share; hatched without one, where `lost` in another ink."""
    known = np.isfinite(shares)
    shades = np.where(lost, BAD_STROKE, STROKE).astype(np.uint8)
    shades[known] = 1 + np.rint(np.clip(shares[known], 0.0, 1.0) * (_HEATS - 1))
    return shades


def colours(theme: Theme) -> list[QColor]:
    """Of the shades, in their order."""
    heats = [theme.heat(at / (_HEATS - 1)) for at in range(_HEATS)]
    strokes = (hatch_ground(theme), hatch_ink(theme), theme.bad)
    return [theme.surface, *heats, *strokes]


def hatch_ground(theme: Theme) -> QColor:
    return mixed(theme.surface, theme.ground, 0.7)


def hatch_ink(theme: Theme) -> QColor:
    return mixed(theme.surface, theme.faint, 0.6)


def picture_of(
    laid: Laid, shades: NDArray[np.uint8], part: QRect, scale: float, table: list[int]
) -> QImage:
    """Of the cells in `part` of the widget, which has `scale` pixels to each of its own. Every
    pixel of a cell is set in all cells together: 8 000 of them take a few milliseconds.
    """
    wide, high = round(part.width() * scale), round(part.height() * scale)
    side_x, side_y = max(1, round(laid.wide * scale)), max(1, round(laid.high * scale))
    # With a rim for cells that begin before the part or end behind it.
    lines = -(-(wide + 2 * side_x) // 4) * 4  # Qt wants lines of whole words
    pixels = np.zeros((high + 2 * side_y, lines), np.uint8)
    left = np.rint((laid.left - part.left()) * scale).astype(np.intp) + side_x
    top = np.rint((laid.top - part.top()) * scale).astype(np.intp) + side_y
    seen = (top > 0) & (top < high + side_y) & (left > 0) & (left < wide + side_x)
    left, top, shades = left[seen], top[seen], shades[seen]
    ground = np.where(shades >= STROKE, np.uint8(NO_FIGURE), shades)
    period, stroke = max(2, round(_HATCH * scale)), max(1, round(scale))
    for down in range(side_y):
        for right in range(side_x):
            ink = shades if (right + down) % period < stroke else ground
            pixels[top + down, left + right] = ink
    image = QImage(pixels.data, lines, high + 2 * side_y, lines, QImage.Format.Format_Indexed8)
    image.setColorTable(table)
    found = image.copy(side_x, side_y, wide, high)
    found.setDevicePixelRatio(scale)
    return found
