"""Very many cells as one picture: the shade of each, and hatching where there is no figure."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage

from gpuexplorer.gui.machines.heat_layout import Laid
from gpuexplorer.gui.theme.palette import Theme, mixed

_HEATS = 240
GROUND, NO_FIGURE, STROKE, BAD_STROKE = 0, _HEATS + 1, _HEATS + 2, _HEATS + 3
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
    lines = -(-wide // 4) * 4  # Qt wants lines of whole words
    pixels = np.zeros((high, lines), np.uint8)
    side_x, side_y = max(1, round(laid.wide * scale)), max(1, round(laid.high * scale))
    left = np.rint((laid.left - part.left()) * scale).astype(np.intp)
    top = np.rint((laid.top - part.top()) * scale).astype(np.intp)
    seen = (top > -side_y) & (top < high) & (left > -side_x) & (left < wide)
    left, top, shades = left[seen], top[seen], shades[seen]
    inside = (left >= 0) & (top >= 0) & (left + side_x <= wide) & (top + side_y <= high)
    whole = bool(inside.all())
    hatched = shades >= STROKE
    ground = np.where(hatched, np.uint8(NO_FIGURE), shades)
    period = max(2, round(_HATCH * scale))
    stroke = max(1, round(scale))
    for down in range(side_y):
        rows = top + down
        for right in range(side_x):
            ink = shades if (right + down) % period < stroke else ground
            columns = left + right
            if whole:
                pixels[rows, columns] = ink
            else:
                fits = (rows >= 0) & (rows < high) & (columns >= 0) & (columns < wide)
                pixels[rows[fits], columns[fits]] = ink[fits]
    image = QImage(pixels.data, wide, high, lines, QImage.Format.Format_Indexed8)
    image.setColorTable(table)
    image.setDevicePixelRatio(scale)
    return image.copy()
