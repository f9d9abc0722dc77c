"""Very many coloured cells: each is a few pixels of one picture, quickly drawn."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage, QPainter


def picture_of(colours: Sequence[QColor], cells: NDArray[np.intp]) -> QImage:
    """A pixel for each cell, which says which of the colours it has."""
    known = np.array([(c.red(), c.green(), c.blue()) for c in colours], np.uint8)
    pixels, (high, wide) = np.ascontiguousarray(known[cells]), cells.shape
    return QImage(pixels.data, wide, high, 3 * wide, QImage.Format.Format_RGB888).copy()


def draw_picture(
    painter: QPainter, picture: QImage, corner: QPoint, step: int, gap: int, ground: QColor
) -> None:
    """A cell every `step` pixels, with the ground in the gaps between them."""
    whole = QRect(corner, picture.size() * step)
    painter.drawImage(whole, picture)
    for x in range(whole.left() + step - gap, whole.right() + 1, step):
        painter.fillRect(x, whole.top(), gap, whole.height(), ground)
    for y in range(whole.top() + step - gap, whole.bottom() + 1, step):
        painter.fillRect(whole.left(), y, whole.width(), gap, ground)
